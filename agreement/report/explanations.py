"""Sentences on statistics that part, though they seem to measure the same: F1, kappa, AC1 and alpha."""

from __future__ import annotations

from pathlib import Path

from agreement.report.numbers import percent, rounded
from agreement.report.summary import Report
from agreement.report.templating import plain_templates


def chance_explained(report: Report) -> list[str]:
    """Return why statistics beyond chance part from the IAA (an F1) or from each other; empty if none do."""
    templates = plain_templates(Path(__file__).parent / "templates", percent=percent, rounded=rounded)
    return templates.get_template("explanation.jinja").render(report=report).splitlines()
