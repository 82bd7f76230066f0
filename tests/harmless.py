"""Whether a page stays ours when a trace tries to take it over: see rule 19 of the design.

`EVIL` is put wherever a trace may put text. A page is harmless when nothing of it became markup
and no character of it works on the eye unseen.
"""

from __future__ import annotations

from html.parser import HTMLParser

from traces.display import INVISIBLE

EVIL = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"
    "![i](http://evil.example/i.png)\x1b[31m\u202e\u2066\ufeff\x07"
)
# As it comes out: every character that cannot be seen is named.
SHOWN = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"
    "![i](http://evil.example/i.png)⟨U+001B⟩[31m⟨U+202E⟩⟨U+2066⟩⟨U+FEFF⟩⟨U+0007⟩"
)
SEEN = ("title", "aria-label", "placeholder", "alt", "label", "data-actor")
ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post")
# Elements of our templates; there is no other in them.
OURS = {
    "a", "article", "aside", "b", "blockquote", "body", "br", "button", "caption", "circle",
    "code", "col", "colgroup", "dd", "del", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "g", "h1", "h2", "h3", "head", "header", "html",
    "input", "ins",
    "kbd", "label", "legend", "li", "link", "main", "mark", "meta", "nav", "ol", "optgroup",
    "option", "output", "p", "path", "pre", "progress", "rect", "script", "section", "select",
    "small", "span", "strong", "summary", "svg", "table", "tbody", "td", "text", "textarea",
    "th", "thead", "time", "title", "tr", "ul", "use",
}  # fmt: skip


class Page(HTMLParser):
    """Reads a page as a browser does, and notes what should not be there."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.text = ""
        self.inside: list[str] = []
        self.feed(content.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside.append(tag)
        given = {name: value or "" for name, value in attrs}
        if tag not in OURS:
            self.faults.append(f"element {tag}")
        if tag == "script" and not self.is_our_script(given):
            self.faults.append(f"script {given}")
        for name, value in given.items():
            self.check(tag, name, value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while tag in self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        # What somebody types into their own field comes back as it was.
        if self.inside and self.inside[-1] in ("textarea", "script"):
            return
        self.text += data
        self.unseen("text", data)

    def is_our_script(self, given: dict[str, str]) -> bool:
        own = given.get("src", "").startswith("/static/")
        return own or given.get("type") == "application/json"

    def check(self, tag: str, name: str, value: str) -> None:
        if name.startswith("on") or name == "style":
            self.faults.append(f"{tag} {name}={value}")
        # What begins like this stays on the site, whatever follows.
        if name in ADDRESSES and not value.startswith(("/", "../", "?", "#")):
            self.faults.append(f"{tag} {name}={value}")
        if name in SEEN:
            self.text += f" {value} "
            self.unseen(f"{tag} {name}", value)

    def unseen(self, where: str, text: str) -> None:
        found = INVISIBLE.search(text)
        if found:
            self.faults.append(f"U+{ord(found.group()):04X} in {where}: {text[:80]!r}")


def faults_of(content: bytes) -> list[str]:
    return Page(content).faults


def text_of(content: bytes) -> str:
    """All that can be read on a page, titles and labels included."""
    return Page(content).text
