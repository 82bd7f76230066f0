"""From a file's bytes to the bytes of documents: opened with limits, known by their first bytes.

Nothing is written to disk and no name inside an archive is ever used as a path.
"""

from __future__ import annotations

from dataclasses import dataclass

from traces.formats.base import Limits, Refusal, Unreadable
from traces.formats.files import archives, compression, langsmith_form, otlp_binary
from traces.formats.files.archives import EMPTY_ZIP, ZIP, Packed, told_apart
from traces.formats.files.sizes import TooLarge, check_size

__all__ = ["EMPTY_ZIP", "NEVER", "ZIP", "Member", "TooLarge", "measure", "opened", "told_apart"]

PICKLE = "This is a Python pickle; opening one could run foreign code. Export the runs as JSON."
NEVER = {
    b"SQLite format 3\x00": (
        "This is an SQLite database; Inquest opens no databases. Export the runs as JSON: of"
        " LangGraph the state history of each thread instead of the checkpoints, of MLflow and"
        " Phoenix the traces."
    ),
    b"\x80\x02": PICKLE,
    b"\x80\x03": PICKLE,
    b"\x80\x04": PICKLE,
    b"\x80\x05": PICKLE,
    ZIP: "This is a zip archive inside another container. Unpack the outer one first.",
}
# A document may be compressed several times over, as by a client and again by a proxy.
MOST_LAYERS = 3


@dataclass(frozen=True, slots=True)
class Member:
    """The bytes of one document. `name` is empty but for members of a bundle.

    `damage` is what is wrong with these bytes, `around` with the archive that they lay in.
    """

    content: bytes
    name: str = ""
    damage: str = ""
    around: str = ""


def opened(content: bytes, limits: Limits) -> tuple[list[Member], list[Refusal]]:
    """The documents in these bytes, and the members of a bundle that could not be opened."""
    check_size(len(content), limits)
    if not content.startswith((ZIP, EMPTY_ZIP)):
        return [plain(content, limits)], []
    files, around = archives.unpacked(content, limits)
    members, refusals, size = [], [], 0
    for file in files:
        try:
            members.append(member_of(file, around, limits))
            size += len(members[-1].content)
            check_size(size, limits)
        except TooLarge:
            raise
        except Unreadable as error:
            refusals.append(Refusal.of(error, file.name))
    return members, refusals


def member_of(file: Packed, around: str, limits: Limits) -> Member:
    if file.refused:
        raise Unreadable(file.refused)
    member = plain(file.content, limits)
    around = " ".join(filter(None, (around, member.around)))
    return Member(member.content, file.name, file.damage or member.damage, around)


def measure(content: bytes, limits: Limits) -> None:
    """Raise TooLarge if the bytes hold more than the limits allow, whatever else is wrong."""
    try:
        opened(content, limits)
    except TooLarge:
        raise
    except Exception:  # whatever it is, the bytes are kept first, and reading them will say it
        return


def plain(content: bytes, limits: Limits) -> Member:
    """One document, inflated as often as it was compressed, within reason."""
    check_size(len(content), limits)
    damage = ""
    for _ in range(MOST_LAYERS):
        if not content.startswith(compression.MAGIC):
            break
        content, damage = compression.inflated(content, limits)
    refuse_what_is_no_text(content)
    rewritten = otlp_binary.as_json(content) or langsmith_form.as_json(content)
    if rewritten is None:
        return Member(content=content, damage=damage)
    check_size(len(rewritten[0]), limits)
    return Member(content=rewritten[0], damage=damage, around=rewritten[1])


def refuse_what_is_no_text(content: bytes) -> None:
    for magic, sentence in NEVER.items():
        if content.startswith(magic):
            raise Unreadable(sentence)
    if content.startswith(compression.MAGIC):
        raise Unreadable(f"This is compressed more than {MOST_LAYERS} times over.")
