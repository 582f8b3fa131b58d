"""Figure types, verdicts on pairs and human answers as text, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agreement.questions.human_answers import AnswerScore, AnswerScores
from agreement.questions.items import EditRate, ItemReport
from agreement.questions.judgements import CountScore, JudgementScore, TagScore
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, indented, score_text
from panelwise.domain.items import QAKind
from panelwise.runtime.plurals import counted

#: Columns of what a row is of.
WHAT = 24
#: What stands for all types of pair.
ALL = "all types"


def items_lines(items: ItemReport | None, names: ShortNames) -> Iterable[str]:
    """Yield the tables on items, each below an empty line; nothing without items."""
    if items is None:
        return
    judgements = [(score.name, score) for score in (items.compound, items.types) if score is not None]
    judgements += [(_kind(kind), score) for kind, score in items.verdicts]
    yield from _judgements(judgements)
    for score in (items.compound, *(score for kind, score in items.verdicts if kind is None)):
        yield from _two_by_two(score, names)
    yield from _tags(items.tags)
    yield from _count(items.count, names)
    yield from _edits(items.edits)
    yield from _answers(items.answers, names)
    if items.unknown:
        yield ""
        yield from indented(
            f"{counted(items.unknown, 'verdict')} on pairs of no known type: name their file with --pairs"
        )


def _kind(kind: QAKind | None) -> str:
    return ALL if kind is None else kind.brief


def _judgements(judgements: Sequence[tuple[str, JudgementScore]]) -> Iterable[str]:
    shared = [(name, score) for name, score in judgements if score.all.units]
    alone = [name for name, score in judgements if not score.all.units]
    if shared:
        yield ""
        heads = f"{'observed':>8} {'Fleiss':>9} {'Light':>9} {'AC1':>8} {'alpha':>9} units"
        yield f"{'judged by two or more':{WHAT}} {heads}"
        for name, score in shared:
            whole = score.all
            numbers = (whole.observed, whole.fleiss, score.light, whole.ac1, whole.alpha)
            observed, fleiss, light, ac1, alpha = map(score_text, numbers)
            yield f"{name:{WHAT}} {observed} {fleiss:>9} {light:>9} {ac1} {alpha:>9} {whole.units:5}"
            if whole.reason:
                yield f"  -: {whole.reason}"
        yield "  Fleiss, Light: kappas (Light's: mean of two by two); alpha of types by MASI"
    elif alone:
        yield from ("", "no figure or pair was judged by two annotators, so agreement is undefined")


def _two_by_two(score: JudgementScore | None, names: ShortNames) -> Iterable[str]:
    if score is None or not score.pairs:
        return
    yield ""
    yield f"{score.name:{2 * NAME + 1}} {'observed':>8} {'kappa':>9} {'units':>8}"
    for each in score.pairs:
        one, other = each.annotators
        numbers = f"{score_text(each.observed)} {score_text(each.kappa):>9} {each.units:8}"
        yield f"{names.cell(one)} {names.cell(other)} {numbers}"
    for reason in sorted({each.reason for each in score.pairs if each.reason}):
        yield f"  -: {reason}"


def _tags(tags: Sequence[TagScore]) -> Iterable[str]:
    if not tags:
        return
    yield ""
    heads = " ".join(f"{head:>9}" for head in ("observed", "positive", "Fleiss", "AC1"))
    yield f"{'figure type':{WHAT}} {'given':>6} {heads} {'figures':>8}"
    for each in tags:
        numbers = " ".join(
            f"{score_text(value):>9}" for value in (each.observed, each.positive, each.fleiss, each.ac1)
        )
        tag = each.tag if len(each.tag) <= WHAT else f"{each.tag[: WHAT - 3]}..."
        yield f"{tag:{WHAT}} {each.given:6} {numbers} {each.units:8}"
    yield "  positive: of two, how often both give the type where either does"


def _count(count: CountScore | None, names: ShortNames) -> Iterable[str]:
    if count is None:
        return
    yield ""
    if not count.units:
        yield f"number of subfigures: {count.reason}"
        return
    yield f"{'number of subfigures':{2 * NAME + 1}} {'differ by':>9} {'linear':>9} {'quadratic':>9} {'figures':>8}"
    everybody = (count.difference, count.linear, count.quadratic, count.units)
    yield _count_row(f"{'all annotators':{2 * NAME + 1}}", everybody)
    for each in count.pairs:
        one, other = each.annotators
        row = (each.difference, each.linear, each.quadratic, each.units)
        yield _count_row(f"{names.cell(one)} {names.cell(other)}", row)
    yield f"  the same number: {score_text(count.same)}; linear, quadratic: weighted kappas"
    if count.reason:
        yield f"  -: {count.reason}"


def _count_row(name: str, row: tuple[float | None, float | None, float | None, int]) -> str:
    difference, linear, quadratic, figures = row
    return f"{name} {score_text(difference):>9} {score_text(linear):>9} {score_text(quadratic):>9} {figures:8}"


def _edits(edits: Sequence[EditRate]) -> Iterable[str]:
    if not edits:
        return
    yield ""
    yield (
        f"{'verdicts':{WHAT}} {'judged':>6} {'incorrect':>9} {'rate':>8} "
        f"{'question':>8} {'options':>7} {'answer':>6} {'type':>4}"
    )
    for each in edits:
        yield (
            f"{_kind(each.kind):{WHAT}} {each.judged:6} {each.incorrect:9} {score_text(each.rate)} "
            f"{each.question:8} {each.options:7} {each.answer:6} {each.type:4}"
        )
    yield "  question, options, answer, type: in how many that was changed"


def _answers(answers: AnswerScores | None, names: ShortNames) -> Iterable[str]:
    if answers is None:
        return
    yield ""
    yield (
        f"{'human answers':{WHAT}} {'exact':>8} {'equal':>8} {'ROUGE-1':>8} {'ROUGE-L':>8} {'unknown':>7} "
        f"{'answers':>7}"
    )
    for each in answers.scores:
        if each.annotator is None:
            yield _answer_row(f"{_kind(each.kind):{WHAT}}", each)
    for each in answers.scores:
        if each.annotator is not None and each.kind is None:
            yield _answer_row(f"{names.cell(each.annotator):{WHAT}}", each)
    yield "  exact: the gold answer, case and blanks aside; equal: in other signs too"
    yield "  unknown: I don't know, which counts as wrong"
    if answers.without_gold:
        yield f"  {counted(answers.without_gold, 'answer')} to questions of no known gold answer left out"


def _answer_row(name: str, each: AnswerScore) -> str:
    rouge = (None if found is None else found.f1 for found in (each.rouge_1, each.rouge_l))
    numbers = " ".join(map(score_text, (each.exact, each.equal, *rouge)))
    return f"{name} {numbers} {each.unknown:7} {each.answers:7}"
