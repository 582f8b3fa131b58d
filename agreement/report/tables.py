"""The tables of reports and comparisons, and single records of them, each described once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from agreement.chance.annotator_habits import Habits
from agreement.chance.dawid_skene import Reliability
from agreement.models.comparison import Comparison
from agreement.pairs.pairwise import PairScore, detailed, mean_losses
from agreement.questions.judgements import ONE_VERDICT, JudgementScore
from agreement.report.summary import Report
from agreement.report.table import Table
from agreement.resampling.bootstrap import Interval
from agreement.score.detection import IOU_THRESHOLDS, Detection
from agreement.score.losses import Loss
from agreement.trends.phases import PhaseContrast
from agreement.trends.seeding import SeededPair
from panelwise.domain import QAKind

#: The name of all types of pair together.
ALL = "all"
#: What verdicts on pairs are called in tables.
VERDICTS = "question-answer verdicts"
#: Why values are undefined.
NOTHING_COUNTS = "no gold subfigure with a counted token"
NO_ANSWERS = "no answer to a question with a gold answer"
SETS = "kappas and AC1 are undefined for sets"


@dataclass(frozen=True, slots=True)
class PairRow:
    """An ordered pair with its interval, and its work apart by seeding; None in a comparison."""

    pair: PairScore
    interval: Interval | None
    interval_reason: str
    apart: SeededPair | None = None


def pair_rows(of: Report | Comparison) -> list[PairRow]:
    """Return the pairs of a report or comparison in their order."""
    ranges = of.intervals
    apart = of.seeded.pairs if isinstance(of, Report) else (None,) * len(of.pairs)
    return [PairRow(*each) for each in zip(of.pairs, ranges.pairs, ranges.reasons, apart, strict=True)]


def boxes_record(boxes: Detection) -> dict[str, Any]:
    """Return the scores of boxes; lists are by threshold."""
    drawn = "gold" if boxes.other else "predicted" if boxes.gold else "gold and no predicted"
    unmatched = None if boxes.mean_iou() is not None else "no two boxes match from IoU 0.5 on"
    return {
        "gold": boxes.gold,
        "predicted": boxes.other,
        "precision": [boxes.precision(threshold) for threshold in IOU_THRESHOLDS],
        "recall": [boxes.recall(threshold) for threshold in IOU_THRESHOLDS],
        "f1": [boxes.f1(threshold) for threshold in IOU_THRESHOLDS],
        "mean_f1": boxes.mean_f1(),
        "mean_iou": boxes.mean_iou(),
        "reason": unmatched if boxes.gold and boxes.other else f"no {drawn} box",
    }


def kind_name(kind: QAKind | None) -> str:
    """Return SciVQA's name of a type of pair, for files."""
    return ALL if kind is None else kind.value


def _losses(row: PairRow) -> dict[Loss, float] | None:
    return mean_losses([row.pair])


def _boxes(row: PairRow) -> Detection:
    return detailed(row.pair).detection


def _lost(cause: Loss, row: PairRow) -> float | None:
    losses = _losses(row)
    return None if losses is None else losses.get(cause, 0.0)


def _box_f1(threshold: float, row: PairRow) -> float | None:
    return _boxes(row).f1(threshold)


def _apart(attribute: str, row: PairRow) -> object:
    return row.apart and attrgetter(attribute)(row.apart)


def _end(key: str, side: str, row: Habits) -> float | None:
    interval: Interval | None = getattr(row, key).interval
    return None if interval is None else interval[side == "high"]


