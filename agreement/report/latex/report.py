"""A report as LaTeX files for a paper: tables, a Methods paragraph, references, and a document to try them in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from agreement.report.explanations import chance_explained
from agreement.report.latex.figures import FIGURES
from agreement.report.markup import MarkupTable, escaped, interval, score, share, whole
from agreement.report.methods import methods, references
from agreement.report.numbers import equal_runs
from agreement.report.sections.judgements import judges
from agreement.report.summary import ATTENTION_NOTE, MOST_LISTED, Report
from agreement.resampling.estimate import Estimate
from agreement.score.detection import IOU_THRESHOLDS

_THRESHOLDS = (0.5, 0.75, 0.9)
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


def _dashes(reasons: Iterable[str]) -> list[str]:
    """Return each reason for a dash once, as notes below a table."""
    return [f"--: {why}." for why in sorted({why for why in reasons if why})]


def _headline(report: Report) -> MarkupTable:
    panels = report.panels
    reasons = {
        "IAA": report.reason,
        "95 % CI": report.intervals.reason,
        "Alpha on panels": panels.detection_reason,
        "Alpha on labels": panels.label_reason,
        "Localisation": panels.localisation_reason,
        "Alpha on tokens": report.tokens.reason,
    }
    return MarkupTable(
        "agreement",
        "Agreement between annotators. Alpha is Krippendorff's.",
        _heads("Measure", "Value; 95 % CI"),
        [(escaped(name), value, ends) for name, value, ends in _measures(report, interval(report.intervals.iaa))],
        [f"{name}: {why}." for name, why in reasons.items() if why],
    )


def _measures(report: Report, ends: str) -> Iterator[tuple[str, str, str]]:
    boxes, panels, tokens = report.boxes, report.panels, report.tokens
    yield "IAA (mean over ordered pairs)", score(report.iaa), ends
    for name, value in (
        ("Pooled (over gold subfigures)", report.pooled),
        ("Per figure (mean of the figures' own scores)", report.macro),
        *((f"Box F1 at IoU {threshold:.2f}", boxes.f1(threshold)) for threshold in _THRESHOLDS),
        ("Box F1, mean over IoU 0.50 to 0.95", boxes.mean_f1()),
        ("Mean IoU of matched boxes", boxes.mean_iou()),
        ("Alpha on panels", panels.detection),
        ("Alpha on labels (of those who drew the panel)", panels.label),
        ("Localisation (on GIoU)", panels.localisation),
        ("Alpha on tokens", tokens.nominal),
        ("Alpha on tokens, sets by MASI", tokens.masi),
    ):
        yield name, score(value), ""
    if (seen := report.acquainted) is not None:
        yield "IAA where an annotator knew the figure", score(seen.before.iaa), ""
        yield "IAA elsewhere", score(seen.new.iaa), interval(seen.new.interval)
    if report.corrected is not None and report.corrected.annotations:
        yield "IAA with work corrected later", score(report.corrected.iaa), ""


def _pairs(report: Report) -> MarkupTable:
    rows = []
    pairs = report.pairs if report.listed else ()
    notes = [f"{pair.gold}, {pair.predicted}: {pair.reason}." for pair in pairs if pair.reason]
    if not report.listed:
        notes.append(f"{len(report.pairs)} ordered pairs, too many to list: see the CSV or JSON of the report.")
    for pair, ends in zip(pairs, report.intervals.pairs, strict=report.listed):
        numbers = score(pair.score), interval(ends), whole(pair.counted), whole(len(pair.figures))
        rows.append((escaped(pair.gold), escaped(pair.predicted), *numbers))
    return MarkupTable(
        "pairs",
        "Agreement of each ordered pair of annotators.",
        _heads("Gold; Predicted", "Score; 95 % CI; Counted; Figures"),
        rows,
        notes,
    )


def _annotators(report: Report) -> MarkupTable:
    rows, reasons = [], []
    for each in report.annotators:
        counts = map(whole, (each.figures, each.accepted, each.subfigures))
        rows.append((escaped(each.name), *counts, *map(score, (each.as_gold, each.as_predicted, each.without))))
        reasons += [each.as_gold_reason, each.as_predicted_reason, each.without_reason]
    return MarkupTable(
        "annotators",
        "Annotators: mean score as gold and as predicted, and IAA of the others.",
        _heads("Annotator", "Figures; Accepted; Subfigures; As gold; As predicted; IAA without"),
        rows,
        _dashes(reasons),
    )


def _consistency(report: Report) -> MarkupTable:
    people = report.annotators
    return MarkupTable(
        "consistency",
        "Consistency: spread (standard deviation) of the figures' scores, and alpha on panels of the others.",
        _heads("Annotator", "Spread; Alpha on panels without"),
        [(escaped(each.name), score(each.spread), score(each.alpha_without)) for each in people],
        _dashes(why for each in people for why in (each.spread_reason, each.alpha_without_reason)),
    )


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
    estimates = [(each, (each.missed, each.extra, each.size)) for each in report.habits]
    return MarkupTable(
        "habits",
        "Habits by a model of what others drew: panels missed, boxes that are no panel, and box size against the "
        "mean of all (95 % CI).",
        _heads("Annotator", "Missed panels; Extra boxes; Box size"),
        [
            (escaped(each.annotator), *(_estimate(found, sign=found is each.size) for found in own))
            for each, own in estimates
        ],
        _dashes(found.reason for _, own in estimates for found in own),
    )


def _estimate(found: Estimate, *, sign: bool) -> str:
    value = score(found.value, sign=sign)
    return value if found.interval is None else f"{value} ({interval(found.interval, sign=sign)})"


def _chance(report: Report) -> MarkupTable:
    """Return the agreement beyond chance on categorical judgements, of all annotators and of each two."""
    rows = []
    for all_of_them in report.categories:
        values = (all_of_them.observed, all_of_them.fleiss, all_of_them.ac1, all_of_them.alpha)
        rows.append((escaped(all_of_them.name.capitalize()), *map(score, values), whole(all_of_them.units)))
    statuses = report.statuses if len(report.statuses) <= MOST_LISTED else ()
    for two in statuses:
        name = escaped(f"Accept or reject: {two.annotators[0]} and {two.annotators[1]}")
        rows.append((name, score(two.observed), score(two.kappa), "", "", whole(two.units)))
    return MarkupTable(
        "chance",
        "Agreement beyond chance on judgements of figures: share of equal judgements, kappa (Fleiss' of all "
        "annotators, Cohen's of two), Gwet's AC1, and Krippendorff's alpha.",
        _heads("Judgement", "Observed; Kappa; AC1; Alpha; Units"),
        rows,
        _dashes([*(each.reason for each in report.categories), *(each.reason for each in statuses)]),
    )


def _reliability(report: Report) -> MarkupTable:
    """Return how often each is right in categorical judgements."""
    rows = list(judges(report))
    return MarkupTable(
        "reliability",
        "How often each annotator's judgement is right, by Dawid and Skene's model.",
        _heads("Judgement; Annotator", "Accuracy; Units"),
        [
            (
                escaped(row.words[0].upper() + row.words[1:]),
                *(escaped(row.own.annotator), score(row.own.accuracy), whole(row.own.units)),
            )
            for row in rows
        ],
        _dashes(row.own.reason for row in rows),
    )


def _attention(report: Report) -> MarkupTable:
    people = report.attention if report.attentive else ()
    shares = [(each, (each.unchanged, each.unseen, each.fast)) for each in people]
    return MarkupTable(
        "attention",
        f"Attention: {ATTENTION_NOTE}.",
        _heads("Annotator", "Unchanged; Never looked at; Fast; Figures"),
        [(escaped(each.annotator), *map(score, own), whole(each.figures)) for each, own in shares],
        _dashes(why for each in people for why in (each.unchanged_reason, each.unseen_reason, each.fast_reason)),
    )


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
