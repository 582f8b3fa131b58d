"""An example of each check: the work in which it finds something. messages.txt has the message of each."""

from __future__ import annotations

from dataclasses import replace

from builders import a_figure, a_subfigure, an_annotation

from panelwise.domain.annotation import Annotation
from panelwise.domain.campaign import Phase, TaskType
from panelwise.domain.items import UNANSWERABLE, FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.formats.scivqa import pair_record

BOXES = Phase("1")
TYPES, PAIRS, ANSWERS = (
    Phase("1", each) for each in (TaskType.FIGURE_TYPES, TaskType.FIGURE_QA, TaskType.HUMAN_EVAL)
)
#: Tokens of "(A) left lung", "(B) right lung" and "(C) the heart" in the builders' caption.
A, B, C = (3, 4, 5, 6, 7), (9, 10, 11, 12, 13), (15, 16, 17, 19, 20)
LEFT, RIGHT, BELOW = (0, 0, 400, 300), (400, 0, 800, 300), (0, 300, 800, 600)
CAPTION = "Figure 4: Accuracy of TreeRNN and RNTN by training size."


def boxes(*subfigures: tuple[str, tuple[float, ...], tuple[int, ...]], caption: str | None = None) -> Annotation:
    figure = a_figure() if caption is None else a_figure(caption=caption)
    return an_annotation(figure, subfigures=tuple(a_subfigure(x, box=y, tokens=z) for x, y, z in subfigures))


def pair(kind: QAKind = QAKind.INFINITE_VISUAL, number: int = 1, **more: object) -> QAItem:
    texts = {
        QAKind.INFINITE_VISUAL: ("How high is the red line at 5?", "20"),
        QAKind.INFINITE_NON_VISUAL: ("What is the highest value on the x-axis?", "25"),
        QAKind.BINARY_VISUAL: ("Is the blue bar the tallest?", "No"),
        QAKind.BINARY_NON_VISUAL: ("Does accuracy rise with size?", "Yes"),
        QAKind.CHOICE_VISUAL: ("Which marker stands at the far left?", "A"),
        QAKind.CHOICE_NON_VISUAL: ("Which model needs most data?", "C"),
        QAKind.UNANSWERABLE: ("Who collected the sentences?", UNANSWERABLE),
    }
    question, answer = texts[kind]
    choices = ("LSTM", "GRU", "CNN", "BERT") if "non-binary" in kind.value else ()
    fields = {"question": question, "answer": answer, "choices": choices, **more}
    return QAItem(f"p{number}", kind=kind, **fields)


#: One of each type, in which nothing is wrong.
SEVEN = tuple(pair(kind, number) for number, kind in enumerate(QAKind, start=1))


def with_pairs(*items: QAItem, **more: object) -> Annotation:
    figure = a_figure(caption=CAPTION, extra={"qa": [pair_record(item) for item in items]})
    return an_annotation(figure, subfigures=(), **more)


def judged(*items: QAItem, verdicts: tuple[QAVerdict, ...] | None = None) -> Annotation:
    """The pairs, each judged correct as it came but for those of `verdicts`."""
    given = {verdict.item: verdict for verdict in verdicts or ()}
    all_ = tuple(given.pop(item.id, QAVerdict(item.id, Verdict.CORRECT)) for item in items)
    return with_pairs(*items, items=Items(verdicts=(*all_, *given.values())))


def one(kind: QAKind, **more: object) -> Annotation:
    return judged(pair(kind, **more))


def typed(compound: bool | None, count: int | None, *types: str) -> Annotation:
    return with_pairs(items=Items(FigureKind(compound, count, frozenset(types))))


def answered(item: QAItem, *answers: HumanAnswer) -> Annotation:
    return with_pairs(item, items=Items(answers=answers))


def _edited(**more: object) -> tuple[QAVerdict, ...]:
    return (QAVerdict("p1", Verdict.CORRECT, replace(pair(), **more)),)


