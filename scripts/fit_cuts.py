"""Fit the coefficients of the layout by the image alone on simulated figures, and print how often cuts are right.

    prelabel synth --out sim --figures 500 --seed 5
    prelabel synth --out held --figures 200 --seed 6
    python scripts/fit_cuts.py sim --check held --check real:gold.jsonl:figures.jsonl

FOLDER and --check FOLDER hold figures.jsonl, annotations.jsonl and the images. A check of other figures is
NAME:GOLD:FIGURES, where images lie beside FIGURES. Prints the coefficients for prelabel/panels/image_layout.py. Of
each figure one panel is also fitted on as a figure of its own, which is to stay whole.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize

from panelwise.domain.annotation import Annotation
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.figures import read_figures
from prelabel.panels.canvas import Canvas, on_white
from prelabel.panels.image_layout import COEFFICIENTS, FEATURES, Cut, CutFinder
from prelabel.runs.predict import open_image

#: Weight of the squared coefficients, in units of each feature's standard deviation.
RIDGE = 1.0

#: A piece holds a panel that has this share of its length in it.
HELD = 0.85

#: A panel is cropped with this share of its longer side around it, and if its shorter side has so many pixels.
AROUND, LEAST_CROP = 0.02, 120

Vector = NDArray[np.float64]

#: x0, y0, x1, y1 of one panel.
Panel = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Choice:
    """The cuts that one rectangle offers: features of each, and whether it is right."""

    features: tuple[tuple[float, ...], ...]
    right: tuple[bool, ...]


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+", help="simulated figures to fit on")
    parser.add_argument("--check", action="append", default=[], help="FOLDER, or NAME:GOLD:FIGURES")
    parser.add_argument("--as-committed", action="store_true", help="print counts of the committed coefficients")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    fitted = list(chain.from_iterable(choices(*_folder(each), options.processes) for each in options.folder))
    coefficients = np.array(COEFFICIENTS)
    if not options.as_committed:
        coefficients = fit(fitted)
        print("COEFFICIENTS = (")
        for name, value in zip(FEATURES, coefficients, strict=True):
            print(f"    {value:g},  # {name}")
        print(")\n")
    _print_counts("fitted on", fitted, coefficients)
    for check in options.check:
        name, *rest = check.split(":")
        files = (Path(rest[0]), Path(rest[1])) if len(rest) == 2 else _folder(Path(name))
        _print_counts(f"checked on {Path(name).name}", choices(*files, options.processes), coefficients)


def _folder(folder: Path) -> tuple[Path, Path]:
    return folder / "annotations.jsonl", folder / "figures.jsonl"


def choices(gold: Path, figures: Path, processes: int) -> list[Choice]:
    """The rectangles on the way to the true panels of the figures of `gold`, and what each offers."""
    problems = Problems(report=print)
    images = {record.figure_id: figures.parent / record.image for record in read_figures(figures, problems)}
    jobs = [(each, images[each.figure.id]) for each in read_annotations(gold, problems)]
    with ProcessPoolExecutor(processes) as pool:
        return list(chain.from_iterable(pool.map(_choices, jobs, chunksize=8)))


def _choices(job: tuple[Annotation, Path]) -> list[Choice]:
    truth, path = job
    image = on_white(open_image(path))
    panels = [(each.box.x0, each.box.y0, each.box.x1, each.box.y1) for each in truth.subfigures]
    found = _on_the_way(image, panels)
    if len(panels) > 1:
        # Which panel stands alone is all one, if it is not always the first.
        x0, y0, x1, y1 = panels[sum(map(ord, truth.figure.id)) % len(panels)]
        around = AROUND * max(x1 - x0, y1 - y0)
        left, top = max(0, int(x0 - around)), max(0, int(y0 - around))
        crop = image.crop((left, top, min(image.width, int(x1 + around)), min(image.height, int(y1 + around))))
        if min(crop.size) >= LEAST_CROP:
            found += _on_the_way(crop, [(x0 - left, y0 - top, x1 - left, y1 - top)])
    return found


def _on_the_way(image: Image.Image, panels: Sequence[Panel]) -> list[Choice]:
    """Return the cuts offered by the whole image, and by each piece of a right cut of it."""
    canvas = Canvas.of(image)
    finder = CutFinder.of(canvas)
    scale = canvas.ink.shape[1] / image.width
    scaled = [(x0 * scale, y0 * scale, x1 * scale, y1 * scale) for x0, y0, x1, y1 in panels]
    found: list[Choice] = []
    waiting = [finder.root]
    while waiting:
        rect = waiting.pop()
        cuts = [*finder.gutter_cuts(rect), *finder.seam_cuts(rect), *finder.other_grounds(rect)]
        inside = [each for each in scaled if _middle_in(rect, each)]
        right = [is_right(cut, inside) for cut in cuts]
        if cuts:
            found.append(Choice(tuple(cut.features for cut in cuts), tuple(right)))
        followed = [cut for cut, good in zip(cuts, right, strict=True) if good]
        if followed:
            waiting += max(followed, key=lambda cut: (cut.kind == "gutter", len(cut.pieces), cut.odds)).pieces
    return found


def is_right(cut: Cut, panels: Sequence[Panel]) -> bool:
    """Return whether every piece holds a panel, and every panel lies in a piece."""
    axis = 1 - cut.axis
    holders = [next((piece for piece in cut.pieces if _middle_in(piece, panel)), None) for panel in panels]
    if len({each for each in holders if each is not None}) < len(cut.pieces):
        return False
    for panel, piece in zip(panels, holders, strict=True):
        if piece is None:
            return False
        shared = min(panel[axis + 2], piece[axis + 2]) - max(panel[axis], piece[axis])
        if shared < HELD * (panel[axis + 2] - panel[axis]):
            return False
    return True


def _middle_in(rect: tuple[int, int, int, int], panel: Panel) -> bool:
    x, y = (panel[0] + panel[2]) / 2, (panel[1] + panel[3]) / 2
    return rect[0] <= x <= rect[2] and rect[1] <= y <= rect[3]


def fit(found: Sequence[Choice]) -> Vector:
    """Coefficients of a choice among a rectangle's cuts and no cut, by penalised likelihood, to three decimals."""
    table = np.array(list(chain.from_iterable(each.features for each in found)))
    right = np.array(list(chain.from_iterable(each.right for each in found)))
    of = np.repeat(np.arange(len(found)), [len(each.right) for each in found])
    starts = np.searchsorted(of, np.arange(len(found)))
    cut = np.logical_or.reduceat(right, starts)
    scale = table.std(axis=0)

    def loss(coefficients: Vector) -> tuple[float, Vector]:
        worth = table @ coefficients
        most = np.maximum(np.maximum.reduceat(worth, starts), 0.0)
        weight = np.exp(worth - most[of])
        whole = np.exp(-most)
        total = np.add.reduceat(weight, starts) + whole
        good = np.where(cut, np.add.reduceat(weight * right, starts), whole)
        share = np.where(right, weight / np.maximum(good, 1e-300)[of], 0.0)
        slope = table.T @ (weight / total[of] - share)
        value = float(np.log(total).sum() - np.log(np.maximum(good, 1e-300)).sum())
        penalty = RIDGE * scale**2 * coefficients
        return value + float(penalty @ coefficients), slope + 2 * penalty

    result = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    return np.round(result.x, 3)


def _print_counts(name: str, found: Sequence[Choice], coefficients: Vector) -> None:
    parted = missed = wrong = single = cut = 0
    for each in found:
        worth = np.array(each.features) @ coefficients
        best = int(np.argmax(worth))
        made = worth[best] > 0
        if any(each.right):
            parted += 1
            missed += not made
            wrong += made and not each.right[best]
        else:
            single += 1
            cut += made
    print(f"== {name}: {parted} rectangles to cut: {missed} left whole, {wrong} cut wrongly;", end=" ")
    print(f"{single} to leave whole: {cut} cut")


if __name__ == "__main__":
    main()
