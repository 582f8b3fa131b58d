"""Annotators' agreement at the time of a release."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement import full_report
from agreement.columns import Submitted
from agreement.pairs import articles_of
from agreement.primitives import DEFAULTS
from agreement.questions import ItemReport, item_report
from agreement.report import ACQUAINTED, CORRECTED, Course, Report, report_on
from annotator.campaign.pseudonyms import Naming
from annotator.consensus.adjudicated_pairs import adjudicated_edits_in
from annotator.consensus.independent import Independence, independent_work
from annotator.consensus.one_revision import on_one_revision
from annotator.consensus.outdated import present_revisions
from annotator.gold.manifest import Agreement, AgreementRecord, ItemsAgreement, PhaseAgreement, PhaseItems
from annotator.store.rows.records import Revisions
from annotator.store.store import Transaction
from panelwise.domain import Annotation, Campaign, QAItem

#: Which work a value is of: before others' work or a hint reached the annotator, or with later corrections.
INDEPENDENT, LATEST = "independent", "latest"


def agreement_record(
    tx: Transaction, campaign: Campaign, phases: Iterable[str], released: Collection[str], of: Naming
) -> AgreementRecord:
    """Return the settings of the metric, and the agreement of each phase with subfigures; `items`: of the others.

    Each phase has three values: over all figures of the campaign, as in `agreement report` (including figures with
    outdated work only), of first, independent work; over the `released` figure ids only, of such work; and over
    these, of the latest work, as in their annotations.jsonl. Over released figures they are usually higher:
    figures that could not be adjudicated are missing, and the latest work may have been corrected after others'
    work was seen.
    """
    phases = list(phases)
    asked = [phase for phase in phases if campaign.phase(phase).kind.drawn]
    on_items = [phase for phase in phases if phase not in asked]
    work = _Work.of(tx, campaign) if phases else None
    edits = adjudicated_edits_in(tx, campaign) if on_items else {}
    gold = {(figure, name): pair for figure, own in edits.items() for name, pair in own.items()}
    return {
        "mode": DEFAULTS.mode.value,
        "common": DEFAULTS.common_used.value,
        "min_iou": DEFAULTS.min_iou,
        "bootstrap": DEFAULTS.resamples,
        "seed": DEFAULTS.seed,
        "phases": [] if work is None else [_phase(work, phase, released, of) for phase in asked],
        "items": [] if work is None else [_items_phase(work, phase, released, gold) for phase in on_items],
    }


@dataclass(frozen=True, slots=True)
class _Work:
    """All work of a campaign: the latest, and the first, independent one, with what is known of it."""

    latest: list[Annotation]
    first: list[Annotation]
    independence: Independence
    present: Mapping[str, int]

    @classmethod
    def of(cls, tx: Transaction, campaign: Campaign) -> _Work:
        latest, found = list(tx.annotations.all(revisions=Revisions.ALL)), Independence()
        first = list(independent_work(tx, latest, found))
        latest, first = (
            [each for each in work if len(each.subfigures) <= campaign.max_boxes] for work in (latest, first)
        )
        return cls(latest, first, found, present_revisions(tx))


def _phase(work: _Work, phase: str, released: Collection[str], of: Naming) -> PhaseAgreement:
    own, others = ([each for each in work.first if (each.phase == phase) == same] for same in (True, False))
    measured = on_one_revision(own, work.present)
    report = full_report(
        [*measured, *on_one_revision(others, work.present)],
        phase=phase,
        course=Course(by=None),
        articles=articles_of(measured),
        history=work.independence.history(phase),
    )
    latest = on_one_revision([each for each in work.latest if each.phase == phase], work.present)

    def over_released(works: Iterable[Submitted], name: str) -> Agreement:
        kept = _on_released(works, released, work)
        return {**agreement_of(kept, phase, of), "work": name}

    whole: Agreement = {**_report(report, of), "work": INDEPENDENT, "corrected": None, "acquainted": None}
    if (corrected := report.corrected) is not None:
        if len(report.annotators) == 1:
            corrected = replace(corrected, reason=_reason(report))
        whole["corrected"] = CORRECTED.record(corrected)
    if report.acquainted is not None:
        record = whole["acquainted"] = ACQUAINTED.record(report.acquainted)
        people = [{**each, "annotator": of(each["annotator"])} for each in record["annotators"]]
        record["annotators"] = sorted(people, key=lambda each: str(each["annotator"]))
    return {
        "phase": phase,
        "campaign": whole,
        "released_independent": over_released(measured, INDEPENDENT),
        "released": over_released(latest, LATEST),
    }


def _items_phase(
    work: _Work, phase: str, released: Collection[str], gold: Mapping[tuple[str, str], QAItem]
) -> PhaseItems:
    """Return the agreement on items: independent work on all figures, and the latest on released ones."""
    first, latest = (
        on_one_revision([each for each in works if each.phase == phase], work.present)
        for works in (work.first, work.latest)
    )
    kept = _on_released(latest, released, work)
    return {"phase": phase, "campaign": _items_agreement(first, gold), "released": _items_agreement(kept, gold)}


def agreement_of(
    works: Sequence[Submitted], phase: str, of: Naming, articles: Mapping[str, str] | None = None
) -> Agreement:
    """Return the agreement of one phase's annotations as a release states it.

    articles: figure -> its article, which intervals resample; by default those that the work names.
    """
    return _report(
        report_on(works, phase=phase, articles=articles_of(works) if articles is None else articles), of
    )


def _on_released(works: Iterable[Submitted], released: Collection[str], work: _Work) -> list[Submitted]:
    """Return the work on the present revisions of released figures."""
    figures = ((each, each.figure) for each in works if each.figure.id in released)
    return [each for each, figure in figures if work.present.get(figure.id, figure.revision) == figure.revision]


def _report(report: Report, of: Naming) -> Agreement:
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
        "partly_read": report.counts.partly_read,
        "pairs": _pairs(report, of),
    }


def _reason(report: Report) -> str:
    """Explain why there is no IAA, without names of annotators."""
    return report.reason if len(report.annotators) != 1 else "one annotator only; agreement needs two"


def _pairs(report: Report, of: Naming) -> list[dict[str, Any]]:
    pairs = [
        {"gold": of(each.gold), "predicted": of(each.predicted), "score": each.score, "counted": each.counted}
        for each in report.pairs
    ]
    return sorted(pairs, key=lambda pair: (str(pair["gold"]), str(pair["predicted"])))


def _items_agreement(works: Iterable[Submitted], gold: Mapping[tuple[str, str], QAItem]) -> ItemsAgreement:
    """Return the agreement of one phase's work on items: `judgements`, and `answers` compared to the gold.

    works: at most one per annotator and figure. gold: (figure, pair's id) -> the gold's pair where it changed one.
    A judgement's `units` are the figures or pairs that two or more judged; its values are None if undefined.
    """
    rows = [each for each in works if isinstance(each, Annotation)]
    came = {(each.figure.id, pair.id): pair for each in rows for pair in each.figure.imported.pairs}
    report = item_report(rows, came, {**came, **gold})
    return {"judgements": [], "answers": []} if report is None else _items_record(report)


def _items_record(report: ItemReport) -> ItemsAgreement:
    scores = [report.compound, report.types, *(score for kind, score in report.verdicts if kind is None)]
    judgements = [
        {"name": score.name, "units": score.all.units, "observed": score.all.observed, "alpha": score.all.alpha}
        for score in scores
        if score is not None
    ]
    count = report.count
    if count is not None:
        judgements.append(
            {"name": "number of subfigures", "units": count.units, "observed": count.same, "alpha": None}
        )
    answers = report.answers.scores if report.answers is not None else ()
    return {
        "judgements": judgements,
        "answers": [
            {"answers": each.answers, "equal": each.equal, "rouge_l": each.rouge_l}
            for each in answers
            if each.annotator is None and each.kind is None
        ],
    }
