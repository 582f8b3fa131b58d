"""An article with its figures, whatever its format."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from panelwise.domain.box import Corners
from panelwise.formats.articles.citations import Citations, Mention
from panelwise.runtime.messages import counted, first_of

#: Names of one kind in a message at most.
_MOST_NAMED = 5
_UNSAFE = re.compile(r"[^\w.-]+")


class Markup(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Formatting of a caption: an element's name and its half-open range of code points; an array in JSON."""

    start: int
    end: int
    tag: str


class GroupMember(msgspec.Struct, frozen=True, gc=False):
    """A panel of a figure that the article has as a group. label: its letter. caption: a part of the figure's.

    graphics, alternatives: see `ArticleFigure`. place: on the page, None if unknown.
    """

    fig_id: str | None
    label: str
    caption: str
    graphics: tuple[str, ...]
    alternatives: int
    place: Corners | None = None


class ArticleFigure(msgspec.Struct, frozen=True, gc=False):
    """A figure of an article.

    fig_id: its id in the file, None without one. graphics: names as in the file; those of its group where it has
    none of its own. alternatives: how many of them, from the first on, are files of one picture. group: what the
    file says of its `fig-group`. members: the panels of a whole group. translations: label, caption and language
    of the other language versions.
    """

    fig_id: str | None
    label: str
    caption: str
    markup: tuple[Markup, ...] = ()
    graphics: tuple[str, ...] = ()
    alternatives: int = 1
    mentions: tuple[Mention, ...] = ()
    group: dict[str, Any] | None = None
    translations: tuple[dict[str, str], ...] = ()
    members: tuple[GroupMember, ...] = ()


class Article(msgspec.Struct, frozen=True, gc=False):
    """An article: its bibliographic data, "" or None if missing, and its figures in document order.

    name: its id in the collection that it is a record of. left_over: what the file has that belongs to no figure,
    and what its figures lack; see `describe_left_over`. aside: descriptions of pictures that are not read, of
    supplements and other parts.
    """

    file: str
    doi: str
    pmcid: str
    title: str
    journal: str
    year: int | None
    licence: str
    figures: tuple[ArticleFigure, ...]
    left_over: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    name: str = ""

    def document(self, stem: str) -> str:
        """The unit of splits: the PMC id, else the DOI, else the file's stem."""
        return self.pmcid or self.doi or stem


def describe_left_over(
    citations: Citations, figures: Sequence[ArticleFigure], *kinds: tuple[str, str, Sequence[str]]
) -> tuple[str, ...]:
    """Describe what belongs to no figure of an article, and what its figures lack; a part for each kind.

    citations: of the article, all found. kinds: further ones, a noun, its plural, and the names of what there is.
    """
    bare = [each.fig_id or each.label or "without an id" for each in figures if not each.caption]
    loose = [each for each in citations.loose_captions if not any(each in names for *_, names in kinds)]
    absent = citations.absent
    found = (
        *kinds,
        ("figure without a caption", "figures without a caption", bare),
        ("paragraph like a caption", "paragraphs like captions", loose),
    )
    parts = [describe_names(noun, plural, names) for noun, plural, names in found if names]
    if absent:
        labels = first_of(list(absent), _MOST_NAMED)
        parts.append(f"{counted(sum(absent.values()), 'citation')} of figures that are not in it ({labels})")
    return tuple(parts)


def describe_names(noun: str, plural: str, names: Collection[str]) -> str:
    """Return the number of some things and the names of the first ones."""
    return f"{counted(len(names), noun, plural)} ({first_of(list(names), _MOST_NAMED)})"


def figure_records(article: Article, stem: str) -> Iterator[dict[str, Any]]:
    """Yield the figures of an article as records of `figures.jsonl`; `image` is the first graphic's name.

    stem: the file's name without its ending. Figure ids are unique within the article.
    """
    document = article.document(stem)
    source = {
        "document": document,
        "file": article.file,
        "doi": article.doi,
        "pmcid": article.pmcid,
        "title": article.title,
        "journal": article.journal,
        "year": article.year,
        "licence": article.licence,
    }
    prefix = _UNSAFE.sub("-", document)
    used: set[str] = set()
    for number, figure in enumerate(article.figures, start=1):
        name = f"{prefix}_{_UNSAFE.sub('-', figure.fig_id or f'figure{number}')}"
        if name in used:
            name = f"{name}-{number}"
        used.add(name)
        record: dict[str, Any] = {
            "figure_id": name,
            "label": figure.label,
            "caption": figure.caption,
            "image": figure.graphics[0] if figure.graphics else "",
            "graphics": figure.graphics,
            "references": list(dict.fromkeys([each.sentence for each in figure.mentions])),
            "mentions": figure.mentions,
            "caption_markup": figure.markup,
            "source": {**source, "fig_id": figure.fig_id},
        }
        if figure.alternatives > 1:
            record["alternatives"] = figure.alternatives
        if figure.group is not None:
            record["group"] = figure.group
        if figure.members:
            record["parts"] = figure.members
        if figure.translations:
            record["translations"] = figure.translations
        yield record
