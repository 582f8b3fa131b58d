"""Agreement between annotators: pure functions on boxes, token sets and annotations.

Plain Python values are enough, no store and no campaign is needed:

>>> from agreement import annotations_from, report_on
>>> work = {
...     "ann1": {"fig1": [([0, 0, 100, 100], {4, 6, 7, 8})]},
...     "ann2": {"fig1": [([0, 0, 100, 90], {4, 6, 7, 12})]},
... }
>>> words = {"fig1": "Fig 1: (a) left lung lesion (b) right lung"}
>>> report_on(annotations_from(work, words=words)).iaa
0.75

One figure alone is `score_figure`; each number of a report has a function of its own, which the report calls.
What is undefined is None, and says why; nothing is rounded.

Names are imported when they are first asked for: `import agreement` loads no numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agreement.metrics.answer_texts import (
        equal_answers,
        exact_match,
        rouge_1,
        rouge_l,
    )
    from agreement.metrics.average_precision import (
        AveragePrecision,
        average_precision,
    )
    from agreement.metrics.bootstrap import (
        Interval,
        Intervals,
        intervals,
    )
    from agreement.metrics.categorical import (
        cohen_kappa,
        fleiss_kappa,
        gwet_ac1,
        krippendorff_alpha,
        masi_distance,
        observed_agreement,
        weighted_kappa,
    )
    from agreement.metrics.categories import (
        CategoryScore,
        TokenAlpha,
        category_scores,
        token_alpha,
    )
    from agreement.metrics.comparison import (
        Comparison,
        comparison,
    )
    from agreement.metrics.consensus import (
        Candidate,
        figure_agreement,
        merge_candidates,
    )
    from agreement.metrics.corpus import Corpus
    from agreement.metrics.detection import (
        Detection,
        detect,
    )
    from agreement.metrics.drift import (
        Drift,
        Grouping,
        Period,
        drift,
    )
    from agreement.metrics.figure_consensus import (
        FigureConsensus,
        NoConsensus,
        figure_consensus,
    )
    from agreement.metrics.figure_scores import (
        FigureMean,
        figure_means,
    )
    from agreement.metrics.full_report import (
        Course,
        full_report,
    )
    from agreement.metrics.human_answers import (
        AnswerScore,
        answer_scores,
    )
    from agreement.metrics.iou import box_iou
    from agreement.metrics.items import (
        ItemReport,
        item_report,
    )
    from agreement.metrics.losses import Loss
    from agreement.metrics.pairwise import (
        PairScore,
        Passed,
        compare,
        latest,
        mean_losses,
        mean_of_pairs,
        pair_scores,
        pooled_losses,
    )
    from agreement.metrics.phases import (
        PhaseDifference,
        phase_difference,
    )
    from agreement.metrics.plain import (
        annotations_from,
        panels_from,
        score_figure,
    )
    from agreement.metrics.ranking import (
        Ranked,
        Ranking,
        ranking,
    )
    from agreement.metrics.raw import RawAnnotation
    from agreement.metrics.repeats import (
        SelfAgreement,
        self_agreement,
    )
    from agreement.metrics.scored import ScoredAnnotation
    from agreement.metrics.settings import Settings
    from agreement.metrics.subfigure_f1 import (
        Common,
        FigureScore,
        LeftOut,
        Mode,
        Panel,
        subfigure_f1,
    )
    from agreement.metrics.summary import Report, report_on
    from agreement.metrics.sweep import (
        ConfidenceSweep,
        IouPoint,
        confidence_sweep,
        iou_sweep,
    )
    from agreement.metrics.token_f1 import (
        common_tokens,
        counted_words,
        token_f1,
    )

__all__ = [
    "AnswerScore",
    "AveragePrecision",
    "Candidate",
    "CategoryScore",
    "Common",
    "Comparison",
    "ConfidenceSweep",
    "Corpus",
    "Course",
    "Detection",
    "Drift",
    "FigureConsensus",
    "FigureMean",
    "FigureScore",
    "Grouping",
    "Interval",
    "Intervals",
    "IouPoint",
    "ItemReport",
    "LeftOut",
    "Loss",
    "Mode",
    "NoConsensus",
    "PairScore",
    "Panel",
    "Passed",
    "Period",
    "PhaseDifference",
    "Ranked",
    "Ranking",
    "RawAnnotation",
    "Report",
    "ScoredAnnotation",
    "SelfAgreement",
    "Settings",
    "TokenAlpha",
    "annotations_from",
    "answer_scores",
    "average_precision",
    "box_iou",
    "category_scores",
    "cohen_kappa",
    "common_tokens",
    "compare",
    "comparison",
    "confidence_sweep",
    "counted_words",
    "detect",
    "drift",
    "equal_answers",
    "exact_match",
    "figure_agreement",
    "figure_consensus",
    "figure_means",
    "fleiss_kappa",
    "full_report",
    "gwet_ac1",
    "intervals",
    "iou_sweep",
    "item_report",
    "krippendorff_alpha",
    "latest",
    "masi_distance",
    "mean_losses",
    "mean_of_pairs",
    "merge_candidates",
    "observed_agreement",
    "pair_scores",
    "panels_from",
    "phase_difference",
    "pooled_losses",
    "ranking",
    "report_on",
    "rouge_1",
    "rouge_l",
    "score_figure",
    "self_agreement",
    "subfigure_f1",
    "token_alpha",
    "token_f1",
    "weighted_kappa",
]

_NAMES = {
    "answer_texts": (
        "equal_answers",
        "exact_match",
        "rouge_1",
        "rouge_l",
    ),
    "average_precision": (
        "AveragePrecision",
        "average_precision",
    ),
    "bootstrap": (
        "Interval",
        "Intervals",
        "intervals",
    ),
    "categorical": (
        "cohen_kappa",
        "fleiss_kappa",
        "gwet_ac1",
        "krippendorff_alpha",
        "masi_distance",
        "observed_agreement",
        "weighted_kappa",
    ),
    "categories": (
        "CategoryScore",
        "TokenAlpha",
        "category_scores",
        "token_alpha",
    ),
    "comparison": (
        "Comparison",
        "comparison",
    ),
    "consensus": (
        "Candidate",
        "figure_agreement",
        "merge_candidates",
    ),
    "corpus": ("Corpus",),
    "detection": (
        "Detection",
        "detect",
    ),
    "drift": (
        "Drift",
        "Grouping",
        "Period",
        "drift",
    ),
    "figure_consensus": (
        "FigureConsensus",
        "NoConsensus",
        "figure_consensus",
    ),
    "figure_scores": (
        "FigureMean",
        "figure_means",
    ),
    "full_report": (
        "Course",
        "full_report",
    ),
    "human_answers": (
        "AnswerScore",
        "answer_scores",
    ),
    "iou": ("box_iou",),
    "items": (
        "ItemReport",
        "item_report",
    ),
    "losses": ("Loss",),
    "pairwise": (
        "PairScore",
        "Passed",
        "compare",
        "latest",
        "mean_losses",
        "mean_of_pairs",
        "pair_scores",
        "pooled_losses",
    ),
    "phases": (
        "PhaseDifference",
        "phase_difference",
    ),
    "plain": (
        "annotations_from",
        "panels_from",
        "score_figure",
    ),
    "ranking": (
        "Ranked",
        "Ranking",
        "ranking",
    ),
    "raw": ("RawAnnotation",),
    "repeats": (
        "SelfAgreement",
        "self_agreement",
    ),
    "scored": ("ScoredAnnotation",),
    "subfigure_f1": (
        "Common",
        "FigureScore",
        "LeftOut",
        "Mode",
        "Panel",
        "subfigure_f1",
    ),
    "summary": (
        "Report",
        "Settings",
        "report_on",
    ),
    "sweep": (
        "ConfidenceSweep",
        "IouPoint",
        "confidence_sweep",
        "iou_sweep",
    ),
    "token_f1": (
        "common_tokens",
        "counted_words",
        "token_f1",
    ),
}
_HOMES = {name: f"agreement.metrics.{module}" for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
