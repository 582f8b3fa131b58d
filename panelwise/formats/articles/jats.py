"""JATS and NLM XML: figures, captions, graphics and the links to them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from html.entities import html5
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Any

from lxml import etree
from msgspec.structs import replace

from panelwise.domain.errors import FormatError
from panelwise.files.file_names import IMAGE_ENDINGS
from panelwise.files.jsonl import Problems
from panelwise.formats.articles.article import Article, ArticleFigure, Markup, describe_left_over, describe_names
from panelwise.formats.articles.citations import Citations, Link, Mention, Paragraph
from panelwise.formats.articles.flat import (
    BLOCKS,
    HIDDEN,
    Flat,
    Reading,
    collapsed,
    flat_text,
    is_marked,
    local_name,
    mark,
    text_before,
    text_of,
    with_spaces,
    without_marks,
)
from panelwise.formats.articles.jats_front import read_front
from panelwise.formats.articles.labels import label_in_caption, label_key, missing_number
from panelwise.formats.articles.unread import without_unread

_HREF = "{http://www.w3.org/1999/xlink}href"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
#: What stands apart from the running text.
_FLOATS = frozenset({"fig", "fig-group", "table-wrap", "table-wrap-group", "supplementary-material", "fn"})
_NOT_OF_A_CAPTION = HIDDEN | {"supplementary-material", "fig", "table-wrap"}
_STYLES = frozenset(
    {"italic", "bold", "sup", "sub", "underline", "sc", "monospace", "overline", "roman", "styled-content"}
)
_CAPTION = Reading(_NOT_OF_A_CAPTION, _STYLES)
_NAME = Reading(_NOT_OF_A_CAPTION)
_OF_A_GRAPHIC = frozenset({"label", "caption"})
_SUPPLEMENTS = ("supplementary-material", "inline-supplementary-material")
#: Parts of an article with pictures that belong to none of its figures: element -> how a note names the part.
_ASIDE = {
    **dict.fromkeys(_SUPPLEMENTS, "supplements"),
    **dict.fromkeys(("table-wrap", "table-wrap-group"), "tables"),
    **dict.fromkeys(("chem-struct-wrap", "chem-struct"), "chemical structures"),
    **dict.fromkeys(("front", "article-meta", "journal-meta"), "the front matter"),
    **{"boxed-text": "boxes", "media": "media", "ref-list": "references", "bio": "biographies"},
}
_NOT_OF_THE_ARTICLE = frozenset({"sub-article", "response"})
#: Elements of which graphics or captions are parts.
_WITH_GRAPHICS = _NOT_OF_THE_ARTICLE | {
    *("fig", "fig-group", "disp-formula", "inline-formula", "disp-formula-group", *_ASIDE),
}
#: Characters of a caption's text that name it where it has no label.
_SHOWN = 40
_APPENDICES = frozenset({"app", "app-group"})
_NOT_OF_A_FIGURE = frozenset({"inline-formula", "disp-formula", "supplementary-material", "fig"})
#: What is cut out of a paragraph's text.
_CUT = _FLOATS | HIDDEN | {"boxed-text"}
_PARAGRAPH = Reading(_CUT)
#: Elements whose text is not simply that of all their descendants; paragraphs in paragraphs stand in one of them.
_NOT_PLAIN = (BLOCKS | _CUT | {"inline-formula", "alternatives", "{http://www.w3.org/1998/Math/MathML}math"}) - {
    "p",
    "title",
}
#: Types of links that name no part of a figure.
_TO_OTHERS = frozenset(
    {"bibr", "bib-ref", "ref", "table", "fn", "table-fn", "aff", "sec", "disp-formula", "supplementary-material"}
)
#: Opens nothing outside a file, and expands entities within libxml2's limits.
_PARSER = etree.XMLParser(
    resolve_entities="internal", load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
)
_WITH_ID = etree.XPath("descendant::*[@id]")
#: Named entities, which publishers use without their DTD.
_NAMED = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9.]*);")
_PARAMETER = re.compile(rb"<!ENTITY\s+%\s+\S+\s+(?:SYSTEM|PUBLIC)[^>]*>|%[\w.-]+;")
#: What libxml2 advises to those who call it.
_FOR_PROGRAMMERS = re.compile(r", (?:see|use|try) [xX][mM][lL]\w+\.?(?: option)?")
#: Namespaces that old DTDs declare in place of the article.
_NAMESPACES = {
    b"xlink": b"http://www.w3.org/1999/xlink",
    b"mml": b"http://www.w3.org/1998/Math/MathML",
    b"xsi": b"http://www.w3.org/2001/XMLSchema-instance",
}
_ROOT = re.compile(rb"<[A-Za-z][\w:.-]*")
#: Layouts of articles that are not read, by the tag of their root.
_OTHER_LAYOUTS = {"TEI": " (TEI, as GROBID writes it)", "collection": " (a BioC collection)"}


def read_jats(data: bytes, file: str, problems: Problems) -> list[Article]:
    """Return the articles of a JATS file, usually one. file: its name for messages and records.

    Entities of the file itself are expanded, within libxml2's limits; nothing outside the file is ever opened.
    Raises FormatError if it is no XML or holds no article.
    """
    root = _parse(data, file, problems)
    articles = _articles(root)
    if not articles:
        _drop_namespace(root)
        articles = _articles(root)
    if not articles:
        named = _OTHER_LAYOUTS.get(root.tag, "")
        raise FormatError(f'{file}: holds no article, but <{root.tag}>{named}; give JATS or NLM XML ("article")')
    return [_Reader(each, file, problems).article() for each in articles]


def _articles(root: Any) -> list[Any]:
    return [root] if root.tag == "article" else list(root.iter("article"))


def _parse(data: bytes, file: str, problems: Problems) -> Any:
    for pictured in (True, False):
        with suppress(etree.XMLSyntaxError):
            return etree.fromstring(without_unread(data, pictured=pictured), _PARSER)
    try:
        return etree.fromstring(data, _PARSER)
    except etree.XMLSyntaxError as error:
        mended, unknown = _without_dtd(data)
        try:
            if mended == data:
                raise error
            root = etree.fromstring(mended, _PARSER)
        except etree.XMLSyntaxError as last:
            reason = _FOR_PROGRAMMERS.sub("", last.msg or "it is empty")
            raise FormatError(f"{file}: not valid XML ({reason}); repair the file or fetch it again") from None
    if unknown:
        names = ", ".join(f"&{each};" for each in sorted(unknown))
        problems.note(f"{file}: declares no entity {names}; read as its name, declare it in the file")
    return root


def _without_dtd(data: bytes) -> tuple[bytes, set[str]]:
    """Return a file with what only its DTD declares: entities, namespaces; and the names of unknown entities."""
    unknown: set[str] = set()
    declared = set(re.findall(rb"<!ENTITY\s+(\S+)\s", data))

    def number(found: re.Match[bytes]) -> bytes:
        if found[1] in declared:
            return found[0]
        text = html5.get(f"{found[1].decode()};")
        if text is None:
            unknown.add(found[1].decode())
            return found[1]
        return "".join(f"&#{ord(each)};" for each in text).encode()

    root = _ROOT.search(data)
    if root is None:
        return data, unknown
    head, body = _PARAMETER.sub(b"", data[: root.start()]), data[root.end() :]
    missing = b"".join(
        b' xmlns:%s="%s"' % (prefix, uri)
        for prefix, uri in _NAMESPACES.items()
        if prefix + b":" in body and b"xmlns:" + prefix not in data
    )
    return head + root[0] + missing + _NAMED.sub(number, body), unknown


def _drop_namespace(root: Any) -> None:
    for each in root.iter(etree.Element):
        each.tag = local_name(each.tag)


class _Reader:
    """Reads one article element."""

    def __init__(self, root: Any, file: str, problems: Problems) -> None:
        self._root, self._file, self._problems = root, file, problems
        self._figures: list[ArticleFigure] = []
        #: The elements of the figures, as long as links to their parts may be met.
        self._elements: list[Any] = []
        #: XML id -> indices of the figures that it names.
        self._ids: dict[str, tuple[int, ...]] = {}
        self._labels: list[tuple[str, tuple[int, ...]]] = []
        #: Groups of language versions of one figure.
        self._versions: dict[Any, None] = {}
        self._bodies: list[Any] = []
        self._appendices: list[Any] = []
        self._links: list[Any] = []
        self._has_boxes = False
        #: Paragraphs with an element whose text is not that of its descendants.
        self._not_plain: set[Any] = set()

    def article(self) -> Article:
        self._read_figures()
        # Before links are marked in the text.
        loose = [*self._loose()]
        mentions: dict[int, list[Mention]] = defaultdict(list)
        citations = Citations(self._labels)
        for paragraph in self._paragraphs(citations):
            for index, mention in citations.find(paragraph):
                mentions[index].append(mention)
        figures = tuple(replace(each, mentions=tuple(mentions[n])) for n, each in enumerate(self._figures))
        left_over = describe_left_over(citations, self._figures, *loose)
        return Article(
            file=self._file, figures=figures, left_over=left_over, aside=self._aside(), **read_front(self._root)
        )

    def _aside(self) -> tuple[str, ...]:
        """Describe the pictures of supplements and other parts that belong to none of the article's figures."""
        names: dict[str, list[str]] = defaultdict(list)
        own = {name for figure in self._figures for name in figure.graphics}
        for each in self._root.iter("graphic", "media", *_SUPPLEMENTS):
            name = _href(each)
            if name and name not in own and _is_picture(each) and not _is_alternative(each):
                names[_part_of(each)].append(name)
        return tuple(
            describe_names(f"picture in {part}", f"pictures in {part}", names[part]) for part in names if part
        )

    def _loose(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield what stands in no figure: pictures by their names, captions by their labels or first words."""
        pictures = filter(_is_picture, self._root.iter("graphic", "media"))
        graphics = [_href(each) for each in pictures if _is_loose(each)]
        yield "picture in no figure", "pictures in no figure", list(filter(None, graphics))
        captions = [_text(each) for each in self._root.iter("caption") if _is_loose(each)]
        captions += filter(None, (_text(group.find("caption")) for group in self._versions))
        names = [label_in_caption(each) or each[:_SHOWN] for each in captions if each]
        yield "caption in no figure", "captions in no figure", names

    def _find_figures(self) -> Iterator[Any]:
        """Yield the elements of figures, and collect links and bodies on the way."""
        for part in self._root:
            if part.tag == "body":
                self._bodies.append(part)
                yield from self._figures_and_links(part)
            elif part.tag == "back":
                for each in part.iterchildren():
                    if each.tag in _APPENDICES:
                        self._appendices.append(each)
                        yield from self._figures_and_links(each)
                    elif each.tag != "ref-list":
                        yield from each.iter("fig")
            elif part.tag not in _NOT_OF_THE_ARTICLE:
                yield from part.iter("fig")

    def _figures_and_links(self, part: Any) -> Iterator[Any]:
        for each in part.iter("xref", *_NOT_PLAIN):
            tag = each.tag
            if tag == "xref":
                self._links.append(each)
                continue
            self._has_boxes = self._has_boxes or tag == "boxed-text"
            self._not_plain.update(each.iterancestors("p"))
            if tag == "fig":
                yield each

    def _read_figures(self) -> None:
        groups: dict[Any, list[int]] = {}
        for fig in self._find_figures():
            parent = fig.getparent()
            group = parent if parent.tag == "fig-group" else None
            members = groups.setdefault(group, []) if group is not None else []
            if group is not None and not members and _holds_versions(group):
                self._versions[group] = None
            if members and group in self._versions:
                self._add_version(members[0], fig)
                continue
            index = len(self._figures)
            members.append(index)
            figure = _figure(fig, group, every=group in self._versions)
            self._figures.append(figure)
            self._elements.append(fig)
            self._name(figure.fig_id, index)
            self._labels.append((figure.label, (index,)))
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

    def _name_parts(self) -> None:
        """Links to a figure's graphic or a part of its caption cite the figure."""
        for index, fig in enumerate(self._elements):
            for each in _WITH_ID(fig):
                if not any(up.tag in _NOT_OF_A_CAPTION for up in _up_to(each, fig)):
                    self._ids.setdefault(each.get("id"), (index,))
        self._elements.clear()

    def _add_version(self, index: int, fig: Any) -> None:
        figure, other = self._figures[index], _figure(fig, None)
        version = {"label": other.label, "caption": other.caption, "lang": fig.get(_LANG, "")}
        self._figures[index] = replace(figure, translations=(*figure.translations, version))
        if fig.get("id"):
            self._ids.setdefault(fig.get("id"), (index,))

    def _paragraphs(self, citations: Citations) -> Iterator[Paragraph]:
        """Yield the paragraphs of body, boxes, appendices that may cite a figure, without what floats in them."""
        targets: list[tuple[int, ...]] = []
        filled: Any = None
        for link in self._links:
            target = link.get("rid")
            figures = self._ids.get(target)
            if figures is None and target and link.get("ref-type") not in _TO_OTHERS:
                figures = self._cited(target)
            if figures:
                if not (link.text or "").strip() and not len(link):
                    in_list = filled is not None and link.getprevious() is filled
                    link.text = missing_number(self._figures[figures[0]].label, text_before(link), in_list)
                    filled = link if link.text else None
                mark(link, len(targets))
                targets.append(figures)
        number = -1
        paragraphs: list[tuple[Any, bool]] = []
        for body in self._bodies:
            self._add_outermost(body, True, paragraphs)
        for appendix in self._appendices:
            self._add_outermost(appendix, False, paragraphs)
        numbers: list[int | None] = []
        texts: list[str] = []
        for element, counts in paragraphs:
            number += counts
            text = text_of(element)
            if is_marked(text) or citations.possible(text):
                if element in self._not_plain:
                    flat = Flat(_PARAGRAPH)
                    flat.add_element(element)
                    text = "".join(flat.pieces)
                numbers.append(number if counts else None)
                texts.append(text)
        for place, marked in zip(numbers, with_spaces(texts), strict=True):
            text, ranges = without_marks(marked, len(targets))
            yield Paragraph(place, text, tuple([Link(start, end, targets[at]) for at, start, end in ranges]))

    def _add_outermost(self, element: Any, counts: bool, paragraphs: list[tuple[Any, bool]]) -> None:
        """Add the paragraphs that stand in no other, with False if not numbered (in boxes, appendices)."""
        for child in element:
            tag = child.tag
            if tag == "p":
                paragraphs.append((child, counts))
                for box in child.iter("boxed-text") if self._has_boxes else ():
                    self._add_outermost(box, False, paragraphs)
            elif tag != "title" and tag not in _FLOATS:
                self._add_outermost(child, counts and tag != "boxed-text", paragraphs)

    def _cited(self, target: str) -> tuple[int, ...]:
        """Return the figures of a link to a part of one, or to several."""
        if self._elements:
            self._name_parts()
        names = target.replace(",", " ").split()
        return tuple(dict.fromkeys(index for name in names for index in self._ids.get(name, ())))


def _is_loose(element: Any) -> bool:
    """Return whether a graphic or caption stands in nothing that has such: a figure, table, formula, film."""
    return not any(
        up.tag in _WITH_GRAPHICS and not (up.tag == "fig-group" and up.find(".//fig") is None)
        for up in element.iterancestors()
    )


def _is_picture(element: Any) -> bool:
    """Return whether an element shows a picture: a graphic, or a file of any kind that is an image."""
    return bool(element.tag == "graphic" or element.get("mimetype") == "image")


def _part_of(picture: Any) -> str:
    """Return the part of the article that a picture stands in; "" for a figure, a formula and the running text."""
    if any(up.tag in _NOT_OF_THE_ARTICLE for up in picture.iterancestors()):
        return "sub-articles"
    if picture.tag in _SUPPLEMENTS:
        return _ASIDE[picture.tag]
    return _ASIDE.get(next((up.tag for up in picture.iterancestors() if up.tag in _WITH_GRAPHICS), ""), "")


def _is_alternative(picture: Any) -> bool:
    """Return whether a picture stands for something else that is in the file: a table, or another picture."""
    if picture.getparent().tag != "alternatives":
        return False
    return any(each.tag == "table" for each in picture.getparent()) or any(
        each.tag == picture.tag for each in picture.itersiblings(preceding=True)
    )


def _href(element: Any) -> str | None:
    """Return where an element refers to, also without the prefix, or under another address of its namespace."""
    href: str | None = element.get(_HREF)
    if href is None:
        href = next((value for name, value in element.attrib.items() if local_name(name) == "href"), None)
    return href


def _holds_versions(group: Any) -> bool:
    """Return True if the figures of a group have one number, as language versions of one figure do."""
    keys = {label_key(_text(each.find("label"))) for each in group.iterchildren("fig")}
    return len(keys) == 1 and None not in keys


def _figure(fig: Any, group: Any, *, every: bool = False) -> ArticleFigure:
    """Return a figure. every: its group's graphics are its own."""
    flat = Flat(_CAPTION)
    labels: list[Any] = []
    captions: list[Any] = []
    for each in fig.iterchildren("label", "caption"):
        (labels if each.tag == "label" else captions).append(each)
    if captions and any(text.strip() for text in captions[0].itertext()):
        flat.add_element(captions[0])
    else:  # Each graphic may have its own, or the words stand in the figure itself.
        for each in (*fig.iterfind("graphic/*"), *fig.iterchildren("title", "p")):
            if each.tag in _OF_A_GRAPHIC or each.getparent() is fig:
                flat.add_element(each)
                flat.pieces.append(" ")
    graphics = _graphics(group, figures=True) if every else _graphics(fig) or _inline_graphics(fig)
    about = None
    if group is not None and not every:
        about = {
            "id": group.get("id"),
            "label": _text(group.find("label")),
            "caption": _text(group.find("caption")),
            "graphics": list(_graphics(group)),
        }
        graphics = graphics or tuple(about["graphics"])
    text, places = collapsed(flat.pieces, flat.parts)
    return ArticleFigure(
        fig_id=fig.get("id"),
        label=_text(labels[0]) if labels else label_in_caption(text, *map(_text, fig.iterfind("caption/title"))),
        caption=text,
        markup=tuple(
            Markup(start, end, name) for name, start, end in sorted(places, key=itemgetter(1, 2)) if start < end
        ),
        graphics=graphics,
        alternatives=_alternatives(fig, graphics),
        group=about,
        translations=tuple(
            {"label": "", "caption": _text(each), "lang": each.get(_LANG, "")} for each in captions[1:]
        ),
    )


def _graphics(element: Any, *, figures: bool = False) -> tuple[str, ...]:
    """Return the names of an element's graphics in their order, without those of formulas and nested figures.

    figures: take those of a group's figures too.
    """
    names: list[str] = []
    for each in element.iter("graphic"):
        name = _href(each)
        if name and (each.getparent() is element or not _is_nested(each, element, figures=figures)):
            names.append(name)
    return tuple(names)


def _alternatives(fig: Any, graphics: tuple[str, ...]) -> int:
    """Return how many of a figure's graphics, from the first on, are files of one picture."""
    first = next((each for each in fig.iterfind("alternatives/graphic") if _href(each) in graphics[:1]), None)
    if first is not None:
        return sum(1 for each in first.getparent().iterchildren("graphic") if _href(each))
    endings = [PurePosixPath(name).suffix.lower() for name in graphics]
    if len(set(endings)) == len(endings) > 1 and set(endings) <= set(IMAGE_ENDINGS):
        return len(graphics)  # One picture in several formats.
    uses = [each.get("specific-use") for each in fig.iterchildren("graphic") if _href(each)]
    return len(uses) if len(uses) == len(graphics) and None not in uses and len(set(uses)) == len(uses) > 1 else 1


def _inline_graphics(fig: Any) -> tuple[str, ...]:
    """Return the pictures of a figure that has them in a line, without signs in its caption or in formulas."""
    return tuple(
        name
        for each in fig.iter("inline-graphic", "media")
        if (name := _href(each))
        and (each.tag != "media" or each.get("mimetype") == "image")
        and not any(up.tag in _NOT_OF_A_FIGURE or up.tag == "caption" for up in _up_to(each, fig))
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
    return flat_text(element, _NAME)
