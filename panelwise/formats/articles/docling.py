"""Documents of docling as JSON, made from PDFs: pictures with captions, and text without links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from panelwise.files.jsonl import Fields, Problems
from panelwise.formats.articles.article import Article, ArticleFigure
from panelwise.formats.articles.citations import Citations, Mention, Paragraph
from panelwise.formats.articles.labels import label_in_caption
from panelwise.runtime.plurals import counted

#: `schema_name` of its files.
SCHEMA = "DoclingDocument"
#: Labels of running text.
_TEXT = frozenset({"text", "paragraph", "list_item"})


def read_docling(record: Mapping[str, Any], file: str, problems: Problems) -> Article:
    """Return the article of a document. Pictures without a caption are no figures: logos, rules and the like.

    Pictures written into the file are no image files; a note says how to have them beside it. Raises FormatError
    if a list is missing.
    """
    fields = Fields(file, record)
    texts = {text["self_ref"]: text for text in _objects(fields, "texts") if isinstance(text.get("self_ref"), str)}
    figures, embedded = [], 0
    captions: set[str] = set()
    for picture in _objects(fields, "pictures"):
        names = [
            each["$ref"] for each in picture.get("captions") or () if isinstance(each, dict) and "$ref" in each
        ]
        caption = " ".join(" ".join(_text(texts.get(name))) for name in names)
        captions.update(names)
        if not caption:
            continue
        image = picture.get("image")
        uri = image.get("uri") if isinstance(image, dict) else None
        embedded += isinstance(uri, str) and uri.startswith("data:")
        figures.append(
            ArticleFigure(
                fig_id=picture.get("self_ref"),
                label=label_in_caption(caption),
                caption=caption,
                graphics=(uri,) if isinstance(uri, str) and not uri.startswith("data:") else (),
            )
        )
    if embedded:
        problems.note(
            f"{file}: {counted(embedded, 'picture')} written into the file; run docling with "
            "--image-export-mode referenced for image files"
        )
    mentions = _mentions(figures, [texts[name] for name in texts if name not in captions])
    origin = record.get("origin")
    name = origin.get("filename") if isinstance(origin, dict) else None
    return Article(
        file=file,
        doi="",
        pmcid="",
        title=_title(texts.values()) or PurePosixPath(str(name or file)).stem,
        journal="",
        year=None,
        licence="",
        figures=tuple(replace(each, mentions=tuple(mentions[n])) for n, each in enumerate(figures)),
    )


def _mentions(figures: list[ArticleFigure], texts: list[Mapping[str, Any]]) -> dict[int, list[Mention]]:
    citations = Citations((figure.label, (n,)) for n, figure in enumerate(figures))
    mentions: dict[int, list[Mention]] = defaultdict(list)
    running = (
        each for each in texts if each.get("label") in _TEXT and each.get("content_layer", "body") == "body"
    )
    for number, text in enumerate(running):
        for figure, mention in citations.find(Paragraph(number, " ".join(_text(text)), ())):
            mentions[figure].append(mention)
    return mentions


def _title(texts: Any) -> str:
    return next((" ".join(_text(each)) for each in texts if each.get("label") == "title"), "")


def _text(text: Mapping[str, Any] | None) -> list[str]:
    """Return the words of a text."""
    found = text.get("text") if text else None
    return found.split() if isinstance(found, str) else []


def _objects(fields: Fields, name: str) -> Iterator[Mapping[str, Any]]:
    found = fields.record.get(name)
    if not isinstance(found, list):
        raise fields.error(name, "holds no list; is it docling's JSON?")
    return (each for each in found if isinstance(each, dict))
