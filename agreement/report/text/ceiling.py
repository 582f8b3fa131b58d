"""The human ceiling as text."""

from __future__ import annotations

from collections.abc import Iterable

from agreement.models.ceiling import Ceiling
from agreement.report.sections.models import GAPS
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import indented, table_lines


def ceiling_lines(ceiling: Ceiling | None, names: ShortNames) -> Iterable[str]:
    """One line for each model: the people's agreement, its score, and the gap; nothing without people."""
    if ceiling is None:
        return
    how = {"bootstrap": "bootstrap", "linearised": "linearised standard error"}.get(ceiling.method)
    yield ""
    yield f"human ceiling      IAA of {len(ceiling.people)} annotators on the figures that each one below covers"
    yield from table_lines(GAPS, ceiling.gaps, names)
    if how is not None:
        yield from indented(f"gap: people minus score; intervals by {how} over {ceiling.unit}s")
