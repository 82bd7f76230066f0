from traces.models.audit import AuditCheckpoint, AuditEntry
from traces.models.documents import RawDocument, Receipt
from traces.models.projects import SCOPES, ApiKey, Membership, Project, Role
from traces.models.runs import Actor, Failure, Gap, Opinion, Run
from traces.models.steps import Link, Part, Step

__all__ = [
    "SCOPES",
    "Actor",
    "ApiKey",
    "AuditCheckpoint",
    "AuditEntry",
    "Failure",
    "Gap",
    "Link",
    "Membership",
    "Opinion",
    "Part",
    "Project",
    "RawDocument",
    "Receipt",
    "Role",
    "Run",
    "Step",
]
