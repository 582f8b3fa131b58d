"""A report as LaTeX files for a paper: tables, a Methods paragraph, references, and a document to try them in."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.chance.annotator_habits import Estimate
from agreement.report.latex.figures import FIGURES
from agreement.report.markup import Table, escaped, interval, score, share, whole
from agreement.report.methods import methods, references
from agreement.report.summary import Report
from agreement.report.tables import reliability_rows
from agreement.score.detection import IOU_THRESHOLDS

#: Files of `report_latex`.
FILES = (
    "agreement.tex",
    "pairs.tex",
    "annotators.tex",
    "consistency.tex",
    "habits.tex",
    "losses.tex",
    "sweep.tex",
    "chance.tex",
    "reliability.tex",
    "methods.tex",
    "references.bib",
    "main.tex",
)
_THRESHOLDS = (0.5, 0.75, 0.9)
_DOCUMENT = r"""% To compile: pdflatex main, bibtex main, pdflatex main twice; lualatex for names in other scripts.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
\section*{Agreement between annotators}
\input{methods}
\input{agreement}
\input{pairs}
\input{annotators}
\input{consistency}
\input{habits}
\input{losses}
\input{sweep}
\input{chance}
\input{reliability}
%(figures)s
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""
#: A figure that is there only where matplotlib was installed.
_FIGURE = r"""\IfFileExists{%(name)s}{\begin{figure}
\centering\includegraphics{%(name)s}
\caption{%(caption)s}
\end{figure}}{}"""


def report_latex(report: Report) -> dict[str, str]:
    """Return file name -> content of all `FILES`. Scores have three decimals; tables need the package booktabs."""
    return {
        "agreement.tex": _headline(report).latex(),
        "pairs.tex": _pairs(report).latex(),
        "annotators.tex": _annotators(report).latex(),
        "consistency.tex": _consistency(report).latex(),
        "habits.tex": _habits(report).latex(),
        "losses.tex": _losses(report).latex(),
        "sweep.tex": _sweep(report).latex(),
        "chance.tex": _chance(report).latex(),
        "reliability.tex": _reliability(report).latex(),
        "methods.tex": methods(report),
        "references.bib": references(),
        "main.tex": _DOCUMENT.replace("%(figures)s", "\n".join(_figures())),
    }


def _figures() -> Iterator[str]:
    for name, caption in FIGURES.items():
        yield _FIGURE % {"name": name, "caption": escaped(caption)}


def _headline(report: Report) -> Table:
    found = report.intervals.iaa
    panels = report.panels
    reasons = {
        "IAA": report.reason,
        "95 % CI": report.intervals.reason,
        "Alpha on panels": panels.detection_reason,
        "Alpha on labels": panels.label_reason,
        "Localisation": panels.localisation_reason,
        "Alpha on tokens": report.tokens.reason,
    }
    return Table(
        "agreement",
        "Agreement between annotators. Alpha is Krippendorff's.",
        (("Measure", "l"), ("Value", "r"), ("95 % CI", "r")),
        [(escaped(name), value, ends) for name, value, ends in _measures(report, interval(found))],
        [f"{name}: {why}." for name, why in reasons.items() if why],
    )


def _measures(report: Report, ends: str) -> Iterator[tuple[str, str, str]]:
    boxes, panels, tokens = report.boxes, report.panels, report.tokens
    yield "IAA (mean over ordered pairs)", score(report.iaa), ends
    yield "Pooled (over gold subfigures)", score(report.pooled), ""
    yield "Per figure (mean of the figures' own scores)", score(report.macro), ""
    for threshold in _THRESHOLDS:
        yield f"Box F1 at IoU {threshold:.2f}", score(boxes.f1(threshold)), ""
    yield "Box F1, mean over IoU 0.50 to 0.95", score(boxes.mean_f1()), ""
    yield "Mean IoU of matched boxes", score(boxes.mean_iou()), ""
    yield "Alpha on panels", score(panels.detection), ""
    yield "Alpha on labels (of those who drew the panel)", score(panels.label), ""
    yield "Localisation (on GIoU)", score(panels.localisation), ""
    yield "Alpha on tokens", score(tokens.nominal), ""
    yield "Alpha on tokens, sets by MASI", score(tokens.masi), ""


def _pairs(report: Report) -> Table:
    ranges = report.intervals
    return Table(
        "pairs",
        "Agreement of each ordered pair of annotators.",
        (
            ("Gold", "l"),
            ("Predicted", "l"),
            ("Score", "r"),
            ("95 % CI", "r"),
            ("Counted", "r"),
            ("Figures", "r"),
        ),
        [
            (
                escaped(pair.gold),
                escaped(pair.predicted),
                score(pair.score),
                interval(ends),
                whole(pair.counted),
                whole(len(pair.figures)),
            )
            for pair, ends in zip(report.pairs, ranges.pairs, strict=True)
        ],
        [f"{pair.gold}, {pair.predicted}: {pair.reason}." for pair in report.pairs if pair.reason],
    )


