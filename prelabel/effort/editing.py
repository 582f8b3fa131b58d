"""The editing work from a prediction to the gold of one figure: what to do, and its seconds.

What to do: add, move, delete and relabel boxes, and toggle tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from agreement.primitives import boxes_of
from agreement.score import BACKGROUND_IOU, paired
from panelwise.domain import AnnotatorError, Box, Caption, Subfigure

#: From this IoU on a box is left unchanged: at .9 an edge is off by a twentieth of the box's side, about.
KEEP = 0.9

#: An edge that is off by less than this share of the gold box's side needs no hand.
EDGE_OFF = 0.02


# Seconds of editing work by the keystroke-level model, from counts of operations. Card, Moran and Newell, "The
# keystroke-level model for user performance time with interactive systems", Communications of the ACM 23(7), 1980,
# pages 396-410: the time of an expert's errorless work is the sum of its operators. Their values are the defaults
# here. One hand stays on the mouse and one on the keyboard, so no time is spent on moving hands; the server's
# response time is the same in any case and left out.


@dataclass(frozen=True, slots=True)
class Operators:
    """Seconds of each operator; single letters, as in the paper.

    K: a key or mouse button, by an average skilled typist (55 words a minute). P: pointing by mouse. M: mental
    preparation. H: moving a hand between keyboard and mouse; not needed with a hand on each, and not used.
    """

    K: float = 0.20
    P: float = 1.10
    M: float = 1.35
    H: float = 0.40


#: The paper's values.
OPERATORS = Operators()


@dataclass(frozen=True, slots=True)
class Action:
    """An action in Label Studio or the adjudication view, as a string of operators: "MPKPK".

    what: description for the reference.
    """

    name: str
    operators: str
    what: str

    def seconds(self, operators: Operators = OPERATORS) -> float:
        """Return the sum of its operators."""
        return sum(float(getattr(operators, operator)) for operator in self.operators)


_ADD_BOX = Action(
    "add box", "MKPKP", "decide; the label's key; point at a corner; press; drag to the other corner"
)
_ADJUST_BOX = Action("adjust box", "MPK", "decide; point at the box; click it; then one drag or two")
_DRAG = Action("drag", "PKP", "point at a corner; press; drag it to its place")
_DELETE = Action("delete", "MPKK", "decide; point at the box or span; click it; the delete key")
_RELABEL = Action("relabel box", "MPKK", "decide; point at the box; click it; the right label's key")
_ADD_SPAN = Action(
    "add span", "MKPKP", "decide; the label's key; point at the first word; press; drag to the last"
)
_LOOK = Action("look", "M", "look at the figure and its pre-labels; separately: each box with its text, too")
_SUBMIT = Action("submit", "K", "the key that submits")

#: All actions, in the order of the reference.
ACTIONS = (_LOOK, _ADD_BOX, _ADJUST_BOX, _DRAG, _DELETE, _RELABEL, _ADD_SPAN, _SUBMIT)


def read_operators(settings: tuple[str, ...]) -> Operators:
    """Return the paper's values with these replacements: ("K=0.28", "M=1.2").

    Raises AnnotatorError, one line, for an invalid replacement.
    """
    names = [field.name for field in fields(Operators)]
    values: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if name not in names or not 0.0 <= seconds < 3600.0:
            raise AnnotatorError(
                f'"{setting}" is no operator; give one of {", ".join(names)} with seconds, as "K=0.28"'
            )
        values[name] = seconds
    return Operators(**values)


@dataclass(frozen=True, slots=True)
class Editing:
    """Counts of editing operations on one figure or on several.

    kept: unchanged boxes. drags: of corners, one or two per adjusted box. toggled: words added to or removed
    from a subcaption. spans_*: the same as spans in Label Studio. shown: predicted boxes. figures: each is looked
    at and submitted.
    """

    kept: int = 0
    added: int = 0
    adjusted: int = 0
    deleted: int = 0
    relabelled: int = 0
    drags: int = 0
    toggled: int = 0
    spans_added: int = 0
    spans_deleted: int = 0
    shown: int = 0
    figures: int = 0

    @property
    def box_operations(self) -> int:
        """Boxes added, adjusted, deleted and relabelled."""
        return self.added + self.adjusted + self.deleted + self.relabelled

    def seconds(self, operators: Operators = OPERATORS, *, each_box: bool = False) -> float:
        """Return the time by the keystroke-level model, with a look at every figure; each_box: and at every
        predicted box.
        """
        looks = self.figures + (self.shown if each_box else 0)
        return (
            self.added * _ADD_BOX.seconds(operators)
            + self.adjusted * _ADJUST_BOX.seconds(operators)
            + self.drags * _DRAG.seconds(operators)
            + (self.deleted + self.spans_deleted) * _DELETE.seconds(operators)
            + self.relabelled * _RELABEL.seconds(operators)
            + self.spans_added * _ADD_SPAN.seconds(operators)
            + looks * _LOOK.seconds(operators)
            + self.figures * _SUBMIT.seconds(operators)
        )

    def __add__(self, other: Editing) -> Editing:
        return Editing(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Editing)))


#: No work; also the start of sums.
NOTHING = Editing()


def editing(
    gold: Sequence[Subfigure], predicted: Sequence[Subfigure], caption: Caption, *, keep: float = KEEP
) -> Editing:
    """Return the operations that turn `predicted` into `gold`, two sets of subfigures of one figure.

    Boxes are matched one to one with the greatest sum of IoUs; pairs below `BACKGROUND_IOU` do not match. A
    matched box is unchanged from IoU `keep` on. Text belongs to its label, as in Label Studio, regardless of
    boxes. A label without text on both sides is not corrected.
    """
    names = _names(gold, predicted)
    matched = paired(boxes_of(gold), boxes_of(predicted))
    kept = adjusted = drags = relabelled = 0
    for mine, other, iou in zip(matched.one.tolist(), matched.other.tolist(), matched.iou.tolist(), strict=True):
        if iou < BACKGROUND_IOU:
            continue
        one, found = gold[mine], predicted[other]
        if iou >= keep:
            kept += 1
        else:
            adjusted += 1
            drags += drags_between(found.box, one.box)
        relabelled += names[one.label] != names[found.label] and bool(one.subcaption or found.subcaption)
    added, deleted = len(gold) - kept - adjusted, len(predicted) - kept - adjusted
    toggled = spans_added = spans_deleted = 0
    words = caption.counted
    mine_by, theirs_by = _texts(gold, names, words), _texts(predicted, names, words)
    order = sorted(words)
    for name in sorted({*mine_by, *theirs_by}):
        want, have = mine_by.get(name, frozenset()), theirs_by.get(name, frozenset())
        toggled += len(want ^ have)
        gone = [run for run in runs(have, order) if not run <= want]
        left = have.difference(*gone)
        spans_deleted += len(gone)
        spans_added += sum(not run <= left for run in runs(want, order))
    boxes = (kept, added, adjusted, deleted, relabelled, drags)
    return Editing(*boxes, toggled, spans_added, spans_deleted, shown=len(predicted), figures=1)


def drags_between(start: Box, end: Box) -> int:
    """Return how many corners to drag to turn one box into the other: 1, or 2 if opposite edges are off.

    An edge is off from `EDGE_OFF` of the target's side on.
    """
    across, down = EDGE_OFF * (end.x1 - end.x0), EDGE_OFF * (end.y1 - end.y0)
    aside = (abs(start.x0 - end.x0) >= across) + (abs(start.x1 - end.x1) >= across)
    above = (abs(start.y0 - end.y0) >= down) + (abs(start.y1 - end.y1) >= down)
    return max(1, aside, above)


def runs(tokens: frozenset[int], order: Sequence[int]) -> list[frozenset[int]]:
    """Return the maximal runs of these tokens among those in `order`: each is one span to mark."""
    found: list[list[int]] = []
    previous = False
    for token in order:
        if token in tokens:
            if previous:
                found[-1].append(token)
            else:
                found.append([token])
        previous = token in tokens
    return [frozenset(run) for run in found]


def _names(gold: Iterable[Subfigure], predicted: Iterable[Subfigure]) -> Mapping[str, str]:
    """Map labels to names: "a" and "A" are one, unless one side has both."""
    sides = [{each.label for each in side} for side in (gold, predicted)]
    labels = set().union(*sides)
    folded = {label: label.casefold() for label in labels}
    if any(len({folded[label] for label in side}) < len(side) for side in sides):
        return {label: label for label in labels}
    return folded


def _texts(
    subfigures: Iterable[Subfigure], names: Mapping[str, str], words: frozenset[int]
) -> dict[str, frozenset[int]]:
    """Return the words of each label; boxes of one label share their text."""
    found: dict[str, frozenset[int]] = {}
    for subfigure in subfigures:
        found[names[subfigure.label]] = found.get(names[subfigure.label], frozenset()) | (
            subfigure.subcaption & words
        )
    return found
