"""A report as LaTeX files for a paper: tables, a Methods paragraph, references, and a document to try them in."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.chance.annotator_habits import Estimate
from agreement.report.latex.figures import FIGURES
from agreement.report.markup import Table, escaped, interval, score, whole
from agreement.report.methods import methods, references
from agreement.report.summary import Report

#: Files of `report_latex`.
FILES = (
    "agreement.tex",
    "pairs.tex",
    "annotators.tex",
    "habits.tex",
    "losses.tex",
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
\input{habits}
\input{losses}
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
        "habits.tex": _habits(report).latex(),
        "losses.tex": _losses(report).latex(),
        "methods.tex": methods(report),
        "references.bib": references(),
        "main.tex": _DOCUMENT.replace("%(figures)s", "\n".join(_figures())),
    }


def _figures() -> Iterator[str]:
    for name, caption in FIGURES.items():
        yield _FIGURE % {"name": name, "caption": escaped(caption)}


def _headline(report: Report) -> Table:
    found = report.intervals.iaa
    reasons = {"IAA": report.reason, "95 % CI": report.intervals.reason, "Alpha": report.tokens.reason}
    return Table(
        "agreement",
        "Agreement between annotators.",
        (("Measure", "l"), ("Value", "r"), ("95 % CI", "r")),
        [(escaped(name), value, ends) for name, value, ends in _measures(report, interval(found))],
        [f"{name}: {why}." for name, why in reasons.items() if why],
    )


def _measures(report: Report, ends: str) -> Iterator[tuple[str, str, str]]:
    boxes, panels, tokens = report.boxes, report.panels, report.tokens
    yield "IAA (mean over ordered pairs)", score(report.iaa), ends
    yield "Pooled over gold subfigures", score(report.pooled), ""
    yield "Mean over figures", score(report.macro), ""
    for threshold in _THRESHOLDS:
        yield f"Box F1 at IoU {threshold:.2f}", score(boxes.f1(threshold)), ""
    yield "Box F1, mean over IoU 0.50 to 0.95", score(boxes.mean_f1()), ""
    yield "Mean IoU of matched boxes", score(boxes.mean_iou()), ""
    yield "Krippendorff's alpha on panels", score(panels.detection), ""
    yield "Krippendorff's alpha on labels of matched panels", score(panels.label), ""
    yield "Localisation on GIoU", score(panels.localisation), ""
    yield "Krippendorff's alpha on tokens", score(tokens.nominal), ""
    yield "Krippendorff's alpha on tokens, sets by MASI", score(tokens.masi), ""


def _pairs(report: Report) -> Table:
    ranges = report.intervals
    return Table(
        "pairs",
        "Agreement of each ordered pair of annotators.",
        (
            ("Gold", "l"),
            ("Compared", "l"),
            ("Score", "r"),
            ("95 % CI", "r"),
            ("Subfigures", "r"),
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
        "Annotators: mean score as gold and compared, spread (standard deviation) of the figures' scores, IAA of "
        "the others.",
        (
            *(("Annotator", "l"), ("Figures", "r"), ("Accepted", "r"), ("Subfigures", "r")),
            *(("As gold", "r"), ("Compared", "r"), ("Spread", "r"), ("IAA without", "r")),
        ),
        [
            (
                *(escaped(each.name), whole(each.figures), whole(each.accepted), whole(each.subfigures)),
                *(score(each.as_gold), score(each.as_predicted), score(each.spread), score(each.without)),
            )
            for each in people
        ],
        [f"--: {why}." for why in sorted(filter(None, reasons))],
    )


def _habits(report: Report) -> Table:
    estimates = [(each, (each.missed, each.extra, each.size)) for each in report.habits]
    reasons = {found.reason for _, own in estimates for found in own if found.reason}
    return Table(
        "habits",
        "Annotators by a model of what others drew: panels missed, boxes that are no panel, and box size against "
        "the mean of all (95 % CI).",
        (("Annotator", "l"), ("Missed", "r"), ("Extra", "r"), ("Size", "r")),
        [(escaped(each.annotator), *(_estimate(found) for found in own)) for each, own in estimates],
        [f"--: {why}." for why in sorted(reasons)],
    )


def _estimate(found: Estimate) -> str:
    return score(found.value) if found.interval is None else f"{score(found.value)} ({interval(found.interval)})"


def _losses(report: Report) -> Table:
    losses = sorted((report.losses or {}).items(), key=lambda each: -each[1])
    lost = sum(value for _, value in losses)
    return Table(
        "losses",
        "Causes of disagreement: how much of the score each costs.",
        (("Cause", "l"), ("Lost", "r"), ("Share", "r")),
        [
            (escaped(cause.display.capitalize()), score(value), f"{value / lost:.0%}".replace("%", "\\,\\%"))
            for cause, value in losses
            if value
        ],
        [] if lost else ["Nothing is lost." if report.losses is not None else "IAA is undefined."],
    )
