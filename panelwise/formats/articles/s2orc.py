"""S2ORC JSON: figures without graphics, and text with spans.

Reads what doc2json, GROBID's converters and CORD-19 write, the lines of the releases of S2ORC, and those of
Semantic Scholar's datasets API.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from panelwise.files.jsonl import Fields, Problems
from panelwise.files.values import as_whole, or_none
from panelwise.formats.articles.article import Article, ArticleFigure, describe_left_over
from panelwise.formats.articles.citations import Citations, Link, Mention, Paragraph

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")
#: Keys of a text with annotations, of the datasets API's s2orc and s2orc_v2.
_ANNOTATED = ("content", "body")
#: The parse of a paper without one.
_NO_TEXT: dict[str, Any] = {"body_text": None}
#: Types of entries that are figures.
_KINDS = frozenset({"figure", "fig", "image", "scheme", "chart", "plate"})
_LABEL = re.compile(r"\s*((?:fig(?:ure|\.)?|scheme|chart)\s*[A-Z]?\d+(?:\.\d+)*)\b[.:]?", re.IGNORECASE)


def read_s2orc(record: dict[str, Any], file: str, problems: Problems) -> Article:
    """Return the article of an S2ORC record; of several parses, the first that has figures.

    Its `metadata` may be the paper's line of a release's metadata. A record whose parse is null has no figures,
    and `left_over` says so. Raises FormatError if it is no article.
    """
    parses = [record[key] for key in _PARSES if isinstance(record.get(key), dict)]
    if not parses and "body_text" not in record:
        parses = [_parse_of(Fields(file, record[key])) for key in _ANNOTATED if _is_annotated(record.get(key))]
        if not parses and any(key in record and record[key] is None for key in (*_PARSES, *_ANNOTATED)):
            parses = [_NO_TEXT]
    parses = parses or [record]
    parse = next((each for each in parses if _entries(Fields(file, each))), parses[0])
    fields = Fields(file, parse)
    if "body_text" not in parse:
        raise fields.error("body_text", "is missing; give an article in S2ORC's format")
    figures = [_figure(name, entry) for name, entry in _entries(fields)]
    for name, number in Counter(figure.fig_id for figure in figures).items():
        if number > 1:
            problems.add(
                f'{file}: {number} figures have the id "{name}"; links count for the last, give each its own'
            )
    citations, mentions = _mentions(figures, fields) if parse is not _NO_TEXT else (Citations(()), {})
    ids = _bibliography(record)
    return Article(
        file=file,
        name=_identifier(ids),
        doi=_text(ids.get("doi") or ids.get("arxiv_doi")),
        pmcid=_pmcid(ids),
        title=_text(ids.get("title")),
        journal=_text(ids.get("venue")) or _text(_mapping(ids.get("journal")).get("name") or ids.get("journal")),
        year=_year(ids.get("year")),
        licence=_text(ids.get("license") or ids.get("licence")),
        figures=tuple(replace(each, mentions=tuple(mentions.get(n, ()))) for n, each in enumerate(figures)),
        left_over=("no full text",) if parse is _NO_TEXT else describe_left_over(citations, figures),
    )


def is_paper(record: Mapping[str, Any]) -> bool:
    """Return True for a record of S2ORC with a key for its text, False for metadata and for other layouts."""
    annotated = any(key in record for key in _ANNOTATED) and "corpusid" in record
    return annotated or "body_text" in record or any(key in record for key in _PARSES)


def _bibliography(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record and its metadata say of the paper, without nulls; keys of identifiers in lower case."""
    metadata = _mapping(record.get("metadata"))
    about = [metadata, record]
    for part in (metadata, record):
        access = _mapping(part.get("openaccessinfo"))
        source = _mapping(_mapping(part.get("content")).get("source"))
        identifiers = [part.get("externalids"), access.get("externalids"), part.get("identifiers")]
        about = [*map(_mapping, (*identifiers, access, source.get("oainfo"))), *about]
    return {key.lower(): value for part in about for key, value in part.items() if value not in (None, "")}


