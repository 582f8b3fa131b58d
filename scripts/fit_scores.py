"""Fit the classic pre-labeller's scores on simulated figures, and print how reliable they are.

    prelabel synth --out sim --figures 800 --seed 5
    prelabel synth --out held --figures 400 --seed 6
    python scripts/fit_scores.py sim --check held --check real:gold.jsonl:figures.jsonl

FOLDER and --check FOLDER hold figures.jsonl, annotations.jsonl and the images. A check of other figures is
NAME:GOLD:FIGURES, where images lie beside FIGURES. Prints the coefficients for prelabel/classic/prelabeller.py,
then for each set a table: subfigures whose score lies in a range, their mean score, how many of them are right.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agreement.primitives.iou import as_boxes, box_iou
from panelwise.domain.annotation import Annotation
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.figures import read_figures
from prelabel.classic import prelabeller
from prelabel.classic.prelabeller import CLASSIC
from prelabel.evaluation.scores import MIN_F1, Reliability
from prelabel.runs.predict import open_image

#: Weight of the squared coefficients, the constant left out.
RIDGE = 2.0

#: Boxes are right from this overlap on.
MIN_IOU = 0.5

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One predicted subfigure: its features, and whether its box and its text are right (None: unknown)."""

    box: tuple[float, ...]
    text: tuple[float, ...]
    box_right: bool
    text_right: bool | None


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="+", help="simulated figures to fit on")
    parser.add_argument("--check", action="append", default=[], help="FOLDER, or NAME:GOLD:FIGURES")
    parser.add_argument("--as-committed", action="store_true", help="print tables of the committed coefficients")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    fitted = list(chain.from_iterable(outcomes(*_folder(each), given.processes) for each in given.folder))
    if given.as_committed:
        box, text = np.array(prelabeller.BOX_COEFFICIENTS), np.array(prelabeller.TEXT_COEFFICIENTS)
    else:
        box = fit([each.box for each in fitted], [each.box_right for each in fitted])
        matched = [each for each in fitted if each.text_right is not None]
        text = fit([each.text for each in matched], [each.text_right is True for each in matched])
        _print_coefficients("BOX_COEFFICIENTS", prelabeller.BOX_FEATURES, box)
        _print_coefficients("TEXT_COEFFICIENTS", prelabeller.TEXT_FEATURES, text)
    _print_tables("fitted on", fitted, box, text)
    for check in given.check:
        name, *rest = check.split(":")
        files = (Path(rest[0]), Path(rest[1])) if len(rest) == 2 else _folder(Path(name))
        _print_tables(f"checked on {Path(name).name}", outcomes(*files, given.processes), box, text)


def _folder(folder: Path) -> tuple[Path, Path]:
    return folder / "annotations.jsonl", folder / "figures.jsonl"


def outcomes(gold: Path, figures: Path, processes: int) -> list[Outcome]:
    """Return the outcome of every subfigure predicted for the figures of `gold`."""
    problems = Problems(report=print)
    images = {record.figure_id: figures.parent / record.image for record in read_figures(figures, problems)}
    jobs = [(each, images[each.figure.id]) for each in read_annotations(gold, problems)]
    with ProcessPoolExecutor(processes) as pool:
        return list(chain.from_iterable(pool.map(_outcomes, jobs, chunksize=8)))


def _outcomes(job: tuple[Annotation, Path]) -> list[Outcome]:
    truth, path = job
    image = open_image(path)
    explained = CLASSIC.explain(truth.figure, image)
    found = prelabeller.features(
        explained.split, explained.parsed, explained.alignment, width=image.width, height=image.height
    )
    predicted = explained.prediction.subfigures
    overlaps = box_iou(
        as_boxes([each.box.as_list() for each in predicted]),
        as_boxes([each.box.as_list() for each in truth.subfigures]),
    )
    partner = _matched(overlaps)
    counted = truth.figure.caption.counted
    # Truth that says nothing of text says nothing of whether the text is right.
    told = any(each.subcaption for each in truth.subfigures) or truth.annotator == "truth"
    result = []
    for number, (box, text) in enumerate(found):
        right: bool | None = None
        if number in partner and told:
            one = predicted[number].subcaption & counted
            other = truth.subfigures[partner[number]].subcaption & counted
            right = 2 * len(one & other) >= MIN_F1 * (len(one) + len(other))
        result.append(Outcome(box, text, number in partner, right))
    return result


def _matched(overlaps: NDArray[np.float64]) -> dict[int, int]:
    """Predicted boxes and the true ones they match, each once, greatest overlap first."""
    found: dict[int, int] = {}
    for place in np.argsort(-overlaps, axis=None, kind="stable"):
        one, other = divmod(int(place), overlaps.shape[1])
        if overlaps[one, other] < MIN_IOU:
            break
        if one not in found and other not in found.values():
            found[one] = other
    return found


def fit(values: Sequence[Sequence[float]], right: Sequence[bool]) -> Vector:
    """Coefficients of the logistic function by penalised maximum likelihood, rounded to three decimals."""
    table, wanted = np.array(values), np.array(right, dtype=float)
    penalty = np.full(table.shape[1], RIDGE)
    penalty[0] = 0.0

    def loss(coefficients: Vector) -> tuple[float, Vector]:
        total = table @ coefficients
        chance = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
        value = float(np.sum(np.logaddexp(0, total) - wanted * total) + 0.5 * np.sum(penalty * coefficients**2))
        return value, table.T @ (chance - wanted) + penalty * coefficients

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B")
    result: Vector = np.round(found.x, 3)
    return result


def _print_coefficients(name: str, features: Sequence[str], coefficients: Vector) -> None:
    print(f"{name} = (")
    for feature, value in zip(features, coefficients, strict=True):
        print(f"    {value:g},  # {feature}")
    print(")\n")


def _print_tables(name: str, found: Iterable[Outcome], box: Vector, text: Vector) -> None:
    found = list(found)
    boxes = [prelabeller.logistic(box.tolist(), each.box) for each in found]
    texts = [prelabeller.logistic(text.tolist(), each.text) for each in found]
    print(f"== {name}: {len(found)} subfigures")
    _print_reliability("box", boxes, [each.box_right for each in found])
    told = [number for number, each in enumerate(found) if not each.box_right or each.text_right is not None]
    if any(found[number].text_right is not None for number in told):
        both = [boxes[number] * texts[number] for number in told]
        _print_reliability("box and text", both, [found[number].text_right is True for number in told])


def _print_reliability(name: str, chances: Sequence[float], right: Sequence[bool]) -> None:
    """Print how often subfigures of each score are right, and how far scores are off."""
    found = Reliability.of(chances, right)
    if found is None:
        return
    print(f"{name:14s} {'n':>6s} {'score':>7s} {'right':>7s}")
    for each in found.ranges:
        print(f"  {each.low:.1f}-{each.high:.1f}      {each.count:6d} {each.score:7.3f} {each.right:7.3f}")
    print(f"  calibration error {found.error:.3f}, Brier {found.brier:.3f}\n")


if __name__ == "__main__":
    main()
