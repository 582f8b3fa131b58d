"""Instructions that annotators see in Label Studio: what to correct, the rules of their task, the guidelines."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.campaign.guidelines import Element, guidelines
from annotator.campaign.home import Home
from panelwise.domain import ANSWERS, PAIRS, TYPES, UNANSWERABLE, Phase

#: Comments that the instructions of a project list at most.
MOST_COMMENTS = 100
_NO_MODELS = "Do not use language models to annotate."
_RULES = {
    TYPES: (
        "A figure is compound if it has several separable subfigures; parts joined by arrows or brackets are one.",
        "Types and number are filled in by a program: approve or correct them, and tick all types that apply.",
        _NO_MODELS,
    ),
    PAIRS: (
        "Choose Correct or Incorrect.Edit for each pair. After Incorrect.Edit change at least one field.",
        "An edit counts only while Incorrect.Edit is chosen.",
        "A pair whose type the figure does not allow gets the type None.",
        f"A pair that cannot be answered gets the type unanswerable and the answer: {UNANSWERABLE}",
        "After a change of what was submitted press Update.",
        f"{_NO_MODELS} Look into the full paper in edge cases only.",
    ),
    ANSWERS: (
        "Answer each question from the figure and its caption alone, as briefly as you can, or pick all options "
        "that are right.",
        "If you do not know, tick so and say why in the note.",
        f"{_NO_MODELS} Do not look into the full paper.",
    ),
}


@dataclass(frozen=True, slots=True)
class Message:
    """A reviewer's message to the annotator of a task. address: of the task in Label Studio, for people."""

    task_id: int
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class Messages:
    """Messages of reviewers to a project's annotator. corrections: why tasks were sent back."""

    corrections: tuple[Message, ...] = ()
    comments: tuple[Message, ...] = ()


NO_MESSAGES = Messages()


def instructions(home: Home, phase: Phase, messages: Messages = NO_MESSAGES) -> str:
    """Return the instructions of an annotator's project as HTML, "" if there are none; messages come first.

    Only the markup that guidelines may use is written. Raises FormatError if the guidelines can't be read.
    """
    found = guidelines(home)
    rules = tuple(Element("li", (rule,)) for rule in _RULES.get(phase.kind, ()))
    head = (Element("h3", ("On this screen",)), Element("ul", rules)) if rules else ()
    to_correct = _listed(
        "To correct",
        "A reviewer sent these tasks back to you. Open each, correct it, and press Update.",
        messages.corrections,
    )
    newest = messages.comments[-MOST_COMMENTS:]
    only = "" if len(newest) == len(messages.comments) else f" The newest {MOST_COMMENTS} are listed."
    comments = _listed("Comments", f"Reviewers wrote to you on these tasks.{only}", newest)
    return _markup((*to_correct, *comments, *head, *(found.blocks if found is not None else ())))


def _listed(title: str, line: str, messages: Sequence[Message]) -> tuple[Element, ...]:
    if not messages:
        return ()
    rows = tuple(
        Element("li", (Element("a", (f"Task {each.task_id}",), href=each.address), f": {each.text}"))
        for each in messages
    )
    return (Element("h3", (title,)), Element("p", (line,)), Element("ul", rows))


def _markup(pieces: Iterable[Element | str]) -> str:
    return "".join(html.escape(piece) if isinstance(piece, str) else _element(piece) for piece in pieces)


def _element(piece: Element) -> str:
    if piece.tag in ("br", "hr"):
        return f"<{piece.tag}>"
    href = f' href="{html.escape(piece.href)}"' if piece.href else ""
    start = f' start="{piece.start}"' if piece.start is not None else ""
    return f"<{piece.tag}{href}{start}>{_markup(piece.children)}</{piece.tag}>"
