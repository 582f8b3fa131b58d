"""Annotators' agreement at the time of a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from agreement.columns.raw import Submitted
from agreement.pairs.parts import articles_of
from agreement.primitives.settings import DEFAULTS
from agreement.report.summary import Report, report_on
from annotator.campaign.pseudonyms import Naming
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import present_revisions
from annotator.store.rows.records import Revisions
from annotator.store.store import Transaction
from panelwise.domain.campaign import Campaign, TaskType


def agreement_record(
    tx: Transaction, campaign: Campaign, phases: Iterable[str], released: Collection[str], of: Naming
) -> dict[str, Any]:
    """Return the settings of the metric, and the agreement of each phase with subfigures.

    Each phase has two values: over all figures of the campaign, as in `agreement report` (including figures with
    outdated work only), and over the `released` figure ids only, as in their annotations.jsonl. The latter is
    usually higher, because figures that could not be adjudicated are missing.
    """
    present = present_revisions(tx)
    asked = [phase for phase in phases if campaign.phase(phase).task_type is TaskType.SUBFIGURES]
    most = campaign.max_boxes
    return {
        "mode": DEFAULTS.mode.value,
        "common": DEFAULTS.common_used.value,
        "min_iou": DEFAULTS.min_iou,
        "bootstrap": DEFAULTS.resamples,
        "seed": DEFAULTS.seed,
        "phases": [_phase(tx, phase, released, present, of, most) for phase in asked],
    }


def _phase(
    tx: Transaction, phase: str, released: Collection[str], present: Mapping[str, int], of: Naming, max_boxes: int
) -> dict[str, Any]:
    every = tx.annotations.all(phase=phase, revisions=Revisions.ALL)
    everything = on_one_revision([each for each in every if len(each.subfigures) <= max_boxes], present)
    kept = [each for each in everything if each.figure.id in released and _is_present(each, present)]
    whole = agreement_of(everything, phase, of)
    same = len(kept) == len(everything)
    return {
        "phase": phase,
        "campaign": whole,
        "released": whole if same else agreement_of(kept, phase, of),
    }


def agreement_of(
    works: Sequence[Submitted], phase: str, of: Naming, articles: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the agreement of one phase's annotations as a release states it.

    articles: figure -> its article, which intervals resample; by default those that the work names.
    """
    return _report(
        report_on(works, phase=phase, articles=articles_of(works) if articles is None else articles), of
    )


def _is_present(annotation: Submitted, present: Mapping[str, int]) -> bool:
    figure = annotation.figure
    return present.get(figure.id, figure.revision) == figure.revision


def _report(report: Report, of: Naming) -> dict[str, Any]:
    interval = report.intervals.iaa
    return {
        "iaa": report.iaa,
        "reason": _reason(report) or None,
        "interval": None if interval is None else list(interval),
        "interval_unit": report.intervals.unit,
        "pooled": report.pooled,
        "macro": report.macro,
        "annotators": len(report.annotators),
        "annotations": report.counts.annotations,
        "figures": report.counts.figures,
        "figures_shared": report.counts.shared,
        "figures_scored": report.counts.scored,
        "seeded": report.seeded.annotations,
        "pairs": _pairs(report, of),
    }


def _reason(report: Report) -> str:
    """Explain why there is no IAA, without names of annotators."""
    return report.reason if len(report.annotators) != 1 else "one annotator only; agreement needs two"


def _pairs(report: Report, of: Naming) -> Sequence[dict[str, Any]]:
    pairs = [
        {"gold": of(each.gold), "predicted": of(each.predicted), "score": each.score, "counted": each.counted}
        for each in report.pairs
    ]
    return sorted(pairs, key=lambda pair: (str(pair["gold"]), str(pair["predicted"])))