PAIRS = Table(
    "gold=pair.gold predicted=pair.predicted score=pair.score reason=pair.reason counted=pair.counted interval "
    "interval_reason left_out=pair.left_out figures_left_out=pair.passed",
    computed={
        "figures": lambda row: len(row.pair.figures),
        "losses": _losses,
        "losses_reason": lambda row: row.pair.reason if _losses(row) is None else "",
        "boxes": lambda row: boxes_record(_boxes(row)),
    },
    only={
        **{f"lost: {cause}": partial(_lost, cause) for cause in Loss},
        **{f"box F1 at {each:.2f}": partial(_box_f1, each) for each in IOU_THRESHOLDS},
        "mean_iou": lambda row: _boxes(row).mean_iou(),
        "box_reason": lambda row: boxes_record(_boxes(row))["reason"],
        **{
            f"{part}_{key}": partial(_apart, f"{part}.{attribute}")
            for part in ("seeded", "unseeded")
            for key, attribute in (("score", "iaa"), ("figures", "figures"), ("reason", "reason"))
        },
    },
    csv=(
        *("gold", "predicted", "score", "low", "high", "reason", "counted", "figures"),
        *(f"lost: {cause}" for cause in Loss),
        *(f"box F1 at {threshold:.2f}" for threshold in IOU_THRESHOLDS),
        *("mean IoU", "seeded score", "seeded figures", "unseeded score", "unseeded figures", "interval reason"),
        *("lost reason=losses_reason", "box reason", "seeded reason", "unseeded reason"),
    ),
    head="gold             predicted           score  95 % CI           counted  figures",
    line="{gold} {predicted} {score:>8}  {interval:16} {counted:8} {figures:8}",
)


ANNOTATORS = Table(
    "annotator=name figures accepted subfigures as_gold as_gold_reason as_predicted as_predicted_reason "
    "iaa_without=without iaa_without_reason=without_reason spread spread_reason alpha_without "
    "alpha_without_reason",
    csv=(
        *("annotator", "figures", "accepted", "subfigures", "as gold", "as predicted", "IAA without"),
        *("as gold reason", "as predicted reason", "IAA without reason", "spread", "spread reason"),
        *("alpha on panels without=alpha_without", "alpha reason=alpha_without_reason"),
    ),
    head="annotator         as gold  as predicted  IAA without  figures  accepted",
    line="{annotator} {as_gold:>8}  {as_predicted:>12}  {iaa_without:>11} {figures:8} {accepted:9}",
)
CONSISTENCY = Table(
    ANNOTATORS.columns,
    head="consistency        spread  alpha on panels without",
    line="{annotator} {spread:>8}  {alpha_without:>23}",
)
#: Measures of `HABITS`, each with its interval and reason, as headings name them.
_HABITS = {"missed": "missed panels", "extra": "extra boxes", "size": "box size"}
HABITS = Table(
    "annotator panels boxes "
    + " ".join(
        f"{key}={key}.value {key}_reason={key}.why {key}_interval={key}.interval "
        f"{key}_interval_reason={key}.reason"
        for key in _HABITS
    ),
    only={f"{key}_{side}": partial(_end, key, side) for key in _HABITS for side in ("low", "high")},
    csv=(
        *("annotator", "panels", "boxes"),
        *(
            f"{name}{more}={key}{more.replace(' ', '_')}"
            for key, name in _HABITS.items()
            for more in ("", " low", " high", " interval reason")
        ),
    ),
    head="habits                missed panels       extra boxes             box size",
    line="{annotator} {misses:>18} {extras:>17} {sizes:>20}",
)
RELIABILITY = Table(
    "annotator units accuracy reason",
    csv=("judgement", "qa_pair_type", "annotator", "units", "accuracy", "reason"),
    head="Dawid-Skene model    accuracy    units",
    line="{annotator}    {accuracy:>9} {units:8}",
)
FIGURES = Table(
    "figure_id=figure score counted lost_most_to=lost",
    computed={"reason": lambda row: NOTHING_COUNTS if row.score is None else ""},
    only={
        "why": lambda row: NOTHING_COUNTS if row.score is None else "" if row.lost else "nothing is lost",
        "lost": lambda row: row.lost.display if row.lost else "",
    },
    csv=("figure_id", "score", "counted", "lost most to", "reason=why"),
    head="worst figures                        score  counted  lost most to",
    line="{figure_id} {score:>8} {counted:8}  {lost}",
)
STATUSES = Table(
    "annotators figures=units observed kappa reason",
    only={"one": lambda row: row.annotators[0], "other": lambda row: row.annotators[1]},
    head="accept or reject                  observed      kappa  figures",
    line="{one} {other} {observed:>8}  {kappa:>9} {figures:8}",
)
CATEGORIES = Table(
    "name units observed fleiss_kappa=fleiss gwet_ac1=ac1 alpha reason",
    head="all annotators           observed     kappa       AC1     alpha    units",
    line="{name:24} {observed:>8}  {fleiss_kappa:>8}  {gwet_ac1:>8}  {alpha:>8} {units:8}",
)
TOKENS = Table("nominal masi figures tokens reason")
PANELS = Table("detection detection_reason label label_reason localisation localisation_reason panels shared")

