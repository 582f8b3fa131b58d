"""Settling a figure: what a reviewer is shown, and how the decision is kept.

Annotators stay anonymous: nothing that `figure_state` or `current_decision` return carries an annotator's name or
a model's version. Each is known by a key, made per figure with the home's secret, so that it is the same on every
load, differs from figure to figure, and tells nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import msgspec

from agreement.metrics.consensus import Candidate, figure_agreement, merge_candidates
from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Annotation, Prediction, Status, Subfigure
from annotator.domain.campaign import Campaign
from annotator.domain.caption import Caption
from annotator.domain.errors import Conflict, InvalidAnnotation, StoreError
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.domain.qa import NO_ITEMS
from annotator.services.queue import Progress, annotations_to_settle
from label_config.palette import colour

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store, Transaction

#: Boxes of one subfigure that overlap less than this (IoU) are shown as a conflict.
CLOSE_IOU = 0.75

#: Decimals kept of a box's coordinates: a hundredth of a pixel.
BOX_DECIMALS = 2


class UnknownFigure(StoreError):
    """The campaign has no figure of that id."""


# -- what a reviewer sends --------------------------------------------------------------------------------------


class DraftSubfigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A subfigure as the reviewer drew it. box: x0 y0 x1 y1 in pixels; tokens: ids, in any order."""

    label: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...] = ()


class Draft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A decision as the reviewer sends it. version: the one it was loaded with, 0 where there was none.

    based_on: keys of the annotators whose work was adopted. seconds: time spent on the screen.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    subfigures: Annotated[tuple[DraftSubfigure, ...], msgspec.Meta(max_length=500)]
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None


# -- what a reviewer is shown -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the caption. space, newline: what follows it before the next token; gap: other text that does."""

    id: int
    start: int
    end: int
    text: str
    space: bool
    newline: bool
    gap: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A subfigure in plain values. tokens: ascending ids."""

    label: str
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """An annotator under a key; name: "Annotator 1" ..., or "Prediction"."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one voice says of the figure."""

    annotator: str
    status: Status
    subfigures: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A subfigure merged from the voices that have it. votes: token id -> keys of the voices that include it.

    conflict: the voices differ here, for the `reasons`. preselected: enough voices have it to start from it.
    """

    label: str
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...]
    votes: dict[int, tuple[str, ...]]
    supporters: tuple[str, ...]
    conflict: bool
    reasons: tuple[str, ...]
    preselected: bool


@dataclass(frozen=True, slots=True)
class DecisionState:
    """A decision with its adopted voices under keys."""

    version: int
    status: Status
    subfigures: tuple[Panel, ...]
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FigureState:
    """All that the screen of one figure shows. version: of the current decision, 0 if there is none yet.

    reasons: what the voices differ in beyond single subfigures. agreement: in [0, 1], None where undefined.
    palette: every label in use with its colour, the campaign's own first.
    """

    figure: Figure
    tokens: tuple[Token, ...]
    palette: tuple[tuple[str, str], ...]
    version: int
    decision: DecisionState | None
    annotators: tuple[Voice, ...]
    annotations: tuple[Opinion, ...]
    candidates: tuple[Proposal, ...]
    quorum: int
    reasons: tuple[str, ...]
    agreement: float | None
    progress: Progress
    phase: str
    next_figure: str | None
    reviewer: str


def figure_state(store: Store, home: Home, figure_id: str, reviewer: str) -> FigureState:
    """What the screen of one figure shows to `reviewer`. Raises UnknownFigure."""
    with store.read() as tx:
        figure = _figure(tx, figure_id)
        annotations = annotations_to_settle(tx, home.campaign, figure_id)
        prediction = None if annotations else tx.latest_prediction(figure_id)
        decision = tx.decision(figure_id)
        counts = tx.queue_counts()
        next_figure = tx.next_in_queue(after=figure_id)
    keys = _Keys(home.secret(), figure_id)
    done = [annotation for annotation in annotations if annotation.status is Status.ACCEPTED]
    quorum = max(1, min(home.campaign.quorum, len(done)))
    if prediction is not None:
        candidates = _predicted(prediction, keys)
        opinions = [Opinion(keys.of(prediction.model_version), Status.ACCEPTED, _panels(prediction.subfigures))]
    else:
        merged = merge_candidates(done, quorum=quorum) if done else ()
        candidates = tuple(_proposal(candidate, done, keys, quorum) for candidate in merged)
        opinions = [Opinion(keys.of(one.annotator), one.status, _panels(one.subfigures)) for one in annotations]
    opinions.sort(key=lambda opinion: opinion.annotator)
    voices = tuple(
        Voice(opinion.annotator, "Prediction" if prediction is not None else f"Annotator {number}")
        for number, opinion in enumerate(opinions, start=1)
    )
    return FigureState(
        figure=figure,
        tokens=_tokens(figure.caption),
        palette=_palette(home.campaign, opinions, decision),
        version=decision.version if decision else 0,
        decision=_decision_state(decision, keys) if decision else None,
        annotators=voices,
        annotations=tuple(opinions),
        candidates=candidates,
        quorum=quorum,
        reasons=_reasons(annotations, prediction),
        agreement=figure_agreement(annotations),
        progress=Progress(counts.decided, counts.total),
        phase=", ".join(sorted({annotation.phase for annotation in annotations})),
        next_figure=next_figure,
        reviewer=reviewer,
    )


def decide(
    store: Store, home: Home, figure_id: str, reviewer: str, draft: Draft, *, now: datetime | None = None
) -> Decision:
    """Keep a reviewer's decision; it becomes the figure's current one.

    Boxes are cut at the image's edge and rounded to a hundredth of a pixel. Raises UnknownFigure;
    InvalidAnnotation for what the domain refuses or an unknown key in `based_on`; Conflict where someone decided
    since the draft's version was loaded. Nothing is overwritten: every decision stays in the figure's history.
    """
    with store.transaction() as tx:
        figure = _figure(tx, figure_id)
        current = tx.decision(figure_id)
        version = current.version if current else 0
        if draft.version != version:
            raise Conflict(_conflict_message(figure_id, current, draft.version))
        decision = Decision(
            figure=figure,
            reviewer=reviewer,
            version=version + 1,
            status=draft.status,
            subfigures=tuple(_subfigure(part, figure, number) for number, part in enumerate(draft.subfigures)),
            based_on=_names(draft.based_on, _known_names(tx, figure_id, current), _Keys(home.secret(), figure_id)),
            decided_at=now or datetime.now(UTC),
            items=current.items if current else NO_ITEMS,
            note=draft.note.strip(),
            seconds=draft.seconds,
        )
        tx.add_decision(decision)
    return decision


def current_decision(store: Store, home: Home, figure_id: str) -> DecisionState | None:
    """The figure's current decision, annotators under keys; None if nobody decided yet."""
    with store.read() as tx:
        decision = tx.decision(figure_id)
    return _decision_state(decision, _Keys(home.secret(), figure_id)) if decision else None


