"""Checks on figure types, compound flag and count."""

from __future__ import annotations

from collections.abc import Iterator

from annotator.checks.rules import catalogue as checks
from panelwise.domain import FIGURE_TYPES, TYPES, Annotation, Decision, FigureKind, Finding, Phase, type_name
from panelwise.runtime import counted


def figure_type_findings(work: Annotation | Decision, phase: Phase) -> Iterator[Finding]:
    """Yield findings in a figure's type and number of subfigures."""
    kind = work.items.kind
    required = phase.kind is TYPES
    if kind is None:
        if required:
            yield checks.KIND_MISSING.found("neither types nor number of subfigures are given; fill them in")
        return
    if required:
        yield from _missing(kind)
    if not kind.types:
        yield checks.TYPE_MISSING.found("the figure has no type; tick the types of its subfigures")
    if not phase.fine_types:
        for name in sorted(kind.types):
            if type_name(name) not in FIGURE_TYPES:
                yield checks.TYPE_UNKNOWN.found(
                    f'"{name}" is none of the guidelines\' types; choose one, or leave it if none fits'
                )
    yield from _count(kind)


def _missing(kind: FigureKind) -> Iterator[Finding]:
    if kind.compound is None:
        yield checks.KIND_MISSING.found("compound or not is missing; choose one")
    if kind.count is None:
        yield checks.KIND_MISSING.found("the number of subfigures is missing; enter it")


def _count(kind: FigureKind) -> Iterator[Finding]:
    if kind.count is None:
        return
    subfigures = counted(kind.count, "subfigure")
    if kind.compound is True and kind.count < 2:
        yield checks.COUNT_NOT_COMPOUND.found(
            f"the figure is compound and has {subfigures}; count again, or choose non-compound"
        )
    elif kind.compound is False and kind.count != 1:
        yield checks.COUNT_NOT_COMPOUND.found(
            f"the figure is not compound and has {subfigures}; count again, or choose compound"
        )
    elif len(kind.types) > max(kind.count, 1):
        yield checks.TYPES_NOT_COMPOUND.found(
            f"the figure has {len(kind.types)} types and {subfigures}; give each subfigure one type"
        )
