"""Documents of docling as JSON, made from PDFs: pictures with captions, and text without links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from panelwise.domain.box import Corners
from panelwise.files.jsonl import Fields, Problems
from panelwise.formats.articles.article import Article, ArticleFigure, GroupMember, describe_left_over
from panelwise.formats.articles.citations import Citations, Mention, Paragraph
from panelwise.formats.articles.labels import label_in_caption
from panelwise.runtime.messages import counted

#: `schema_name` of its files.
SCHEMA = "DoclingDocument"
#: Labels of running text.
_TEXT = frozenset({"text", "paragraph", "list_item"})
#: Lists of what else may have a caption of its own.
_CAPTIONED = ("tables", "key_value_items", "form_items")
#: Points between two pictures of one figure at most.
_GAP = 24.0
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
    for together in _together(fields, pictures, captions, items):
        name = together[0]
        refs = list(dict.fromkeys(ref for each in together for ref in captions[each]))
        for ref in refs:
            if ref not in items and ref.startswith("#"):
                problems.add(f'{file}: caption "{ref}" of picture "{name}" is not in the file; convert it again')
        caption = " ".join(word for ref in refs for word in _words(ref, items))
        if not caption:
            without += together
            continue
        embedded += sum(_uri(pictures[each]).startswith("data:") for each in together)
        figures.append(
            ArticleFigure(
                fig_id=name,
                label=label_in_caption(caption),
                caption=caption,
                graphics=tuple(chain.from_iterable(_files(pictures[each]) for each in together)),
                members=_members(together, pictures),
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


def _together(
    fields: Fields,
    pictures: Mapping[str, Mapping[str, Any]],
    captions: Mapping[str, Sequence[str]],
    items: Mapping[str, Mapping[str, Any]],
) -> list[list[str]]:
    """Return the pictures of each figure: those that share a caption, and one without a caption that touches
    another in reading order. A picture beside a caption that nothing names is that one's.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name in pictures:
        found.setdefault(tuple(captions[name]) or (name,), []).append(name)
    named = set(chain.from_iterable(captions.values()))
    body = fields.record.get("body")
    order = [ref for ref in _refs(body, "children") if ref not in named] if isinstance(body, dict) else []
    for at, name in enumerate(order):
        if name not in pictures or captions[name]:
            continue
        beside = [order[place] for place in (at - 1, at + 1) if 0 <= place < len(order)]
        if any(items.get(ref, {}).get("label") == "caption" for ref in beside):
            continue
        whole = next((ref for ref in beside if captions.get(ref) and _touch(pictures[name], pictures[ref])), None)
        if whole is not None:
            found[tuple(captions[whole])].append(name)
            del found[name,]
    places = {name: place for place, name in enumerate(pictures)}
    return [sorted(group, key=places.__getitem__) for group in found.values()]


def _place(picture: Mapping[str, Any]) -> tuple[int, Corners] | None:
    """Return page and corners of a picture, with y downwards from any zero of the page; None if unknown."""
    for prov in _list(picture, "prov"):
        box, page = prov.get("bbox"), prov.get("page_no")
        sides = [box.get(side) for side in "ltrb"] if isinstance(box, dict) else []
        known = [float(side) for side in sides if isinstance(side, int | float)]
        if isinstance(page, int) and len(known) == 4:
            left, top, right, bottom = known
            y0, y1 = (top, bottom) if top < bottom else (-top, -bottom)
            return (page, (left, y0, right, y1)) if left < right and y0 < y1 else None
    return None


def _touch(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two pictures of a page stand beside or below each other with hardly a gap."""
    place, beside = _place(one), _place(other)
    if place is None or beside is None or place[0] != beside[0]:
        return False
    first, second = place[1], beside[1]
    across = _common(first[0], first[2], second[0], second[2])
    down = _common(first[1], first[3], second[1], second[3])
    narrow = min(first[2] - first[0], second[2] - second[0])
    low = min(first[3] - first[1], second[3] - second[1])
    return (across >= -_GAP and 2 * down >= low) or (down >= -_GAP and 2 * across >= narrow)


def _common(start: float, end: float, other_start: float, other_end: float) -> float:
    """Return the length that two ranges have in common; less than 0 for the gap between them."""
    return min(end, other_end) - max(start, other_start)


def _uri(picture: Mapping[str, Any]) -> str:
    image = picture.get("image")
    uri = image.get("uri") if isinstance(image, dict) else None
    return uri if isinstance(uri, str) else ""


def _members(names: Sequence[str], pictures: Mapping[str, Mapping[str, Any]]) -> tuple[GroupMember, ...]:
    """Return the pictures of a figure, with their places if all are on one page; () of a single one."""
    if len(names) == 1:
        return ()
    places = [_place(pictures[name]) for name in names]
    together = len({None if place is None else place[0] for place in places}) == 1
    return tuple(
        GroupMember(name, "", "", _files(pictures[name]), 1, place[1] if place is not None and together else None)
        for name, place in zip(names, places, strict=True)
    )


def _files(picture: Mapping[str, Any]) -> tuple[str, ...]:
    uri = _uri(picture)
    return (uri,) if uri and not uri.startswith("data:") else ()


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
