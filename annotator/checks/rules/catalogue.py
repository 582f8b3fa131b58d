"""All checks: id, severity, kind of work and rule.

People and programs refer to the ids, so they never change. docs/reference/checks.md lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from panelwise.domain import ANSWERS, KINDS, PAIRS, SUBFIGURES, TYPES, Finding, Kind, Severity

_BOXES, _TYPES = frozenset({SUBFIGURES}), frozenset({TYPES, PAIRS})
_PAIRS, _ANSWERS = frozenset({PAIRS}), frozenset({ANSWERS})


@dataclass(frozen=True, slots=True)
class Check:
    """One check. rule: of the guidelines, one sentence. of: kinds of work that it applies to."""

    id: str
    of: frozenset[Kind]
    rule: str
    severity: Severity

    def found(self, message: str, where: str = "") -> Finding:
        """Create a finding. where: a subfigure's label or a pair's id, "" for the figure."""
        return Finding(self.id, self.severity, where, message)


_error, _warning, _note = (
    partial(Check, severity=each) for each in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
)

# ---- subfigures ---------------------------------------------------------------------------------

NOTHING_MARKED = _error("nothing-marked", _BOXES, "An accepted figure has boxes.")
LABEL_REPEATED = _error("label-repeated", _BOXES, "Each subfigure has a label of its own.")
BOX_OUTSIDE = _note("box-outside", _BOXES, "Boxes stay within the image.")
BOX_TINY = _warning("box-tiny", _BOXES, "A box is drawn around a whole subfigure.")
BOXES_OVERLAP = _warning("boxes-overlap", _BOXES, "Boxes of two subfigures overlap by a few pixels at most.")
TEXT_MISSING = _warning("text-missing", _BOXES, "Each labelled subfigure has the words that describe it.")
BOX_MISSING = _warning("box-missing", _BOXES, "Each panel that the caption describes has a box with its label.")
LABEL_NOT_IN_CAPTION = _note(
    "label-not-in-caption", _BOXES, "Labels are those of the caption, where it names panels."
)
SEVERAL_SPANS = _warning(
    "several-spans", _BOXES, "In a single-span phase a subcaption is one span where possible."
)
LABELS_OUT_OF_ORDER = _warning(
    "labels-out-of-order", _BOXES, "Texts follow each other in the caption as their labels do."
)

# ---- figure types -------------------------------------------------------------------------------

KIND_MISSING = _error(
    "kind-missing",
    frozenset({TYPES}),
    "A figure is marked compound or not, with its number of subfigures.",
)
TYPE_MISSING = _error("type-missing", _TYPES, "A figure has at least one type.")
TYPE_UNKNOWN = _note("type-unknown", _TYPES, "Types are the guidelines' own.")
COUNT_NOT_COMPOUND = _error(
    "compound-and-count", _TYPES, "A compound figure has two subfigures or more, any other has one."
)
TYPES_NOT_COMPOUND = _note(
    "types-and-count", _TYPES, "Several types are for compound figures, at most one a subfigure."
)

# ---- question-answer pairs ----------------------------------------------------------------------

VERDICT_MISSING = _error("verdict-missing", _PAIRS, "Each pair is judged Correct or Incorrect.Edit.")
PAIR_UNKNOWN = _error("pair-unknown", _PAIRS | _ANSWERS, "What is judged is a pair of the figure.")
EDIT_MISSING = _error("edit-missing", _PAIRS, "Incorrect.Edit changes the type, question or answer.")
EDIT_UNDER_CORRECT = _error("edit-under-correct", _PAIRS, "Only Incorrect.Edit changes a pair.")
QUESTION_MISSING = _error("question-missing", _PAIRS, "A pair has a question.")
ANSWER_MISSING = _error("answer-missing", _PAIRS, "A pair has an answer.")
OPTION_COUNT = _error("option-count", _PAIRS, "Non-binary questions have exactly four options, others have none.")
OPTIONS_REPEATED = _error("options-repeated", _PAIRS, "No option is there twice.")
OPTIONS_ALIKE = _warning("options-alike", _PAIRS, "The four options mean different things.")
ANSWER_NOT_OPTION = _error("answer-not-an-option", _PAIRS, "The answer names options by their letters.")
ANSWER_NOT_BINARY = _error(
    "answer-not-binary", _PAIRS, "The answer to a binary question is yes, no, true or false."
)
ANSWER_BINARY = _warning("answer-binary", _PAIRS, "An open question is not answered yes, no, true or false.")
OPTIONS_BINARY = _warning(
    "options-binary", _PAIRS, "Options are not true and false, or yes and no, under another name."
)
ALL_YES = _note("all-binary-yes", _PAIRS, "Not all binary questions of a figure are answered yes.")
NOT_VISUAL = _warning(
    "visual-attribute-missing", _PAIRS, "A visual pair names a shape, size, position, height, direction or colour."
)
VISUAL = _note("visual-attribute-unasked", _PAIRS, "A non-visual pair names no shape, size, position or colour.")
QUESTIONS_ALIKE = _warning("questions-alike", _PAIRS, "No pair nearly repeats another of the figure.")
ANSWER_LONG = _note("answer-long", _PAIRS | _ANSWERS, "Answers are short.")
UNANSWERABLE_MISWORDED = _error(
    "unanswerable-misworded",
    _PAIRS | _ANSWERS,
    "The answer to an unanswerable question is the guidelines' sentence.",
)
ANSWERED_AS_UNANSWERABLE = _error(
    "unanswerable-type-missing",
    _PAIRS,
    "An unanswerable pair has that type, and only it the sentence.",
)
ASKS_FOR_TYPE = _warning("asks-for-figure-type", _PAIRS, "No question asks for the figure's type.")
EXOTIC_COLOUR = _note("exotic-colour", _PAIRS, "Colours have their plain names.")
CAPTION_ONLY = _note("caption-only", _PAIRS, "A question that the caption alone answers has a note that says so.")

# ---- human evaluation ---------------------------------------------------------------------------

HUMAN_MISSING = _error(
    "human-answer-missing", _ANSWERS, 'Each question is answered, or "I don\'t know" is ticked.'
)
REASON_MISSING = _warning("reason-missing", _ANSWERS, '"I don\'t know" has its reason in the notes.')
HUMAN_NOT_OPTION = _error("human-answer-not-an-option", _ANSWERS, "Where there are options, some are picked.")
HUMAN_NOT_BINARY = _warning(
    "human-answer-not-binary", _ANSWERS, "A binary question is answered by yes, no, true or false."
)

#: All checks, in the order of the reference.
CHECKS: tuple[Check, ...] = tuple(each for each in tuple(globals().values()) if isinstance(each, Check))

#: No rule of the guidelines: a fault of the checks on one figure, in place of the findings that it cost.
CHECKS_FAILED = _note("checks-failed", frozenset(KINDS.values()), "")
