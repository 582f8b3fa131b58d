"""Map a model's labels to the campaign's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from panelwise.domain import Prediction


def on_palette(prediction: Prediction, palette: Sequence[str], *, spare: bool) -> Prediction:
    """Return the prediction with labels of the campaign's palette, as far as possible.

    A figure's "a" becomes the palette's "A" (or the reverse), unless the prediction has both. spare: labels that
    are still not in the palette, or repeated, get the first free label in the palette's order. Others are
    unchanged.
    """
    given = [subfigure.label for subfigure in prediction.subfigures]
    by_case = {label.casefold(): label for label in reversed(palette) if label not in given}
    wished = [label if label in palette else by_case.get(label.casefold(), "") for label in given]
    free = [label for label in palette if label not in wished]
    taken: set[str] = set()
    labels = []
    for label, wish in zip(given, wished, strict=True):
        chosen = wish
        if spare and free and (not wish or wish in taken):
            chosen = free.pop(0)
        taken.add(chosen)
        labels.append(chosen or label)
    if labels == given:
        return prediction
    subfigures = tuple(
        replace(subfigure, label=label) for subfigure, label in zip(prediction.subfigures, labels, strict=True)
    )
    return replace(prediction, subfigures=subfigures)
