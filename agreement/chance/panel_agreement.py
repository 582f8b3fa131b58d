"""Agreement on panels, question by question: is it there and what is its label, its label alone, its place.

Panels are matched across annotators first, so that each question is about one panel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum

import numpy as np

from agreement.chance.token_panels import MergedPanels, NotMerged
from agreement.primitives.iou import Vector, aligned_giou
from agreement.primitives.matching import Indices, ranges
from agreement.primitives.token_sets import starts_of

_NO_PANEL = "no panel in the figures that two accepted"
_NOT_SHARED = "no panel that two drew"
_ONE_LABEL = "all gave one label throughout"
_ONE_PANEL = "no figure with two different panels"
#: Code of a panel that an annotator did not draw.
MISSING = 0


@dataclass(frozen=True, slots=True)
class PanelAgreement:
    """Agreement on the matched panels of figures that two or more accepted on one caption and size.

    detection: Krippendorff's nominal alpha on labels, with "missing" as the label of those who did not draw a
    panel; a figure in which all drew nothing is one panel that all miss (KaLOS's alpha over a whole dataset).
    label: the same, of those who drew it. localisation: 1 - mean distance within a panel / mean distance between
    panels of a figure; a distance is 1 - GIoU of the boxes of two annotators. Each None if undefined, and its
    reason says why ("" otherwise). panels: matched ones; shared: of these, drawn by two or more. without:
    annotator -> detection of the others, on the same matched panels.
    """

    detection: float | None
    label: float | None
    localisation: float | None
    detection_reason: str
    label_reason: str
    localisation_reason: str
    panels: int
    shared: int
    without: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PanelUnits:
    """U matched panels, each with what every annotator of its figure did.

    unit, annotator, code: (E,), an entry for each panel and annotator. code: `MISSING`, or 1 + the label's place.
    groups: (U,) the figure version of each panel. panel: (E,) place among all boxes, -1 if missing. empty: figure
    versions without a panel, units of their own that are last.
    """

    unit: Indices
    annotator: Indices
    code: Indices
    groups: Indices
    panel: Indices
    empty: int


def panel_units(merged: MergedPanels) -> PanelUnits:
    """Return the matched panels of the figures that two or more accepted."""
    work, starts = merged.work, merged.starts
    versions = len(starts) - 1
    of_row = np.repeat(np.arange(versions), np.diff(starts))
    rows = np.repeat(np.arange(len(work)), work.panels)
    width = int(merged.ranks.max(initial=0)) + 1
    keys, number = np.unique(of_row[rows] * width + merged.ranks, return_inverse=True)
    groups = keys // width
    bare = np.setdiff1d(np.arange(versions), groups)
    groups = np.concatenate([groups, bare])
    # Every annotator of a figure has an entry for each of its panels.
    sizes = np.diff(starts)[groups]
    unit, row = np.repeat(np.arange(len(groups)), sizes), ranges(starts[:-1][groups], sizes)
    place = np.zeros(len(work), dtype=np.int64)
    place[:] = np.arange(len(work)) - starts[:-1][of_row]
    entries = starts_of(sizes)[number] + place[rows]
    code, panel = np.full(len(unit), MISSING), np.full(len(unit), -1)
    code[entries], panel[entries] = work.label + 1, np.arange(len(rows))
    return PanelUnits(unit, work.annotator[row].astype(np.int64), code, groups, panel, len(bare))


def panel_agreement(merged: MergedPanels | NotMerged, units: PanelUnits | None = None) -> PanelAgreement:
    """Return the agreement on panels; see `merge_panels`. units: those of `merged`, if they are known."""
    if isinstance(merged, NotMerged):
        return PanelAgreement(None, None, None, merged.reason, merged.reason, merged.reason, 0, 0)
    units = panel_units(merged) if units is None else units
    drawn = units.code != MISSING
    panels = len(units.groups) - units.empty
    shared = int((np.bincount(units.unit[drawn], minlength=panels) > 1).sum())
    detection = nominal_alpha(units.unit, units.code)
    label = nominal_alpha(units.unit[drawn], units.code[drawn])
    localisation, why = _localisation(merged)
    without = {}
    for number in np.unique(units.annotator).tolist():
        others = units.annotator != number
        without[merged.work.annotators[number]] = nominal_alpha(units.unit[others], units.code[others])
    return PanelAgreement(
        detection,
        label,
        localisation,
        "" if detection is not None else _ONE_LABEL if panels else _NO_PANEL,
        "" if label is not None else _ONE_LABEL if shared else _NOT_SHARED,
        why,
        panels,
        shared,
        without,
    )


def nominal_alpha(unit: Indices, code: Indices) -> float | None:
    """Return `krippendorff_alpha` with nominal distance of entries in arrays: (E,) units, and codes from 0 on."""
    judged = np.bincount(unit)
    twice = judged[unit] > 1
    unit, code = unit[twice], code[twice]
    if not len(unit):
        return None
    width = int(code.max()) + 1
    keys, times = np.unique(unit * width + code, return_counts=True)
    whose = keys // width
    different = judged[whose] - times
    # Exact, so that the order of the units does not matter.
    observed = fsum((times * different / (judged[whose] - 1)).tolist())
    totals = np.bincount(code).astype(np.float64)
    expected = float((totals * (len(unit) - totals)).sum()) / (len(unit) - 1)
    return 1 - observed / expected if expected else None


def _localisation(merged: MergedPanels) -> tuple[float | None, str]:
    work, starts = merged.work, merged.starts
    rows = np.repeat(np.arange(len(work)), work.panels)
    groups = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[rows]
    drawn = np.bincount(groups, minlength=len(starts) - 1)
    one = np.repeat(np.arange(len(groups)), drawn[groups])
    other = ranges(starts_of(drawn)[groups], drawn[groups])
    different = rows[one] < rows[other]
    one, other = one[different], other[different]
    distance: Vector = 1 - aligned_giou(work.boxes[one], work.boxes[other])
    same = merged.ranks[one] == merged.ranks[other]
    if not same.any():
        return None, _NOT_SHARED
    # Without distances between panels there is nothing that chance could give.
    if same.all() or not (between := float(distance[~same].mean())):
        return None, _ONE_PANEL
    return 1 - float(distance[same].mean()) / between, ""
