"""A report as LaTeX files for a paper: tables, a Methods paragraph, references, and a document to try them in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from agreement.report.explanations import chance_explained
from agreement.report.latex.figures import FIGURES
from agreement.report.markup import UNDEFINED, MarkupTable, escaped, markup_table, score, whole
from agreement.report.methods import methods, references
from agreement.report.sections import judgements
from agreement.report.sections.listings import Listing, listings
from agreement.report.summary import MOST_LISTED, Report

_TABLES = (
    *("agreement", "pairs", "annotators", "consistency", "habits", "losses", "sweep", "chance", "reliability"),
    "attention",
)
#: The tables of a paper; all others are in the appendix.
_IN_PAPER = ("agreement", "pairs")
#: Files of `report_latex`.
FILES = (
    *(f"{name}.tex" for name in _TABLES),
    *("methods.tex", "explanation.tex", "references.bib", "main.tex", "appendix.tex"),
)
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
    tables = {listing.key: _listed(listing) for listing in listings(report) if listing.caption}
    tables["chance"] = _chance(report)
    paper = [f"{name}.tex" for name in _IN_PAPER]
    more = [f"{name}.tex" for name in _TABLES if name not in _IN_PAPER]
    return {
        **{f"{name}.tex": tables[name].latex() for name in _TABLES},
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


def _listed(listing: Listing[Any]) -> MarkupTable:
    return markup_table(
        listing.key,
        listing.caption,
        listing.table,
        listing.rows if listing.shown else (),
        [listing.note] if listing.note else [],
        stated=listing.stated,
    )
