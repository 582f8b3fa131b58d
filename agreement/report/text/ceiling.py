"""The human ceiling as text."""

from __future__ import annotations

from collections.abc import Iterable

from agreement.models.ceiling import Ceiling
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, indented, interval_text, score_text


def ceiling_lines(ceiling: Ceiling | None, names: ShortNames) -> Iterable[str]:
    """One line for each model: the people's agreement, its score, and the gap; nothing without people."""
    if ceiling is None:
        return
    how = {"bootstrap": "bootstrap over figures", "linearised": "linearised standard error"}.get(ceiling.method)
    yield ""
    yield f"human ceiling      IAA of {len(ceiling.people)} annotators on the figures that each one below covers"
    yield f"{'predicted':{NAME}} {'people':>8} {'score':>8} {'gap':>9}  {'95% interval':18} {'figures':>8}"
    for each in ceiling.gaps:
        gap = "    -    " if each.gap is None else f"{each.gap:+9.6f}"
        yield (
            f"{names.cell(each.name)} {score_text(each.people)} {score_text(each.score)} {gap}  "
            f"{interval_text(each.interval):18} {each.figures:8}"
        )
        if each.reason:
            yield from indented(each.reason)
    if how is not None:
        yield from indented(f"gap: people minus score; intervals by {how}")
