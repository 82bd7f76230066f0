"""Readable exports of hostile documents: everything is told, nothing is live."""

from __future__ import annotations

import hashlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from markdown_it import MarkdownIt
from securesystemslib.signer import CryptoSigner

from reviews.postmortems import signing
from reviews.postmortems.markdown import render_markdown
from reviews.postmortems.outline import outline_of
from reviews.postmortems.page import render_html
from reviews.postmortems.verify import Fault, verify

GOLDEN = Path(__file__).parent / "golden"
HOSTILE = (
    "<script>alert(1)</script> ![x](https://evil.example/p.png) [y](javascript:z) "
    "<img src=x onerror=alert(2)> https://evil.example www.evil.example a@evil.example "
    "`` ``` ~~~ | \u202egnp.exe\u2066 \x1b[31m\x00 {{ 7|add:7 }} {% now 'Y' %} &lt; \ufeff\r"
)
LINES = f"first\n```\n# {HOSTILE}\n\n<!-- open\n    - item\n"
# A fixed key makes the same envelope every time: Ed25519 signatures are deterministic.
SIGNER = CryptoSigner(Ed25519PrivateKey.from_private_bytes(b"\x01" * 32))


def hostile(text: str) -> dict[str, Any]:
    """A postmortem with this text wherever text from outside may stand."""
    at = "2026-11-20T09:00:00+00:00"
    person = {"username": text, "name": text}
    step = {"step": 1, "source_id": text, "actor": text, "role": f"{text}!"}
    quote = {"purpose": "origin", "step": 1, "part": 0, "start": 0, "end": len(text)}
    finding = {
        "note": text,
        "decisive_step": step,
        "responsible": "actor",
        "actor": text,
        "state_change": text,
        "carriers": [step],
        "exposing_step": step,
        "evidence": [{**quote, "text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}],
        "alternatives": [
            {"step": None, "rejected_because": text},
            {"step": 0, "rejected_because": text},
        ],
        "misses": [
            {
                "step": 3,
                "contract": text,
                "component": text,
                "clause": text,
                "valid_from": at,
                "valid_to": None,
            }
        ],
        "counterfactual": "no",
        "apparatus": dict.fromkeys(("evaluator", "harness"), "ruled_out"),
        "category": {"key": text, "version": 1, "name": text, "definition": text},
        "phase": "planning",
        "tags": [text, text],
        "confidence": "high",
    }
    claim = {
        "adopted": True,
        "reviewer": person,
        "outcome": "attributed",
        "basis": "revised",
        "candidate": text,
        "revision_reason": text,
        "decisive_step": 1,
        "responsible": "actor",
        "actor": text,
        "category": text,
        "confidence": "high",
        "unresolved_reason": "",
        "missing_observation": "",
        "signed_at": at,
        "finding": finding,
    }
    return {
        "format": "inquest-postmortem/1",
        "project": {"slug": "demo", "name": text},
        "case": {
            "number": 7,
            "consequence": "reported_result",
            "opened_at": at,
            "policy": {"version": 1, "signatures_needed": 2, "two_person_rule": True},
        },
        "run": {
            "external_id": text,
            "source": text,
            "task": text,
            "task_text": text,
            "outcome": "failed",
            "system": {"name": text, "version": text, text: text},
            "schema": text,
            "steps": 4,
            "started_at": None,
            "ended_at": at,
            "received_at": at,
            "sha256": "a" * 64,
            "document": {"name": text, "pointer": text, "size": 3, "sha256": "b" * 64},
        },
        "failure": {
            "key": text,
            "statement": text,
            "expected": text,
            "observed": text,
            "check": text,
            "exposed_by": 0,
            "consequence": text,
        },
        "verdict": {
            "number": 2,
            "outcome": "attributed",
            "reason": text,
            "missing_observation": "",
            "adopted_claim_of": person,
            "supersedes": 1,
            "signed_by": person,
            "signed_at": at,
        },
        "finding": finding,
        "claims": [
            claim,
            claim | {"adopted": False, "basis": "own", "candidate": None, "outcome": "unresolved"},
        ],
        "candidates": [
            {
                "attributor": text,
                "rank": 1,
                "step": 1,
                "actor": text,
                "part": part,
                "score": 0.5,
                "rationale": text,
                "accuracy": text,
            }
            for part in ("produced", "missed", "apparatus")
        ],
        "gaps": {
            "in_all": 3,
            "that_matter": [
                {"kind": text, "step": None, "detail": text},
                {"kind": "damaged", "step": 1, "detail": text},
            ],
        },
    }


def envelope_of(predicate: dict[str, Any]) -> bytes:
    subjects = [("run:x", "a" * 64), ("document:x", "b" * 64)]
    statement = signing.statement_about(subjects=subjects, predicate=predicate)
    return signing.sign(statement, signer=SIGNER)


@pytest.mark.parametrize("render", [render_markdown, render_html])
@pytest.mark.parametrize("data", [b"", b"{}", b"<html></html>"])
def test_what_is_no_envelope_is_not_rendered(render, data: bytes) -> None:
    with pytest.raises(Fault):
        render(data)


@pytest.mark.parametrize("text", [HOSTILE, LINES, "`", "```", " ` ", "a\n`````\nb", "\\`"])
def test_markdown_comes_out_as_nothing_but_text(text: str) -> None:
    reader = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table"])
    page = render_markdown(envelope_of(hostile(text)))
    kinds, shown = set(), []
    for token in reader.parse(page):
        kinds.add(token.type)
        kinds |= {child.type for child in token.children or ()}
        shown += [token.content] if token.type == "fence" else []
        shown += [child.content for child in token.children or () if child.type == "code_inline"]
    assert kinds <= {
        "heading_open",
        "heading_close",
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "strong_open",
        "strong_close",
        "code_inline",
        "fence",
        "softbreak",
        "text_special",
    }
    assert not set(page) & {"\u202e", "\u2066", "\x1b", "\x00", "\ufeff", "\r"}
    # The quote is there, character for character, but for the marks.
    first = text.split("\n", maxsplit=1)[0].split("\u202e", maxsplit=1)[0]
    assert any(first in part for part in shown)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= set(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", [HOSTILE, LINES, '"><b x="', "</title></style></dd>"])
def test_the_page_holds_no_markup_from_outside(text: str) -> None:
    plain, reader = Tags(), Tags()
    plain.feed(render_html(envelope_of(hostile("plain"))))
    page = render_html(envelope_of(hostile(text)))
    reader.feed(page)
    assert reader.tags == plain.tags
    assert reader.attributes == plain.attributes
    assert not plain.tags & {"script", "img", "a", "link", "iframe", "form", "object", "base"}
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in plain.attributes
    assert not set(page) & {"\u202e", "\u2066", "\x1b", "\x00", "\ufeff", "\r"}
    assert text.split("\n", maxsplit=1)[0].split("\u202e", maxsplit=1)[0] in reader.text


def test_what_cannot_be_seen_is_shown_as_marks() -> None:
    for page in (render_markdown, render_html):
        told = page(envelope_of(hostile(HOSTILE)))
        for mark in ("⟨U+202E⟩", "⟨U+2066⟩", "⟨U+001B⟩", "⟨U+0000⟩", "⟨U+FEFF⟩", "⟨U+000D⟩"):
            assert mark in told


def test_both_say_which_file_they_read_and_how_to_verify_it() -> None:
    envelope = envelope_of(hostile("plain"))
    digest = hashlib.sha256(envelope).hexdigest()
    for page in (render_markdown(envelope), render_html(envelope)):
        assert digest in page
        assert SIGNER.public_key.keyid in page
        assert "manage.py verify_postmortem FILE --key PUBLIC_KEY.pem" in page


def rows_of(envelope: bytes, title: str) -> dict[str, str]:
    (section,) = [row for row in outline_of(envelope).sections if row.title == title]
    return {row.label: row.text for row in section.rows}


def test_an_unresolved_postmortem_tells_every_claim_in_full() -> None:
    predicate = hostile("plain")
    predicate["verdict"] |= {"outcome": "unresolved", "missing_observation": "The lock file."}
    predicate["verdict"] |= {"adopted_claim_of": None, "supersedes": None}
    predicate["claims"][0] |= {"adopted": False}
    envelope = envelope_of(predicate | {"finding": None, "candidates": []})
    assert [section.title for section in outline_of(envelope).sections] == [
        "Failure", "Verdict", "Claim 1", "Claim 2", "Gaps of the record", "Record"
    ]  # fmt: skip
    verdict = rows_of(envelope, "Verdict")
    assert verdict["Missing observation"] == "The lock file."
    assert verdict["Verdict"] == "number 2"
    assert rows_of(envelope, "Claim 1")["State change"] == "plain"
    assert rows_of(envelope, "Claim 2")["Basis"] == "own finding"


def test_the_adopted_claim_is_told_from_the_others() -> None:
    envelope = envelope_of(hostile("plain"))
    titles = [section.title for section in outline_of(envelope).sections]
    assert titles[1:4] == ["Verdict", "Claim 1, adopted by the verdict", "Claim 2"]
    told = rows_of(envelope, "Claim 1, adopted by the verdict")
    assert told["Basis"] == "revised from plain"
    assert told["Responsible actor"] == "plain"
    assert told["Decisive step"] == "#1 plain, plain! (in the source: plain)"
    assert told["Considered #0"] == "plain"
    assert told["Missed at #3"] == (
        "plain: plain (plain, in force from 2026-11-20 09:00:00 UTC to now)"
    )
    assert told["Evaluator"] == "ruled out"


def test_an_older_file_tells_the_adopted_finding_and_counts_the_claims() -> None:
    predicate = hostile("plain")
    for claim in predicate["claims"]:
        del claim["finding"], claim["adopted"]
    del predicate["run"]["task_text"], predicate["run"]["outcome"]
    predicate["claims"][1]["decisive_step"] = None
    envelope = envelope_of(predicate)
    assert verify(envelope, signing.public_pem(SIGNER)) == []
    assert rows_of(envelope, "Adopted finding")["State change"] == "plain"
    assert rows_of(envelope, "Claim 1")["Decisive step"] == "#1"
    assert "State change" not in rows_of(envelope, "Claim 1")
    assert "Decisive step" not in rows_of(envelope, "Claim 2")


def test_a_finding_without_category_is_told() -> None:
    predicate = hostile("plain")
    finding = predicate["finding"]
    finding |= {"category": None, "exposing_step": None, "responsible": "task", "actor": ""}
    page = render_markdown(envelope_of(predicate))
    assert "**Responsible:** the task" in page
    assert "**Category:**" not in page
    finding["responsible"] = "coordination_rule"
    page = render_markdown(envelope_of(predicate))
    assert "**Responsible:** a coordination rule or merge order" in page


def test_nobody_blamed_and_an_unknown_purpose_are_told() -> None:
    predicate = hostile("plain")
    predicate["finding"] |= {"responsible": "", "actor": ""}
    predicate["finding"]["evidence"][0]["purpose"] = "note"
    told = rows_of(envelope_of(predicate), "Claim 2")
    assert not {label for label in told if "Responsible" in label}
    assert told["Quoted for the note"] == "plain"


def test_our_own_words_and_punctuation_are_not_escaped() -> None:
    page = render_markdown(envelope_of(hostile("plain")))
    assert "# Postmortem of case 7, plain\n" in page
    assert "## Claim 1, adopted by the verdict\n" in page
    assert "**Signed at:** 2026-11-20 09:00:00 UTC\n" in page
    assert "**Hangs on it:** reported result\n" in page
    assert "**Quoted for the action that changed it:**\n\n```text\nplain\n```" in page
    digest = hashlib.sha256(b"plain").hexdigest()
    assert f"\n\nStep #1, part 0, characters 0 to 5, sha256 {digest}\n" in page
    assert "\\" not in page


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-20T09:00:00.123456+00:00", "2026-11-20 09:00:00 UTC"),
        ("2026-11-20T09:00:00+09:00", "2026-11-20 00:00:00 UTC"),
        ("0001-01-01T00:00:00+23:00", "0001-01-01T00:00:00+23:00"),
        ("yesterday", "yesterday"),
    ],
)
def test_times_are_shown_to_the_second(moment: str, words: str) -> None:
    predicate = hostile("plain")
    predicate["verdict"]["signed_at"] = moment
    assert rows_of(envelope_of(predicate), "Verdict")["Signed at"] == words


@pytest.mark.parametrize(
    ("name", "render"), [("hostile.md", render_markdown), ("hostile.html", render_html)]
)
def test_the_export_is_the_one_that_was_looked_at(name: str, render) -> None:
    envelope = envelope_of(hostile(HOSTILE.replace("\r", "") + "\nsecond line"))
    assert verify(envelope, signing.public_pem(SIGNER)) == []
    assert render(envelope) == (GOLDEN / name).read_text()
