"""The input of an evaluation: a figure's gold, its prediction, and variants with one part corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agreement.primitives import MIN_IOU, boxes_of
from agreement.score import paired
from panelwise.domain import Annotation, Caption, Status, Subfigure
from panelwise.formats import UNKNOWN_TIME
from prelabel.captions.parser import parse_caption
from prelabel.classic.alignment import align
from prelabel.panels.splitter import Split

#: The name of the gold's annotator, and the phase of all work.
GOLD = "gold"


class Variant(StrEnum):
    """A set of subfigures to score against the gold.

    AS_PREDICTED: end to end. BOXES_RIGHT: the gold's boxes and labels, the model's text for these labels.
    BOXES_ALONE: the gold's boxes, which the model labels. LABELS_RIGHT: the predicted boxes, those that match a
    gold box with its label, and the model's text for it. TEXT_RIGHT: predicted boxes and labels, the gold's text
    for these labels.
    """

    AS_PREDICTED = "as predicted"
    BOXES_RIGHT = "boxes right"
    BOXES_ALONE = "boxes alone"
    LABELS_RIGHT = "labels right"
    TEXT_RIGHT = "text right"


@dataclass(frozen=True, slots=True)
class Case:
    """One figure. gold: accepted. predicted: in pixels of the same image. document: its article.

    texts: the model's tokens for each label, regardless of boxes. pairs: whether the model can label boxes alone.
    scores: of the predicted subfigures, in [0, 1]; None if unknown.
    """

    gold: Annotation
    predicted: tuple[Subfigure, ...]
    texts: Mapping[str, frozenset[int]]
    document: str
    pairs: bool
    scores: tuple[float, ...] | None = None

    @property
    def figure_id(self) -> str:
        """The figure's id."""
        return self.gold.figure.id

    def answers(self) -> tuple[tuple[int, int], ...]:
        """One-to-one box matches at the metric's threshold: indices in gold and predicted."""
        found = paired(boxes_of(self.gold.subfigures), boxes_of(self.predicted))
        some = found.iou >= MIN_IOU
        return tuple(zip(found.one[some].tolist(), found.other[some].tolist(), strict=True))

    def variants(self) -> Iterator[Annotation]:
        """Yield all variants, each with its name as annotator."""
        gold = self.gold.subfigures
        yield self._as(Variant.AS_PREDICTED, self.predicted)
        named = tuple(Subfigure(each.label, each.box, self.text_of(each.label)) for each in gold)
        yield self._as(Variant.BOXES_RIGHT, named)
        if self.pairs:
            yield self._as(Variant.BOXES_ALONE, by_grammar(self.gold.figure.caption, gold))
        right = list(self.predicted)
        for mine, other in self.answers():
            label = gold[mine].label
            right[other] = Subfigure(label, right[other].box, self.text_of(label))
        yield self._as(Variant.LABELS_RIGHT, right)
        own = {folded(each.label): each.subcaption for each in gold}
        yield self._as(
            Variant.TEXT_RIGHT,
            [replace(each, subcaption=own.get(folded(each.label), each.subcaption)) for each in self.predicted],
        )

    def text_of(self, label: str) -> frozenset[int]:
        """Return the model's tokens for a label, else for the only one equal to it as `folded`, else none."""
        if label in self.texts:
            return self.texts[label]
        alike = [tokens for name, tokens in self.texts.items() if folded(name) == folded(label)]
        return alike[0] if len(alike) == 1 else frozenset()

    def _as(self, variant: Variant, subfigures: Sequence[Subfigure]) -> Annotation:
        return Annotation(self.gold.figure, variant.value, GOLD, Status.ACCEPTED, tuple(subfigures), UNKNOWN_TIME)


def by_grammar(caption: Caption, subfigures: Sequence[Subfigure]) -> tuple[Subfigure, ...]:
    """Return the boxes with the labels and text that the pre-labeller, by the caption's grammar, gives them.

    One that it gives nothing keeps its label, without text.
    """
    parsed, boxes = parse_caption(caption), tuple(subfigure.box for subfigure in subfigures)
    pairs = align(Split(boxes, (1.0,) * len(boxes)), parsed).pairs if boxes else ()
    found = {pair.place: (pair.label, parsed.tokens.get(pair.source or "", frozenset[int]())) for pair in pairs}
    nothing = frozenset[int]()
    named = (found.get(place, (subfigure.label, nothing)) for place, subfigure in enumerate(subfigures))
    return tuple(Subfigure(label, box, tokens) for box, (label, tokens) in zip(boxes, named, strict=True))


def folded(label: str) -> str:
    """Normalise a label for comparison: "(a)", "a." and "A" are equal."""
    return label.strip("()[]. ").casefold() or label
