"""The small markup that captions of simulated figures are written in, `{A|text}`, and the truth that it holds.

`{A|text}` says that the text belongs to panel A, `{A,B|text}` that it belongs to A and B. What stands outside
braces belongs to none. Braces do not nest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from panelwise.domain import Span

_PIECE = re.compile(r"\{([^{}|]+)\|([^{}]*)\}")


def read_markup(markup: str) -> tuple[str, dict[str, tuple[Span, ...]]]:
    """The plain caption and, for each label, its spans in order: without blanks at their ends, and joined where
    nothing but white space lies between two."""
    parts: list[str] = []
    spans: dict[str, list[Span]] = defaultdict(list)
    length = done = 0
    for piece in _PIECE.finditer(markup):
        parts.append(markup[done : piece.start()])
        length += len(parts[-1])
        text = piece.group(2)
        if inner := text.strip():
            start = length + len(text) - len(text.lstrip())
            for label in piece.group(1).split(","):
                spans[label].append(Span(start, start + len(inner)))
        parts.append(text)
        length += len(text)
        done = piece.end()
    parts.append(markup[done:])
    caption = "".join(parts)
    return caption, {label: _joined(caption, found) for label, found in sorted(spans.items())}


def _joined(caption: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    result: list[Span] = []
    for span in spans:
        if result and not caption[result[-1].end : span.start].strip():
            result[-1] = Span(result[-1].start, span.end)
        else:
            result.append(span)
    return tuple(result)
