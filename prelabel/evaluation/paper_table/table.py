"""The paper's table of results (MedICaT, Table 2) on any gold, with its analysis of errors (section 3.4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from agreement import average_precision, subfigure_f1, token_f1
from agreement.columns import ScoredAnnotation
from agreement.models import AveragePrecision
from agreement.primitives import RESAMPLES, Common, Mode, common_tokens
from agreement.resampling import Ratio, ratios
from agreement.score import Detection, detect_subfigures, together
from panelwise.domain import Annotation, Panel, Status, Subfigure
from panelwise.formats import UNKNOWN_TIME
from prelabel.evaluation.cases import GOLD
from prelabel.models.checkpoints import About
from prelabel.training.data.examples import Example

# Categories of wrong subcaptions: the paper's error analysis (section 3.4), computed from tokens. The paper's
# authors judged 50 by eye. Rules on tokens allow judging every subfigure; a category that needs a second annotator
# is only used if there is one.

#: A gold subfigure below this F1 is an error, as in the paper.
WRONG_BELOW = 0.5


class Category(StrEnum):
    """A category of error in a subcaption; only the first two exclude the others.

    NO_BOX: no predicted box matches. EMPTY: a box without text. OTHER_PANEL: most tokens are not the panel's, and
    most of those are another panel's. SURPLUS: likewise, but most of those are no panel's. MISSING: some of the
    panel's tokens, and less than half of them. ANNOTATION: another annotator's subcaption of the same box agrees
    with the model's: the gold may be wrong.
    """

    OTHER_PANEL = "another panel's subcaption"
    EMPTY = "empty"
    MISSING = "missing words"
    ANNOTATION = "annotation"
    SURPLUS = "words of no panel"
    NO_BOX = "no box"


#: The paper's categories and shares (box CRF, gold subfigures, 50 of the validation set).
PAPER_SHARES = {
    Category.OTHER_PANEL: 0.46,
    Category.EMPTY: 0.22,
    Category.MISSING: 0.14,
    Category.ANNOTATION: 0.06,
}


@dataclass(frozen=True, slots=True)
class WrongSubcaption:
    """One gold subfigure with a wrong subcaption.

    judged: another annotator drew this box, so that ANNOTATION could be decided.
    """

    figure_id: str
    label: str
    f1: float
    categories: frozenset[Category]
    judged: bool


@dataclass(frozen=True, slots=True)
class Errors:
    """All errors of one model on one split. counted: gold subfigures that count."""

    wrong: tuple[WrongSubcaption, ...]
    counted: int

    def number(self, category: Category) -> int | None:
        """Return the number of errors of that category; None for ANNOTATION without other annotators' boxes."""
        if category is Category.ANNOTATION and self.wrong and not self.judged:
            return None
        return sum(category in each.categories for each in self.wrong)

    @property
    def judged(self) -> int:
        """Number of errors with another annotator's box."""
        return sum(each.judged for each in self.wrong)

    def share(self, category: Category) -> float | None:
        """Return the share among errors that could be judged; None without any."""
        of = self.judged if category is Category.ANNOTATION else len(self.wrong)
        number = self.number(category)
        return number / of if of and number is not None else None


def categories(
    own: Collection[int],
    found: Collection[int] | None,
    others: Iterable[Collection[int]],
    second: Sequence[Collection[int]] = (),
) -> frozenset[Category]:
    """Return why `found` is wrong for a panel with tokens `own`, given that its F1 is below `WRONG_BELOW`.

    All are ids of tokens that count. found: None without a matching box. others: tokens of the figure's other
    panels. second: other annotators' tokens for the same box.
    """
    if found is None:
        return frozenset({Category.NO_BOX})
    mine, theirs = frozenset(own), frozenset(found)
    seen = {Category.ANNOTATION} if any(_agree(theirs, each) for each in second) else set()
    if not theirs:
        return frozenset({Category.EMPTY, *seen})
    stray, right = theirs - mine, theirs & mine
    if 2 * len(stray) > len(theirs):
        elsewhere = stray & frozenset().union(*others)
        seen.add(Category.OTHER_PANEL if 2 * len(elsewhere) >= len(stray) else Category.SURPLUS)
    if right and 2 * len(right) < len(mine):
        seen.add(Category.MISSING)
    return frozenset(seen)


def _agree(found: Collection[int], other: Collection[int]) -> bool:
    """Return True if both agree; two empty subcaptions do."""
    score = token_f1(found, other)
    return score is None or score >= WRONG_BELOW


class Inputs(StrEnum):
    """The inputs of a row: all but one step, the gold's boxes, or only image and caption."""

    ORACLE = "oracles"
    GOLD = "gold subfigures"
    PREDICTED = "predicted subfigures"


class Column(StrEnum):
    """The figures of a number."""

    VAL = "val"
    TEST = "test"
    ALL = "all"

    @property
    def shown(self) -> str:
        """Display name."""
        return {"val": "validation", "all": "all figures"}.get(self.value, self.value)

    def has(self, split: str) -> bool:
        """Return True if the column includes figures of that split."""
        return self is Column.ALL or self.value == split


