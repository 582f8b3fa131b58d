"""The request to a language model about a figure, and its answer as tokens.

Quotes that the caption does not hold are refused, so that no character of the model's own gets into a prediction.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from panelwise.domain import Caption, Figure, FormatError, Span, Subfigure

if TYPE_CHECKING:
    from PIL import Image

#: An image is sent with at most this many pixels on its longer side.
LONGEST_SIDE = 1024

#: JSON Schema of an answer, for servers that hold their model to one.
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "panels": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "label": {"type": "string"},
                    "quotes": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["label", "quotes"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["panels"],
    "additionalProperties": False,
}


class _Panel(msgspec.Struct, forbid_unknown_fields=True):
    label: str
    quotes: list[str]


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    panels: list[_Panel]


@dataclass(frozen=True, slots=True)
class PanelTexts:
    """An answer. tokens: of each label, ids in the caption. refused: number of quotes that were not used."""

    tokens: Mapping[str, frozenset[int]]
    refused: int


def messages(
    figure: Figure, subfigures: Sequence[Subfigure], prompt: str, image: Image.Image | None = None
) -> list[dict[str, Any]]:
    """The messages of a request. Boxes are given as shares of the image's sides; image: to be sent along."""
    width, height = float(figure.width), float(figure.height)
    panels = [
        {
            "label": subfigure.label,
            "box": [
                round(share, 3)
                for share in (
                    subfigure.box.x0 / width,
                    subfigure.box.y0 / height,
                    subfigure.box.x1 / width,
                    subfigure.box.y1 / height,
                )
            ],
        }
        for subfigure in subfigures
    ]
    asked: Any = json.dumps({"caption": figure.caption.text, "panels": panels}, ensure_ascii=False)
    if image is not None:
        asked = [{"type": "text", "text": asked}, {"type": "image_url", "image_url": {"url": _data_url(image)}}]
    return [{"role": "system", "content": prompt}, {"role": "user", "content": asked}]


def read_answer(text: str, caption: Caption, labels: Sequence[str]) -> PanelTexts:
    """The tokens that an answer gives the labels. Raises FormatError for anything but the JSON that was requested.

    A quote counts if it occurs in the caption, character by character; of several places the first one after the
    panel's quote before it. Quotes that do not occur, and those of other panels, are counted as refused.
    """
    try:
        answer = msgspec.json.decode(text, type=_Answer)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"the answer is not the JSON that was asked for ({error})") from None
    spans: dict[str, list[Span]] = {}
    refused = 0
    for panel in answer.panels:
        if panel.label not in labels:
            refused += max(1, len(panel.quotes))
            continue
        found = spans.setdefault(panel.label, [])
        for quote in panel.quotes:
            wanted = quote.strip()
            start = caption.text.find(wanted, found[-1].end if found else 0)
            if start < 0:
                start = caption.text.find(wanted)
            if not wanted or start < 0:
                refused += 1
            else:
                found.append(Span(start, start + len(wanted)))
    return PanelTexts({label: caption.tokens_in(found) for label, found in spans.items()}, refused)


def _data_url(image: Image.Image) -> str:
    small = image.convert("RGB")
    small.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    held = io.BytesIO()
    small.save(held, "PNG")
    return "data:image/png;base64," + base64.b64encode(held.getvalue()).decode()