def _identifier(ids: Mapping[str, Any]) -> str:
    """Return the paper's id in the collection, "" without one."""
    value = ids.get("paper_id", ids.get("corpusid"))
    return str(value) if type(value) in (int, str) else ""


def _is_annotated(content: object) -> bool:
    return isinstance(content, dict) and ("text" in content or "annotations" in content)


def _parse_of(content: Fields) -> dict[str, Any]:
    """Return one text with annotations, as the datasets API gives it, as a body with entries.

    Raises FormatError for annotations that cannot be read.
    """
    text = content.optional_text("text")
    if not text:
        return _NO_TEXT
    marks = content.mapping("annotations")
    read = {kind: _annotations(content, marks, kind, len(text)) for kind in _READ_ANNOTATIONS}
    figures = [
        each
        for each in read["figure"]
        if not each.name.startswith("tab") and not any(table.within(each) for table in read["table"])
    ]
    outside_body = [*read["figure"], *read["abstract"]]
    paragraphs = read["paragraph"] or [
        _Annotation(found.start(), found.end()) for found in re.finditer(r"[^\n]+", text)
    ]
    entries = {}
    for number, figure in enumerate(figures):
        caption = next((each for each in read["figurecaption"] if each.within(figure)), figure)
        heading = text[figure.start : caption.start]
        entries[figure.name or f"figure{number + 1}"] = {
            "type": "figure",
            "text": text[caption.start : caption.end],
            "label": next(iter(_LABEL.findall(heading)), ""),
        }
    return {
        "ref_entries": entries,
        "body_text": [
            {
                "text": text[each.start : each.end],
                "ref_spans": [
                    {"start": link.start - each.start, "end": link.end - each.start, "ref_id": link.name}
                    for link in read["figureref"]
                    if link.within(each)
                ],
            }
            for each in paragraphs
            if not any(each.within(other) for other in outside_body)
        ],
    }


class _Annotation(msgspec.Struct, frozen=True):
    """A range of the text. name: of the figure that it is, or refers to."""

    start: int
    end: int
    name: str = ""

    def within(self, other: _Annotation) -> bool:
        return other.start <= self.start and self.end <= other.end


#: Annotations that are read, and how else their kind is spelt.
_READ_ANNOTATIONS = {
    "abstract": (),
    "figure": (),
    "figurecaption": ("figure_caption",),
    "figureref": ("figure_ref",),
    "paragraph": (),
    "table": (),
}


def _annotations(content: Fields, marks: Mapping[str, Any], kind: str, length: int) -> list[_Annotation]:
    """Return the annotations of a kind in order; the API gives their list as a text of JSON."""
    values: object = next(
        (marks[key] for key in (kind, *_READ_ANNOTATIONS[kind]) if marks.get(key) is not None), []
    )
    if isinstance(values, str):
        try:
            values = msgspec.json.decode(values or "[]")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise content.error(f"annotations.{kind}", f"is not valid JSON ({error}); fetch it again") from None
    if not isinstance(values, list):
        raise content.error(f"annotations.{kind}", "holds no list; fetch it again")
    annotations = []
    for value in filter(None, map(_mapping, values)):
        start, end = (or_none(as_whole, value.get(key)) for key in ("start", "end"))
        if start is None or end is None or not 0 <= start < end <= length:
            continue
        about = _mapping(value.get("attributes"))
        annotations.append(_Annotation(start, end, _text(about.get("id") or about.get("ref_id"))))
    return sorted(annotations, key=lambda each: (each.start, each.end))


