"""The Methods paragraph of a report: what was measured, how, on what, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agreement.report.markup import escaped, interval, score, whole
from agreement.report.summary import Report
from agreement.report.templating import plain_templates
from panelwise.runtime import named

if TYPE_CHECKING:
    from jinja2 import Environment

#: Keys of `references`.
METRIC, SOFTWARE = "subramanian2020medicat", "panelwise"
#: The markup of a paragraph: names are escaped, then code, references and per cent.
Style = Mapping[str, str]
PLAIN: Style = {"code": "%s", "cite_metric": " (Subramanian et al., 2020)", "cite_software": "", "percent": "%"}
LATEX: Style = {
    "code": r"\texttt{%s}",
    "cite_metric": f"~\\cite{{{METRIC}}}",
    "cite_software": f"~\\cite{{{SOFTWARE}}}",
    "percent": r"\,\%",
}


def methods(report: Report, style: Style = LATEX) -> str:
    """Return the paragraph, a sentence or two a line, ending in a newline; in LaTeX it cites `references`."""
    return _render("methods.jinja", style is LATEX, {**style, "report": report})


def references() -> str:
    """Return references.bib: the metric's paper, and this software."""
    return _render("references.jinja", True, {})


def _render(template: str, latex: bool, values: Mapping[str, Any]) -> str:
    return _templates(latex).get_template(template).render(values, version=version("panelwise"))


@lru_cache
def _templates(latex: bool) -> Environment:
    return plain_templates(
        Path(__file__).parent / "templates",
        escaped=escaped if latex else str,
        interval=interval,
        score=score,
        whole=whole,
        named=named,
    )