def _annotators(report: Report) -> Table:
    people = report.annotators
    reasons = {
        why for each in people for why in (each.as_gold_reason, each.as_predicted_reason, each.without_reason)
    }
    return Table(
        "annotators",
        "Annotators: mean score as gold and as predicted, and IAA of the others.",
        (
            *(("Annotator", "l"), ("Figures", "r"), ("Accepted", "r"), ("Subfigures", "r")),
            *(("As gold", "r"), ("As predicted", "r"), ("IAA without", "r")),
        ),
        [
            (
                *(escaped(each.name), whole(each.figures), whole(each.accepted), whole(each.subfigures)),
                *(score(each.as_gold), score(each.as_predicted), score(each.without)),
            )
            for each in people
        ],
        [f"--: {why}." for why in sorted(filter(None, reasons))],
    )


def _consistency(report: Report) -> Table:
    people = report.annotators
    reasons = {why for each in people for why in (each.spread_reason, each.alpha_without_reason)}
    return Table(
        "consistency",
        "Consistency: spread (standard deviation) of the figures' scores, and alpha on panels of the others.",
        (("Annotator", "l"), ("Spread", "r"), ("Alpha on panels without", "r")),
        [(escaped(each.name), score(each.spread), score(each.alpha_without)) for each in people],
        [f"--: {why}." for why in sorted(filter(None, reasons))],
    )


def _sweep(report: Report) -> Table:
    """Return the IAA and the boxes at every threshold, or why there is no IAA."""
    boxes = report.boxes
    return Table(
        "sweep",
        "IAA, and F1 of boxes matched one to one, at other IoU thresholds.",
        (("IoU", "r"), ("IAA", "r"), ("Box F1", "r")),
        [
            (
                *(f"{point.min_iou:.2f}", score(point.score)),
                score(boxes.f1(point.min_iou)) if point.min_iou in IOU_THRESHOLDS else "",
            )
            for point in report.sweep
        ],
        [] if report.sweep else [f"No other threshold: {report.sweep_reason}."],
    )


def _habits(report: Report) -> Table:
    estimates = [(each, (each.missed, each.extra, each.size)) for each in report.habits]
    reasons = {found.reason for _, own in estimates for found in own if found.reason}
    return Table(
        "habits",
        "Habits by a model of what others drew: panels missed, boxes that are no panel, and box size against the "
        "mean of all (95 % CI).",
        (("Annotator", "l"), ("Missed panels", "r"), ("Extra boxes", "r"), ("Box size", "r")),
        [
            (escaped(each.annotator), *(_estimate(found, sign=found is each.size) for found in own))
            for each, own in estimates
        ],
        [f"--: {why}." for why in sorted(reasons)],
    )


def _estimate(found: Estimate, *, sign: bool) -> str:
    value = score(found.value, sign=sign)
    return value if found.interval is None else f"{value} ({interval(found.interval, sign=sign)})"


def _chance(report: Report) -> Table:
    """Return the agreement beyond chance on categorical judgements, of all annotators and of each two."""
    reasons = {each.reason for each in report.categories} | {each.reason for each in report.statuses}
    return Table(
        "chance",
        "Agreement beyond chance on judgements of figures: share of equal judgements, kappa (Fleiss' of all "
        "annotators, Cohen's of two), Gwet's AC1, and Krippendorff's alpha.",
        (("Judgement", "l"), ("Observed", "r"), ("Kappa", "r"), ("AC1", "r"), ("Alpha", "r"), ("Units", "r")),
        [
            *(
                (
                    *(escaped(each.name.capitalize()), score(each.observed), score(each.fleiss), score(each.ac1)),
                    *(score(each.alpha), whole(each.units)),
                )
                for each in report.categories
            ),
            *(
                (
                    escaped(f"Accept or reject: {each.annotators[0]} and {each.annotators[1]}"),
                    *(score(each.observed), score(each.kappa), "", "", whole(each.figures)),
                )
                for each in report.statuses
            ),
        ],
        [f"--: {why}." for why in sorted(filter(None, reasons))],
    )


def _reliability(report: Report) -> Table:
    """Return how often each is right in categorical judgements."""
    rows = list(reliability_rows(report))
    reasons = {each.reason for _, _, each in rows if each.reason}
    return Table(
        "reliability",
        "How often each annotator's judgement is right, by Dawid and Skene's model.",
        (("Judgement", "l"), ("Annotator", "l"), ("Accuracy", "r"), ("Units", "r")),
        [
            (
                escaped(f"{name.capitalize()}, {kind}" if kind else name.capitalize()),
                *(escaped(each.annotator), score(each.accuracy), whole(each.units)),
            )
            for name, kind, each in rows
        ],
        [f"--: {why}." for why in sorted(reasons)],
    )


def _losses(report: Report) -> Table:
    losses = sorted((report.losses or {}).items(), key=lambda each: -each[1])
    lost = sum(value for _, value in losses)
    return Table(
        "losses",
        "Causes of disagreement: how much of the score each costs.",
        (("Cause", "l"), ("Lost", "r"), ("Share", "r")),
        [
            (escaped(cause.display.capitalize()), score(value), share(value / lost))
            for cause, value in losses
            if value
        ],
        [] if lost else ["Nothing is lost." if report.losses is not None else "IAA is undefined."],
    )
