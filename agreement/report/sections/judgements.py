"""Judgements: accept or reject, figure types, verdicts on pairs, numbers of subfigures, answers to questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agreement.chance.categories import CategoryScore
from agreement.chance.dawid_skene import Reliability
from agreement.questions.human_answers import AnswerScore
from agreement.questions.items import EditRate, ItemReport
from agreement.questions.judgements import ONE_VERDICT, CountScore, JudgementScore, PairCount, PairKappa, TagScore
from agreement.report.blocks import Col, Format, Table
from agreement.report.summary import Report
from panelwise.domain import QAKind

#: The name of all types of pair together, in files.
ALL = "all"
#: What verdicts on pairs are called in tables.
VERDICTS = "question-answer verdicts"
#: Why values are undefined.
NO_ANSWERS = "no answer to a question with a gold answer"
SETS = "kappas and AC1 are undefined for sets"


def kind_name(kind: QAKind | None) -> str:
    """Return SciVQA's name of a type of pair, for files."""
    return ALL if kind is None else kind.value


def kind_words(kind: QAKind | None) -> str:
    """Return the name of a type of pair, for reading."""
    return "all types" if kind is None else kind.brief


def _kappas(units: str, width: int) -> Table[PairKappa]:
    """Return the table of each two annotators. units: the key of their number; width: of the kappas."""
    shown = ("annotator", "other annotator", "observed", "kappa", units)
    return Table(
        (
            Col("annotators", "", lambda row: row.annotators, Format.DATA),
            Col("", "annotator", lambda row: row.annotators[0], Format.NAME),
            Col("", "other annotator", lambda row: row.annotators[1], Format.NAME, brief=" "),
            Col(units, units, lambda row: row.units),
            Col("observed", "observed", lambda row: row.observed, Format.SCORE, width=9),
            Col("kappa", "Cohen's kappa", lambda row: row.kappa, Format.SCORE, brief="kappa", width=width),
            Col("reason", "reason", lambda row: row.reason, Format.REASON),
        ),
        text=shown,
        html=shown,
        latex=shown,
    )


STATUSES, KAPPAS = _kappas("figures", 11), _kappas("units", 10)


def why_undefined(score: CategoryScore) -> str:
    """Return why values are undefined, "" if none is; sets have no kappa and no AC1."""
    return score.reason or (SETS if score.units and score.fleiss is None else "")


CATEGORIES: Table[CategoryScore] = Table(
    (
        Col("name", "judgement", lambda row: row.name, Format.TEXT, width=24),
        Col("observed", "observed", lambda row: row.observed, Format.SCORE, width=9),
        Col("fleiss_kappa", "kappa", lambda row: row.fleiss, Format.SCORE, width=10, term="kappa"),
        Col("gwet_ac1", "AC1", lambda row: row.ac1, Format.SCORE, width=10, term="ac1"),
        Col("alpha", "alpha", lambda row: row.alpha, Format.SCORE, width=10, term="alpha"),
        Col("units", "units", lambda row: row.units),
        Col("reason", "reason", why_undefined, Format.REASON),
    ),
    json=("name", "units"),
    csv=("judgement", "units"),
    title="all annotators",
)


@dataclass(frozen=True, slots=True)
class Judge:
    """One annotator's reliability. judgement: its name; kind: SciVQA's type of pair, "" for others."""

    judgement: str
    kind: str
    own: Reliability

    @property
    def words(self) -> str:
        """Return the judgement with its type."""
        return f"{self.judgement}, {self.kind}" if self.kind else self.judgement


def judges(report: Report) -> Iterator[Judge]:
    """Yield each annotator's reliability in each categorical judgement."""
    items = report.items
    found = [("accept or reject", "", report.reliability)]
    if items is not None:
        found += [(each.name, "", each.reliability) for each in (items.compound, items.types) if each is not None]
        found += [(VERDICTS, kind_name(kind), each.reliability) for kind, each in items.verdicts]
    return (Judge(name, kind, own) for name, kind, people in found for own in people)


RELIABILITY: Table[Judge] = Table(
    (
        Col("", "judgement", lambda row: row.judgement, Format.TEXT),
        Col("", "qa_pair_type", lambda row: row.kind, Format.TEXT),
        Col("", "in judgement", lambda row: row.words, Format.TEXT, "Judgement", filed=False),
        Col("annotator", "annotator", lambda row: row.own.annotator, Format.NAME),
        Col("units", "units", lambda row: row.own.units),
        Col("accuracy", "accuracy", lambda row: row.own.accuracy, Format.SCORE, width=13),
        Col("reason", "reason", lambda row: row.own.reason, Format.REASON),
    ),
    csv=("judgement", "qa_pair_type", "annotator", "units", "accuracy"),
    text=("annotator", "accuracy", "units"),
    html=("annotator", "accuracy", "units"),
    latex=("in judgement", "annotator", "accuracy", "units"),
    title="Dawid-Skene model",
)