#: Check -> work in which it finds something, and the phase that it was done in.
EXAMPLES: dict[str, tuple[Annotation, Phase]] = {
    "nothing-marked": (boxes(), BOXES),
    "label-repeated": (boxes(("A", LEFT, A), ("A", RIGHT, B)), BOXES),
    "box-outside": (boxes(("A", (0, 0, 400, 600.4), A), ("B", RIGHT, B)), BOXES),
    "box-tiny": (boxes(("A", LEFT, A), ("B", (500, 20, 508, 300), B)), BOXES),
    "boxes-overlap": (boxes(("A", (0, 0, 500, 300), A), ("B", RIGHT, B)), BOXES),
    "text-missing": (boxes(("A", LEFT, A), ("B", RIGHT, ())), BOXES),
    "box-missing": (boxes(("A", LEFT, A), ("B", RIGHT, B)), BOXES),
    "label-not-in-caption": (boxes(("A", LEFT, A), ("B", RIGHT, B), ("F", (0, 0, 20, 20), C)), BOXES),
    "several-spans": (
        boxes(("A", LEFT, (3, 4, 5, 7)), ("B", RIGHT, B)),
        Phase("1", single_span=True),
    ),
    "labels-out-of-order": (boxes(("A", LEFT, B), ("B", RIGHT, A)), BOXES),
    "kind-missing": (with_pairs(items=Items()), TYPES),
    "type-missing": (typed(False, 1), TYPES),
    "type-unknown": (typed(False, 1, "heat map"), TYPES),
    "compound-and-count": (typed(False, 2, "line chart"), TYPES),
    "types-and-count": (typed(False, 1, "line chart", "bar chart"), TYPES),
    "verdict-missing": (with_pairs(pair(), items=Items()), PAIRS),
    "pair-unknown": (judged(pair(), verdicts=(QAVerdict("p9", Verdict.CORRECT),)), PAIRS),
    "edit-missing": (judged(pair(), verdicts=(QAVerdict("p1", Verdict.INCORRECT),)), PAIRS),
    "edit-under-correct": (judged(pair(), verdicts=_edited(answer="21")), PAIRS),
    "question-missing": (one(QAKind.INFINITE_VISUAL, question=" "), PAIRS),
    "answer-missing": (one(QAKind.INFINITE_VISUAL, answer=""), PAIRS),
    "option-count": (one(QAKind.CHOICE_VISUAL, choices=("LSTM", "GRU", "CNN")), PAIRS),
    "options-repeated": (one(QAKind.CHOICE_VISUAL, choices=("LSTM", "GRU", "CNN", "GRU")), PAIRS),
    "options-alike": (
        one(QAKind.CHOICE_VISUAL, choices=("dashed line", "the dashed lines", "dots", "stars")),
        PAIRS,
    ),
    "answer-not-an-option": (one(QAKind.CHOICE_VISUAL, answer="E"), PAIRS),
    "answer-not-binary": (one(QAKind.BINARY_VISUAL, answer="Mostly"), PAIRS),
    "answer-binary": (one(QAKind.INFINITE_VISUAL, answer="Yes"), PAIRS),
    "options-binary": (one(QAKind.CHOICE_VISUAL, choices=("True", "False", "Both", "Neither"), answer="A"), PAIRS),
    "all-binary-yes": (
        judged(pair(QAKind.BINARY_VISUAL, 1, answer="Yes"), pair(QAKind.BINARY_NON_VISUAL, 2)),
        PAIRS,
    ),
    "visual-attribute-missing": (one(QAKind.INFINITE_VISUAL, question="What is the accuracy of RNTN?"), PAIRS),
    "visual-attribute-unasked": (
        one(QAKind.INFINITE_NON_VISUAL, question="What does the red line mean?", answer="RMSE"),
        PAIRS,
    ),
    "questions-alike": (
        judged(
            pair(QAKind.INFINITE_VISUAL, 1),
            pair(QAKind.CHOICE_VISUAL, 2, question="How high is the red line, at 5?"),
        ),
        PAIRS,
    ),
    "answer-long": (
        one(
            QAKind.INFINITE_VISUAL,
            answer="It rises at first, then stays level until 40, and falls again after that",
        ),
        PAIRS,
    ),
    "unanswerable-misworded": (one(QAKind.UNANSWERABLE, answer="Cannot be answered."), PAIRS),
    "unanswerable-type-missing": (one(QAKind.INFINITE_VISUAL, answer=UNANSWERABLE), PAIRS),
    "asks-for-figure-type": (
        one(QAKind.INFINITE_VISUAL, question="What type of chart stands at the left?", answer="Bar chart"),
        PAIRS,
    ),
    "exotic-colour": (one(QAKind.INFINITE_VISUAL, question="How high is the teal line at 5?"), PAIRS),
    "caption-only": (
        one(QAKind.INFINITE_NON_VISUAL, question="What is varied?", answer="Training size"),
        PAIRS,
    ),
    "human-answer-missing": (answered(pair()), ANSWERS),
    "reason-missing": (answered(pair(), HumanAnswer("p1", None)), ANSWERS),
    "human-answer-not-an-option": (answered(pair(QAKind.CHOICE_VISUAL), HumanAnswer("p1", "LSTM")), ANSWERS),
    "human-answer-not-binary": (answered(pair(QAKind.BINARY_VISUAL), HumanAnswer("p1", "Mostly")), ANSWERS),
}
