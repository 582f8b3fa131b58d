"""All checks: id, severity, kind of work and rule.

People and programs refer to the ids, so they never change. docs/reference/checks.md has an example of each.
"""

from __future__ import annotations

from dataclasses import dataclass

from panelwise.domain.campaign import TaskType
from panelwise.domain.findings import Finding, Severity

_BOXES, _TYPES = frozenset({TaskType.SUBFIGURES}), frozenset({TaskType.FIGURE_TYPES, TaskType.FIGURE_QA})
_PAIRS, _ANSWERS = frozenset({TaskType.FIGURE_QA}), frozenset({TaskType.HUMAN_EVAL})


@dataclass(frozen=True, slots=True)
class Check:
    """One check. rule: of the guidelines, one sentence. of: kinds of work that it applies to."""

    id: str
    severity: Severity
    of: frozenset[TaskType]
    rule: str

    def found(self, message: str, where: str = "") -> Finding:
        """Create a finding. where: a subfigure's label or a pair's id, "" for the figure."""
        return Finding(self.id, self.severity, where, message)


# ---- subfigures ---------------------------------------------------------------------------------

NOTHING_MARKED = Check(
    "nothing-marked", Severity.ERROR, _BOXES, "A figure that is accepted has a box for each of its subfigures."
)
LABEL_REPEATED = Check(
    "label-repeated", Severity.ERROR, _BOXES, "Each subfigure has a label of its own: gold takes no label twice."
)
BOX_OUTSIDE = Check("box-outside", Severity.NOTE, _BOXES, "Boxes stay within the image.")
BOX_TINY = Check("box-tiny", Severity.WARNING, _BOXES, "A box is drawn around a whole subfigure.")
BOXES_OVERLAP = Check(
    "boxes-overlap", Severity.WARNING, _BOXES, "Boxes of two subfigures overlap by a few pixels at most."
)
TEXT_MISSING = Check(
    "text-missing",
    Severity.WARNING,
    _BOXES,
    "Each labelled subfigure has the words of the caption that describe it.",
)
BOX_MISSING = Check(
    "box-missing", Severity.WARNING, _BOXES, "Each panel that the caption describes has a box with its label."
)
LABEL_NOT_IN_CAPTION = Check(
    "label-not-in-caption", Severity.NOTE, _BOXES, "Labels are those that the caption uses, where it names panels."
)
SEVERAL_SPANS = Check(
    "several-spans", Severity.WARNING, _BOXES, "In a single-span phase a subcaption is one span where possible."
)
LABELS_OUT_OF_ORDER = Check(
    "labels-out-of-order", Severity.WARNING, _BOXES, "Texts follow each other in the caption as their labels do."
)

# ---- figure types -------------------------------------------------------------------------------

KIND_MISSING = Check(
    "kind-missing",
    Severity.ERROR,
    frozenset({TaskType.FIGURE_TYPES}),
    "It is said whether a figure is compound, and how many subfigures it has.",
)
TYPE_MISSING = Check("type-missing", Severity.ERROR, _TYPES, "A figure that was looked at has at least one type.")
TYPE_UNKNOWN = Check(
    "type-unknown", Severity.NOTE, _TYPES, "Types are the guidelines' own, where fine types are not asked for."
)
COUNT_NOT_COMPOUND = Check(
    "compound-and-count",
    Severity.ERROR,
    _TYPES,
    "A compound figure has two subfigures or more, any other has one.",
)
TYPES_NOT_COMPOUND = Check(
    "types-and-count",
    Severity.NOTE,
    _TYPES,
    "Several types are for compound figures, at most one for each subfigure.",
)

# ---- question-answer pairs ----------------------------------------------------------------------