def judges_of(people: Iterable[Reliability]) -> list[Judge]:
    """Return each annotator's reliability in one judgement, whose name is known."""
    return [Judge("", "", own) for own in people]


def reliability_records(people: Iterable[Reliability]) -> list[dict[str, Any]]:
    """Return how often each annotator is right in a judgement as plain values for JSON."""
    return RELIABILITY.records(judges_of(people))


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement by several. kind: SciVQA's type of pair, "" for others; words: what pages call it."""

    name: str
    kind: str
    words: str
    score: JudgementScore


def _why_no_light(row: Judged) -> str:
    return "" if row.score.light is not None else row.score.all.reason or ONE_VERDICT


def judged(items: ItemReport) -> Iterator[Judged]:
    """Yield the judgements of a report: of figures, then of pairs by their type."""
    for each in (items.compound, items.types):
        if each is not None:
            yield Judged(each.name, "", each.name, each)
    for kind, each in items.verdicts:
        yield Judged(VERDICTS, kind_name(kind), kind_words(kind), each)


_SHOWN = ("what", "observed", "fleiss_kappa", "light_kappa", "gwet_ac1", "alpha", "units")
JUDGEMENTS: Table[Judged] = Table(
    (
        Col("", "judgement", lambda row: row.name, Format.TEXT),
        Col("", "qa_pair_type", lambda row: row.kind, Format.TEXT),
        Col("", "what", lambda row: row.words, Format.TEXT, "Judgement", width=24, filed=False),
        Col("name", "", lambda row: row.score.all.name, Format.DATA),
        Col("units", "units", lambda row: row.score.all.units, width=6),
        Col("observed", "observed", lambda row: row.score.all.observed, Format.SCORE, width=9),
        Col(
            *("fleiss_kappa", "Fleiss' kappa", lambda row: row.score.all.fleiss, Format.SCORE),
            brief="Fleiss",
            width=10,
        ),
        Col("gwet_ac1", "AC1", lambda row: row.score.all.ac1, Format.SCORE, "Gwet's AC1", width=10),
        Col("alpha", "alpha", lambda row: row.score.all.alpha, Format.SCORE, width=10),
        Col("reason", "", lambda row: row.score.all.reason, Format.DATA),
        Col("", "reason", lambda row: why_undefined(row.score.all) or _why_no_light(row), Format.REASON),
        Col("light_kappa", "Light's kappa", lambda row: row.score.light, Format.SCORE, brief="Light", width=10),
        Col("light_kappa_reason", "", _why_no_light, Format.DATA),
        Col("pairs", "", lambda row: KAPPAS.records(row.score.pairs), Format.DATA),
        Col("dawid_skene", "", lambda row: reliability_records(row.score.reliability), Format.DATA),
    ),
    text=_SHOWN,
    html=_SHOWN,
    title="judged by two or more",
)

