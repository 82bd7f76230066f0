"""Markdown as HTML: newlines stay newlines, nothing is loaded, links tell where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from attribution.rendering.code import highlighted
from attribution.rendering.safe import Html, escaped

# Characters that are read as Markdown, and elements that one block of code may cost.
MOST, CODE = 20_000, 120
SURROGATE = re.compile("[\ud800-\udfff]")
TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "hr", "li", "ol", "p", "pre", "s", "span",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "class"},
    "ol": {"start"},
    "p": {"class"},
    "span": {"class", "title", "data-length"},
}
type_of_tokens = Sequence[Token]
type_of_env = MutableMapping[str, Any]


def rendered(text: str, leaving: str) -> Html:
    """The text's HTML. Links go to `leaving` + the quoted address; without it there are none."""
    html = PARSER.render(SURROGATE.sub("\ufffd", text), {"leaving": leaving})
    clean = nh3.clean(
        html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=set(), link_rel="noreferrer nofollow"
    )
    return Html(clean.strip())


def host_of(address: str) -> str:
    """Where an address of the web leads; empty for any other."""
    try:
        parts = urlsplit(address)
        return parts.hostname or "" if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _tame(state: StateCore) -> None:
    """Before anything is drawn: pictures become words, links lead to the notice page."""
    for token in state.tokens:
        if token.children:
            token.children = list(_tamed(token.children, state.env.get("leaving", "")))


def _tamed(tokens: type_of_tokens, leaving: str) -> Iterator[Token]:
    hosts: list[str] = []
    for token in tokens:
        if token.type == "image":
            yield _picture(token)
        elif token.type == "link_open":
            target = str(token.attrs.get("href", ""))
            hosts.append(host_of(target))
            address = leaving + quote(target, safe="") if leaving and hosts[-1] else ""
            token.attrs = {"class": "out", **({"href": address} if address else {})}
            yield token
        elif token.type == "link_close":
            yield token
            yield _words("where", f" ({hosts.pop() or 'no address of the web'})")
        else:
            yield token


def _picture(token: Token) -> Token:
    host = host_of(str(token.attrs.get("src", "")))
    return _words("picture", f"[image: {token.content or 'no description'} ({host or 'not here'})]")


def _words(kind: str, content: str) -> Token:
    return Token(kind, "", 0, content=content)


def _text(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    return escaped(tokens[index].content)


def _named(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    return f'<span class="{tokens[index].type}">{escaped(tokens[index].content)}</span>'


def _inline_code(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    return f"<code>{escaped(tokens[index].content)}</code>"


def _block(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    language = tokens[index].info.strip().partition(" ")[0]
    return f"<pre><code>{highlighted(tokens[index].content, language, CODE)}</code></pre>\n"


def _heading_open(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    """Not as a heading of the page, whose outline is not the trace's to write."""
    return f'<p class="h {tokens[index].tag}">'


def _heading_close(
    renderer: RendererHTML,
    tokens: type_of_tokens,
    index: int,
    options: OptionsDict,
    env: type_of_env,
) -> str:
    return "</p>\n"


def _parser() -> MarkdownIt:
    options = {"breaks": True, "html": False, "maxNesting": 20}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.core.ruler.push("tame", _tame)
    rules = {
        "text": _text, "where": _named, "picture": _named, "code_inline": _inline_code,
        "fence": _block, "code_block": _block,
        "heading_open": _heading_open, "heading_close": _heading_close,
    }  # fmt: skip
    for name, rule in rules.items():
        parser.add_render_rule(name, rule)
    return parser


PARSER = _parser()
