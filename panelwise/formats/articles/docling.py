"""Documents of docling as JSON, made from PDFs: pictures with captions, and text without links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from panelwise.files.jsonl import Fields, Problems
from panelwise.formats.articles.article import Article, ArticleFigure, describe_left_over
from panelwise.formats.articles.citations import Citations, Mention, Paragraph
from panelwise.formats.articles.labels import label_in_caption
from panelwise.runtime.messages import counted

#: `schema_name` of its files.
SCHEMA = "DoclingDocument"
#: Labels of running text.
_TEXT = frozenset({"text", "paragraph", "list_item"})
#: Lists of what else may have a caption of its own.
_CAPTIONED = ("tables", "key_value_items", "form_items")
#: Of groups within groups, so many are looked into.
_DEEPEST = 20


def is_docling(record: Mapping[str, Any]) -> bool:
    """Return True for a document of docling of any version, also of docling's first layout and of its server."""
    inner = _of_server(record)
    return inner.get("schema_name") == SCHEMA or "main-text" in inner or {"texts", "pictures"} <= inner.keys()


def read_docling(record: Mapping[str, Any], file: str, problems: Problems) -> Article:
    """Return the article of a document. Pictures and captions that do not belong together are named as left over.

    Pictures written into the file are no image files; a note says how to have them beside it. Raises FormatError
    if a list is missing.
    """
    record = _of_server(record)
    fields = Fields(file, record)
    if "main-text" in record:
        fields = Fields(file, _of_first_layout(fields))
    texts = _by_ref(fields, "texts", problems)
    items = texts | (_by_ref(fields, "groups", problems) if fields.record.get("groups") else {})
    pictures = _by_ref(fields, "pictures", problems)
    figures: list[ArticleFigure] = []
    embedded = 0
    without: list[str] = []
    captions = _captions(pictures, items)
    for name, picture in pictures.items():
        for ref in captions[name]:
            if ref not in items and ref.startswith("#"):
                problems.add(f'{file}: caption "{ref}" of picture "{name}" is not in the file; convert it again')
        caption = " ".join(word for ref in captions[name] for word in _words(ref, items))
        if not caption:
            without.append(name)
            continue
        image = picture.get("image")
        uri = image.get("uri") if isinstance(image, dict) else None
        embedded += isinstance(uri, str) and uri.startswith("data:")
        figures.append(
            ArticleFigure(
                fig_id=name,
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
    used = _used(fields, items, captions.values())
    loose = [
        label or name
        for name, text in texts.items()
        if text.get("label") == "caption" and name not in used
        for label in [label_in_caption(" ".join(_words(name, items)))]
        if label or not _is_table(" ".join(_words(name, items)))
    ]
    citations, mentions = _mentions(figures, [text for name, text in texts.items() if name not in used])
    origin = record.get("origin") or record.get("file-info")
    origin_name = origin.get("filename") if isinstance(origin, dict) else None
    return Article(
        file=file,
        doi="",
        pmcid="",
        title=_title(texts.values()) or PurePosixPath(str(origin_name or file)).stem,
        journal="",
        year=None,
        licence="",
        figures=tuple(replace(each, mentions=tuple(mentions[n])) for n, each in enumerate(figures)),
        left_over=describe_left_over(
            citations,
            figures,
            ("picture without a caption", "pictures without a caption", without),
            ("caption without a picture", "captions without a picture", loose),
        ),
    )


def _of_server(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the document within an answer of docling's server; other records as they are."""
    answer = record.get("document")
    inner = answer.get("json_content") if isinstance(answer, dict) else None
    return inner if isinstance(inner, dict) else record


def _of_first_layout(fields: Fields) -> dict[str, Any]:
    """Return a document of docling's first layout (deepsearch-glm), whose figures have captions, as a later."""
    texts: list[dict[str, Any]] = []
    pictures: list[dict[str, Any]] = []
    for number, text in enumerate(_objects(fields, "main-text")):
        if isinstance(text.get("text"), str):
            label = str(text.get("type", "")).lower().replace("-", "_")
            name = str(text.get("name", "")).lower()
            label = next((each for each in ("caption", "title") if each in (label, name)), label)
            texts.append({"self_ref": f"#/main-text/{number}", "label": label, "text": text["text"]})
    known = {" ".join(text["text"].split()): text["self_ref"] for text in texts if text["label"] == "caption"}
    for number, figure in enumerate(_list(fields.record, "figures")):
        refs = []
        own = [figure.get("text"), *(each.get("text") for each in _list(figure, "captions"))]
        for place, caption in enumerate(each for each in own if isinstance(each, str) and each.strip()):
            ref = known.get(" ".join(caption.split()), f"#/figures/{number}/captions/{place}")
            if ref not in known.values():
                texts.append({"self_ref": ref, "label": "caption", "text": caption})
            refs.append(ref)
        picture = {"self_ref": f"#/figures/{number}", "captions": list(dict.fromkeys(refs))}
        pictures.append(picture | {"image": figure.get("image")})
    return {"texts": texts, "pictures": pictures}


def _list(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = record.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _by_ref(fields: Fields, name: str, problems: Problems) -> dict[str, Mapping[str, Any]]:
    """Return the objects of a list by their `self_ref`, else by their place; the first of equal ones counts."""
    found: dict[str, Mapping[str, Any]] = {}
    for number, each in enumerate(_objects(fields, name)):
        ref = each.get("self_ref")
        ref = ref if isinstance(ref, str) else f"#/{name}/{number}"
        if ref in found:
            problems.add(
                f'{fields.where}: two of "{name}" have the self_ref "{ref}"; both are read, give each its own'
            )
            ref = f"{ref} ({number})"
        found[ref] = each
    return found


def _refs(item: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the targets of an item's references, a list or one alone: `$ref`, or `cref` where a model was dumped
    without aliases; or the text that stands in place of one.
    """
    found = item.get(name)
    for each in found if isinstance(found, list) else [found]:
        named = (each.get(key) for key in ("$ref", "cref", "text")) if isinstance(each, dict) else (each,)
        ref = next(filter(None, named), None)
        if isinstance(ref, str):
            yield ref


def _captions(
    pictures: Mapping[str, Mapping[str, Any]], items: Mapping[str, Mapping[str, Any]]
) -> dict[str, list[str]]:
    """Return the captions of each picture; of one that names none, the captions among its children."""
    below: dict[str, list[str]] = defaultdict(list)
    for ref, item in items.items():
        if item.get("label") == "caption":
            for parent in _refs({"parent": [item.get("parent")]}, "parent"):
                below[parent].append(ref)
    found = {}
    for name, picture in pictures.items():
        inner = [ref for ref in _refs(picture, "children") if items.get(ref, {}).get("label") == "caption"]
        named = list(_refs(picture, "captions")) or list(_refs(picture, "caption"))
        found[name] = named or list(dict.fromkeys([*inner, *below[name]]))
    return found


def _used(fields: Fields, items: Mapping[str, Mapping[str, Any]], captions: Iterable[Iterable[str]]) -> set[str]:
    """Return what belongs to captions of pictures (given), tables and the like, groups and the texts in them."""
    waiting = [*chain.from_iterable(captions)]
    waiting += [
        ref for name in _CAPTIONED for each in _list(fields.record, name) for ref in _refs(each, "captions")
    ]
    used: set[str] = set()
    while waiting:
        ref = waiting.pop()
        if ref not in used:
            used.add(ref)
            waiting.extend(_refs(items.get(ref, {}), "children"))
    return used


def _words(ref: str, items: Mapping[str, Mapping[str, Any]], depth: int = 0) -> list[str]:
    """Return the words of a text, or of all in a group: a caption with formatting has its pieces in one."""
    item = items.get(ref)
    if item is None or depth > _DEEPEST:
        return [] if ref.startswith("#") else ref.split()
    return _text(item) or [word for each in _refs(item, "children") for word in _words(each, items, depth + 1)]


def _mentions(
    figures: Sequence[ArticleFigure], texts: Sequence[Mapping[str, Any]]
) -> tuple[Citations, dict[int, list[Mention]]]:
    citations = Citations((figure.label, (n,)) for n, figure in enumerate(figures))
    mentions: dict[int, list[Mention]] = defaultdict(list)
    running = (
        each for each in texts if each.get("label") in _TEXT and each.get("content_layer", "body") == "body"
    )
    for number, text in enumerate(running):
        for figure, mention in citations.find(Paragraph(number, " ".join(_text(text)), ())):
            mentions[figure].append(mention)
    return citations, mentions


def _title(texts: Any) -> str:
    return next((" ".join(_text(each)) for each in texts if each.get("label") == "title"), "")


def _is_table(caption: str) -> bool:
    return caption.lower().startswith("tab")


def _text(text: Mapping[str, Any]) -> list[str]:
    """Return the words of a text, as it was in the PDF where docling cleaned all of it away."""
    found = text.get("text") or text.get("orig")
    return found.split() if isinstance(found, str) else []


def _objects(fields: Fields, name: str) -> Iterator[Mapping[str, Any]]:
    found = fields.record.get(name)
    if not isinstance(found, list):
        raise fields.error(name, "holds no list; is it docling's JSON?")
    return (each for each in found if isinstance(each, dict))
