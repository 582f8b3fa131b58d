"""The curves of a training as a picture: the loss, and the scores on the validation split, by epoch."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from panelwise.runtime import write_whole

#: Distinguishable by people of any colour vision (Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


def draw_curves(path: Path, history: Sequence[Mapping[str, Any]], *, better: str, best: int) -> None:
    """Write a PNG. history: a record an epoch, as in the log. better: the score watched. best: its best epoch."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9, 3.6), dpi=110)
    canvas = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.07, right=0.985, bottom=0.14, top=0.91, wspace=0.16)
    epochs = [entry["epoch"] for entry in history]
    left.plot(epochs, [entry["loss"] for entry in history], marker=".", color=_COLOURS[0])
    left.set_title("loss (training)")
    names = sorted(
        {name for entry in history for name in entry["scores"]}, key=lambda name: (name != better, name)
    )
    for name, colour in zip(names, _COLOURS, strict=False):
        values = [entry["scores"].get(name, float("nan")) for entry in history]
        right.plot(epochs, values, marker=".", color=colour, label=name, linewidth=2 if name == better else 1)
    right.set_title(f"validation (best {better}: epoch {best})")
    if best:
        right.axvline(best, color="#888888", linestyle=":", linewidth=1)
    if names:
        right.legend(fontsize=8)
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
    out = io.BytesIO()
    canvas.print_png(out)
    write_whole(path, out.getvalue())