@dataclass(frozen=True, slots=True)
class System:
    """One system. key: for scripts; name: for people. answers: figure id -> subfigures, whose labels are ignored.

    version: of the model for text, "" without one. boxes: version of the model for boxes, "" for the gold's.
    paper: the paper's F1 of validation and test, on its own data; None without one.
    """

    key: str
    name: str
    inputs: Inputs
    answers: Mapping[str, Sequence[Subfigure]]
    version: str = ""
    boxes: str = ""
    paper: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class FoundBoxes:
    """A detector's boxes on each figure with their scores, from its lowest score on.

    alignment: least score of a box that gets text; None for every box.
    """

    version: str
    name: str
    boxes: Mapping[str, Sequence[tuple[Subfigure, float]]]
    alignment: float | None = None
    paper: float | None = None

    def chosen(self, figure_id: str) -> tuple[Subfigure, ...]:
        """Return the boxes that get text."""
        least = -1.0 if self.alignment is None else self.alignment
        return tuple(box for box, score in self.boxes.get(figure_id, ()) if score >= least)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A system's F1 on each column, and its errors, which are not computed for oracles."""

    system: System
    scores: Mapping[Column, Ratio]
    errors: Mapping[Column, Errors]


@dataclass(frozen=True, slots=True)
class BoxRow:
    """Scores of boxes: COCO's average precision over all scores, one-to-one F1 of the boxes that get text."""

    found: FoundBoxes
    precision: Mapping[Column, AveragePrecision]
    matched: Mapping[Column, Detection]


