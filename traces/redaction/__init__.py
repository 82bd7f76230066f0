"""What a policy withholds from a document's bytes, and what the bytes are without it.

Plain Python, without a database. `search` finds the values; the numbers of their placeholders
come from outside; `Search.written` is the bytes to store. Everything else stays byte for byte.
"""

from traces.redaction.documents import Member, Search, Unopened, search, search_text
from traces.redaction.policy import BadPolicy, Policy, Rule, policy_of

__all__ = [
    "BadPolicy",
    "Member",
    "Policy",
    "Rule",
    "Search",
    "Unopened",
    "policy_of",
    "search",
    "search_text",
]
