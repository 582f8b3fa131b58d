"""Subfigures with their subcaptions: what people annotate and models predict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import product
from math import prod
from string import ascii_uppercase
from types import MappingProxyType

from panelwise.domain.box import Box, Corners, area_of
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import NO_ITEMS, Items

#: Default and upper limit of campaign.toml's limit on the boxes of one annotation. Comparing
#: annotations takes time by the square of their boxes.
MAX_BOXES, LARGEST_MAX_BOXES = 500, 5_000
#: Boxes may pass the image's edge by this many pixels: what rounding in percent can cost.
EDGE_SLACK = 0.5
#: How far in the future work may have been saved, by clocks that differ.
MOST_AHEAD = timedelta(days=1)
#: Time of work whose record has none.
UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


#: Model version of panels that a figure's publisher gave, as images of their own.
PUBLISHER = "publisher"
#: How `seeded_by` begins where boxes were given and locked, but no words: "given:gold", "given:annotation" for
#: those of an annotator, "given:prediction:MODEL".
BOXES_FROM = "given:"


def began_from_prediction(seeded_by: str | None) -> bool:
    """Return True if an annotation with this `seeded_by` began from a model's text; provided boxes alone do not
    count.
    """
    return bool(seeded_by) and not str(seeded_by).startswith(BOXES_FROM)


class Status(StrEnum):
    """An annotator's status for a task: accepted, rejected (unfit for the campaign), or ignored."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    IGNORED = "ignored"

    @property
    def work_word(self) -> str:
        """Return the display name of an annotator's work of this status."""
        return WORK_WORDS[self]

    @property
    def decision_word(self) -> str:
        """Return the display name of a reviewer's decision of this status."""
        return DECISION_WORDS[self]


#: Display names on every page, of an annotator's work and of a reviewer's decision. wire/types.ts repeats them.
WORK_WORDS = MappingProxyType({Status.ACCEPTED: "done", Status.REJECTED: "rejected", Status.IGNORED: "left out"})
DECISION_WORDS = MappingProxyType({**WORK_WORDS, Status.ACCEPTED: "accepted", Status.IGNORED: "deferred"})


@dataclass(frozen=True, slots=True)
class Subfigure:
    """A labelled box with the ids of the caption tokens that describe it; none, scattered or shared ids are
    allowed.
    """

    label: str
    box: Box
    subcaption: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Panel:
    """A subfigure as a record lists it. box: pixels x0 y0 x1 y1, may lack area. tokens: ids, may repeat.

    label: "" and score: None where they are not known.
    """

    box: Corners
    tokens: Collection[int]
    label: str = field(default="", repr=False)
    score: float | None = field(default=None, repr=False)

    @property
    def is_flat(self) -> bool:
        """Return True for a box without area."""
        return not area_of(self.box) > 0.0

    @property
    def subfigure(self) -> Subfigure:
        """Return the subfigure. Raises InvalidAnnotation for a flat one."""
        return Subfigure(self.label, Box(*self.box), frozenset(self.tokens))


def check_subfigures(figure: Figure, subfigures: Iterable[Subfigure]) -> None:
    """Raise InvalidAnnotation for an empty label, a box outside the image or a token outside the caption.

    Two subfigures may share a label: annotators draw that, `repeated_labels` finds it, gold refuses it.
    """
    count = len(figure.caption.ranges)
    right, bottom = figure.width + EDGE_SLACK, figure.height + EDGE_SLACK
    for subfigure in subfigures:
        if not subfigure.label:
            raise InvalidAnnotation(f"subfigure at {subfigure.box.as_list()} has no label; give it one")
        box = subfigure.box
        if box.x0 < -EDGE_SLACK or box.y0 < -EDGE_SLACK or box.x1 > right or box.y1 > bottom:
            raise InvalidAnnotation(
                f'box {subfigure.box.as_list()} of subfigure "{subfigure.label}" leaves the image '
                f"({figure.width} x {figure.height} pixels); give pixels of the stored image"
            )
        tokens = subfigure.subcaption
        if tokens and not (min(tokens) >= 0 and max(tokens) < count):
            token = next(each for each in sorted(tokens) if not 0 <= each < count)
            raise InvalidAnnotation(
                f'token {token} of {count} in subcaption "{subfigure.label}"; re-import the caption'
            )


def letters(alphabet: str = ascii_uppercase) -> Iterator[str]:
    """Yield labels without end: A, B, ... Z, AA, AB, ..."""
    length = 1
    while True:
        yield from ("".join(letters) for letters in product(alphabet, repeat=length))
        length += 1


def too_many_boxes(number: int, max_boxes: int) -> str:
    """Return the message for work with more boxes than the campaign allows."""
    return f"{number} boxes, more than the {max_boxes} that max_boxes in campaign.toml allows"


