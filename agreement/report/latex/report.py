"""A report as LaTeX files for a paper: tables, a Methods paragraph, references, and a document to try them in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agreement.report.explanations import chance_explained
from agreement.report.latex.figures import FIGURES
from agreement.report.markup import UNDEFINED, MarkupTable, escaped, markup_table, score, share, whole
from agreement.report.methods import methods, references
from agreement.report.numbers import equal_runs
from agreement.report.sections import course, headline, judgements, people
from agreement.report.summary import ATTENTION_NOTE, MOST_LISTED, Report
from agreement.score.detection import IOU_THRESHOLDS

#: The tables of a paper; all others are in the appendix.
_IN_PAPER = ("agreement", "pairs")
_DOCUMENT = r"""%% To compile: pdflatex %(name)s%(references)s; lualatex for names in other scripts.
\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
\section*{%(title)s}
%(body)s
\end{document}
"""
#: The figure that a paper prints beside them.
_PAPER_FIGURES = ("figure-pairs.pdf",)
#: A figure that is there only where matplotlib was installed.
_FIGURE = r"""\IfFileExists{%(name)s}{\begin{figure}
\centering\includegraphics{%(name)s}
\caption{%(caption)s}
\end{figure}}{}"""


def report_latex(report: Report) -> dict[str, str]:
    """Return file name -> content of all `FILES`. Scores have three decimals; tables need the package booktabs.

    main.tex has what a paper prints, appendix.tex everything else; each compiles alone.
    """
    paper = [f"{name}.tex" for name in _IN_PAPER]
    more = [name for name in _TABLES if name not in paper]
    return {
        **{name: table(report).latex() for name, table in _TABLES.items()},
        "methods.tex": methods(report),
        "explanation.tex": "\n".join([escaped(line) for line in chance_explained(report)] or ["% None."]) + "\n",
        "references.bib": references(),
        "main.tex": _document("main", "Agreement between annotators", ["methods.tex", *paper], _PAPER_FIGURES),
        "appendix.tex": _document(
            "appendix",
            "Agreement between annotators: appendix",
            ["explanation.tex", *more],
            [name for name in FIGURES if name not in _PAPER_FIGURES],
        ),
    }


def _document(name: str, title: str, files: Sequence[str], figures: Iterable[str]) -> str:
    cites = "methods.tex" in files
    body = [rf"\input{{{file.removesuffix('.tex')}}}" for file in files]
    body += [_FIGURE % {"name": figure, "caption": escaped(FIGURES[figure])} for figure in figures]
    body += [r"\bibliographystyle{plain}", r"\bibliography{references}"] if cites else []
    again = f", bibtex {name}, pdflatex {name} twice" if cites else ""
    return _DOCUMENT % {"name": name, "title": title, "body": "\n".join(body), "references": again}


def _heads(left: str, right: str) -> list[tuple[str, str]]:
    """Return columns by their names, each followed by a semicolon but the last: texts first, then numbers."""
    return [
        (name.strip(), side) for names, side in ((left, "l"), (right, "r")) for name in names.split(";") if name
    ]


def _headline(report: Report) -> MarkupTable:
    seen, corrected = report.acquainted, report.corrected
    rows = [
        *headline.measures(headline.MEANS, report),
        *headline.measures(headline.BOXES, report.boxes),
        *headline.measures(headline.PANELS, report.panels),
        *headline.measures(headline.TOKENS, report.tokens),
        *(() if seen is None else headline.measures(course.ACQUAINTED, seen)),
        *(headline.measures(course.CORRECTED, corrected) if corrected and corrected.annotations else ()),
    ]
    caption = "Agreement between annotators. Alpha is Krippendorff's."
    return markup_table("agreement", caption, headline.MEASURES, rows)


def _pairs(report: Report) -> MarkupTable:
    many = f"{len(report.pairs)} ordered pairs, too many to list: see the CSV or JSON of the report."
    return markup_table(
        "pairs",
        "Agreement of each ordered pair of annotators.",
        people.PAIRS,
        people.pair_rows(report) if report.listed else (),
        () if report.listed else (many,),
        stated=f"no interval: {report.intervals.reason}",
    )


def _annotators(report: Report) -> MarkupTable:
    caption = "Annotators: mean score as gold and as predicted, and IAA of the others."
    return markup_table("annotators", caption, people.ANNOTATORS, report.annotators)


def _consistency(report: Report) -> MarkupTable:
    caption = "Consistency: spread (standard deviation) of the figures' scores, and alpha on panels of the others."
    return markup_table("consistency", caption, people.CONSISTENCY, report.annotators)


def _sweep(report: Report) -> MarkupTable:
    """Return the IAA and the boxes at every threshold, or why there is no IAA."""
    values = []
    for point in report.sweep:
        boxes = score(report.boxes.f1(point.min_iou)) if point.min_iou in IOU_THRESHOLDS else ""
        values.append((score(point.score), boxes))
    runs = equal_runs([point.min_iou for point in report.sweep], values)
    rows = [(thresholds, *values[place]) for thresholds, place in runs]
    return MarkupTable(
        "sweep",
        "IAA, and F1 of boxes matched one to one, at other IoU thresholds.",
        _heads("", "IoU; IAA; Box F1"),
        rows,
        [f"No other threshold: {report.sweep_reason}."] if report.sweep_reason else [],
    )


def _habits(report: Report) -> MarkupTable:
    return markup_table(
        "habits",
        "Habits by a model of what others drew: panels missed, boxes that are no panel, and box size against the "
        "mean of all (95 % CI).",
        people.HABITS,
        report.habits,
    )


def _chance(report: Report) -> MarkupTable:
    """Return the agreement beyond chance on categorical judgements, of all annotators and of each two."""
    table = markup_table(
        "chance",
        "Agreement beyond chance on judgements of figures: share of equal judgements, kappa (Fleiss' of all "
        "annotators, Cohen's of two), Gwet's AC1, and Krippendorff's alpha.",
        judgements.CATEGORIES,
        report.categories,
    )
    statuses = report.statuses if len(report.statuses) <= MOST_LISTED else ()
    rows = [
        (
            escaped(f"Accept or reject: {two.annotators[0]} and {two.annotators[1]}"),
            *(score(two.observed), score(two.kappa), "", "", whole(two.units)),
        )
        for two in statuses
    ]
    reasons = {*table.notes, *(f"{UNDEFINED}: {two.reason}." for two in statuses if two.reason)}
    return replace(table, rows=[*table.rows, *rows], notes=sorted(reasons))


def _reliability(report: Report) -> MarkupTable:
    """Return how often each is right in categorical judgements."""
    caption = "How often each annotator's judgement is right, by Dawid and Skene's model."
    return markup_table("reliability", caption, judgements.RELIABILITY, judgements.judges(report))


def _attention(report: Report) -> MarkupTable:
    rows = report.attention if report.attentive else ()
    return markup_table("attention", f"Attention: {ATTENTION_NOTE}.", people.ATTENTION, rows)


def _losses(report: Report) -> MarkupTable:
    losses = sorted((report.losses or {}).items(), key=lambda each: -each[1])
    lost = sum(value for _, value in losses)
    return MarkupTable(
        "losses",
        "Causes of disagreement: how much of the score each costs.",
        _heads("Cause", "Lost; Share"),
        [
            (escaped(cause.display.capitalize()), score(value), share(value / lost))
            for cause, value in losses
            if value
        ],
        [] if lost else ["Nothing is lost." if report.losses is not None else "IAA is undefined."],
    )


_TABLES: dict[str, Callable[[Report], MarkupTable]] = {
    "agreement.tex": _headline,
    "pairs.tex": _pairs,
    "annotators.tex": _annotators,
    "consistency.tex": _consistency,
    "habits.tex": _habits,
    "losses.tex": _losses,
    "sweep.tex": _sweep,
    "chance.tex": _chance,
    "reliability.tex": _reliability,
    "attention.tex": _attention,
}
#: Files of `report_latex`.
FILES = (*_TABLES, "methods.tex", "explanation.tex", "references.bib", "main.tex", "appendix.tex")