#: The headings of all annotators' judgements and of each two's in one file.
JUDGED_HEADINGS = (
    *("judgement", "qa_pair_type", "annotator", "other annotator", "units", "observed", "Cohen's kappa"),
    *("Light's kappa", "Fleiss' kappa", "AC1", "alpha", "reason"),
)
COUNT_HEADINGS = (
    *("annotator", "other annotator", "units", "mean difference", "same", "linear", "quadratic", "reason"),
)
_COUNT: tuple[Col[CountScore | PairCount], ...] = (
    Col("units", "units", lambda row: row.units, brief="figures"),
    Col(
        *("mean_difference", "mean difference", lambda row: row.difference, Format.SCORE),
        brief="differ by",
        width=10,
    ),
    Col("linear_kappa", "linear", lambda row: row.linear, Format.SCORE, width=10),
    Col("quadratic_kappa", "quadratic", lambda row: row.quadratic, Format.SCORE, width=10),
    Col("reason", "reason", lambda row: row.reason, Format.REASON),
)
_COUNT_SHOWN = ("mean_difference", "linear_kappa", "quadratic_kappa", "units")
COUNT_PAIRS: Table[PairCount] = Table(
    (
        Col("annotators", "", lambda row: row.annotators, Format.DATA),
        Col("", "annotator", lambda row: row.annotators[0], Format.NAME),
        Col("", "other annotator", lambda row: row.annotators[1], Format.NAME, brief=" "),
        *_COUNT,
    ),
    text=("annotator", "other annotator", *_COUNT_SHOWN),
)
COUNTS: Table[CountScore] = Table(
    (
        Col("", "who", lambda _: "all annotators", Format.TEXT, width=33, filed=False),
        Col("same", "same", lambda row: row.same, Format.SCORE),
        *_COUNT,
        Col("pairs", "", lambda row: COUNT_PAIRS.records(row.pairs), Format.DATA),
    ),
    text=("who", *_COUNT_SHOWN),
    title="number of subfigures",
)
TAGS: Table[TagScore] = Table(
    (
        Col("tag", "type", lambda row: row.tag, Format.NAME, width=24),
        Col("given", "given", lambda row: row.given, width=7),
        Col("units", "figures", lambda row: row.units),
        Col("observed", "observed", lambda row: row.observed, Format.SCORE, width=10),
        Col("positive", "positive", lambda row: row.positive, Format.SCORE, "Both, where either does", width=10),
        Col("fleiss", "Fleiss' kappa", lambda row: row.fleiss, Format.SCORE, brief="Fleiss", width=10),
        Col("ac1", "AC1", lambda row: row.ac1, Format.SCORE, "Gwet's AC1", width=10),
        Col("reason", "reason", lambda row: row.reason, Format.REASON),
    ),
    text=("tag", "given", "observed", "positive", "fleiss", "ac1", "units"),
    html=("tag", "given", "observed", "positive", "fleiss", "ac1", "units"),
    title="figure type",
)
EDITS: Table[EditRate] = Table(
    (
        Col("qa_pair_type", "qa_pair_type", lambda row: kind_name(row.kind), Format.TEXT),
        Col("", "what", lambda row: kind_words(row.kind), Format.TEXT, "Type of pair", width=24, filed=False),
        Col("judged", "judged", lambda row: row.judged, width=7),
        Col("incorrect", "incorrect", lambda row: row.incorrect, width=10),
        Col("rate", "rate", lambda row: row.rate, Format.SCORE, "Share", width=9),
        Col("", "drawn", lambda row: row.rate, Format.DRAWN, filed=False),
        Col("edited", "edited", lambda row: row.edited),
        Col("question", "question", lambda row: row.question, title="Question changed", width=9),
        Col("options", "options", lambda row: row.options, width=8),
        Col("answer", "answer", lambda row: row.answer, width=7),
        Col("type", "type", lambda row: row.type, width=5),
    ),
    json=("judged", "incorrect", "rate", "edited", "question", "options", "answer", "type"),
    text=("what", "judged", "incorrect", "rate", "question", "options", "answer", "type"),
    html=("what", "judged", "incorrect", "rate", "drawn", "question", "options", "answer", "type"),
    title="verdicts",
)


def _whose(row: AnswerScore) -> str:
    return kind_words(row.kind) if row.annotator is None else f"{row.annotator}, {kind_words(row.kind)}"


def _answers(key: str, head: str, value: Callable[[AnswerScore], float | None]) -> Col[AnswerScore]:
    return Col(key, head, value, Format.SCORE, brief=head.partition(" match")[0], width=9)


_ANSWERS_SHOWN = ("exact_match", "equal", "rouge_1", "rouge_l", "unknown", "answers")
ANSWERS: Table[AnswerScore] = Table(
    (
        Col("", "annotator", lambda row: row.annotator, Format.NAME),
        Col("", "whose", lambda row: row.annotator or kind_words(row.kind), Format.NAME, width=24, filed=False),
        Col("", "questions", _whose, Format.TEXT, filed=False),
        Col("answers", "answers", lambda row: row.answers, width=8),
        Col("unknown", "unknown", lambda row: row.unknown, width=8),
        _answers("exact_match", "exact match", lambda row: row.exact),
        Col("", "drawn", lambda row: row.exact, Format.DRAWN, filed=False),
        _answers("equal", "equal", lambda row: row.equal),
        _answers("rouge_1", "ROUGE-1", lambda row: row.rouge_1),
        _answers("rouge_1_precision", "ROUGE-1 precision", lambda row: row.rouge_1_precision),
        _answers("rouge_1_recall", "ROUGE-1 recall", lambda row: row.rouge_1_recall),
        _answers("rouge_l", "ROUGE-L", lambda row: row.rouge_l),
        _answers("rouge_l_precision", "ROUGE-L precision", lambda row: row.rouge_l_precision),
        _answers("rouge_l_recall", "ROUGE-L recall", lambda row: row.rouge_l_recall),
        Col("qa_pair_type", "qa_pair_type", lambda row: kind_name(row.kind), Format.DATA),
        Col("", "reason", lambda row: "" if row.answers else NO_ANSWERS, Format.REASON),
    ),
    csv=("annotator", "qa_pair_type"),
    text=("whose", *_ANSWERS_SHOWN),
    html=("questions", "exact_match", "drawn", *_ANSWERS_SHOWN[1:]),
    title="human answers",
)
