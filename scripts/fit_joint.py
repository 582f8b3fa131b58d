"""Fit the decision from splitter and detector, and print how good and how well calibrated it is.

    prelabel compose PICTURES --out composed --part apart --figures 240 --seed 9
    prelabel compose PICTURES --out check --part apart --figures 300 --seed 2
    prelabel synth --out sim --figures 120 --seed 990
    python benchmarks/box_quality.py PICTURES --write hand
    python scripts/fit_joint.py models/panel-net --fit 1 composed --fit .7 sim \\
        --fit 3 hand/gold.jsonl:hand/figures.jsonl:PICTURES --half 4 gold.jsonl:figures.jsonl --blank .3 \\
        --check check

A set is FOLDER (figures.jsonl, annotations.jsonl and images), or GOLD:FIGURES[:IMAGES] with images beside FIGURES
or in the folder IMAGES, after its weight. --half: of a set only the articles whose SHA-256 is even, which are for
choosing. --blank W: figures with captions also without, at W of their weight. Prints COEFFICIENTS and CALIBRATION
for prelabel/joint/prelabeller.py; for each set that was fitted, scores of five fits each without a fifth of the
articles; and scores of the sets to check. There is no chance in the fit: the same sets give the same.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import linear_sum_assignment, minimize

from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems
from panelwise.formats.annotations import read_annotations
from panelwise.formats.figures import read_figures
from prelabel.captions.parser import parse_caption
from prelabel.classic.prelabeller import CLASSIC, logistic
from prelabel.joint.evidence import (
    FEATURES,
    Corners,
    Evidence,
    corners_of,
    features,
    overlaps,
    panel_letters,
    printed_labels,
)
from prelabel.joint.prelabeller import calibration_features
from prelabel.panels.canvas import Canvas, on_white
from prelabel.runs.opening import LEAST_SEEN, DetectorSeer, open_detector
from prelabel.runs.predict import open_image

#: Weight of the squared coefficients of standardised features, a share of the loss.
RIDGE = 0.05
#: Boxes are right from this overlap on.
MIN_IOU = 0.5
FOLDS = 5
#: The power of F1 that coefficients are fitted to.
STEEP = 4

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Case:
    """A figure: of each way to cut it the features, boxes right, boxes, and whether it needs no edit.

    true: number of true boxes. classic: place of the cut without the detector.
    """

    source: str
    values: Vector
    right: NDArray[np.int64]
    boxes: NDArray[np.int64]
    true: int

    @property
    def f1(self) -> Vector:
        """Return the F1 of the boxes of each way."""
        scores: Vector = 2 * self.right / (self.boxes + self.true)
        return scores

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Return whether each way needs no edit."""
        whole: NDArray[np.bool_] = (self.right == self.boxes) & (self.boxes == self.true)
        return whole


