"""The metric by its definition, and what is made of it, by plain loops over plain values: slow, and easy to check.

The tests and the benchmarks hold the fast ways against it.
"""

from __future__ import annotations

from collections.abc import Sequence

from agreement.primitives import rules
from agreement.score import definition
from panelwise.domain.annotation import Annotation
from panelwise.domain.annotation import Panel as ListedPanel
from panelwise.domain.box import iou

Panel = tuple[Sequence[float], Sequence[int]]


def in_every(panels: Sequence[Panel], *, listed: bool = False) -> set[int]:
    """Tokens that every panel of the figure has that has any; with `listed` that every panel has."""
    filled = [tokens for _, tokens in panels if tokens or listed]
    return {token for tokens in filled for token in tokens if all(token in others for others in filled)}


def figure_f1s(
    gold: Sequence[Panel],
    other: Sequence[Panel],
    words: Sequence[str],
    *,
    official: bool = False,
    min_iou: float = 0.5,
    gold_common: set[int] | None = None,
    other_common: set[int] | None = None,
    as_read: bool = False,
) -> list[float | None]:
    """One F1 per gold panel, None where it is left out. as_read: gold without any token is dropped beforehand."""

    scores = definition.figure_f1s(
        [ListedPanel(tuple(box), tokens) for box, tokens in gold],
        [ListedPanel(tuple(box), tokens) for box, tokens in other],
        words,
        mode=rules.Mode.OFFICIAL if official else rules.Mode.PAPER,
        min_iou=min_iou,
        gold_common=gold_common or (),
        other_common=other_common or (),
    )
    dropped = [as_read and not set(tokens) - (gold_common or set()) for _, tokens in gold]
    return [None if gone else score for gone, score in zip(dropped, scores, strict=True)]


def figure_losses(
    gold: Sequence[Panel],
    other: Sequence[Panel],
    words: Sequence[str],
    *,
    official: bool = False,
    min_iou: float = 0.5,
    gold_common: set[int] | None = None,
    other_common: set[int] | None = None,
    as_read: bool = False,
) -> dict[str, float]:
    """What the gold panels of a figure lost, by the cause's name."""
    f1s = figure_f1s(
        gold,
        other,
        words,
        official=official,
        min_iou=min_iou,
        gold_common=gold_common,
        other_common=other_common,
        as_read=as_read,
    )

    def counted(tokens: Sequence[int], common: set[int] | None) -> list[int]:
        kept = [token for token in tokens if words[token].isalnum() and token not in (common or ())]
        return kept if official else sorted(set(kept))

    ranks = {token: rank for rank, token in enumerate(n for n, word in enumerate(words) if word.isalnum())}
    lost: dict[str, float] = {}
    for place, ((box, tokens), f1) in enumerate(zip(gold, f1s, strict=True)):
        if f1 is None or f1 == 1.0:
            continue
        overlaps = [iou(box, each[0]) for each in other]
        top = max(overlaps, default=0.0)
        if top == 0.0 or top < min_iou:
            why = "no box" if top < 0.1 else "wrong box"
            lost[why] = lost.get(why, 0.0) + 1.0
            continue
        match = overlaps.index(top)
        ours, theirs = counted(tokens, gold_common), counted(other[match][1], other_common)
        ours_else = {t for n, each in enumerate(gold) if n != place for t in counted(each[1], gold_common)}
        theirs_else = {t for n, each in enumerate(other) if n != match for t in counted(each[1], other_common)}
        shared = {ranks[token] for token in set(ours) & set(theirs)}
        found: dict[str, int] = {}
        for cause, mine, yours, elsewhere in (
            ("missing text", ours, theirs, theirs_else),
            ("surplus text", theirs, ours, ours_else),
        ):
            only = set(mine) - set(yours)
            found["another panel's text"] = found.get("another panel's text", 0) + len(only & elsewhere)
            left = {ranks[token] for token in only - elsewhere}
            for rank in left:
                first = last = rank
                while first - 1 in left:
                    first -= 1
                while last + 1 in left:
                    last += 1
                near = last - first < 3 and (first - 1 in shared or last + 1 in shared)
                why = "boundary of the text" if near else cause
                found[why] = found.get(why, 0) + 1
        length = len(ours) + len(theirs)
        found["repeated tokens"] = length - len(set(ours)) - len(set(theirs))
        for why, count in found.items():
            if count:
                lost[why] = lost.get(why, 0.0) + count / length
    return lost


def pair_means(
    annotations: Sequence[Annotation], *, official: bool = False, common: str = "none", min_iou: float = 0.5
) -> dict[tuple[str, str], float | None]:
    """Micro means of every ordered pair, over the figures that both accepted."""
    names = sorted({each.annotator for each in annotations})
    found: dict[tuple[str, str], float | None] = {}
    for gold_name in names:
        for other_name in names:
            if gold_name == other_name:
                continue
            scores, shared = [], 0
            for mine in annotations:
                for yours in annotations:
                    if (mine.annotator, yours.annotator) != (gold_name, other_name):
                        continue
                    if mine.figure.id != yours.figure.id or {mine.status, yours.status} != {"accepted"}:
                        continue
                    if mine.figure.caption != yours.figure.caption:
                        continue
                    if (mine.figure.width, mine.figure.height) != (yours.figure.width, yours.figure.height):
                        continue
                    shared += 1
                    gold, other = _panels(mine), _panels(yours)
                    scores += figure_f1s(
                        gold,
                        other,
                        mine.figure.caption.words,
                        official=official,
                        min_iou=min_iou,
                        gold_common=in_every(gold) if common in ("gold", "both") else None,
                        other_common=in_every(other) if common == "both" else None,
                        as_read=common != "none",
                    )
            counting = [score for score in scores if score is not None]
            nothing = 0.0 if official and shared else None
            found[gold_name, other_name] = sum(counting) / len(counting) if counting else nothing
    return found


def _panels(annotation: Annotation) -> list[Panel]:
    return [(part.box.as_list(), sorted(part.subcaption)) for part in annotation.subfigures]
