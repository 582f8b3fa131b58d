"""Sentences on statistics that part, though they seem to measure the same: F1, kappa, AC1 and alpha."""

from __future__ import annotations

from collections.abc import Iterator

from agreement.report.numbers import percent, rounded
from agreement.report.summary import Report

#: From this difference on two statistics part.
_PART = 0.1


def chance_explained(report: Report) -> list[str]:
    """Return why statistics beyond chance part from the IAA (an F1) or from each other; empty if none do."""
    return [*_verdicts(report), *_beside_iaa(report), *_tokens(report)]


def _verdicts(report: Report) -> Iterator[str]:
    """Yield a sentence for each judgement on which most agree, but not beyond what chance would give."""
    for found in report.categories:
        if found.observed is None or found.ac1 is None:
            continue
        about = f"{found.name.capitalize()}: {percent(found.observed)} of verdicts agree"
        if found.fleiss is None and found.observed == 1.0:
            yield (
                f"{about}, and all are the same one. Kappa and alpha are undefined, because they need two "
                "different verdicts to tell agreement from chance; it is no disagreement."
            )
        elif found.fleiss is not None and found.observed - found.fleiss >= _PART:
            yield (
                f"{about}, but kappa is {rounded(found.fleiss)}: it takes away what chance would give, "
                "which is high where one verdict prevails, so a few differences cost much. "
                f"AC1 ({rounded(found.ac1)}) depends less on this."
            )


def _beside_iaa(report: Report) -> Iterator[str]:
    """Yield a sentence if a kappa is far from the IAA."""
    iaa, kappas = report.iaa, [found.fleiss for found in report.categories]
    if iaa is not None and any(kappa is not None and abs(iaa - kappa) >= _PART for kappa in kappas):
        yield (
            f"The IAA ({rounded(iaa)}) is an F1 of boxes and words on accepted figures; kappa is of verdicts on "
            "whole figures. One may be high where the other is low."
        )


def _tokens(report: Report) -> Iterator[str]:
    """Yield a sentence if alpha on tokens is far from the IAA."""
    iaa, alpha = report.iaa, report.tokens.nominal
    if iaa is None or alpha is None or abs(iaa - alpha) < _PART:
        return
    if alpha < iaa:
        yield (
            f"Alpha on tokens ({rounded(alpha)}) is below the IAA ({rounded(iaa)}): the F1 leaves chance "
            "in, and looks at the words of panels only; alpha takes chance away, and judges every word."
        )
    else:
        yield (
            f"Alpha on tokens ({rounded(alpha)}) is above the IAA ({rounded(iaa)}): in the F1 a panel without a "
            "matching box scores 0 and all panels weigh the same; alpha weighs words, those of no panel too."
        )
