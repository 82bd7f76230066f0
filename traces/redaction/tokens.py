"""What the keys and tokens of well-known services look like.

The vendors' patterns are those of detect-secrets, which are kept up elsewhere; it looks for
secrets and does not replace them, so each match is taken to the end of its token here. Left out
of it is what guesses (entropy, key words) and what takes quadratic time on hostile text; the
patterns below stand in for those, and for services it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

VENDORS = (
    AzureStorageKeyDetector,
    DiscordBotTokenDetector,
    GitHubTokenDetector,
    GitLabTokenDetector,
    MailchimpDetector,
    PypiTokenDetector,
    SendGridDetector,
    SlackDetector,
    SquareOAuthDetector,
    StripeDetector,
    TelegramBotTokenDetector,
    TwilioKeyDetector,
)
# Of the patterns for AWS only the first is for keys themselves; the other looks for quotes.
THEIRS: tuple[re.Pattern[str], ...] = (
    next(iter(AWSKeyDetector.denylist)),
    *(pattern for vendor in VENDORS for pattern in vendor.denylist),
)
PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-[A-Za-z0-9_-]{20,}"  # OpenAI, Anthropic, OpenRouter and who copied them
    r"|github_pat_[A-Za-z0-9_]{22,}|npm_[A-Za-z0-9]{36,}|hf_[A-Za-z0-9]{30,}"
    r"|AIza[A-Za-z0-9_-]{35,}|ya29\.[A-Za-z0-9_-]{20,}|xai-[A-Za-z0-9_-]{20,}"
    r"|gsk_[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{20,}"
    r"|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{20,}|xapp-[A-Za-z0-9-]{20,})"
)
ASSIGNED = re.compile(
    r"(?:api[_-]?key|access[_-]?token|auth[_-]?token|secret[_-]?key|secret[_-]?access[_-]?key"
    r"|client[_-]?secret)\\?['\"]?\s{0,4}[:=]\s{0,4}\\?['\"]?([A-Za-z0-9_./+=-]{16,})",
    re.IGNORECASE,
)
ENDING = ".,;:!?"
REST = re.compile(r"[A-Za-z0-9_-]*")
# What a match cannot be without, in a document's own spelling: patterns, those that are mere
# text written in small letters for a document in small letters. Each begins with fixed letters,
# which the engine finds many times as fast.
SIGNS: tuple[re.Pattern[str] | str, ...] = (
    re.compile(r"A3T|A[BKS]IA|ACCA"),
    re.compile(r"[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\."),
    re.compile(r"gh[opsur]_"),
    re.compile(r"gl[a-z]{2,6}-|GR1348941"),
    re.compile(r":[0-9A-Za-z_-]{35}"),
    re.compile(r"AC[a-z0-9]{32}"),
    re.compile(r"SK[a-z0-9]{32}"),
    *("accountkey=", "-us", "pypi-", r"sg\.", "xox", r"hooks\.slack", "sq0csp-", "k_live_"),
    *("sk-", "github_pat_", "npm_", "hf_", "aiza", r"ya29\.", "xai-", "gsk_", "r8_", "pplx-"),
    *("dapi", "lin_api_", "xapp-"),
    *("api[_-]?key", "access[_-]?(?:token|key)", "auth[_-]?token", "secret[_-]?key"),
    "client[_-]?secret",
)


def found(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where keys and tokens stand in this stretch of a text."""
    for pattern in THEIRS:
        for match in pattern.finditer(text, start, end):
            rest = REST.match(text, match.end(), end)
            yield match.start(), rest.end() if rest else match.end()
    for match in PREFIXED.finditer(text, start, end):
        yield match.span()
    for match in ASSIGNED.finditer(text, start, end):
        if looks_random(match[1]):
            yield unended(text, *match.span(1))


def unended(text: str, start: int, end: int) -> tuple[int, int]:
    """The place without the marks behind it that end a sentence.

    The same token is the same value whether a sentence ends with it or not.
    """
    while end - start > 1 and text[end - 1] in ENDING:
        end -= 1
    return start, end


def looks_random(token: str) -> bool:
    """Whether a word has both letters and digits, as few words of a language have."""
    return any(sign.isdigit() for sign in token) and any(sign.isalpha() for sign in token)