@dataclass(frozen=True, slots=True)
class KindsRow:
    """Scores of a classifier of figure kinds by name, as in its training.

    filtering: figures that the filter for `selected` types keeps at top 1, 2, ...; empty without such types.
    """

    version: str
    scores: Mapping[Column, Mapping[str, float]]
    filtering: Mapping[Column, Sequence[FilterPoint]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FilterPoint:
    """Figures with a selected type in the `top` likeliest. number: of these. precision: share of them that are of
    such a type. recall: share of those of such a type that are kept. None if undefined.
    """

    top: int
    number: int
    precision: float | None
    recall: float | None


@dataclass(frozen=True, slots=True)
class Table:
    """All results. counts: size of each column. common: whose common tokens are removed.

    seen: model version -> figures of each column that it was trained on. models: those with a checkpoint.
    """

    rows: tuple[TableRow, ...]
    boxes: tuple[BoxRow, ...]
    counts: Mapping[Column, Counts]
    common: Common
    resamples: int
    seed: int
    notes: tuple[str, ...] = ()
    kinds: tuple[KindsRow, ...] = ()
    seen: Mapping[str, Mapping[Column, int]] = field(default_factory=dict)
    models: tuple[About, ...] = ()
    mode: Mode = Mode.PAPER

    def seen_by(self, *versions: str) -> Mapping[Column, int]:
        """Return the figures of each column that any of these models was trained on, at least."""
        found = [self.seen.get(version.removesuffix("-span"), {}) for version in versions]
        counts = {column: max(each.get(column, 0) for each in found) for column in self.counts}
        return {column: number for column, number in counts.items() if number}


@dataclass(frozen=True, slots=True)
class Counts:
    """figures: of the column. compound: of more than one box. subfigures: boxes; counted: those that score."""

    figures: int
    compound: int
    subfigures: int
    counted: int
    documents: int


@dataclass(frozen=True, slots=True)
class Scored:
    """One figure's F1s by one system, over the gold subfigures that count."""

    total: float
    count: int
    wrong: tuple[WrongSubcaption, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Options of scoring figures. second: figure id -> other annotators' subfigures of it."""

    common: Common = Common.NONE
    mode: Mode = Mode.PAPER
    second: Mapping[str, Sequence[Sequence[Subfigure]]] = field(default_factory=dict)

    def figure(self, example: Example, answer: Sequence[Subfigure]) -> Scored:
        """Score one figure."""
        counts = example.figure.caption.counted
        # The authors' reader drops boxes without a subcaption.
        paper = self.mode is Mode.PAPER
        subfigures = [each for each in example.subfigures if paper or each.subcaption]
        gold, found = ([_panel(each) for each in side] for side in (subfigures, answer))
        mine, theirs = self._commons(example, answer)
        scored = subfigure_f1(gold, found, counted=counts, mode=self.mode, gold_common=mine, other_common=theirs)
        wrong = []
        for place, f1 in enumerate(scored.f1s):
            if f1 is None or f1 >= WRONG_BELOW:
                continue
            match = scored.matches[place]
            own = subfigures[place]
            second = self._second(example.figure.id, own)
            wrong.append(
                WrongSubcaption(
                    example.figure.id,
                    own.label,
                    f1,
                    categories(
                        (own.subcaption & counts) - mine,
                        None if match is None else (answer[match].subcaption & counts) - theirs,
                        [
                            subfigure.subcaption & counts
                            for subfigure in example.subfigures
                            if subfigure is not own
                        ],
                        [words & counts for words in second],
                    ),
                    judged=bool(second),
                )
            )
        return Scored(sum(scored.counted), len(scored.counted), tuple(wrong))

    def _commons(self, example: Example, answer: Sequence[Subfigure]) -> tuple[frozenset[int], frozenset[int]]:
        """Return the tokens to remove from the gold and from the answer first."""
        none = frozenset[int]()
        if self.common is Common.NONE:
            return none, none
        mine = common_tokens([subfigure.subcaption for subfigure in example.subfigures if subfigure.subcaption])
        if self.common is Common.GOLD:
            return mine, none
        return mine, common_tokens([each.subcaption for each in answer if each.subcaption])

    def _second(self, figure_id: str, own: Subfigure) -> list[frozenset[int]]:
        """Return other annotators' tokens for the box that matches this one."""
        found = []
        for work in self.second.get(figure_id, ()):
            score = subfigure_f1([Panel(_panel(own).box, (0,))], [_panel(each) for each in work], counted=_ONE)
            match = score.matches[0]
            if match is not None:
                found.append(work[match].subcaption)
        return found


_ONE = frozenset({0})


def table_of(
    examples: Sequence[Example],
    systems: Sequence[System],
    boxes: Sequence[FoundBoxes] = (),
    *,
    columns: Sequence[Column] = (Column.VAL, Column.TEST),
    scoring: Scoring = Scoring(),
    resamples: int = RESAMPLES,
    seed: int = 0,
    notes: Iterable[str] = (),
    kinds: Iterable[KindsRow] = (),
    seen: Mapping[str, Mapping[Column, int]] = MappingProxyType({}),
    models: Iterable[About] = (),
) -> Table:
    """Score every system on every column. Intervals are from draws of documents.

    A figure without a system's answer scores 0, like one without any box.
    """
    parts = {column: [example for example in examples if column.has(example.split)] for column in columns}
    rows = []
    for system in systems:
        scores, errors = {}, {}
        for column, chosen in parts.items():
            found = [scoring.figure(each, system.answers.get(each.figure.id, ())) for each in chosen]
            scores[column] = _ratio(found, chosen, resamples, seed)
            if system.inputs is not Inputs.ORACLE:
                wrong = tuple(each for one in found for each in one.wrong)
                errors[column] = Errors(wrong, sum(one.count for one in found))
        rows.append(TableRow(system, scores, errors))
    return Table(
        tuple(rows),
        tuple(_box_row(box, parts) for box in boxes),
        {column: _counts(chosen, scoring) for column, chosen in parts.items()},
        scoring.common,
        resamples,
        seed,
        tuple(notes),
        tuple(kinds),
        seen,
        tuple(models),
        scoring.mode,
    )


def document_of(example: Example) -> str:
    """Return the cluster for splits and intervals; a figure of unknown document is its own."""
    return example.figure.document or f"figure {example.figure.id}"


def _ratio(found: Sequence[Scored], chosen: Sequence[Example], resamples: int, seed: int) -> Ratio:
    totals = np.array([each.total for each in found], dtype=np.float64)[:, None]
    counts = np.array([each.count for each in found], dtype=np.float64)[:, None]
    return ratios(totals, counts, [document_of(each) for each in chosen], resamples=resamples, seed=seed)[0]


def _counts(chosen: Sequence[Example], scoring: Scoring) -> Counts:
    return Counts(
        len(chosen),
        sum(len(each.subfigures) > 1 for each in chosen),
        sum(len(each.subfigures) for each in chosen),
        sum(scoring.figure(each, ()).count for each in chosen),
        len({document_of(each) for each in chosen}),
    )


def _box_row(found: FoundBoxes, parts: Mapping[Column, Sequence[Example]]) -> BoxRow:
    precision, matched = {}, {}
    for column, chosen in parts.items():
        gold = [_work(each, each.subfigures) for each in chosen]
        scored = [_scored(each, found.boxes.get(each.figure.id, ())) for each in chosen]
        precision[column] = average_precision(gold, scored)
        matched[column] = together(
            detect_subfigures(each.subfigures, found.chosen(each.figure.id)) for each in chosen
        )
    return BoxRow(found, precision, matched)


def _work(example: Example, subfigures: Sequence[Subfigure]) -> Annotation:
    return Annotation(example.figure, GOLD, GOLD, Status.ACCEPTED, tuple(subfigures), UNKNOWN_TIME)


def _scored(example: Example, found: Sequence[tuple[Subfigure, float]]) -> ScoredAnnotation:
    return ScoredAnnotation(
        example.figure,
        GOLD,
        GOLD,
        Status.ACCEPTED,
        tuple(box for box, _ in found),
        UNKNOWN_TIME,
        scores=tuple(score for _, score in found),
    )


def _panel(subfigure: Subfigure) -> Panel:
    return Panel(subfigure.box.corners, subfigure.subcaption)
