"""JATS and NLM XML: figures, captions, graphics and the links to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from html.entities import html5
from typing import Any

from lxml import etree

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article, ArticleFigure, Markup
from panelwise.formats.articles.citations import Citations, Link, Mention, Paragraph, label_key
from panelwise.formats.articles.flat import HIDDEN, Flat, flat_text, local_name
from panelwise.formats.articles.jats_front import read_front

_HREF = "{http://www.w3.org/1999/xlink}href"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_FLOATS = frozenset(
    {"fig", "fig-group", "table-wrap", "table-wrap-group", "supplementary-material", "fn", "boxed-text"}
)
_NOT_OF_A_CAPTION = HIDDEN | {"supplementary-material", "fig", "table-wrap"}
_NOT_OF_A_PARAGRAPH = HIDDEN | _FLOATS
_NOT_OF_THE_ARTICLE = frozenset({"sub-article", "response"})
_NOT_OF_A_FIGURE = frozenset({"inline-formula", "disp-formula", "supplementary-material", "fig"})
_STYLES = frozenset(
    {"italic", "bold", "sup", "sub", "underline", "sc", "monospace", "overline", "roman", "styled-content"}
)
_LINKS = frozenset({"xref"})
#: Named entities of HTML, which publishers use without their DTD.
_NAMED = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]*;)")


def read_jats(data: bytes, file: str, problems: Problems) -> list[Article]:
    """Return the articles of a JATS file, usually one. file: its name for messages and records.

    Entities of the file itself are expanded, within libxml2's limits; nothing outside the file is ever opened.
    Raises FormatError if it is no XML or holds no article.
    """
    root = _parse(data, file)
    if (isinstance(root.tag, str) and "}" in root.tag) or root.nsmap.get(None):
        _drop_namespace(root)
    articles = [root] if root.tag == "article" else list(root.iter("article"))
    if not articles:
        raise FormatError(f'{file}: holds no article, but <{root.tag}>; give JATS or NLM XML ("article")')
    return [_Reader(each, file, problems).article() for each in articles]


def _parse(data: bytes, file: str) -> Any:
    if _NAMED.search(data):
        data = _NAMED.sub(lambda found: _number(found, data), data)
    parser = etree.XMLParser(
        resolve_entities="internal", load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise FormatError(f"{file}: not valid XML ({error}); repair the file or fetch it again") from None


def _number(found: re.Match[bytes], data: bytes) -> bytes:
    """Return a named entity as numbers, unless the file declares it."""
    text = html5.get(found[1].decode("ascii"))
    declared = re.search(rb"<!ENTITY\s+" + found[1][:-1] + rb"\s", data)
    if text is None or declared:
        return found[0]
    return "".join(f"&#{ord(each)};" for each in text).encode()


def _drop_namespace(root: Any) -> None:
    for each in root.iter(etree.Element):
        each.tag = local_name(each)


class _Reader:
    """Reads one article element."""

    def __init__(self, root: Any, file: str, problems: Problems) -> None:
        self._root, self._file, self._problems = root, file, problems
        self._parts = [each for each in root if local_name(each) not in _NOT_OF_THE_ARTICLE]
        self._figures: list[ArticleFigure] = []
        #: XML id -> indices of the figures that it names.
        self._ids: dict[str, tuple[int, ...]] = {}
        self._labels: list[tuple[str, tuple[int, ...]]] = []

    def article(self) -> Article:
        self._read_figures()
        mentions: dict[int, list[Mention]] = defaultdict(list)
        if self._figures:
            citations = Citations(self._labels)
            for paragraph in self._paragraphs(citations):
                for index, mention in citations.find(paragraph):
                    mentions[index].append(mention)
        figures = tuple(replace(each, mentions=tuple(mentions[n])) for n, each in enumerate(self._figures))
        return Article(file=self._file, figures=figures, **read_front(self._root))

    def _read_figures(self) -> None:
        groups: dict[Any, list[int]] = {}
        versions: set[Any] = set()
        for part in self._parts:
            for fig in part.iter("fig"):
                parent = fig.getparent()
                group = parent if parent.tag == "fig-group" else None
                members = groups.setdefault(group, []) if group is not None else []
                if group is not None and not members and _holds_versions(group):
                    versions.add(group)
                if members and group in versions:
                    self._add_version(members[0], fig)
                    continue
                index = len(self._figures)
                members.append(index)
                self._figures.append(_figure(fig, group, every=group in versions))
                self._name(fig.get("id"), index)
                self._name_parts(fig, index)
                self._labels.append((self._figures[-1].label, (index,)))
        for group, members in groups.items():
            if group.get("id"):
                self._ids.setdefault(group.get("id"), tuple(members))
            self._labels.append((_text(group.find("label")), tuple(members)))

    def _name(self, fig_id: str | None, index: int) -> None:
        if not fig_id:
            return
        if fig_id in self._ids:
            self._problems.add(
                f'{self._file}: two figures have the id "{fig_id}"; links count for the first, give each its own'
            )
        else:
            self._ids[fig_id] = (index,)

    def _name_parts(self, fig: Any, index: int) -> None:
        """Links to a figure's graphic or a part of its caption cite the figure."""
        for each in fig.iterdescendants():
            name = each.get("id")
            if name and not any(up.tag in _NOT_OF_A_CAPTION for up in _up_to(each, fig)):
                self._ids.setdefault(name, (index,))

    def _add_version(self, index: int, fig: Any) -> None:
        figure, other = self._figures[index], _figure(fig, None)
        version = {"label": other.label, "caption": other.caption, "lang": fig.get(_LANG, "")}
        self._figures[index] = replace(figure, translations=(*figure.translations, version))
        if fig.get("id"):
            self._ids.setdefault(fig.get("id"), (index,))

    def _paragraphs(self, citations: Citations) -> Iterator[Paragraph]:
        """Yield the paragraphs of body and boxes that may cite a figure."""
        number = -1
        for body in self._root.iterchildren("body"):
            for element, counts in _outermost_paragraphs(body):
                number += counts
                if any(self._cited(each) for each in element.iter("xref")) or citations.possible(
                    etree.tostring(element, method="text", encoding="unicode", with_tail=False)
                ):
                    yield self._paragraph(element, number if counts else None)

    def _paragraph(self, element: Any, number: int | None) -> Paragraph:
        flat = Flat(_NOT_OF_A_PARAGRAPH, _LINKS)
        flat.add_element(element)
        links = (Link(start, end, self._cited(each)) for each, start, end in flat.places(self._cited))
        return Paragraph(number, flat.text(), tuple(links))

    def _cited(self, xref: Any) -> tuple[int, ...]:
        target = xref.get("rid") or ""
        if target in self._ids or " " not in target:
            return self._ids.get(target, ())
        names = target.split()
        return tuple(dict.fromkeys(index for name in names for index in self._ids.get(name, ())))