# ---- over time, between phases, by seeding ---------------------------------------------------------

PERIODS = Table(
    "period=name first last figures counted iaa reason interval interval_reason",
    only={
        "why": lambda row: row.reason or row.interval_reason,
        "time_reason": lambda row: "" if row.first is not None else "no time is known",
    },
    csv=(
        *("by", "period", "first", "last", "figures", "counted", "IAA", "low", "high", "reason=why"),
        "time reason",
    ),
)
SIDE = Table("phase annotators figures counted iaa reason interval interval_reason")


def _side(where: str, key: str, contrast: PhaseContrast) -> object:
    values = SIDE.record(getattr(contrast, where))
    low, high = values["interval"] or (None, None)
    return {**values, "annotators": " ".join(values["annotators"]), "low": low, "high": high}[key]


CONTRASTS = Table(
    "scope difference reason interval interval_method=method interval_reason",
    computed={"phase": lambda row: SIDE.record(row.here), "against": lambda row: SIDE.record(row.there)},
    only={
        f"{where}_{key}": partial(_side, where, key)
        for where in ("here", "there")
        for key in (*SIDE.columns.split(), "low", "high")
    }
    | {
        "why": lambda row: row.reason or row.interval_reason,
    },
    csv=(
        *("scope", "phase=here_phase", "annotators=here_annotators", "figures=here_figures"),
        *("counted=here_counted", "IAA=here_iaa", "low=here_low", "high=here_high", "against=there_phase"),
        *("annotators there=there_annotators", "figures there=there_figures", "counted there=there_counted"),
        *("IAA there=there_iaa", "low there=there_low", "high there=there_high", "difference"),
        *("difference low=low", "difference high=high", "reason=why", "IAA reason=here_reason"),
        *("interval reason=here_interval_reason", "IAA reason there=there_reason"),
        "interval reason there=there_interval_reason",
    ),
)


REPEATS = Table(
    "annotator figures counted figures_seeded=seeded score reason interval interval_method=method interval_reason",
    computed={"phase": lambda row: row.phases[0], "against": lambda row: row.phases[1]},
    only={"why": lambda row: row.reason or row.interval_reason},
    csv=(
        *("annotator", "phase", "against", "score", "low", "high", "counted", "figures"),
        *("seeded figures=figures_seeded", "reason=why"),
    ),
    head="self-agreement   phases              score  95 % CI           counted  figures",
    line="{annotator} {phases} {score:>8}  {interval:16} {counted:8} {figures:8}",
)
SEEDED_PAIRS = Table(
    "gold predicted figures=seeded.figures counted=seeded.counted score=seeded.iaa reason=seeded.reason "
    "interval=seeded.interval interval_reason=seeded.interval_reason figures_unseeded=unseeded.figures "
    "counted_unseeded=unseeded.counted score_unseeded=unseeded.iaa score_unseeded_reason=unseeded.reason "
    "interval_unseeded=unseeded.interval interval_unseeded_reason=unseeded.interval_reason",
    head="  gold             predicted          seeded  figures  elsewhere  figures",
    line="  {gold} {predicted} {score:>8} {figures:8} {score_unseeded:>10} {figures_unseeded:8}",
)
SEEDED = Table(
    "annotations of figures=seeded.figures figures_unseeded=unseeded.figures iaa=seeded.iaa reason=seeded.reason "
    "interval=seeded.interval interval_reason=seeded.interval_reason iaa_unseeded=unseeded.iaa "
    "iaa_unseeded_reason=unseeded.reason interval_unseeded=unseeded.interval "
    "interval_unseeded_reason=unseeded.interval_reason",
    computed={"pairs": lambda row: SEEDED_PAIRS.records(row.pairs)},
)
SEEN = Table("annotator figures of")
ACQUAINTED = Table(
    "figures=before.figures iaa=before.iaa reason=before.reason new_figures=new.figures new_iaa=new.iaa "
    "new_iaa_reason=new.reason new_interval=new.interval new_interval_reason=new.interval_reason",
    computed={"annotators": lambda row: SEEN.records(row.people)},
)

