"""Agreement on panels, question by question: is it there and what is its label, its label alone, its place.

Panels are matched across annotators first, so that each question is asked of one panel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from agreement.chance.coefficients import krippendorff_alpha
from agreement.chance.token_panels import MergedPanels, NotMerged
from agreement.primitives.iou import aligned_giou
from agreement.primitives.matching import ranges
from agreement.primitives.token_sets import starts_of
from panelwise.domain.annotation import Annotation

_NO_PANEL = "no panel in the figures that two accepted"
_NOT_SHARED = "no panel that two drew"
_ONE_LABEL = "all gave one label throughout"
_ONE_PANEL = "no figure with two different panels"


@dataclass(frozen=True, slots=True)
class PanelAgreement:
    """Agreement on the matched panels of figures that two or more accepted on one caption and size.

    detection: Krippendorff's nominal alpha on labels, with "missing" as the label of those who did not draw a
    panel. label: the same, of those who drew it. localisation: 1 - mean distance within a panel / mean distance
    between panels of a figure; a distance is 1 - GIoU of the boxes of two annotators. Each None if undefined, and
    its reason says why ("" otherwise). panels: matched ones; shared: of these, drawn by two or more.
    """

    detection: float | None
    label: float | None
    localisation: float | None
    detection_reason: str
    label_reason: str
    localisation_reason: str
    panels: int
    shared: int


def panel_agreement(merged: MergedPanels | NotMerged) -> PanelAgreement:
    """Return the agreement on panels; see `merge_panels`."""
    if isinstance(merged, NotMerged):
        return PanelAgreement(None, None, None, merged.reason, merged.reason, merged.reason, 0, 0)
    judged = _labels(merged)
    shared = sum(len(labels) > 1 for labels, _ in judged)
    alone = Counter(labels for labels, _ in judged)
    every: Counter[tuple[Hashable, ...]] = Counter((*labels, *[None] * missing) for labels, missing in judged)
    detection, label = krippendorff_alpha(every), krippendorff_alpha(alone)
    localisation, why = _localisation(merged)
    return PanelAgreement(
        detection,
        label,
        localisation,
        "" if detection is not None else _ONE_LABEL if judged else _NO_PANEL,
        "" if label is not None else _ONE_LABEL if shared else _NOT_SHARED,
        why,
        len(judged),
        shared,
    )


def _labels(merged: MergedPanels) -> list[tuple[tuple[Hashable, ...], int]]:
    """Return for each matched panel its labels, sorted, and how many annotators did not draw it."""
    work, ranks = merged.work, merged.ranks.tolist()
    rows = (each for each in work.rows if isinstance(each, Annotation))
    labels = chain.from_iterable((part.label for part in each.subfigures) for each in rows)
    groups = np.repeat(np.repeat(np.arange(len(merged.starts) - 1), np.diff(merged.starts)), work.panels)
    found: dict[tuple[int, int], list[str]] = {}
    for group, rank, label in zip(groups.tolist(), ranks, labels, strict=True):
        found.setdefault((group, rank), []).append(label)
    sizes = np.diff(merged.starts).tolist()
    return [(tuple(sorted(own)), sizes[group] - len(own)) for (group, _), own in found.items()]


def _localisation(merged: MergedPanels) -> tuple[float | None, str]:
    work, starts = merged.work, merged.starts
    rows = np.repeat(np.arange(len(work)), work.panels)
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[rows]
    drawn = np.bincount(groups, minlength=len(starts) - 1)
    one = np.repeat(np.arange(len(groups)), drawn[groups])
    other = ranges(starts_of(drawn)[groups], drawn[groups])
    different = rows[one] < rows[other]
    one, other = one[different], other[different]
    distance = 1 - aligned_giou(work.boxes[one], work.boxes[other])
    same = merged.ranks[one] == merged.ranks[other]
    if not same.any():
        return None, _NOT_SHARED
    # Without distances between panels there is nothing that chance could give.
    if same.all() or not (between := float(distance[~same].mean())):
        return None, _ONE_PANEL
    return 1 - float(distance[same].mean()) / between, ""