def _entries(fields: Fields) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the entries of figures with their ids: of an object, or of a list whose entries have a `ref_id`."""
    entries = fields.record.get("ref_entries")
    if isinstance(entries, list):
        named = [(_text(each.get("ref_id")), each) for each in entries if isinstance(each, dict)]
    else:
        named = list(fields.mapping("ref_entries").items())
    return [(name, entry) for name, entry in named if isinstance(entry, dict) and _is_figure(name, entry)]


def _is_figure(name: str, entry: Mapping[str, Any]) -> bool:
    kind = entry.get("type_str") or entry.get("type")
    return str(kind).lower() in _KINDS if kind else name.startswith("FIG")


def _figure(name: str, entry: Mapping[str, Any]) -> ArticleFigure:
    caption = " ".join((_text(entry.get("text")) or _text(entry.get("caption"))).split())
    label = _LABEL.match(caption)
    uris = entry.get("uris") or entry.get("uri")
    uris = uris if isinstance(uris, list) else [uris]
    return ArticleFigure(
        fig_id=name,
        label=label[1] if label else _numbered(entry),
        caption=caption,
        graphics=tuple(each for each in uris if isinstance(each, str) and each),
    )


def _numbered(entry: Mapping[str, Any]) -> str:
    """Return the label of an entry that has its number, of any type, in a key of its own; "" without one."""
    for key in ("fig_num", "num", "label"):
        value = entry.get(key)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        number = str(value).strip() if type(value) in (str, int) else ""
        if number:
            return f"Figure {number.rstrip('.:')}" if number[0].isdigit() else number
    return ""


def _mentions(figures: list[ArticleFigure], fields: Fields) -> tuple[Citations, dict[int, list[Mention]]]:
    """Return the citations of the body, and of appendices, whose paragraphs have no numbers."""
    numbers = {figure.fig_id: n for n, figure in enumerate(figures)}
    citations = Citations((figure.label, (n,)) for n, figure in enumerate(figures))
    mentions: dict[int, list[Mention]] = defaultdict(list)
    body = fields.record["body_text"]
    if not isinstance(body, list):
        raise fields.error("body_text", "holds no list; give one of paragraphs")
    for number, paragraph in enumerate(body):
        if not isinstance(paragraph, dict) or not isinstance(paragraph.get("text"), str):
            raise fields.error(f"body_text[{number}].text", "is missing; give a text")
    places = [*enumerate(body), *((None, each) for each in _appendices(fields.record))]
    for place, paragraph in places:
        for figure, mention in citations.find(_paragraph(place, paragraph, numbers)):
            mentions[figure].append(mention)
    return citations, mentions


def _appendices(parse: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the paragraphs behind the body that are the article's own text, not thanks or statements."""
    paragraphs = parse.get("back_matter")
    for each in paragraphs if isinstance(paragraphs, list) else ():
        if (
            isinstance(each, dict)
            and isinstance(each.get("text"), str)
            and "append" in _text(each.get("section")).lower()
        ):
            yield each


def _paragraph(number: int | None, paragraph: Mapping[str, Any], figures: Mapping[str | None, int]) -> Paragraph:
    """Return a paragraph with white space collapsed, and its spans moved to match."""
    text, links, done = paragraph["text"], [], 0
    for start, end, name in _spans(paragraph.get("ref_spans"), len(text)):
        if name in figures and start >= done:
            begin = len(" ".join((text[:start] + "|").split())) - 1
            links.append(Link(begin, max(begin, len(" ".join(text[:end].split()))), (figures[name],)))
            done = end
    return Paragraph(number, " ".join(text.split()), tuple(links))


def _spans(spans: object, length: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and target of the spans that lie in their text, in order."""
    found = []
    for each in spans if isinstance(spans, list) else ():
        if isinstance(each, dict):
            start, end = or_none(as_whole, each.get("start")), or_none(as_whole, each.get("end"))
            if start is not None and end is not None and 0 <= start <= end <= length:
                found.append((start, end, str(each.get("ref_id"))))
    return iter(sorted(found))


def _pmcid(ids: Mapping[str, Any]) -> str:
    named = next((str(ids[key]) for key in ("pmcid", "pmc_id", "pubmedcentral") if key in ids), "")
    identifier = _identifier(ids)
    found = re.fullmatch(r"(?:PMC)?(\d+)", named or (identifier if identifier.startswith("PMC") else ""))
    return f"PMC{found[1]}" if found else ""


def _year(value: object) -> int | None:
    found = re.match(r"\d{4}", str(value or ""))
    return int(found[0]) if found else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
