"""Export gold as W3C Web Annotations (JSON-LD): a region of an image and words of its caption are one annotation.

Source: Web Annotation Data Model, W3C Recommendation of 23 February 2017, sections 4.2 (selectors) and 5.1
(collections).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from annotator.gold.exports.job import Export, Job, Outcome, Shared, outcome_of
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.gold.records import Exported
    from panelwise.domain import Box, Gold, Span, Subfigure

HELP = """Write the gold as W3C Web Annotations in one JSON-LD file, for knowledge graphs and annotation tools.

An annotation is a subfigure: its targets are a region of the image (FragmentSelector) and words of the caption
(TextQuoteSelector, TextPositionSelector), its bodies the label and the text. Boxes are widened to whole pixels.
"""

#: Characters of the caption before and after a quotation.
_AROUND = 32
_CONTEXT, _FRAGMENTS = "http://www.w3.org/ns/anno.jsonld", "http://www.w3.org/TR/media-frags/"


def write(job: Job) -> Outcome:
    """Write the file, streamed, and report the number of annotations."""
    from annotator.gold.records import golds
    from panelwise.files import encode_line
    from panelwise.runtime import whole_file

    exported = job.exported("Web Annotation")
    campaign = job.home.campaign.name
    count = 0
    with job.store.read() as tx, whole_file(job.out) as file:
        head = {"@context": _CONTEXT, "id": _urn("collection", campaign), "type": "AnnotationCollection"}
        page = {"id": _urn("page", campaign), "type": "AnnotationPage", "startIndex": 0}
        file.write(encode_line({**head, "label": campaign}).rstrip(b"}\n") + b',"first":')
        file.write(encode_line(page).rstrip(b"}\n") + b',"items":[\n')
        found = golds(job.home, tx, exported, names=job.names, include=job.include)
        for gold in job.watch(found, "exporting annotations"):
            _count_losses(gold, exported)
            for subfigure in gold.subfigures:
                file.write((b"," if count else b"") + encode_line(annotation(gold, subfigure, campaign)))
                count += 1
        file.write(b']},"total":%d}\n' % count)
    outcome = outcome_of(exported, f"wrote {counted(count, 'annotation')} to {job.out}")
    outcome.gold = exported.tally
    return outcome


def annotation(gold: Gold, subfigure: Subfigure, campaign: str) -> dict[str, Any]:
    """Return a subfigure as an annotation. campaign: its name, part of the identifiers."""
    from panelwise.formats import time_text

    figure = gold.figure.shareable()
    record: dict[str, Any] = {
        "id": _urn("annotation", campaign, figure.id, subfigure.label),
        "type": "Annotation",
        "motivation": "describing",
        "created": time_text(gold.provenance.decided_at),
        "body": [{"type": "TextualBody", "value": subfigure.label, "purpose": "tagging"}],
        "target": [
            {
                "type": "SpecificResource",
                "source": {"id": quote(figure.image) or _urn("image", campaign, figure.id), "type": "Image"},
                "selector": {
                    "type": "FragmentSelector",
                    "conformsTo": _FRAGMENTS,
                    "value": f"xywh={','.join(map(str, _pixels(subfigure.box)))}",
                },
            }
        ],
    }
    if gold.provenance.reviewer:
        record["creator"] = {"type": "Person", "name": gold.provenance.reviewer}
    text = figure.caption.text
    if subfigure.subcaption:
        words = figure.caption.text_of(subfigure.subcaption)
        record["body"].append({"type": "TextualBody", "value": words, "purpose": "describing"})
    caption = {"id": _urn("caption", campaign, figure.id), "type": "Text", "format": "text/plain", "value": text}
    record["target"] += [
        {"type": "SpecificResource", "source": caption, "selector": _selectors(text, span)}
        for span in figure.caption.spans_of(subfigure.subcaption)
    ]
    return record


def _selectors(text: str, span: Span) -> list[dict[str, Any]]:
    """Return two ways to select the same words. Positions count Unicode code points, as the standard says."""
    return [
        {
            "type": "TextQuoteSelector",
            "exact": text[span.start : span.end],
            "prefix": text[max(0, span.start - _AROUND) : span.start],
            "suffix": text[span.end : span.end + _AROUND],
        },
        {"type": "TextPositionSelector", "start": span.start, "end": span.end},
    ]


def _pixels(box: Box) -> Iterator[int]:
    """Yield left, top, width and height of the whole pixels that a box touches."""
    from math import ceil, floor

    left, top = floor(max(0.0, box.x0)), floor(max(0.0, box.y0))
    yield from (left, top, ceil(box.x1) - left, ceil(box.y1) - top)


def _urn(*names: str) -> str:
    """Return an identifier that is the same in each export of a campaign."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, ' '.join(map(quote, names)))}"


def _count_losses(gold: Gold, exported: Exported) -> None:
    from annotator.gold.records import leave_out_items

    corners = [corner for subfigure in gold.subfigures for corner in subfigure.box.corners]
    exported.losses.left_out(
        "boxes' fractions of pixels", int(any(not float(corner).is_integer() for corner in corners))
    )
    leave_out_items(gold, exported)
    exported.losses.left_out(
        "figures without subfigures", int(not gold.subfigures), instead="`annotator export gold` has them"
    )


EXPORT = Export(
    "web-annotation",
    "gold.jsonld",
    "annotator export web-annotation --out gold.jsonld",
    HELP,
    write,
    (Shared.INCLUDE, Shared.NAMES),
)
