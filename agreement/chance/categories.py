"""Agreement beyond boxes: verdicts on figures, types, question-answer pairs; and Krippendorff's alpha on text.

Alpha counts every token, not only those of some gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from agreement.chance.coefficients import (
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    masi_distance,
    without_missing,
)
from agreement.chance.token_panels import MergedPanels, NotMerged, merge_panels, token_units
from agreement.columns.corpus import ACCEPTED, IGNORED, REJECTED, Corpus
from agreement.columns.raw import Submitted
from agreement.columns.row_traits import traits_of
from panelwise.domain import Annotation, Status, Verdict, type_name


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """Agreement of all annotators on one kind of judgement.

    units: judged by at least two. observed: share of pairs of judges that agree, mean over units. fleiss, ac1:
    None for sets. alpha: Krippendorff's, nominal; for sets by MASI. Each None if undefined, and `reason` says why
    ("" otherwise).
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
    """Krippendorff's alpha on the panels that each counted token of a caption is assigned to.

    nominal: two sets of panels are equal or not. masi: distance by overlap of the sets. figures: accepted by at
    least two annotators on one caption and size. tokens: theirs, once per caption. Panels are matched across
    annotators and identified by reading order. None if undefined, and `reason` says why ("" otherwise).
    """

    nominal: float | None
    masi: float | None
    figures: int
    tokens: int
    reason: str


def category_scores(work: Iterable[Submitted]) -> tuple[CategoryScore, ...]:
    """Return the agreement on status, and on each kind of item that was judged.

    work: at most one per annotator and figure. Ignored figures were not judged.
    """
    corpus = Corpus.of(work)
    compound: dict[Hashable, list[Hashable]] = {}
    types: dict[Hashable, list[Hashable]] = {}
    verdicts: dict[Hashable, list[Hashable]] = {}
    _, judged = traits_of(corpus.rows)
    for row in np.flatnonzero(judged & (corpus.status != IGNORED)).tolist():
        each = corpus.rows[row]
        if not isinstance(each, Annotation):  # pragma: no cover - raw values hold no items
            continue
        kind = each.items.kind
        if kind is not None and kind.compound is not None:
            compound.setdefault(each.figure.id, []).append(kind.compound)
        if kind is not None and kind.types:
            types.setdefault(each.figure.id, []).append(frozenset(map(type_name, kind.types)))
        for verdict in each.items.verdicts:
            verdicts.setdefault((each.figure.id, verdict.item), []).append(verdict.verdict)
    scores = [category_score("accept or reject", _statuses(corpus), (Status.ACCEPTED, Status.REJECTED))]
    if compound:
        scores.append(category_score("compound or not", _tally(compound), (True, False)))
    if types:
        scores.append(category_score("figure types", _tally(types), None, masi_distance))
    if verdicts:
        scores.append(category_score("question-answer verdicts", _tally(verdicts), tuple(Verdict)))
    return tuple(scores)


def _statuses(corpus: Corpus) -> dict[tuple[Hashable, ...], int]:
    """Count figures by how many accepted and rejected them."""
    votes = [np.bincount(corpus.figure[corpus.status == each]) for each in (ACCEPTED, REJECTED)]
    accepted, rejected = (np.pad(each, (0, len(corpus.figures) - len(each))) for each in votes)
    most = int(rejected.max(initial=0)) + 1
    different, times = np.unique(accepted * most + rejected, return_counts=True)
    return {
        (Status.ACCEPTED,) * (both // most) + (Status.REJECTED,) * (both % most): number
        for both, number in zip(different.tolist(), times.tolist(), strict=True)
    }


def _tally(judged: Mapping[Hashable, Sequence[Hashable]]) -> dict[tuple[Hashable, ...], int]:
    return Counter(tuple(unit) for unit in judged.values())


def category_score(
    name: str,
    judged: Mapping[tuple[Hashable, ...], int],
    categories: Sequence[Hashable] | None,
    distance: Callable[[Hashable, Hashable], float] | None = None,
) -> CategoryScore:
    """Return the agreement on one kind of judgement.

    judged: units with their number of occurrences. categories: all possible ones; None for sets, which have alpha
    only.
    """
    units: Counter[tuple[Hashable, ...]] = Counter()
    for unit, times in judged.items():
        if len(present := without_missing(unit)) > 1:
            units[present] += times
    number_of_units = sum(units.values())
    reason = "" if units else "nothing that two judged"
    if units and len({value for unit in units for value in unit}) == 1:
        reason = "all gave one verdict throughout"
    return CategoryScore(
        name=name,
        units=number_of_units,
        observed=fsum(times * _agreeing(unit) for unit, times in units.items()) / number_of_units
        if units
        else None,
        fleiss=None if categories is None else fleiss_kappa(units),
        ac1=None if categories is None else gwet_ac1(units, categories),
        alpha=krippendorff_alpha(units, distance),
        reason=reason,
    )


def _agreeing(unit: Sequence[Hashable]) -> float:
    alike = sum(unit.count(value) - 1 for value in unit)
    return alike / (len(unit) * (len(unit) - 1))


def token_alpha(work: Iterable[Submitted] | MergedPanels | NotMerged) -> TokenAlpha:
    """Return alpha on the tokens of all figures accepted by two or more on one caption and size.

    work: see `merge_panels`, or what it returns.
    """
    merged = work if isinstance(work, MergedPanels | NotMerged) else merge_panels(work)
    if isinstance(merged, NotMerged):
        return TokenAlpha(None, None, merged.figures, 0, merged.reason)
    units = token_units(merged)
    nominal = krippendorff_alpha(units)
    reason = "" if nominal is not None else "all tokens were given to the same panels"
    if not units:
        reason = "no counted token in the figures that two accepted"
    masi = krippendorff_alpha(units, masi_distance)
    return TokenAlpha(nominal, masi, merged.figures, sum(units.values()), reason)
