"""A figure's type, pairs or questions as an annotator's own task: the screen, and what a draft makes of them.

Nothing of others' work is in it; of a question that human evaluation asks, neither its answer nor the article.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.draft import OwnItemsDraft
from annotator.adjudication.items.opinions import Opinions
from annotator.adjudication.items.screen import items_in, items_state, type_names
from annotator.adjudication.items.state import ItemsState, Question
from annotator.adjudication.kinds.pairs import OWN_ANSWERS, answer_of
from annotator.adjudication.kinds.support import KindSupport
from annotator.adjudication.kinds.supports import ADJUDICATED, SUPPORTS
from annotator.adjudication.kinds.types import refuse_unlisted
from annotator.adjudication.state import Voice
from annotator.campaign.home import Home
from annotator.checks.rules.pairs import option_letters, picked
from annotator.consensus.adjudicated_pairs import adjudicated_figure
from annotator.consensus.items import Reading
from annotator.queue.pages import Progress
from annotator.store.queries.work import FigureWork
from annotator.store.store import Transaction
from panelwise.domain import (
    ITEM_KINDS,
    UNANSWERABLE,
    Campaign,
    Figure,
    HumanAnswer,
    InvalidAnnotation,
    Items,
    Phase,
    Prediction,
    QAItem,
)
from panelwise.formats import SEED_IMPORTED


def figure_of_phase(tx: Transaction, campaign: Campaign, phase: Phase, figure: Figure) -> Figure:
    """The figure with the pairs that a phase shows: in human evaluation those of the gold."""
    return adjudicated_figure(tx, campaign, figure) if phase.kind.answered else figure


def task_state(
    figure: Figure, start: Prediction | None, phase: Phase, home: Home, annotator: str, progress: Progress
) -> ItemsState:
    """Build the adjudication screen of a figure's items with at most a prediction.

    start: see `predicted_kind`; None to start from nothing. Pairs are open until the annotator judges them.
    """
    answering = phase.kind.answered
    state = items_state(FigureWork(figure, (), (), (), None), home, annotator, progress)
    opinions = _opinions(figure, phase, home.campaign, start, Keys(home.secret(), figure.id).of)
    return msgspec.structs.replace(
        state,
        references=() if answering else state.references,
        annotators=tuple(Voice(opinions.key(reading.annotator), "Prediction") for reading in opinions.readings),
        **{each.shown: each.as_field(_open_items(each, opinions, start)) for each in ADJUDICATED},
        questions=tuple(
            Question(pair.id, pair.kind, pair.question, pair.choices)
            for pair in figure.imported.pairs
            if answering
        ),
        type_names=type_names(opinions, start.items.kind if start is not None else None),
        kinds=tuple(kind.field for kind in phase.kinds),
        findings={},
        reasons=(),
    )


def judged_in(draft: OwnItemsDraft, figure: Figure, phase: Phase, campaign: Campaign) -> Items:
    """The items of a draft, complete. Raises InvalidAnnotation, which begins with the field."""
    pairs = _pairs(figure, phase)
    opinions = _opinions(figure, phase, campaign, None, str)
    answers = [answer_of(value) for value in OWN_ANSWERS.values_in(draft)]
    judged = Items(parts=(*items_in(draft, opinions).parts, *answers))
    if not pairs and phase.kind.on_pairs:
        raise InvalidAnnotation("the figure has no question-answer pairs; leave it out and inform your lead")
    for support in SUPPORTS.values():
        _check_complete(support, support.values_in(draft), phase, pairs)
    refuse_unlisted(judged.kind, phase)
    for position, answer in enumerate(answers):
        _check_answer(f"answers[{position}].answer", answer, pairs[answer.item])
    return judged


def _opinions(
    figure: Figure, phase: Phase, campaign: Campaign, start: Prediction | None, key: Callable[[str], str]
) -> Opinions:
    """Return the items' initial opinions for an annotator: at most the task's prediction.

    Without an imported type as its start, the figure has none here.
    """
    asked = ITEM_KINDS & {*phase.kinds}
    readings: tuple[Reading, ...] = ()
    if start is None or start.model_version != SEED_IMPORTED:
        figure = replace(figure, imported=replace(figure.imported, kind=None))
        readings = () if start is None else (Reading(start.model_version, Items(start.items.kind)),)
    return Opinions(figure, campaign, (), readings, key, 1, asked, phase.fine_types)


def _open_items(support: KindSupport, opinions: Opinions, start: Prediction | None) -> list[Any]:
    """Return the items of a kind as no annotator has judged them; a predicted type is preselected."""
    chosen = start is not None and not support.kind.on_pairs
    return [replace(item, conflict=False, reasons=(), preselected=chosen) for item in opinions.items(support)]


def _pairs(figure: Figure, phase: Phase) -> dict[str, QAItem]:
    """Id -> pair to be judged or answered."""
    return figure.imported.by_id if phase.kind.on_pairs else {}


def _check_complete(
    support: KindSupport, values: Sequence[Any], phase: Phase, pairs: Mapping[str, QAItem]
) -> None:
    """Raise InvalidAnnotation unless exactly what the phase asks for of a kind is judged, and in full."""
    field, is_asked = support.kind.field, support.kind in phase.kinds
    if not support.kind.on_pairs:
        if values and not is_asked:
            what = f"the figure's {support.title.lower()}"
            raise InvalidAnnotation(f"{field}: this phase does not ask for {what}; reload")
        if is_asked and (missing := support.missing(values[0] if values else None)):
            raise InvalidAnnotation(f"{field}: {missing} is missing; say it, then submit again")
        return
    done, asked = [value.item for value in values], pairs if is_asked else {}
    for position, name in enumerate(done):
        if name not in asked:
            raise InvalidAnnotation(f'{field}[{position}].item: this task has no pair "{name}"; reload')
    if missing := support.missing_pairs(values, asked):
        raise InvalidAnnotation(f"{field}: {missing}; judge every pair, then submit again")


def _check_answer(field: str, answer: HumanAnswer, pair: QAItem) -> None:
    """Raise InvalidAnnotation for an answer without text, or that is none of a question's options."""
    text = answer.answer
    if text is None or text == UNANSWERABLE:
        return
    if not text:
        raise InvalidAnnotation(f'{field}: is blank; answer, or choose "I don\'t know"')
    letters = option_letters(len(pair.choices))
    if pair.choices and not all(letter and letter in letters for letter in picked(text)):
        raise InvalidAnnotation(f'{field}: "{text[:60]}" is none of the options; pick from them')
