"""How far annotators agree beyond boxes and text: verdicts on figures, their types, question-answer pairs; and
Krippendorff's alpha on the text, where every token counts and not only those of some gold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agreement.metrics.categorical import fleiss_kappa, gwet_ac1, krippendorff_alpha, masi_distance
from agreement.metrics.consensus import merge_candidates, reading_order
from agreement.metrics.iou import as_boxes, box_iou
from agreement.metrics.raw import Submitted
from agreement.metrics.subfigure_f1 import MIN_IOU
from annotator.domain.annotation import Annotation, Status

#: Beyond so many figures boxes are not merged for alpha on tokens.
MOST_MERGED = 20_000


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """Agreement of all annotators on one kind of judgement.

    units: what at least two judged. observed: share of pairs of judges that agree, mean over units. fleiss, ac1:
    None for sets. alpha: Krippendorff's, nominal; for sets by MASI. Each None where undefined, and `reason` says
    why ("" otherwise).
    """

    name: str
    units: int
    observed: float | None
    fleiss: float | None
    ac1: float | None
    alpha: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class TokenAlpha:
    """Krippendorff's alpha on which panels each counted token of a caption was given to.

    nominal: two sets of panels are the same or not. masi: by how far the sets overlap. figures, tokens: those of
    figures that at least two annotators accepted. Panels are matched across annotators and known by their place
    as one reads. None where undefined, and `reason` says why ("" otherwise).
    """

    nominal: float | None
    masi: float | None
    figures: int
    tokens: int
    reason: str


def category_scores(work: Iterable[Submitted]) -> tuple[CategoryScore, ...]:
    """Agreement on accepting and rejecting, and on each kind of item that anybody judged.

    work: at most one of an annotator on a figure. Figures passed over were not judged.
    """
    statuses: dict[Hashable, list[Hashable]] = {}
    compound: dict[Hashable, list[Hashable]] = {}
    types: dict[Hashable, list[Hashable]] = {}
    verdicts: dict[Hashable, list[Hashable]] = {}
    for each in work:
        if each.status is Status.IGNORED:
            continue
        statuses.setdefault(each.figure.id, []).append(each.status)
        if not isinstance(each, Annotation):
            continue
        kind = each.items.kind
        if kind is not None and kind.compound is not None:
            compound.setdefault(each.figure.id, []).append(kind.compound)
        if kind is not None and kind.types:
            types.setdefault(each.figure.id, []).append(kind.types)
        for verdict in each.items.verdicts:
            verdicts.setdefault((each.figure.id, verdict.item), []).append(verdict.verdict)
    scores = [_score("accept or reject", statuses, (Status.ACCEPTED, Status.REJECTED))]
    if compound:
        scores.append(_score("compound or not", compound, (True, False)))
    if types:
        scores.append(_score("figure types", types, None, masi_distance))
    if verdicts:
        scores.append(_score("question-answer verdicts", verdicts, ("correct", "incorrect")))
    return tuple(scores)


def _score(
    name: str,
    judged: Mapping[Hashable, Sequence[Hashable]],
    categories: Sequence[Hashable] | None,
    distance: Callable[[Hashable, Hashable], float] | None = None,
) -> CategoryScore:
    """categories: all there are; None for sets, of which only alpha is made."""
    units = [unit for unit in judged.values() if len(unit) > 1]
    reason = "" if units else "nothing that two judged"
    if units and len({value for unit in units for value in unit}) == 1:
        reason = "all gave one verdict throughout"
    number = None if categories is None else len(categories)
    return CategoryScore(
        name=name,
        units=len(units),
        observed=sum(map(_agreeing, units)) / len(units) if units else None,
        fleiss=None if number is None else fleiss_kappa(units),
        ac1=None if number is None or categories is None else gwet_ac1(units, categories),
        alpha=krippendorff_alpha(units, distance),
        reason=reason,
    )


def _agreeing(unit: Sequence[Hashable]) -> float:
    alike = sum(unit.count(value) - 1 for value in unit)
    return alike / (len(unit) * (len(unit) - 1))


def token_alpha(work: Iterable[Submitted]) -> TokenAlpha:
    """Alpha on tokens of all figures that two or more accepted on one caption and size.

    work: at most one of an annotator on a figure. Values as listed in raw files are not merged.
    """
    by_figure: dict[str, list[Annotation]] = {}
    raw = False
    for each in work:
        if not isinstance(each, Annotation):
            raw = True
        elif each.status is Status.ACCEPTED:
            by_figure.setdefault(each.figure.id, []).append(each)
    shared = {name: group for name, group in by_figure.items() if len(group) > 1 and _one_content(group)}
    if not shared or len(shared) > MOST_MERGED:
        reason = "no figure that two accepted in the same version"
        if raw:
            reason = "raw values are not merged"
        elif shared:
            reason = f"more than {MOST_MERGED} figures"
        return TokenAlpha(None, None, len(shared), 0, reason)
    units = [unit for name in sorted(shared) for unit in _token_units(shared[name])]
    nominal = krippendorff_alpha(units)
    reason = "" if nominal is not None else "all tokens were given to the same panels"
    return TokenAlpha(nominal, krippendorff_alpha(units, masi_distance), len(shared), len(units), reason)


def _one_content(group: Sequence[Annotation]) -> bool:
    first, *rest = (each.figure for each in group)
    return all(
        other is first
        or ((other.width, other.height) == (first.width, first.height) and other.caption == first.caption)
        for other in rest
    )


def _token_units(group: Sequence[Annotation]) -> list[list[frozenset[int]]]:
    """For each counted token the panels that each annotator gave it to."""
    panels: list[dict[int, frozenset[int]]] = [{} for _ in group]
    for annotation, ranks, given in zip(group, _panels_alike(group) or _panels_merged(group), panels, strict=True):
        for part, rank in zip(annotation.subfigures, ranks, strict=True):
            here = frozenset((rank,))
            for token in part.subcaption:
                given[token] = given[token] | here if token in given else here
    nowhere: frozenset[int] = frozenset()
    counted = sorted(group[0].figure.caption.counted)
    return [[given.get(token, nowhere) for given in panels] for token in counted]


def _panels_alike(group: Sequence[Annotation]) -> list[list[int]] | None:
    """Which panel each subfigure of each annotator is, by rank, where all drew the same ones beyond doubt.

    That is where each box of the first has one of every other at the threshold, and one only; None elsewhere. Most
    figures are such.
    """
    first, *rest = (as_boxes([part.box.as_list() for part in each.subfigures]) for each in group)
    ranks = [0] * len(first)
    for rank, place in enumerate(reading_order([part.box for part in group[0].subfigures])):
        ranks[place] = rank
    found = [ranks]
    for boxes in rest:
        if len(boxes) != len(first) or not len(first):
            return None
        answers = box_iou(boxes, first) >= MIN_IOU
        if (answers.sum(axis=0) != 1).any() or (answers.sum(axis=1) != 1).any():
            return None
        found.append([ranks[place] for place in answers.argmax(axis=1).tolist()])
    return found


def _panels_merged(group: Sequence[Annotation]) -> list[list[int]]:
    """The same where not all drew the same panels: by merging what they drew."""
    candidates = merge_candidates(group, quorum=1)
    found = [[0] * len(each.subfigures) for each in group]
    for rank, place in enumerate(reading_order([candidate.box for candidate in candidates])):
        for annotation, ranks in zip(group, found, strict=True):
            own = candidates[place].members.get(annotation.annotator)
            if own is not None:
                ranks[own] = rank
    return found
