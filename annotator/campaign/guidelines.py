"""The campaign's guidelines: a file of the home in Markdown, parsed for the screen into pieces of known kinds.

No markup of the file's own gets through: HTML in it is text, links lead to the web or to a mail address only, and
images are told by their text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from markdown_it import MarkdownIt

from panelwise.domain.campaign import is_guideline_name
from panelwise.domain.errors import FormatError

if TYPE_CHECKING:
    from markdown_it.token import Token

    from annotator.campaign.home import Home

#: Characters that are read at most: a person reads it, beside a figure.
LONGEST = 200_000
#: Bytes of a character in UTF-8, at most.
_LONGEST_CHARACTER = 4

#: Elements that are passed on; what stands in others is passed on without them.
_KINDS = frozenset(
    {
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "hr", "br"),
        *("strong", "em", "s", "code", "a", "table", "thead", "tbody", "tr", "th", "td"),
    }
)

#: How an address begins that a link may lead to.
_LINKS = ("http://", "https://", "mailto:")

_ALIGN = "text-align:"


class Element(msgspec.Struct, frozen=True, omit_defaults=True):
    """An element of the guidelines. children: always written, () for an empty one such as a rule or an empty cell.

    start: of a numbered list that does not begin with 1.
    """

    tag: str
    children: tuple[Element | str, ...]
    href: str = ""
    align: str = ""
    start: int | None = None


class Guidelines(msgspec.Struct, frozen=True):
    """What the campaign's guidelines say. version: as campaign.toml has it, "" for none."""

    version: str
    blocks: tuple[Element | str, ...]


def present(home: Home) -> bool:
    """Whether the campaign has guidelines to show."""
    return (home.path / home.campaign.guideline_file).is_file()


def guidelines_path(home: Home) -> Path | None:
    """The file with the campaign's guidelines, None where it has none.

    Raises FormatError for a link to anything but a Markdown file of the home: secrets lie there too.
    """
    name = home.campaign.guideline_file
    file = Path(os.path.realpath(home.path / name))
    if not file.is_relative_to(home.path) or not is_guideline_name(file.name):
        raise FormatError(f"{name}: is a link to {file}, which is no Markdown file of the home; put it there")
    return file if file.is_file() else None


def guidelines(home: Home) -> Guidelines | None:
    """The campaign's guidelines, None where it has none. Raises FormatError where they cannot be read."""
    name = home.campaign.guideline_file
    file = guidelines_path(home)
    if file is None:
        return None
    try:
        if file.stat().st_size > LONGEST * _LONGEST_CHARACTER:
            raise FormatError(f"{name}: is longer than the {LONGEST:,} characters that are shown; shorten it")
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{name}: cannot be read as UTF-8 text; save it anew") from error
    if len(text) > LONGEST:
        raise FormatError(f"{name}: {len(text):,} characters are more than the {LONGEST:,} shown; shorten it")
    return Guidelines(home.campaign.guideline, blocks(text))


@lru_cache(maxsize=4)
def blocks(text: str) -> tuple[Element | str, ...]:
    """Markdown (CommonMark, tables, strikethrough) as pieces of known kinds."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return _nested(parser.parse(text))


def _nested(tokens: Iterable[Token]) -> tuple[Element | str, ...]:
    """The parser's flat run of tokens as a tree, without the elements that are not in `_KINDS`."""
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