@dataclass(frozen=True, slots=True)
class Truth:
    """A figure to cut, its image, its article or repository, and its true boxes in pixels of the figure."""

    figure: Figure
    image: Path
    source: str
    boxes: Corners


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a detector: name or folder")
    parser.add_argument("--fit", nargs=2, action="append", default=[], metavar=("WEIGHT", "SET"))
    parser.add_argument("--half", nargs=2, action="append", default=[], metavar=("WEIGHT", "SET"))
    parser.add_argument("--check", action="append", default=[], metavar="SET")
    parser.add_argument("--blank", type=float, default=0.0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    seer = DetectorSeer(open_detector(given.model, device="cpu", threshold=LEAST_SEEN))
    fitted: dict[str, tuple[float, list[Case]]] = {}
    for weight, name in [*given.fit, *given.half]:
        truths = list(read_set(name))
        if [weight, name] in given.half:
            truths = [truth for truth in truths if hashed(truth.source) % 2 == 0]
        fitted[name] = float(weight), [case_of(truth, seer) for truth in truths]
        blank = [uncaptioned(truth) for truth in truths if truth.figure.caption.text.strip()]
        if given.blank and blank:
            cases = [case_of(truth, seer) for truth in blank]
            fitted[f"{name}, no captions"] = given.blank * float(weight), cases
    coefficients = fit(fitted.values())
    odds, whole = [], []
    for name, (_, cases) in fitted.items():
        held = dict(crossed(fitted, name))
        print(f"{name}, articles apart: {describe(cases, held)}")
        odds += [held[number] for number in range(len(cases))]
        whole += [bool(case.whole[np.argmax(held[number])]) for number, case in enumerate(cases)]
    calibration = calibrated(odds, whole)
    _print("COEFFICIENTS", coefficients, FEATURES)
    print(f"CALIBRATION = ({', '.join(f'{value:g}' for value in calibration)})\n")
    for name in given.check:
        truths = list(read_set(name))
        for title, some in ((name, truths), (f"{name}, no captions", [uncaptioned(truth) for truth in truths])):
            cases = [case_of(truth, seer) for truth in some]
            found = {number: case.values @ coefficients for number, case in enumerate(cases)}
            print(f"checked on {title}: {describe(cases, found, calibration)}")


def read_set(name: str) -> Iterator[Truth]:
    """The figures of a set; see above."""
    first, *others = map(Path, name.split(":"))
    gold, figures = (first, others[0]) if others else (first / "annotations.jsonl", first / "figures.jsonl")
    folder = others[1] if len(others) > 1 else figures.parent
    problems = Problems(report=print)
    records = {record.figure_id: record for record in read_figures(figures, problems)}
    for annotation in read_annotations(gold, problems):
        record = records[annotation.figure.id]
        figure = replace(annotation.figure, caption=record.caption)
        boxes = corners_of([subfigure.box for subfigure in annotation.subfigures])
        yield Truth(figure, folder / record.image, record.document or figure.id, boxes)


def uncaptioned(truth: Truth) -> Truth:
    """The same figure without its caption."""
    return replace(truth, figure=replace(truth.figure, caption=Caption.cut("")))


def case_of(truth: Truth, seer: DetectorSeer) -> Case:
    """Return a figure's ways to be cut, compared to its true boxes."""
    picture: Image.Image = on_white(open_image(truth.image))
    canvas, parsed, text = Canvas.of(picture), parse_caption(truth.figure.caption), truth.figure.caption.text
    classic = CLASSIC._split(picture, canvas, parsed, text)
    letters = panel_letters(canvas, parsed)
    seen = seer.see(picture, len(parsed.labels) or len(printed_labels(parsed, letters)))
    evidence = Evidence.of(canvas, picture.size, parsed, text, seen, classic, letters)
    scale = np.array([picture.width / truth.figure.width, picture.height / truth.figure.height] * 2)
    ways = evidence.hypotheses()
    right = []
    for way in ways:
        found = overlaps(way.boxes, truth.boxes * scale)
        rows, columns = linear_sum_assignment(-found)
        right.append(int((found[rows, columns] >= MIN_IOU).sum()))
    values = np.array([features(evidence, way) for way in ways])
    boxes = np.array([len(way.boxes) for way in ways])
    return Case(truth.source, values, np.array(right), boxes, len(truth.boxes))


def fit(sets: Iterable[tuple[float, Sequence[Case]]]) -> Vector:
    """Coefficients of the logistic function by penalised maximum likelihood, of features as they are.

    What it estimates is a power of a way's F1: near 1 only where hardly a box is wrong.
    """
    weighted = [(weight, case) for weight, cases in sets for case in cases]
    values = np.concatenate([case.values for _, case in weighted])
    right = np.concatenate([case.f1**STEEP for _, case in weighted])
    weights = np.concatenate([np.full(len(case.values), weight) for weight, case in weighted])
    middle, spread = values.mean(0), values.std(0) + 1e-6
    middle[0], spread[0] = 0.0, 1.0
    found = minimised((values - middle) / spread, right, weights, RIDGE)
    coefficients = found / spread
    coefficients[0] -= float((coefficients * middle).sum())
    result: Vector = np.round(coefficients, 4)
    return result


def minimised(table: Vector, right: Vector, weights: Vector, ridge: float) -> Vector:
    """Coefficients of least weighted mean loss; the first is not penalised."""
    penalty = np.full(table.shape[1], ridge)
    penalty[0] = 0.0
    weights = weights / weights.sum()

    def loss(coefficients: Vector) -> tuple[float, Vector]:
        total = table @ coefficients
        chance = 1 / (1 + np.exp(-np.clip(total, -30, 30)))
        value = float((weights * (np.logaddexp(0, total) - right * total)).sum())
        value += 0.5 * float((penalty * coefficients**2).sum())
        return value, table.T @ (weights * (chance - right)) + penalty * coefficients

    found: Vector = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def calibrated(odds: Sequence[Vector], whole: Sequence[bool]) -> list[float]:
    """Return CALIBRATION. odds: of all ways of each figure. whole: whether the likeliest needs no edit."""
    table = np.array([calibration_features(each.tolist()) for each in odds])
    found = minimised(table, np.array(whole, dtype=float), np.ones(len(whole)), 1e-4)
    return [round(float(value), 4) for value in found]


def crossed(sets: dict[str, tuple[float, list[Case]]], name: str) -> Iterator[tuple[int, Vector]]:
    """Odds of the figures of a set, each by a fit that saw nothing of its fold of articles."""
    for fold in range(FOLDS):
        others = [(weight, [case for case in cases if fold_of(case) != fold]) for weight, cases in sets.values()]
        coefficients = fit(others)
        for number, case in enumerate(sets[name][1]):
            if fold_of(case) == fold:
                yield number, case.values @ coefficients


def fold_of(case: Case) -> int:
    """The fold of a figure's article or repository."""
    return hashed(case.source) % FOLDS


def hashed(source: str) -> int:
    """The SHA-256 of an article's or repository's name as a number."""
    return int(hashlib.sha256(source.encode()).hexdigest(), 16)


def describe(cases: Sequence[Case], odds: dict[int, Vector], calibration: Sequence[float] = ()) -> str:
    """Box F1 and share of figures without an edit, of the splitter, by both, and of the best way there is."""
    chosen = {
        "splitter": [0] * len(cases),
        "both": [int(np.argmax(odds[number])) for number in range(len(cases))],
        "best": [int(np.argmax(case.f1)) for case in cases],
    }
    parts = [f"{len(cases)} figures"]
    for name, places in chosen.items():
        pairs = list(zip(cases, places, strict=True))
        right = sum(int(case.right[place]) for case, place in pairs)
        boxes = sum(int(case.boxes[place]) + case.true for case, place in pairs)
        whole = float(np.mean([case.whole[place] for case, place in pairs]))
        parts.append(f"{name} F1 {2 * right / boxes:.3f}, no edit {whole:.3f}")
    if calibration:
        chances = [
            logistic(calibration, calibration_features(odds[number].tolist())) for number in range(len(cases))
        ]
        whole_of = [bool(case.whole[place]) for case, place in zip(cases, chosen["both"], strict=True)]
        parts.append(f"calibration error {calibration_error(chances, whole_of):.3f}")
    return "; ".join(parts)


def calibration_error(chances: Sequence[float], right: Sequence[bool]) -> float:
    """Mean distance of the mean chance from the share that is right, over five ranges of as many figures each."""
    order = np.argsort(chances, kind="stable")
    parts = [part for part in np.array_split(order, 5) if len(part)]
    sure, share = np.array(chances), np.array(right, dtype=float)
    return float(sum(abs(sure[part].mean() - share[part].mean()) * len(part) for part in parts) / len(order))


def _print(name: str, values: Vector, features: Sequence[str]) -> None:
    print(f"\n{name} = (")
    for feature, value in zip(features, values, strict=True):
        print(f"    {value:g},  # {feature}")
    print(")")


if __name__ == "__main__":
    main()
