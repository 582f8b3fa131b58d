"""The initial state of a figure's screen: annotators' work under keys, and candidates merged from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agreement.consensus import Candidate, merge_candidates
from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.state import Opinion, Proposal, Voice, voices
from annotator.consensus.differences import (
    candidate_differences,
    figure_differences,
    has_too_many_boxes,
    newest_of_each,
)
from annotator.store.queries.work import FigureWork
from panelwise.domain import Annotation, Campaign, Decision, Prediction, Status, Subfigure, too_many_boxes

#: The key of a name on the screen.
KeyOf = Callable[[str], str]

#: The reason shown for a figure that has a prediction only.
PREDICTED = "only a prediction; no annotator has done this figure"


@dataclass(frozen=True, slots=True)
class Opinions:
    """The work on a figure before its decision. annotations: the annotators' work by name.

    opinions: of whomever the screen shows, in the order of their keys, as the voices are. reasons: what the
    annotators differ in beyond single subfigures.
    """

    annotations: tuple[Annotation, ...]
    opinions: tuple[Opinion, ...]
    voices: tuple[Voice, ...]
    candidates: tuple[Proposal, ...]
    quorum: int
    reasons: tuple[str, ...]

    def start(self) -> tuple[Panel, ...]:
        """The subfigures that the screen starts from."""
        return tuple(Panel(each.label, each.box, each.tokens) for each in self.candidates if each.preselected)


def collect_opinions(
    work: FigureWork, campaign: Campaign, keys: Keys, tied: Mapping[str, Decision] | None = None
) -> Opinions:
    """Return the annotators' work on a figure; if there is none, the latest prediction.

    tied: the reviewers between whom a tie is to be broken; their decisions then take the annotators' place.
    """
    every = work.annotations
    annotations = newest_of_each(every, campaign)
    if tied:
        said = tuple(tied[name].as_annotation() for name in sorted(tied))
        found = _merged(said, campaign, keys.of_reviewer, "Reviewer")
        return replace(found, annotations=annotations)
    prediction = None if annotations else work.prediction
    if prediction is None or has_too_many_boxes(prediction, campaign):
        found = _merged(annotations, campaign, keys.of, "Annotator")
        return replace(found, reasons=(*found.reasons, *_left_out(every, campaign)))
    opinion = Opinion(keys.of(prediction.model_version), Status.ACCEPTED, panels(prediction.subfigures))
    voice = Voice(opinion.annotator, "Prediction")
    reasons = (PREDICTED, *_left_out(every, campaign))
    return Opinions((), (opinion,), (voice,), _predicted(prediction, keys), 1, reasons)


def _left_out(annotations: Iterable[Annotation], campaign: Campaign) -> tuple[str, ...]:
    """A line for each annotation that has too many boxes to count."""
    numbers = (len(each.subfigures) for each in annotations)
    return tuple(
        f"an annotation is left out: it has {too_many_boxes(number, campaign.max_boxes)}"
        for number in numbers
        if number > campaign.max_boxes
    )


def _merged(annotations: tuple[Annotation, ...], campaign: Campaign, key: KeyOf, called: str) -> Opinions:
    done = [annotation for annotation in annotations if annotation.status is Status.ACCEPTED]
    quorum = max(1, min(campaign.quorum, len(done)))
    merged = merge_candidates(done, quorum=quorum) if done else ()
    opinions = sorted(
        (Opinion(key(one.annotator), one.status, panels(one.subfigures), one.reason) for one in annotations),
        key=lambda opinion: opinion.annotator,
    )
    return Opinions(
        annotations=annotations,
        opinions=tuple(opinions),
        voices=voices((each.annotator for each in opinions), called),
        candidates=tuple(_proposal(candidate, done, key, quorum) for candidate in merged),
        quorum=quorum,
        reasons=figure_differences(annotations) if called == "Annotator" else (),
    )


def panels(subfigures: Iterable[Subfigure]) -> tuple[Panel, ...]:
    """Subfigures in plain values."""
    return tuple(Panel(one.label, one.box.corners, tuple(sorted(one.subcaption))) for one in subfigures)


def _proposal(candidate: Candidate, done: Sequence[Annotation], key: KeyOf, quorum: int) -> Proposal:
    reasons = candidate_differences(candidate, done)
    return Proposal(
        label=candidate.label,
        box=candidate.box.corners,
        tokens=tuple(sorted(candidate.subcaption)),
        votes={token: tuple(sorted(map(key, names))) for token, names in sorted(candidate.votes.items())},
        supporters=tuple(sorted(map(key, candidate.supporters))),
        conflict=bool(reasons),
        reasons=reasons,
        preselected=len(candidate.supporters) >= quorum,
    )


def _predicted(prediction: Prediction, keys: Keys) -> tuple[Proposal, ...]:
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
        for panel in panels(prediction.subfigures)
    )
