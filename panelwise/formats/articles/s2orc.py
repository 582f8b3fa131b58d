"""S2ORC JSON, as doc2json, GROBID's converters and CORD-19 write it: figures without graphics, text with spans."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Fields, Problems
from panelwise.files.values import as_whole, or_none
from panelwise.formats.articles.article import Article, ArticleFigure, describe_left_over
from panelwise.formats.articles.citations import Citations, Link, Mention, Paragraph

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")
#: Types of entries that are figures.
_KINDS = frozenset({"figure", "fig", "image", "scheme", "chart", "plate"})
_LABEL = re.compile(r"\s*((?:fig(?:ure|\.)?|scheme|chart)\s*[A-Z]?\d+(?:\.\d+)*)\b[.:]?", re.IGNORECASE)


def read_s2orc(record: dict[str, Any], file: str, problems: Problems) -> Article:
    """Return the article of an S2ORC file; of several parses, the first that has figures.

    Raises FormatError if it is none.
    """
    parses = [record[key] for key in _PARSES if isinstance(record.get(key), dict)] or [record]
    parse = next((each for each in parses if _entries(Fields(file, each))), parses[0])
    fields = Fields(file, parse)
    if "annotations" in _mapping(record.get("content")):
        raise FormatError(
            f"{file}: is S2ORC as its API gives it, one text with annotations; give its earlier layout (body_text)"
        )
    if "body_text" not in parse:
        raise fields.error("body_text", "is missing; give an article in S2ORC's format")
    figures = [_figure(name, entry) for name, entry in _entries(fields)]
    for name, number in Counter(figure.fig_id for figure in figures).items():
        if number > 1:
            problems.add(
                f'{file}: {number} figures have the id "{name}"; links count for the last, give each its own'
            )
    citations, mentions = _mentions(figures, fields)
    ids = _mapping(record.get("identifiers")) | _mapping(record.get("metadata")) | record
    return Article(
        file=file,
        doi=_text(ids.get("doi") or ids.get("arxiv_doi")),
        pmcid=_pmcid(ids),
        title=_text(ids.get("title")),
        journal=_text(ids.get("venue") or ids.get("journal")),
        year=_year(ids.get("year")),
        licence=_text(ids.get("license") or ids.get("licence")),
        figures=tuple(replace(each, mentions=tuple(mentions[n])) for n, each in enumerate(figures)),
        left_over=describe_left_over(citations, figures),
    )


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
    found = re.fullmatch(r"(?:PMC)?(\d+)", _text(ids.get("pmcid") or ids.get("pmc_id") or ids.get("paper_id")))
    named = _text(ids.get("paper_id")).startswith("PMC") or ids.get("pmcid") or ids.get("pmc_id")
    return f"PMC{found[1]}" if found and named else ""


def _year(value: object) -> int | None:
    found = re.match(r"\d{4}", str(value or ""))
    return int(found[0]) if found else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