def _outermost_paragraphs(element: Any, *, boxed: bool = False) -> Iterator[tuple[Any, bool]]:
    """Yield the paragraphs of a body that stand in no other and in no float; and False for those of boxes."""
    for child in element:
        name = local_name(child)
        if name == "p":
            yield child, not boxed
            for box in child.iter("boxed-text"):
                yield from _outermost_paragraphs(box, boxed=True)
        elif name == "boxed-text":
            yield from _outermost_paragraphs(child, boxed=True)
        elif name and name not in _FLOATS:
            yield from _outermost_paragraphs(child, boxed=boxed)


def _holds_versions(group: Any) -> bool:
    """Return True if the figures of a group have one number, as language versions of one figure do."""
    keys = {label_key(_text(each.find("label"))) for each in group.iterchildren("fig")}
    return len(keys) == 1 and None not in keys


def _figure(fig: Any, group: Any, *, every: bool = False) -> ArticleFigure:
    """Return a figure. every: its group's graphics are its own."""
    flat = Flat(_NOT_OF_A_CAPTION, _STYLES)
    caption = fig.find("caption")
    if caption is not None:
        flat.add_element(caption)
    graphics = _graphics(group, figures=True) if every else _graphics(fig)
    about = None
    if group is not None and not every:
        about = {
            "id": group.get("id"),
            "label": _text(group.find("label")),
            "caption": _text(group.find("caption")),
            "graphics": list(_graphics(group)),
        }
        graphics = graphics or tuple(about["graphics"])
    return ArticleFigure(
        fig_id=fig.get("id"),
        label=_text(fig.find("label")),
        caption=flat.text(),
        markup=tuple(Markup(start, end, local_name(each)) for each, start, end in flat.places() if start < end),
        graphics=graphics,
        group=about,
    )


def _graphics(element: Any, *, figures: bool = False) -> tuple[str, ...]:
    """Return the names of an element's graphics in their order, without those of formulas and nested figures.

    figures: take those of a group's figures too.
    """
    return tuple(
        each.get(_HREF)
        for each in element.iter("graphic")
        if each.get(_HREF) and not _is_nested(each, element, figures=figures)
    )


def _is_nested(graphic: Any, element: Any, *, figures: bool) -> bool:
    return any(
        up.tag in _NOT_OF_A_FIGURE and not (figures and up.getparent() is element)
        for up in _up_to(graphic, element)
    )


def _up_to(element: Any, top: Any) -> Iterator[Any]:
    """Yield an element and those above it, below `top`."""
    while element is not None and element is not top:
        yield element
        element = element.getparent()


def _text(element: Any) -> str:
    return flat_text(element, _NOT_OF_A_CAPTION)
