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
    from agreement.chance.categories import (
        CategoryScore,
        TokenAlpha,
        category_scores,
        token_alpha,
    )
    from agreement.chance.coefficients import (
        cohen_kappa,
        fleiss_kappa,
        gwet_ac1,
        krippendorff_alpha,
        masi_distance,
        observed_agreement,
        weighted_kappa,
    )
    from agreement.columns.corpus import Corpus
    from agreement.columns.raw import RawAnnotation
    from agreement.columns.scored import ScoredAnnotation
    from agreement.consensus.candidates import (
        Candidate,
        figure_agreement,
        merge_candidates,
    )
    from agreement.consensus.figures import (
        FigureConsensus,
        NoConsensus,
        figure_consensus,
    )
    from agreement.models.average_precision import (
        AveragePrecision,
        average_precision,
    )
    from agreement.models.comparison import (
        Comparison,
        comparison,
    )
    from agreement.models.ranking import (
        Ranked,
        Ranking,
        ranking,
    )
    from agreement.models.sweep import (
        ConfidenceSweep,
        IouPoint,
        confidence_sweep,
        iou_sweep,
    )
    from agreement.pairs.figure_scores import (
        FigureMean,
        figure_means,
    )
    from agreement.pairs.pairwise import (
        PairScore,
        Passed,
        compare,
        latest,
        mean_losses,
        mean_of_pairs,
        pair_scores,
        pooled_losses,
    )
    from agreement.pairs.plain import (
        annotations_from,
        panels_from,
        score_figure,
    )
    from agreement.primitives.iou import box_iou
    from agreement.primitives.settings import Settings
    from agreement.primitives.token_f1 import (
        common_tokens,
        counted_words,
        token_f1,
    )
    from agreement.questions.answer_texts import (
        equal_answers,
        exact_match,
        rouge_1,
        rouge_l,
    )
    from agreement.questions.human_answers import (
        AnswerScore,
        answer_scores,
    )
    from agreement.questions.items import (
        ItemReport,
        item_report,
    )
    from agreement.report.full_report import (
        Course,
        full_report,
    )
    from agreement.report.summary import Report, report_on
    from agreement.resampling.bootstrap import (
        Interval,
        Intervals,
        intervals,
    )
    from agreement.score.detection import (
        Detection,
        detect,
    )
    from agreement.score.losses import Loss
    from agreement.score.subfigure_f1 import (
        Common,
        FigureScore,
        LeftOut,
        Mode,
        Panel,
        subfigure_f1,
    )
    from agreement.trends.drift import (
        Drift,
        Grouping,
        Period,
        drift,
    )
    from agreement.trends.phases import (
        PhaseDifference,
        phase_difference,
    )
    from agreement.trends.repeats import (
        SelfAgreement,
        self_agreement,
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
    "questions.answer_texts": (
        "equal_answers",
        "exact_match",
        "rouge_1",
        "rouge_l",
    ),
    "models.average_precision": (
        "AveragePrecision",
        "average_precision",
    ),
    "resampling.bootstrap": (
        "Interval",
        "Intervals",
        "intervals",
    ),
    "chance.coefficients": (
        "cohen_kappa",
        "fleiss_kappa",
        "gwet_ac1",
        "krippendorff_alpha",
        "masi_distance",
        "observed_agreement",
        "weighted_kappa",
    ),
    "chance.categories": (
        "CategoryScore",
        "TokenAlpha",
        "category_scores",
        "token_alpha",
    ),
    "models.comparison": (
        "Comparison",
        "comparison",
    ),
    "consensus.candidates": (
        "Candidate",
        "figure_agreement",
        "merge_candidates",
    ),
    "columns.corpus": ("Corpus",),
    "score.detection": (
        "Detection",
        "detect",
    ),
    "trends.drift": (
        "Drift",
        "Grouping",
        "Period",
        "drift",
    ),
    "consensus.figures": (
        "FigureConsensus",
        "NoConsensus",
        "figure_consensus",
    ),
    "pairs.figure_scores": (
        "FigureMean",
        "figure_means",
    ),
    "report.full_report": (
        "Course",
        "full_report",
    ),
    "questions.human_answers": (
        "AnswerScore",
        "answer_scores",
    ),
    "primitives.iou": ("box_iou",),
    "questions.items": (
        "ItemReport",
        "item_report",
    ),
    "score.losses": ("Loss",),
    "pairs.pairwise": (
        "PairScore",
        "Passed",
        "compare",
        "latest",
        "mean_losses",
        "mean_of_pairs",
        "pair_scores",
        "pooled_losses",
    ),
    "trends.phases": (
        "PhaseDifference",
        "phase_difference",
    ),
    "pairs.plain": (
        "annotations_from",
        "panels_from",
        "score_figure",
    ),
    "models.ranking": (
        "Ranked",
        "Ranking",
        "ranking",
    ),
    "columns.raw": ("RawAnnotation",),
    "trends.repeats": (
        "SelfAgreement",
        "self_agreement",
    ),
    "columns.scored": ("ScoredAnnotation",),
    "score.subfigure_f1": (
        "Common",
        "FigureScore",
        "LeftOut",
        "Mode",
        "Panel",
        "subfigure_f1",
    ),
    "report.summary": (
        "Report",
        "report_on",
    ),
    "primitives.settings": ("Settings",),
    "models.sweep": (
        "ConfidenceSweep",
        "IouPoint",
        "confidence_sweep",
        "iou_sweep",
    ),
    "primitives.token_f1": (
        "common_tokens",
        "counted_words",
        "token_f1",
    ),
}
_HOMES = {name: f"agreement.{module}" for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
