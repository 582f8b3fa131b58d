"""Find quoted words in a caption: they count only where they stand there word for word, and once."""

from __future__ import annotations

import re
from itertools import islice

from panelwise.domain.caption import Span

_LEFT_OUT = re.compile(r"\s*(?:\.{3}|…|\[…\]|\[\.{3}\])\s*")
_LABEL = re.compile(r"[(\[]?\w{1,3}[)\]:.,]+\s+")


def spans_of_quote(quote: str, caption: str) -> list[Span]:
    """Return where a quote stands in a caption, in pieces where "..." leaves words out; [] if not word for word.

    Blanks may differ. A panel's label before the words may be missing in the caption.
    """
    for words in (quote, _LABEL.sub("", quote, count=1)):
        spans = [_only_place(piece, caption) for piece in _LEFT_OUT.split(words) if piece.strip()]
        if spans and all(spans):
            return [span for span in spans if span is not None]
    return []


def _only_place(words: str, caption: str) -> Span | None:
    pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words.split())) + r"(?!\w)"
    places = [Span(*found.span()) for found in islice(re.finditer(pattern, caption), 2)]
    return places[0] if len(places) == 1 else None
