"""Settling a figure: what a reviewer is shown, and how the decision is kept.

Annotators stay anonymous: nothing that `figure_state` or `current_decision` return carries an annotator's name or
a model's version. Each is known by a key, made per figure with the home's secret, so that it is the same on every
load, differs from figure to figure, and tells nothing.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agreement.metrics.consensus import Candidate, merge_candidates
from annotator.domain.adjudication import Decision
from annotator.domain.annotation import Annotation, Prediction, Status, Subfigure
from annotator.domain.campaign import Campaign
from annotator.domain.caption import Caption
from annotator.domain.errors import Conflict, InvalidAnnotation, StoreError
from annotator.domain.figure import Figure
from annotator.domain.geometry import Box
from annotator.services.adjudication_state import (
    DecisionState,
    Draft,
    DraftSubfigure,
    FigureState,
    Opinion,
    Panel,
    Proposal,
    Token,
    Voice,
)
from annotator.services.differences import agreed_items, candidate_differences, figure_differences
from annotator.services.queue import Progress, annotations_to_settle, changed_since, queue_agreement
from annotator.services.revisions import left_behind, told
from label_config.palette import colour

if TYPE_CHECKING:
    from annotator.services.home import Home
    from annotator.store.store import Store, Transaction

#: What there is to say of a figure that only a model has seen.
PREDICTED = "only a prediction; no annotator has done this figure"

#: What there is to say of a figure whose annotations went on after the decision.
CHANGED = "changed since it was settled"

#: What there is to say of a figure whose decisions are all on another revision.
UNSETTLED = "settled before its caption or image was replaced"

#: Decimals kept of a box's coordinates: a hundredth of a pixel.
BOX_DECIMALS = 2


class UnknownFigure(StoreError):
    """The campaign has no figure of that id."""


def figure_state(store: Store, home: Home, figure_id: str, reviewer: str) -> FigureState:
    """What the screen of one figure shows to `reviewer`. Raises UnknownFigure."""
    with store.read() as tx:
        figure = _figure(tx, figure_id)
        annotations = annotations_to_settle(tx, home.campaign, figure_id)
        prediction = None if annotations else tx.latest_prediction(figure_id)
        behind = left_behind(tx, figure_id)
        decision = tx.decision(figure_id)
        version = tx.last_version(figure_id)
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
    reasons = (PREDICTED,) if prediction is not None else figure_differences(annotations)
    if changed_since(decision, annotations):
        reasons = (*reasons, CHANGED)
    if version and decision is None:
        reasons = (UNSETTLED, *reasons)
    if behind:
        reasons = (told(behind, figure), *reasons)
    return FigureState(
        figure=figure,
        tokens=_tokens(figure.caption),
        palette=_palette(home.campaign, opinions, decision),
        version=version,
        decision=_decision_state(decision, keys) if decision else None,
        annotators=voices,
        annotations=tuple(opinions),
        candidates=candidates,
        quorum=quorum,
        reasons=reasons,
        agreement=queue_agreement(annotations),
        progress=Progress(counts.decided, counts.total),
        phase=", ".join(sorted({annotation.phase for annotation in annotations})),
        next_figure=next_figure,
        reviewer=reviewer,
    )


def decide(
    store: Store,
    home: Home,
    figure_id: str,
    reviewer: str,
    draft: Draft,
    *,
    revision: int | None = None,
    check: Callable[[Transaction], None] | None = None,
    now: datetime | None = None,
) -> Decision:
    """Keep a reviewer's decision; it becomes the figure's current one.

    Boxes are cut at the image's edge and rounded to a hundredth of a pixel. Figure types and QA items are the
    earlier decision's, else those on which the annotations agree. revision: of the figure that the reviewer saw,
    None where that is not told. check: called first in the transaction that keeps the decision; what it raises
    ends that. Raises UnknownFigure; InvalidAnnotation for what the domain refuses, an unknown key in `based_on`,
    and where caption or image were replaced meanwhile; Conflict where someone decided since the draft's version
    was loaded. Nothing is overwritten: every decision stays in the figure's history.
    """
    with store.transaction() as tx:
        if check is not None:
            check(tx)
        figure = _figure(tx, figure_id)
        if revision is not None and revision != figure.revision:
            raise InvalidAnnotation(
                f'the caption or image of figure "{figure_id}" was replaced after you opened it; reload the page'
            )
        current = tx.decision(figure_id)
        version = tx.last_version(figure_id)
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
            items=current.items if current else agreed_items(tx.annotations(figure=figure_id)),
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
    """The campaign's labels, then any other in use here, each with its colour.

    Where people wrote the campaign's labels in small letters, as the figure has them (a for A), all come in small
    letters. A label that differs from one of the campaign's by case only has that one's colour.
    """
    used = {panel.label for opinion in opinions for panel in opinion.subfigures}
    used |= {subfigure.label for subfigure in decision.subfigures} if decision else set()
    known = list(campaign.labels)
    small = [label.lower() for label in known]
    if used - set(known) and not used & set(known) and used & set(small) and len(set(small)) == len(small):
        known = small
    place = {label.casefold(): index for index, label in reversed(list(enumerate(known)))}
    labels = dict.fromkeys([*known, *sorted(used)])
    return tuple((label, colour(place.setdefault(label.casefold(), index))) for index, label in enumerate(labels))


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
    reasons = candidate_differences(candidate, done)
    return Proposal(
        label=candidate.label,
        box=_corners(candidate.box),
        tokens=tuple(sorted(candidate.subcaption)),
        votes={token: _sorted_keys(keys, names) for token, names in sorted(candidate.votes.items())},
        supporters=_sorted_keys(keys, candidate.supporters),
        conflict=bool(reasons),
        reasons=reasons,
        preselected=len(candidate.supporters) >= quorum,
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


def _sorted_keys(keys: _Keys, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(keys.of(name) for name in names))


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