CORRECTED = Table("annotations sent_back iaa reason")
ATTENTION = Table(
    "annotator figures unchanged unchanged_reason unseen unseen_reason fast fast_reason",
    csv=(
        *("annotator", "figures", "unchanged", "never looked at=unseen", "fast", "unchanged reason"),
        *("never looked at reason=unseen_reason", "fast reason"),
    ),
    head="attention         unchanged  never looked at      fast  figures",
    line="{annotator} {unchanged:>10} {unseen:>16} {fast:>9} {figures:8}",
)

# ---- figure types, verdicts, answers ---------------------------------------------------------------

KAPPAS = Table(
    "annotators units observed kappa reason",
    only=STATUSES.only,
    line="{one} {other} {observed:>8} {kappa:>9} {units:8}",
)
JUDGEMENTS = Table(
    "name=all.name units=all.units observed=all.observed fleiss_kappa=all.fleiss gwet_ac1=all.ac1 alpha=all.alpha "
    "reason=all.reason light_kappa=light",
    computed={
        "light_kappa_reason": lambda row: "" if row.light is not None else row.all.reason or ONE_VERDICT,
        "pairs": lambda row: KAPPAS.records(row.pairs),
        "dawid_skene": lambda row: RELIABILITY.records(row.reliability),
    },
    csv=(
        *("judgement", "qa_pair_type", "annotator", "other annotator", "units", "observed"),
        *("Cohen's kappa=kappa", "Light's kappa=light_kappa", "Fleiss' kappa", "AC1=gwet_ac1", "alpha", "reason"),
    ),
    head="judged by two or more    observed    Fleiss     Light      AC1     alpha units",
    line="{what:24} {observed:>8} {fleiss_kappa:>9} {light_kappa:>9} {gwet_ac1:>8} {alpha:>9} {units:5}",
)
_COUNT = "units mean_difference=difference linear_kappa=linear quadratic_kappa=quadratic reason"
_COUNT_LINE = "{mean_difference:>9} {linear_kappa:>9} {quadratic_kappa:>9} {units:8}"
COUNT_PAIRS = Table(f"annotators {_COUNT}", only=STATUSES.only, line=f"{{one}} {{other}} {_COUNT_LINE}")
COUNTS = Table(
    f"same {_COUNT}",
    computed={"pairs": lambda row: COUNT_PAIRS.records(row.pairs)},
    csv=(
        *("annotator", "other annotator", "units", "mean difference", "same", "linear=linear_kappa"),
        *("quadratic=quadratic_kappa", "reason"),
    ),
    head="number of subfigures              differ by    linear quadratic  figures",
    line=f"{{what}} {_COUNT_LINE}",
)
TAGS = Table(
    "tag given units observed positive fleiss ac1 reason",
    csv=("type=tag", "given", "figures=units", "observed", "positive", "Fleiss' kappa=fleiss", "AC1", "reason"),
    head="figure type               given  observed  positive    Fleiss       AC1  figures",
    line="{what:24} {given:6} {observed:>9} {positive:>9} {fleiss:>9} {ac1:>9} {units:8}",
)
EDITS = Table(
    "judged incorrect rate edited question options answer type",
    computed={"qa_pair_type": lambda row: kind_name(row.kind)},
    csv=("qa_pair_type", "judged", "incorrect", "rate", "edited", "question", "options", "answer", "type"),
    head="verdicts                 judged incorrect     rate question options answer type",
    line="{what:24} {judged:6} {incorrect:9} {rate:>8} {question:8} {options:7} {answer:6} {type:4}",
)
ANSWERS = Table(
    "answers unknown exact_match=exact equal rouge_1 rouge_1_precision rouge_1_recall "
    "rouge_l rouge_l_precision rouge_l_recall",
    computed={"qa_pair_type": lambda row: kind_name(row.kind)},
    only={
        "annotator": lambda row: row.annotator or "",
        "reason": lambda row: "" if row.answers else NO_ANSWERS,
    },
    csv=(
        *("annotator", "qa_pair_type", "answers", "unknown", "exact match", "equal", "ROUGE-1"),
        *("ROUGE-1 precision", "ROUGE-1 recall", "ROUGE-L", "ROUGE-L precision", "ROUGE-L recall", "reason"),
    ),
    head="human answers               exact    equal  ROUGE-1  ROUGE-L unknown answers",
    line="{what:24} {exact_match:>8} {equal:>8} {rouge_1:>8} {rouge_l:>8} {unknown:7} {answers:7}",
)