VERDICT_MISSING = Check(
    "verdict-missing", Severity.ERROR, _PAIRS, "Each pair of a figure is judged Correct or Incorrect.Edit."
)
PAIR_UNKNOWN = Check("pair-unknown", Severity.ERROR, _PAIRS | _ANSWERS, "What is judged is a pair of the figure.")
EDIT_MISSING = Check(
    "edit-missing",
    Severity.ERROR,
    _PAIRS,
    "Who chooses Incorrect.Edit changes the type, the question or the answer.",
)
EDIT_UNDER_CORRECT = Check(
    "edit-under-correct", Severity.ERROR, _PAIRS, "Who changes a pair chooses Incorrect.Edit."
)
QUESTION_MISSING = Check("question-missing", Severity.ERROR, _PAIRS, "A pair has a question.")
ANSWER_MISSING = Check("answer-missing", Severity.ERROR, _PAIRS, "A pair has an answer.")
OPTION_COUNT = Check(
    "option-count", Severity.ERROR, _PAIRS, "Non-binary questions have exactly four options, others have none."
)
OPTIONS_REPEATED = Check("options-repeated", Severity.ERROR, _PAIRS, "No option stands twice.")
OPTIONS_ALIKE = Check("options-alike", Severity.WARNING, _PAIRS, "The four options mean different things.")
ANSWER_NOT_OPTION = Check(
    "answer-not-an-option", Severity.ERROR, _PAIRS, "The answer names one or more of the options by their letters."
)
ANSWER_NOT_BINARY = Check(
    "answer-not-binary", Severity.ERROR, _PAIRS, "The answer to a binary question is yes, no, true or false."
)
ALL_YES = Check("all-binary-yes", Severity.NOTE, _PAIRS, "Not all binary questions of a figure are answered yes.")
NOT_VISUAL = Check(
    "visual-attribute-missing",
    Severity.WARNING,
    _PAIRS,
    "A visual pair names a shape, size, position, height, direction or colour.",
)
VISUAL = Check(
    "visual-attribute-unasked",
    Severity.NOTE,
    _PAIRS,
    "A non-visual pair names no shape, size, position or colour.",
)
QUESTIONS_ALIKE = Check(
    "questions-alike", Severity.WARNING, _PAIRS, "No pair is a near repeat of another one of the figure."
)
ANSWER_LONG = Check("answer-long", Severity.NOTE, _PAIRS | _ANSWERS, "Answers are short.")
UNANSWERABLE_MISWORDED = Check(
    "unanswerable-misworded",
    Severity.ERROR,
    _PAIRS | _ANSWERS,
    "The answer to an unanswerable question is the guidelines' sentence, word for word.",
)
ANSWERED_AS_UNANSWERABLE = Check(
    "unanswerable-type-missing",
    Severity.ERROR,
    _PAIRS,
    "A pair that is found unanswerable gets that type, and the sentence is kept for these.",
)
ASKS_FOR_TYPE = Check(
    "asks-for-figure-type", Severity.WARNING, _PAIRS, "No question asks what type of figure this is."
)
EXOTIC_COLOUR = Check("exotic-colour", Severity.NOTE, _PAIRS, "Colours are called by their plain names.")
CAPTION_ONLY = Check(
    "caption-only",
    Severity.NOTE,
    _PAIRS,
    "A question that the caption alone answers stays, with a note that says so.",
)

# ---- human evaluation ---------------------------------------------------------------------------

HUMAN_MISSING = Check(
    "human-answer-missing", Severity.ERROR, _ANSWERS, 'Each question is answered, or "I don\'t know" is ticked.'
)
REASON_MISSING = Check(
    "reason-missing", Severity.WARNING, _ANSWERS, '"I don\'t know" has its reason in the notes.'
)
HUMAN_NOT_OPTION = Check(
    "human-answer-not-an-option", Severity.ERROR, _ANSWERS, "Where there are options, some of them are picked."
)
HUMAN_NOT_BINARY = Check(
    "human-answer-not-binary",
    Severity.WARNING,
    _ANSWERS,
    "A binary question is answered by yes, no, true or false.",
)

#: All checks, in the order of the reference.
CHECKS: tuple[Check, ...] = tuple(each for each in tuple(globals().values()) if isinstance(each, Check))
