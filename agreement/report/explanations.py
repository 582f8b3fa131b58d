"""Sentences on statistics that part, though they seem to measure the same: F1, kappa, AC1 and alpha."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from agreement.report.numbers import percent, rounded
from agreement.report.summary import Report
from agreement.report.templating import plain_templates

if TYPE_CHECKING:
    from jinja2 import Environment


def chance_explained(report: Report) -> list[str]:
    """Return why statistics beyond chance part from the IAA (an F1) or from each other; empty if none do."""
    return _templates().get_template("explanation.jinja").render(report=report).splitlines()


@lru_cache
def _templates() -> Environment:
    return plain_templates(Path(__file__).parent / "templates", percent=percent, rounded=rounded)
