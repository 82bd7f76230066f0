"""The fixed words of a record: kinds of parts, actors, steps and links, states and outcomes."""

from enum import StrEnum


class PartKind(StrEnum):
    INPUT = "input"
    DECISION = "decision"
    INTERPRETATION = "interpretation"
    MESSAGE = "message"
    TOOL_REQUEST = "tool_request"
    TOOL_RESPONSE = "tool_response"
    STATE = "state"
    VERIFICATION = "verification"
    ERROR = "error"


OBSERVATIONS = frozenset(
    {PartKind.TOOL_RESPONSE, PartKind.STATE, PartKind.VERIFICATION, PartKind.ERROR}
)


class ActorKind(StrEnum):
    AGENT = "agent"
    TOOL = "tool"
    HUMAN = "human"
    HARNESS = "harness"
    ENVIRONMENT = "environment"
    EVALUATOR = "evaluator"


class StepKind(StrEnum):
    INPUT = "input"
    DECISION = "decision"
    MESSAGE = "message"
    HANDOFF = "handoff"
    TOOL = "tool"
    STATE = "state"
    VERIFICATION = "verification"
    ERROR = "error"


class StepStatus(StrEnum):
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    NOT_CAPTURED = "not_captured"


class LinkKind(StrEnum):
    PARENT = "parent"
    CONSUMES = "consumes"
    HANDOFF = "handoff"
    RETRY_OF = "retry_of"
    SPAWN = "spawn"
    JOIN = "join"
    FOLLOWS = "follows"


class Capture(StrEnum):
    """Why a field is empty or incomplete."""

    ABSENT = "absent"
    NOT_CAPTURED = "not_captured"
    NOT_IN_SCHEMA = "not_in_schema"
    WITHHELD = "withheld"
    DAMAGED = "damaged"


class Outcome(StrEnum):
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    UNKNOWN = "unknown"


class Fate(StrEnum):
    """What became of a raw record that is no step by itself."""

    CONTAINER = "container"
    FOLDED = "folded"
    CONTEXT = "context"
    UNMAPPED = "unmapped"