def known_figure(store: Store, figure_id: str) -> Figure:
    """The figure of that id. Raises UnknownFigure."""
    with store.read() as tx:
        return _figure(tx, figure_id)


# -- names and keys -----------------------------------------------------------------------------------------------


class _Keys:
    """Keys of names on one figure: HMAC of figure id and name, so that they shuffle the names, stably."""

    def __init__(self, secret: bytes, figure_id: str) -> None:
        self._secret = hashlib.sha256(b"anonymous annotators\0" + secret).digest()
        self._figure = figure_id.encode()

    def of(self, name: str) -> str:
        """The key that stands for `name` on this figure."""
        message = len(self._figure).to_bytes(4, "big") + self._figure + name.encode()
        return "a" + hmac.new(self._secret, message, hashlib.sha256).hexdigest()[:12]


def _known_names(tx: Transaction, figure_id: str, current: Decision | None) -> set[str]:
    """Whoever a decision on this figure can be based on."""
    names = {annotation.annotator for annotation in tx.annotations(figure=figure_id)}
    if current is not None:
        names.update(current.based_on)
    prediction = tx.latest_prediction(figure_id)
    if prediction is not None:
        names.add(prediction.model_version)
    return names


def _names(based_on: Sequence[str], names: Iterable[str], keys: _Keys) -> tuple[str, ...]:
    """The names behind the keys, each once, in the given order."""
    by_key = {keys.of(name): name for name in names}
    for position, key in enumerate(based_on):
        if key not in by_key:
            raise InvalidAnnotation(
                f'based_on[{position}]: no annotator of this figure has the key "{key}"; reload'
            )
    return tuple(dict.fromkeys(by_key[key] for key in based_on))


# -- from the domain to the screen --------------------------------------------------------------------------------


def _figure(tx: Transaction, figure_id: str) -> Figure:
    if not tx.has_figure(figure_id):
        raise UnknownFigure(f'figure "{figure_id}" is not in this campaign; look for it in the queue')
    return tx.figure(figure_id)


def _tokens(caption: Caption) -> tuple[Token, ...]:
    tokens = []
    for position, span in enumerate(caption.tokens):
        following = caption.tokens[position + 1].start if position + 1 < len(caption.tokens) else len(caption.text)
        between = caption.text[span.end : following]
        tokens.append(
            Token(
                id=position,
                start=span.start,
                end=span.end,
                text=caption.words[position],
                space=any(letter.isspace() for letter in between),
                newline="\n" in between,
                gap=between.strip(),
            )
        )
    return tuple(tokens)


def _corners(box: Box) -> tuple[float, float, float, float]:
    return (box.x0, box.y0, box.x1, box.y1)


def _panels(subfigures: Iterable[Subfigure]) -> tuple[Panel, ...]:
    return tuple(Panel(one.label, _corners(one.box), tuple(sorted(one.subcaption))) for one in subfigures)


def _palette(
    campaign: Campaign, opinions: Iterable[Opinion], decision: Decision | None
) -> tuple[tuple[str, str], ...]:
    """The campaign's labels, then any other in use here, each with its colour."""
    used = [panel.label for opinion in opinions for panel in opinion.subfigures]
    used += [subfigure.label for subfigure in decision.subfigures] if decision else []
    labels = dict.fromkeys([*campaign.labels, *sorted(used)])
    return tuple((label, colour(index)) for index, label in enumerate(labels))