def judgement_rows(name: str, kind: str, score: JudgementScore, reason: str = "") -> Iterable[dict[str, Any]]:
    """Yield CSV values for all annotators, then for each two. reason: why some are undefined for such at all."""
    whole = JUDGEMENTS.record(score)
    yield {**whole, "judgement": name, "qa_pair_type": kind, "reason": whole["reason"] or reason}
    for each in KAPPAS.records(score.pairs):
        one, other = each["annotators"]
        yield {**each, "judgement": name, "qa_pair_type": kind, "annotator": one, "other_annotator": other}


def reliability_rows(report: Report) -> Iterable[tuple[str, str, Reliability]]:
    """Yield a judgement, SciVQA's type of pair ("" for other judgements), and one annotator's reliability."""
    items = report.items
    found = [("accept or reject", "", report.reliability)]
    if items is not None:
        found += [
            (score.name, "", score.reliability) for score in (items.compound, items.types) if score is not None
        ]
        found += [(VERDICTS, kind_name(kind), score.reliability) for kind, score in items.verdicts]
    return ((name, kind, each) for name, kind, people in found for each in people)


# ---- comparisons -----------------------------------------------------------------------------------

RANKING = Table(
    "rank predicted=name score reason interval counted own_score own_counted figures gold_figures=of",
    only={
        "place": lambda row: "-" if row.rank is None else str(row.rank),
        "covers": lambda row: f"{row.figures}/{row.of}",
    },
    head="rank name                score  95 % CI          counted    figures own score",
    line="{place:>4} {predicted} {score:>8}  {interval:16} {counted:7}  {covers:>9}  {own_score}",
)
DIFFERENCES = Table(
    "first second difference reason interval joint_interval=joint flipped tied figures counted",
    head="difference                            score   95 % CI             flips figures",
    line="{first} {second} {size} {mark} {ends:18} {flips:>6} {figures:7}",
)
GAPS = Table(
    "predicted=name figures people score gap interval reason",
    only={"size": lambda row: "    -    " if row.gap is None else f"{row.gap:+9.6f}"},
    head="predicted          people    score       gap  95 % CI             figures",
    line="{predicted} {people:>8} {score:>8} {size}  {interval:18} {figures:8}",
)
CEILING = Table("people method unit", computed={"gaps": lambda row: GAPS.records(row.gaps)})
POINTS = Table(
    "threshold kept=boxes score precision recall f1",
    head="kept from score   boxes  precision   recall       F1     score",
    line="{threshold:<16} {kept:6}  {precision:>9} {recall:>8} {f1:>8}  {score:>8}",
)
BEST = Table("threshold kept=boxes f1 score")
PRECISION = Table("ap ap50 ap75 ar reason figures gold predicted gold_without_area=without_area")
