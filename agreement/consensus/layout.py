"""A consensus in the layout of annotations.jsonl, with its votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agreement.consensus.candidates import Candidate
from agreement.consensus.figures import FigureConsensus
from panelwise.domain import NO_ITEMS, Annotation, Caption, Items, Prediction, Status, Subfigure
from panelwise.formats import annotation_record, prediction_record

#: The phase of a consensus, so that it is never mixed with annotators' work.
CONSENSUS_PHASE = "consensus"


def consensus_record(
    found: FigureConsensus,
    name: str,
    *,
    source_phase: str | None = None,
    keep_all: bool = False,
    min_iou: float,
    items: Items = NO_ITEMS,
) -> dict[str, Any]:
    """Return one figure's consensus as an annotation by `name`, saved at the time of its last annotation.

    Each subfigure has a `score` (the share of accepting annotators who drew it), its `supporters`, their `labels`,
    the `votes` of every run of tokens and the least `iou` of their boxes with the merged one; `consensus`
    describes its sources. keep_all: include subfigures below the quorum, marked `below_quorum`. source_phase: the
    phase of the annotations, None if unknown.
    """
    shown = found.candidates if keep_all else found.agreed
    seeds = sorted({each.seeded_by for each in found.annotations if each.seeded_by is not None})
    guidelines = {each.guideline for each in found.annotations}
    record = annotation_record(
        Annotation(
            figure=found.figure,
            annotator=name,
            phase=CONSENSUS_PHASE,
            status=found.status,
            subfigures=tuple(_subfigure(each) for each in shown),
            saved_at=max(each.saved_at for each in found.annotations),
            items=items,
            seeded_by=", ".join(seeds) or None,
            guideline=guidelines.pop() if len(guidelines) == 1 else "",
        )
    )
    for part, candidate in zip(record["subfigures"], shown, strict=True):
        part.update(_votes(found, candidate))
    statuses = {each.annotator: each.status for each in found.annotations} | dict(found.others)
    record["consensus"] = {
        "quorum": found.quorum,
        "min_iou": min_iou,
        "phase": source_phase,
        "annotators": {name: statuses[name].value for name in sorted(statuses)},
        "differing": list(found.differing),
        "below_quorum": len(found.candidates) - len(found.agreed),
        "reason": None if found.reason is None else found.reason.value,
    }
    return record


def consensus_prediction(
    found: FigureConsensus, name: str, *, keep_all: bool = False, items: Items = NO_ITEMS
) -> dict[str, Any] | None:
    """Return the consensus as a prediction to seed tasks with; None for a figure that is not accepted.

    The score of a subfigure is the share of accepting annotators who drew it.
    """
    if found.status is not Status.ACCEPTED:
        return None
    shown = found.candidates if keep_all else found.agreed
    return prediction_record(
        Prediction(
            figure=found.figure,
            model_version=name,
            subfigures=tuple(_subfigure(each) for each in shown),
            scores=tuple(found.support(each) for each in shown),
            items=items,
        )
    )


def _subfigure(candidate: Candidate) -> Subfigure:
    return Subfigure(candidate.label, candidate.box, candidate.subcaption)


def _votes(found: FigureConsensus, candidate: Candidate) -> dict[str, Any]:
    """Return the votes for a subfigure, as keys of its record."""
    votes: dict[str, Any] = {
        "score": found.support(candidate),
        "supporters": list(candidate.supporters),
        "labels": {label: list(names) for label, names in found.labels(candidate).items()},
        "votes": [
            {"span": [start, end], "annotators": list(names)}
            for start, end, names in _runs(found.figure.caption, candidate.votes)
        ],
        "iou": found.closeness(candidate),
    }
    if not found.reached(candidate):
        votes["below_quorum"] = True
    return votes


def _runs(caption: Caption, votes: Mapping[int, tuple[str, ...]]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield (start, end, names) of each run of consecutive tokens with the same voters, in order."""
    ranges = caption.ranges
    run: list[int] = []
    for token in sorted(votes):
        if run and (token != run[-1] + 1 or votes[token] != votes[run[0]]):
            yield ranges[run[0]][0], ranges[run[-1]][1], votes[run[0]]
            run = []
        run.append(token)
    if run:
        yield ranges[run[0]][0], ranges[run[-1]][1], votes[run[0]]
