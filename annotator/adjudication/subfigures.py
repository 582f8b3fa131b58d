"""A figure's subfigures on their screen: what a reviewer is shown, and what a decision makes of a draft.

Annotators stay anonymous: nothing that `figure_state` or `decision_view` return carries an annotator's name or
a model's version. Each is known by a key, made per figure with the home's secret, so that it is the same on every
load, differs from figure to figure, and tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import SubfiguresDraft, SubfiguresView
from annotator.adjudication.proposals import collect_opinions, panels
from annotator.adjudication.standing import figure_basics, review_of, standing, starting_decision
from annotator.adjudication.state import FigureState, LabelColor, Opinion
from annotator.campaign.home import Home
from annotator.campaign.shown_caption import shown_caption
from annotator.consensus.items import agreed_items
from annotator.queue.pages import Progress
from annotator.queue.ranking import queue_agreement
from annotator.store.queries.work import FigureWork
from label_config import colour
from panelwise.domain import (
    Box,
    Campaign,
    Corners,
    Decision,
    Figure,
    InvalidAnnotation,
    Items,
    Subfigure,
    too_many_boxes,
)
from panelwise.formats import panels_named

#: Decimals kept of a box's coordinates: a hundredth of a pixel.
BOX_DECIMALS = 2


def figure_state(work: FigureWork, home: Home, reviewer: str, progress: Progress) -> FigureState:
    """Build the screen state of one figure for `reviewer`.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    figure, history = work.figure, work.history
    keys = Keys(home.secret(), figure.id)
    tied = review_of(work, reviewer)[1]
    found = collect_opinions(work, home.campaign, keys, tied)
    decision = standing(history, figure.revision)
    shown = None if tied else decision
    start = starting_decision(work)
    palette = _palette(home.campaign, found.opinions, decision)
    return FigureState(
        **figure_basics(work, found.annotations, found.reasons, reviewer, progress),
        caption=shown_caption(figure.caption),
        reference_panels=reference_panels(figure),
        labels=tuple(each.label for each in palette),
        palette=palette,
        decision=decision_view(shown, keys) if shown else None,
        annotators=found.voices,
        annotations=found.opinions,
        candidates=found.candidates,
        quorum=found.quorum,
        agreement=queue_agreement(found.annotations),
        starts_from=decision_view(start, keys) if start and not decision else None,
    )


# -- from the domain to the screen --------------------------------------------------------------------------------


def reference_panels(figure: Figure) -> tuple[tuple[str, ...], ...]:
    """Return the letters of the panels that each reference of a figure names."""
    return panels_named(figure.references, str(figure.extra.get("label", "")))


def _palette(campaign: Campaign, opinions: Iterable[Opinion], decision: Decision | None) -> tuple[LabelColor, ...]:
    """The campaign's labels, then any other in use here, each with its colour.

    Where people wrote the campaign's labels in small letters, as the figure has them (a for A), all come in small
    letters. A label that differs from one of the campaign's by case only has that one's colour.
    """
    used = {panel.label for opinion in opinions for panel in opinion.subfigures}
    used |= {subfigure.label for subfigure in decision.subfigures} if decision else set()
    known = list(campaign.labels)
    small = [label.lower() for label in known]
    if used - set(known) and not used & set(known) and used & set(small) and len(set(small)) == len(small):
        known = small
    place = {label.casefold(): index for index, label in reversed(list(enumerate(known)))}
    labels = dict.fromkeys([*known, *sorted(used)])
    return tuple(
        LabelColor(label, colour(place.setdefault(label.casefold(), index))) for index, label in enumerate(labels)
    )


def decision_basics(decision: Decision, keys: Keys) -> dict[str, Any]:
    """Return the fields of `DecisionBasics` for a decision, annotators under keys."""
    return {
        "version": decision.version,
        "status": decision.status,
        "note": decision.note,
        "reviewer": decision.reviewer,
        "decided_at": decision.decided_at.replace(microsecond=0),
        "based_on": tuple(keys.of(name) for name in decision.based_on),
        "error_kind": decision.error_kind,
        "guideline_flag": decision.guideline_flag or None,
        "awaits": decision.awaits,
    }


def decision_view(decision: Decision, keys: Keys) -> SubfiguresView:
    """A decision as the screen of subfigures shows it, annotators under keys."""
    return SubfiguresView(
        **decision_basics(decision, keys),
        subfigures=panels(decision.subfigures),
        seconds=decision.seconds,
        restored_from=decision.restored_from,
    )


def subfigures_content(
    work: FigureWork, home: Home, draft: SubfiguresDraft
) -> tuple[tuple[Subfigure, ...], Items]:
    """The subfigures of a draft, and the items that stay beside them.

    Boxes are cut at the image's edge and rounded to a hundredth of a pixel. Figure types and QA items are the
    earlier decision's, else those on which the annotations agree. Raises InvalidAnnotation as `drawn_in`.
    """
    start = starting_decision(work)
    drawn = drawn_in(draft, work.figure, home.campaign)
    return drawn, start.items if start else agreed_items(work.annotations)


def drawn_in(draft: SubfiguresDraft, figure: Figure, campaign: Campaign) -> tuple[Subfigure, ...]:
    """The subfigures of a draft. Raises InvalidAnnotation for what a save refuses, the field named."""
    if len(draft.subfigures) > campaign.max_boxes:
        said = too_many_boxes(len(draft.subfigures), campaign.max_boxes)
        raise InvalidAnnotation(f"subfigures: {said}; remove some")
    return tuple(subfigure_of(part, figure, number) for number, part in enumerate(draft.subfigures))


def subfigure_of(part: Panel, figure: Figure, number: int) -> Subfigure:
    """Read a subfigure that the reviewer drew; errors name the field."""
    if not part.label.strip():
        raise InvalidAnnotation(f"subfigures[{number}].label: is blank; give the subfigure a label")
    count = len(figure.caption.tokens)
    for token in part.tokens:
        if not 0 <= token < count:
            raise InvalidAnnotation(
                f"subfigures[{number}].tokens: token {token} of {count} does not exist; reload"
            )
    try:
        box = clipped(part.box, figure)
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"subfigures[{number}].box: {error}") from error
    return Subfigure(part.label.strip(), box, frozenset(part.tokens))


def clipped(corners: Corners, figure: Figure) -> Box:
    """Return a box with rounded corners, cut at the image's edge. Raises NoArea if nothing of it is left."""
    x0, y0, x1, y1 = (round(value, BOX_DECIMALS) for value in corners)
    return Box(x0, y0, x1, y1).clamped(figure.width, figure.height)
