"""Agreement between annotators: pure functions on boxes, token sets and annotations.

    from agreement import merge_candidates, pair_scores, subfigure_f1

Names are imported when they are first asked for: `import agreement` loads no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agreement.metrics.bootstrap import intervals
    from agreement.metrics.categorical import cohen_kappa
    from agreement.metrics.consensus import Candidate, figure_agreement, merge_candidates
    from agreement.metrics.detection import Detection, detect
    from agreement.metrics.iou import box_iou
    from agreement.metrics.losses import Loss
    from agreement.metrics.pairwise import (
        PairScore,
        compare,
        mean_losses,
        mean_of_pairs,
        pair_scores,
        pooled_losses,
    )
    from agreement.metrics.raw import RawAnnotation
    from agreement.metrics.subfigure_f1 import Common, FigureScore, Mode, Panel, subfigure_f1
    from agreement.metrics.summary import Comparison, Report, Settings, comparison, report_on
    from agreement.metrics.token_f1 import common_tokens, counted_words, token_f1

__all__ = [
    "Candidate",
    "Common",
    "Comparison",
    "Detection",
    "FigureScore",
    "Loss",
    "Mode",
    "PairScore",
    "Panel",
    "RawAnnotation",
    "Report",
    "Settings",
    "box_iou",
    "cohen_kappa",
    "common_tokens",
    "compare",
    "comparison",
    "counted_words",
    "detect",
    "figure_agreement",
    "intervals",
    "mean_losses",
    "mean_of_pairs",
    "merge_candidates",
    "pair_scores",
    "pooled_losses",
    "report_on",
    "subfigure_f1",
    "token_f1",
]

_NAMES = {
    "bootstrap": ("intervals",),
    "categorical": ("cohen_kappa",),
    "consensus": ("Candidate", "figure_agreement", "merge_candidates"),
    "detection": ("Detection", "detect"),
    "iou": ("box_iou",),
    "losses": ("Loss",),
    "pairwise": ("PairScore", "compare", "mean_losses", "mean_of_pairs", "pair_scores", "pooled_losses"),
    "raw": ("RawAnnotation",),
    "subfigure_f1": ("Common", "FigureScore", "Mode", "Panel", "subfigure_f1"),
    "summary": ("Comparison", "Report", "Settings", "comparison", "report_on"),
    "token_f1": ("common_tokens", "counted_words", "token_f1"),
}
_HOMES = {name: f"agreement.metrics.{module}" for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
