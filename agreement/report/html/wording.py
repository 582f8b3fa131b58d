"""Explain the numbers in sentences for readers without statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agreement.pairs.pairwise import PairScore
from agreement.primitives.settings import Settings
from agreement.report.numbers import percent, rounded
from agreement.report.summary import PersonScore, Report
from agreement.score.losses import Loss
from agreement.score.subfigure_f1 import Common, Mode

MODE_WORDS: Mapping[Mode, str] = {
    Mode.PAPER: "as the MedICaT paper describes it",
    Mode.OFFICIAL: "as the MedICaT authors' code computes it",
}

COMMON_WORDS: Mapping[Common, str] = {
    Common.NONE: "included",
    Common.GOLD: "excluded on the gold side",
    Common.BOTH: "excluded on both sides",
}


def meaning(report: Report) -> str:
    """Explain the headline score, or why it is undefined."""
    if report.iaa is None:
        return f"There is no agreement score: {report.reason}."
    said = (
        f"On average, an annotator's work on a panel to which another annotator gave text scores "
        f"{rounded(report.iaa)}. {scale(report.settings)}"
    )
    return said + _interval_words(report.intervals.iaa) + _greatest(report.losses)


def scale(settings: Settings) -> str:
    """Explain the scores 1 and 0."""
    enough = f"{settings.min_iou:g} or more"
    return (
        f"1 is the same words on a box that overlaps enough (IoU {enough}); 0 is no such box, or no common word."
    )


def compared(score: float | None, reason: str, settings: Settings, losses: Mapping[Loss, float] | None) -> str:
    """Explain the score of work compared to gold."""
    if score is None:
        return f"There is no score: {reason}."
    return (
        f"On average, the compared work scores {rounded(score)} on a gold panel with text. "
        f"{scale(settings)}{_greatest(losses)}"
    )


def _interval_words(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return ""
    low, high = map(rounded, interval)
    return f" 95 % CI, for other figures of the same kind: {low} to {high}."


def _greatest(losses: Mapping[Loss, float] | None) -> str:
    """Return the cause that costs most, with its share in the table of causes; several with equal shares."""
    whole = sum((losses or {}).values())
    if not losses or not whole:
        return ""
    most = percent(max(losses.values()) / whole)
    causes = [cause.display for cause, lost in losses.items() if percent(lost / whole) == most]
    if len(causes) == 1:
        return f" The largest cause of loss ({most}): {causes[0]}."
    return f" The largest causes of loss ({most} each): {', '.join(causes)}."


def person_words(person: PersonScore, pairs: Sequence[PairScore]) -> str:
    """A person's two means beside each other, and the panels that they rest on; "" where one is undefined.

    It tells sizes and judges none: on few figures a difference may be chance, and the page says so.
    """
    if person.as_gold is None or person.as_predicted is None:
        return ""
    difference = person.as_gold - person.as_predicted
    own = sum(pair.counted for pair in pairs if pair.gold == person.name)
    others = sum(pair.counted for pair in pairs if pair.predicted == person.name)
    size = rounded(abs(difference))
    if float(size) == 0.0:
        said = "as gold and as predicted alike"
    else:
        said = f"as gold {'lower' if difference < 0.0 else 'higher'} by {size}"
    if own == others:
        return f"{said}; as many panels as the others: {own}"
    return f"{said}; {'more' if own > others else 'fewer'} panels than the others: {own} and {others}"