def check_box_count(work: Annotation | Prediction, max_boxes: int) -> None:
    """Raise InvalidAnnotation if the work has more boxes than the campaign allows."""
    if len(work.subfigures) > max_boxes:
        by = work.annotator if isinstance(work, Annotation) else work.model_version
        raise InvalidAnnotation(
            f'figure "{work.figure.id}" by "{by}" has {too_many_boxes(len(work.subfigures), max_boxes)}; '
            "remove boxes, or raise the setting"
        )


def repeated_labels(subfigures: Iterable[Subfigure]) -> tuple[str, ...]:
    """Return labels of more than one box, in order of first use. Such a figure cannot become gold."""
    labels = [subfigure.label for subfigure in subfigures]
    if len(set(labels)) == len(labels):
        return ()
    counts = Counter(labels)
    return tuple(label for label, count in counts.items() if count > 1)


def check_time(moment: datetime, what: str) -> None:
    """Raise InvalidAnnotation unless `moment` is timezone-aware and in UTC."""
    if moment.utcoffset() != timedelta(0):
        raise InvalidAnnotation(f"{what} {moment.isoformat()} is not in UTC; give a time ending in Z")


def check_not_ahead(saved_at: datetime, now: datetime | None = None) -> None:
    """Raise InvalidAnnotation for work saved more than a day ahead: it would supersede all later work.

    One day allows for wrong clocks and time zones. now: this machine's clock by default.
    """
    now = now or datetime.now(UTC)
    if saved_at > now + MOST_AHEAD:
        raise InvalidAnnotation(
            f"saved_at {saved_at:%Y-%m-%dT%H:%MZ} is in the future (it is {now:%Y-%m-%dT%H:%MZ} here), so no "
            "later work could replace it; correct saved_at, or the clock of this machine"
        )


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's submitted work on one figure in one phase. Never edited: a newer one supersedes it.

    seeded_by: model version of the prediction it began from, or that of provided subfigures (see BOXES_FROM); None
    if it began empty. guideline: version of the guidelines at that time. seconds: time spent, if recorded.
    reason: why the figure was rejected or left out, "" if not given. viewed: labels of the subfigures, or ids of
    the items, that the annotator viewed or changed; None if not recorded. unchanged: it is the
    prediction as it was shown. partly_read: some of the submitted content could not be read and is missing here.
    """

    figure: Figure
    annotator: str
    phase: str
    status: Status
    subfigures: tuple[Subfigure, ...]
    saved_at: datetime
    items: Items = NO_ITEMS
    seeded_by: str | None = None
    guideline: str = ""
    seconds: float | None = None
    reason: str = ""
    viewed: tuple[str, ...] | None = None
    unchanged: bool = False
    partly_read: bool = False

    def __post_init__(self) -> None:
        if not self.annotator:
            raise InvalidAnnotation("an annotation needs an annotator's name")
        if not self.phase:
            raise InvalidAnnotation("an annotation needs a phase")
        check_time(self.saved_at, "saved_at")
        check_subfigures(self.figure, self.subfigures)


def certainty_of(scores: Sequence[float]) -> float | None:
    """Return how sure a model is of a whole figure: the product of its scores, in [0, 1]; None of none."""
    return prod(scores) if scores else None


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's output for one figure. scores: one confidence per subfigure, in [0, 1]."""

    figure: Figure
    model_version: str
    subfigures: tuple[Subfigure, ...]
    scores: tuple[float, ...]
    items: Items = NO_ITEMS

    def __post_init__(self) -> None:
        if not self.model_version:
            raise InvalidAnnotation("a prediction needs its model's version")
        if len(self.scores) != len(self.subfigures):
            raise InvalidAnnotation(f"{len(self.scores)} scores for {len(self.subfigures)} subfigures")
        if not all(0.0 <= score <= 1.0 for score in self.scores):
            raise InvalidAnnotation("a score lies outside [0, 1]")
        check_subfigures(self.figure, self.subfigures)

    @property
    def certainty(self) -> float | None:
        """Return the chance that no subfigure needs an edit; None without any."""
        return certainty_of(self.scores)

    def take(self, places: Sequence[int]) -> Prediction:
        """Return the prediction with the subfigures at these places, in this order."""
        return replace(
            self,
            subfigures=tuple([self.subfigures[place] for place in places]),
            scores=tuple([self.scores[place] for place in places]),
        )

    def with_single_spans(self) -> Prediction:
        """Return the prediction with each subcaption reduced to its longest span, the first of equal ones."""
        caption = self.figure.caption
        reduced = []
        for subfigure in self.subfigures:
            spans = caption.spans_of(subfigure.subcaption)
            longest = max(spans, key=lambda span: span.end - span.start, default=None)
            inside = frozenset(
                each
                for each in subfigure.subcaption
                if longest is not None and longest.start <= caption.tokens[each].start < longest.end
            )
            reduced.append(replace(subfigure, subcaption=inside))
        return replace(self, subfigures=tuple(reduced))
