"""The bundled documentation: Markdown pages of this repository's `docs`, rendered without scripts.

A wheel has the folder beside this module (`force-include` in pyproject.toml); a checkout has it at its root.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from flask import url_for
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from panelwise.domain import AnnotatorError, Role

_BUNDLED = Path(__file__).parent / "documentation"
#: The folder of the documentation.
DOCUMENTATION = _BUNDLED if _BUNDLED.is_dir() else Path(__file__).parents[3] / "docs"
INDEX = "index.md"
_OPENAPI = "reference/openapi.json"
#: Images that pages may show.
IMAGES = frozenset({".png", ".jpg", ".svg", ".webp"})
#: The folder of the JSON Schemas that pages lead to.
_SCHEMAS = "reference/schemas/"
#: Sections of the index that a role needs.
_SECTIONS = {
    Role.ANNOTATOR: ("Annotator",),
    Role.REVIEWER: ("Annotator", "Reviewer"),
}


class NoSuchPage(AnnotatorError):
    """The documentation has no such page or image."""


@dataclass(frozen=True, slots=True)
class Page:
    """A rendered page. title: its first heading."""

    name: str
    title: str
    body: Markup


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the index with the links below it: name of the page, title."""

    heading: str
    pages: tuple[tuple[str, str], ...]


def file_of(name: str, suffixes: Iterable[str]) -> Path:
    """Return the file of a page or image. Raises NoSuchPage for anything else."""
    if "\0" in name:
        raise NoSuchPage("the documentation has no such page; open its contents")
    path = (DOCUMENTATION / name).resolve()
    if path.suffix in suffixes and path.is_relative_to(DOCUMENTATION.resolve()) and path.is_file():
        return path
    raise NoSuchPage(f'the documentation has no page "{name[:100]}"; open its contents')


def schema_of(name: str) -> Path:
    """Return the file of a JSON Schema. Raises NoSuchPage."""
    if "/" in name:
        raise NoSuchPage("the documentation has no such schema; open its contents")
    return file_of(f"{_SCHEMAS}{name}", {".json"})


def page(name: str) -> Page:
    """Render a page of the documentation. Raises NoSuchPage."""
    tokens = _parser().parse(file_of(name, {".md"}).read_text(encoding="utf-8"))
    title = ""
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            text = _plain(tokens[place + 1])
            token.attrSet("id", anchor_of(text))
            title = title or text
        for child in token.children or ():
            _lead_here(child, name)
    parser = _parser()
    html = parser.renderer.render(tokens, parser.options, {})
    # Both may scroll sideways, which needs the focus of a keyboard.
    for tag in ("pre", "table"):
        html = html.replace(f"<{tag}>", f'<{tag} tabindex="0">')
    return Page(name, title, Markup(html))


def sections(roles: Iterable[Role]) -> tuple[Section, ...]:
    """Return the contents for people with these roles: a lead and a stranger get all of it."""
    wanted = _headings(roles)
    return tuple(each for each in _contents() if not wanted or each.heading in wanted)


def first_page(roles: Iterable[Role]) -> str:
    """Return the page that help opens with: the first of the last section for these roles, or the contents."""
    wanted = _headings(roles)
    return next((each.pages[0][0] for each in reversed(_contents()) if each.heading in wanted), INDEX)


def _headings(roles: Iterable[Role]) -> set[str]:
    """Return the headings for people with these roles; none for a lead and a stranger, who get all."""
    held = set(roles)
    return set() if Role.LEAD in held else {heading for role in held for heading in _SECTIONS.get(role, ())}


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@lru_cache(maxsize=1)
def _contents() -> tuple[Section, ...]:
    """Return the sections of the index: a heading of the second level each."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in file_of(INDEX, {".md"}).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found.append((line.removeprefix("## "), []))
        elif entry := re.fullmatch(r"- \[(.*)\]\((.*)\)", line):
            found[-1][1].append((entry[2], entry[1].replace("`", "")))
    return tuple(Section(heading, tuple(pages)) for heading, pages in found)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _lead_here(token: Token, name: str) -> None:
    """Let a link between pages, or an image of one, lead to its address on this server."""
    key = {"link_open": "href", "image": "src"}.get(token.type)
    if key is None:
        return
    target = urlsplit(str(token.attrs[key]))
    if target.scheme or target.netloc:
        token.attrSet("rel", "noopener noreferrer")
    elif target.path:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), target.path))
        fragment = target.fragment or None
        if key == "src":
            token.attrSet(key, url_for("help.image", name=other))
        elif other == _OPENAPI:
            token.attrSet(key, url_for("v1.openapi"))
        elif other.startswith(_SCHEMAS):
            token.attrSet(key, url_for("help.schema", name=other.removeprefix(_SCHEMAS)))
        else:
            token.attrSet(key, url_for("help.show", name=other, _anchor=fragment))
