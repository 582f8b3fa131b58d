"""The campaign's guidelines: a Markdown file of the home, parsed for the screen into elements of allowed kinds.

No raw markup passes: HTML becomes text, links lead to web or mail addresses only, and images become their text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block.table import table

from panelwise.domain import FormatError, is_guideline_name

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

    from annotator.campaign.home import Home

#: Maximum number of characters, because people read it next to a figure.
LONGEST = 200_000
#: Tokens of the parser, some three for each cell, after which it reads no further table.
MOST_TOKENS = 30_000
#: Maximum number of bytes per character in UTF-8.
_LONGEST_CHARACTER = 4

#: Allowed elements; the content of others is used without them.
_KINDS = frozenset(
    {
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "hr", "br"),
        *("strong", "em", "s", "code", "a", "table", "thead", "tbody", "tr", "th", "td"),
    }
)

#: Allowed beginnings of link addresses.
_LINKS = ("http://", "https://", "mailto:")

_ALIGN = "text-align:"


class Element(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element of the guidelines. children: () for an empty one such as a rule or an empty cell.

    start: first number of a numbered list if it is not 1.
    """

    tag: str
    children: tuple[Element | str, ...]
    href: str = ""
    align: str = ""
    start: int | None = None


class Guidelines(msgspec.Struct, frozen=True):
    """The parsed guidelines. version: from campaign.toml, or ""."""

    version: str
    blocks: tuple[Element | str, ...]


def present(home: Home) -> bool:
    """Return whether the campaign has guidelines to show."""
    return (home.path / home.campaign.guideline_file).is_file()


def guidelines_path(home: Home) -> Path | None:
    """Return the file with the campaign's guidelines, None if there is none.

    Raises FormatError for a link to anything but a Markdown file of the home, which also contains secrets.
    """
    name = home.campaign.guideline_file
    file = Path(os.path.realpath(home.path / name))
    if not file.is_relative_to(home.path) or not is_guideline_name(file.name):
        raise FormatError(f"{name}: is a link to {file}, which is not a Markdown file of the home; copy it there")
    return file if file.is_file() else None


def guidelines(home: Home) -> Guidelines | None:
    """Read the campaign's guidelines; None if there are none. Raises FormatError if they can't be read."""
    name = home.campaign.guideline_file
    file = guidelines_path(home)
    if file is None:
        return None
    try:
        if file.stat().st_size > LONGEST * _LONGEST_CHARACTER:
            raise FormatError(f"{name}: has more than {LONGEST:,} characters; shorten it")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{name}: is not UTF-8 text; save it as UTF-8") from error
    if len(text) > LONGEST:
        raise FormatError(f"{name}: has {len(text):,} characters, more than {LONGEST:,}; shorten it")
    return Guidelines(home.campaign.guideline, blocks(text))


@lru_cache(maxsize=4)
def blocks(text: str) -> tuple[Element | str, ...]:
    """Parse Markdown (CommonMark, tables, strikethrough) into elements of allowed kinds."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    return _nested(parser.parse(text))


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Read a table if the text has few elements so far; others stay text.

    A row may have fewer cells than the header, and the parser adds those that are missing: short tables with wide
    headers, each allowed 65,536 of these, would make millions of elements of a page of text.
    """
    return len(state.tokens) < MOST_TOKENS and table(state, start_line, end_line, silent)


def _nested(tokens: Iterable[Token]) -> tuple[Element | str, ...]:
    """Convert the parser's flat tokens to a tree, without elements that are not in `_KINDS`."""
    whole: list[Element | str] = []
    open_: list[tuple[Token, list[Element | str]]] = []
    for token in tokens:
        inside = open_[-1][1] if open_ else whole
        if token.nesting == 1:
            open_.append((token, []))
        elif token.nesting == -1:
            opening, children = open_.pop()
            outside = open_[-1][1] if open_ else whole
            outside.extend(_element(opening, tuple(children)))
        elif token.type == "inline":
            inside.extend(_nested(token.children or ()))
        else:
            inside.extend(_leaf(token))
    return tuple(whole)


def _element(opening: Token, children: tuple[Element | str, ...]) -> tuple[Element | str, ...]:
    href = str(opening.attrs.get("href", ""))
    no_link = opening.tag == "a" and not href.lower().startswith(_LINKS)
    if opening.hidden or no_link or opening.tag not in _KINDS:
        return children
    if href and not children:
        children = (href,)  # a link without text could be neither seen nor pressed
    align = str(opening.attrs.get("style", "")).removeprefix(_ALIGN)
    start = opening.attrs.get("start")
    return (Element(opening.tag, children, href, align, None if start is None else int(start)),)


def _leaf(token: Token) -> tuple[Element | str, ...]:
    match token.type:
        case "softbreak":
            return (" ",)
        case "hardbreak":
            return (Element("br", ()),)
        case "hr":
            return (Element("hr", ()),)
        case "code_inline":
            return (Element("code", (token.content,)),)
        case "fence" | "code_block":
            return (Element("pre", (Element("code", (token.content,)),)),)
        case "image":
            return (f"[{token.content}]",) if token.content else ()
        case _:
            return (token.content,) if token.content else ()
