from traces.models.audit import AuditCheckpoint, AuditEntry
from traces.models.documents import RawDocument, Receipt
from traces.models.labels import Label
from traces.models.payloads import Payload, PayloadUse
from traces.models.projects import SCOPES, ApiKey, Membership, Project, Role
from traces.models.quarantine import Quarantine, TrajectoryProfile
from traces.models.redaction import Action, ProjectKey, Redaction, RedactionPolicy, Withheld
from traces.models.runs import Actor, Failure, Gap, Opinion, Run
from traces.models.spans import OpenTrace, RawSpan, SpanOrigin
from traces.models.steps import Link, Part, RawRecord, RunOutline, Step

__all__ = [
    "SCOPES",
    "Action",
    "Actor",
    "ApiKey",
    "AuditCheckpoint",
    "AuditEntry",
    "Failure",
    "Gap",
    "Label",
    "Link",
    "Membership",
    "OpenTrace",
    "Opinion",
    "Part",
    "Payload",
    "PayloadUse",
    "Project",
    "ProjectKey",
    "Quarantine",
    "RawDocument",
    "RawRecord",
    "RawSpan",
    "Receipt",
    "Redaction",
    "RedactionPolicy",
    "Role",
    "Run",
    "RunOutline",
    "SpanOrigin",
    "Step",
    "TrajectoryProfile",
    "Withheld",
]
