"""S2ORC JSON, as doc2json, GROBID's converters and CORD-19 write it: figures without graphics, text with spans."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from panelwise.files.jsonl import Fields
from panelwise.formats.articles.article import Article, ArticleFigure
from panelwise.formats.articles.citations import Citations, Link, Mention, Paragraph

_PARSES = ("pdf_parse", "latex_parse", "jats_parse", "grobid_parse")
_LABEL = re.compile(r"\s*((?:fig(?:ure|\.)?|scheme|chart)\s*[A-Z]?\d+(?:\.\d+)*)\b[.:]?", re.IGNORECASE)


def read_s2orc(record: dict[str, Any], file: str) -> Article:
    """Return the article of an S2ORC file. Raises FormatError if it is none."""
    parse = next((record[key] for key in _PARSES if isinstance(record.get(key), dict)), record)
    fields = Fields(file, parse)
    if "body_text" not in parse:
        raise fields.error("body_text", "is missing; give an article in S2ORC's format")
    figures = [
        _figure(name, entry)
        for name, entry in fields.mapping("ref_entries").items()
        if isinstance(entry, dict) and _is_figure(name, entry)
    ]
    mentions = _mentions(figures, parse["body_text"], fields)
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
    )


def _is_figure(name: str, entry: Mapping[str, Any]) -> bool:
    kind = entry.get("type_str") or entry.get("type")
    return kind == "figure" if kind else name.startswith("FIG")


def _figure(name: str, entry: Mapping[str, Any]) -> ArticleFigure:
    caption = " ".join(_text(entry.get("text")).split())
    label = _LABEL.match(caption)
    uris = entry.get("uris") or [entry.get("uri")]
    return ArticleFigure(
        fig_id=name,
        label=label[1] if label else "",
        caption=caption,
        graphics=tuple(each for each in uris if isinstance(each, str) and each),
    )


def _mentions(figures: list[ArticleFigure], body: object, fields: Fields) -> dict[int, list[Mention]]:
    numbers = {figure.fig_id: n for n, figure in enumerate(figures)}
    citations = Citations((figure.label, (n,)) for n, figure in enumerate(figures))
    mentions: dict[int, list[Mention]] = defaultdict(list)
    if not isinstance(body, list):
        raise fields.error("body_text", "holds no list; give one of paragraphs")
    for number, paragraph in enumerate(body):
        if not isinstance(paragraph, dict) or not isinstance(paragraph.get("text"), str):
            raise fields.error(f"body_text[{number}].text", "is missing; give a text")
        for figure, mention in citations.find(_paragraph(number, paragraph, numbers)):
            mentions[figure].append(mention)
    return mentions


def _paragraph(number: int, paragraph: Mapping[str, Any], figures: Mapping[str | None, int]) -> Paragraph:
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
    found = [
        (each["start"], each["end"], str(each.get("ref_id")))
        for each in (spans if isinstance(spans, list) else ())
        if isinstance(each, dict) and isinstance(each.get("start"), int) and isinstance(each.get("end"), int)
    ]
    return (each for each in sorted(found) if 0 <= each[0] <= each[1] <= length)


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