def _decision_state(decision: Decision, keys: _Keys) -> DecisionState:
    return DecisionState(
        version=decision.version,
        status=decision.status,
        subfigures=_panels(decision.subfigures),
        note=decision.note,
        reviewer=decision.reviewer,
        decided_at=decision.decided_at,
        based_on=tuple(keys.of(name) for name in decision.based_on),
    )


def _conflict_message(figure_id: str, current: Decision | None, loaded: int) -> str:
    if current is None:
        return f'figure "{figure_id}" has no decision, but version {loaded} was to be replaced; reload the page'
    return (
        f"{current.reviewer} settled this figure at {current.decided_at:%H:%M} UTC, after you opened it; "
        "compare that decision with yours, then save again"
    )


# -- conflicts ----------------------------------------------------------------------------------------------------


def _proposal(candidate: Candidate, done: Sequence[Annotation], keys: _Keys, quorum: int) -> Proposal:
    members = [
        annotation.subfigures[candidate.members[annotation.annotator]]
        for annotation in done
        if annotation.annotator in candidate.members
    ]
    reasons = []
    if missing := len(done) - len(members):
        reasons.append(f"{_of(missing, len(done))} {'has' if missing == 1 else 'have'} no box here")
    if len(labels := sorted({member.label for member in members})) > 1:
        reasons.append(f"labels differ: {', '.join(labels)}")
    counted = done[0].figure.caption.counted
    votes = Counter(token for member in members for token in member.subcaption)
    if disputed := sum(token in counted and count < len(members) for token, count in votes.items()):
        reasons.append(f"text differs: {disputed} {'token' if disputed == 1 else 'tokens'}")
    closeness = min((_iou(one.box, other.box) for one, other in combinations(members, 2)), default=1.0)
    if closeness < CLOSE_IOU:
        reasons.append(f"boxes differ (IoU {closeness:.2f})")
    return Proposal(
        label=candidate.label,
        box=_corners(candidate.box),
        tokens=tuple(sorted(candidate.subcaption)),
        votes={token: _sorted_keys(keys, names) for token, names in sorted(candidate.votes.items())},
        supporters=_sorted_keys(keys, candidate.supporters),
        conflict=bool(reasons),
        reasons=tuple(reasons),
        preselected=len(members) >= quorum,
    )


def _predicted(prediction: Prediction, keys: _Keys) -> tuple[Proposal, ...]:
    """A model's subfigures as proposals: each is a conflict, for no person has seen it."""
    model = (keys.of(prediction.model_version),)
    counts = Counter(subfigure.label for subfigure in prediction.subfigures)
    return tuple(
        Proposal(
            label=panel.label,
            box=panel.box,
            tokens=panel.tokens,
            votes={token: model for token in panel.tokens},
            supporters=model,
            conflict=True,
            reasons=("only a prediction; no annotator drew this",)
            + ((f"{counts[panel.label]} boxes have this label",) if counts[panel.label] > 1 else ()),
            preselected=True,
        )
        for panel in _panels(prediction.subfigures)
    )


def _reasons(annotations: Sequence[Annotation], prediction: Prediction | None) -> tuple[str, ...]:
    """What the voices differ in as to the figure as a whole."""
    if prediction is not None:
        return ("only a prediction; no annotator has done this figure",)
    if not annotations:
        return ("no annotator has done this figure",)
    reasons = ["only one annotator has done this figure"] if len(annotations) == 1 else []
    statuses = Counter(annotation.status for annotation in annotations)
    for status, word in ((Status.REJECTED, "rejected the figure"), (Status.IGNORED, "passed the figure over")):
        if statuses[status]:
            reasons.append(f"{_of(statuses[status], len(annotations))} {word}")
    return tuple(reasons)


def _of(some: int, total: int) -> str:
    return f"{'one' if some == 1 else some} of {total} annotator{'' if total == 1 else 's'}"


def _sorted_keys(keys: _Keys, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(keys.of(name) for name in names))


def _iou(one: Box, other: Box) -> float:
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    shared = max(width, 0.0) * max(height, 0.0)
    return shared / (one.area + other.area - shared)


def _subfigure(part: DraftSubfigure, figure: Figure, number: int) -> Subfigure:
    """The subfigure that the reviewer drew; what is wrong with it is told with the field's name."""
    if not part.label.strip():
        raise InvalidAnnotation(f"subfigures[{number}].label: is blank; give the subfigure a label")
    count = len(figure.caption.tokens)
    for token in part.tokens:
        if not 0 <= token < count:
            raise InvalidAnnotation(
                f"subfigures[{number}].tokens: token {token} of {count} does not exist; reload"
            )
    x0, y0, x1, y1 = (round(value, BOX_DECIMALS) for value in part.box)
    try:
        box = Box(x0, y0, x1, y1).clamped(figure.width, figure.height)
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"subfigures[{number}].box: {error}") from error
    return Subfigure(part.label.strip(), box, frozenset(part.tokens))
