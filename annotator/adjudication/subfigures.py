"""A figure's subfigures on their screen: what a reviewer is shown, and what a decision makes of a draft.

Annotators stay anonymous: nothing that `figure_state` or `decision_view` return carries an annotator's name or
a model's version. Each is known by a key, made per figure with the home's secret, so that it is the same on every
load, differs from figure to figure, and tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from annotator.adjudication import second_review
from annotator.adjudication.anonymity import Keys
from annotator.adjudication.draft import DecisionView, Draft, Panel
from annotator.adjudication.proposals import collect_opinions, panels
from annotator.adjudication.standing import TOGETHER, before_reopening, reopened, standing
from annotator.adjudication.state import (
    FigureState,
    LabelColor,
    Opinion,
    Review,
    ShownCaption,
    Token,
)
from annotator.consensus.items import agreed_items
from annotator.consensus.outdated import describe_outdated as left_told
from annotator.consensus.outdated import not_done_again
from annotator.queue.pages import Progress, changed_since, queue_agreement
from label_config.palette import colour
from panelwise.domain.annotation import Subfigure, too_many_boxes
from panelwise.domain.box import Box
from panelwise.domain.campaign import Campaign
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Awaits, Decision, Reopening
from panelwise.domain.errors import InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import Items
from panelwise.formats.articles.citations import panels_named

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.queries.work import FigureWork

#: What there is to say of a figure whose annotations went on after the decision.
CHANGED = "changed since it was adjudicated"

#: What there is to say of a figure whose decisions are all on another revision.
UNSETTLED = "adjudicated before its caption or image was replaced"

#: Decimals kept of a box's coordinates: a hundredth of a pixel.
BOX_DECIMALS = 2


def figure_state(work: FigureWork, home: Home, reviewer: str, progress: Progress) -> FigureState:
    """What the screen of one figure shows to `reviewer`.

    Whoever breaks a tie sees the two reviewers' decisions in the annotators' place.
    """
    figure, history = work.figure, work.history
    keys = Keys(home.secret(), figure.id)
    said = second_review.words(history, figure.revision)
    involved = {annotation.annotator for annotation in work.annotations}
    needs = second_review.waits_for(said)
    may = needs is not None and second_review.may_speak(said, involved, reviewer)
    tied = said if may and needs is Awaits.TIE_BREAK else None
    found = collect_opinions(work, home.campaign, keys, tied)
    decision = standing(history, figure.revision)
    reasons = found.reasons
    if changed_since(decision, found.annotations):
        reasons = (*reasons, CHANGED)
    if history and history[-1].figure.revision != figure.revision and decision is None:
        reasons = (UNSETTLED, *reasons)
    elif history and isinstance(history[-1], Reopening):
        reasons = (reopened(history[-1]), *reasons)
    if behind := not_done_again(work.earlier, work.annotations):
        reasons = (left_told(behind, figure), *reasons)
    shown = None if tied else decision
    before = before_reopening(history, figure.revision)
    if before is not None and before.note == TOGETHER:
        before = replace(before, note="")
    palette = _palette(home.campaign, found.opinions, decision)
    return FigureState(
        figure_id=figure.id,
        revision=figure.revision,
        width=figure.width,
        height=figure.height,
        caption=ShownCaption(figure.caption.text, caption_tokens(figure.caption)),
        references=figure.references,
        reference_panels=reference_panels(figure),
        labels=tuple(each.label for each in palette),
        palette=palette,
        version=work.version,
        decision=decision_view(shown, keys) if shown else None,
        annotators=found.voices,
        annotations=found.opinions,
        candidates=found.candidates,
        quorum=found.quorum,
        reasons=reasons,
        agreement=queue_agreement(found.annotations),
        progress=progress,
        phase=", ".join(sorted({annotation.phase for annotation in found.annotations})),
        reviewer=reviewer,
        review=Review(needs, may, second_review.refusal(said, involved, reviewer)),
        starts_from=decision_view(before, keys) if before else None,
    )


# -- from the domain to the screen --------------------------------------------------------------------------------


def reference_panels(figure: Figure) -> tuple[tuple[str, ...], ...]:
    """Return the letters of the panels that each reference of a figure names."""
    return panels_named(figure.references, str(figure.extra.get("label", "")))


def caption_tokens(caption: Caption) -> tuple[Token, ...]:
    """The tokens of a caption as screens show them."""
    tokens = []
    for position, span in enumerate(caption.tokens):
        following = caption.tokens[position + 1].start if position + 1 < len(caption.tokens) else len(caption.text)
        between = caption.text[span.end : following]
        tokens.append(
            Token(
                id=position,
                start=span.start,
                end=span.end,
                text=caption.words[position],
                space=any(letter.isspace() for letter in between),
                newline="\n" in between,
                gap=between.strip(),
            )
        )
    return tuple(tokens)


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


def decision_view(decision: Decision, keys: Keys) -> DecisionView:
    """A decision as the screen of subfigures shows it, annotators under keys."""
    return DecisionView(
        version=decision.version,
        status=decision.status,
        note=decision.note,
        reviewer=decision.reviewer,
        decided_at=decision.decided_at.replace(microsecond=0),
        based_on=tuple(keys.of(name) for name in decision.based_on),
        error_kind=decision.error_kind,
        guideline_flag=decision.guideline_flag or None,
        awaits=decision.awaits,
        subfigures=panels(decision.subfigures),
        seconds=decision.seconds,
        restored_from=decision.restored_from,
    )


def subfigures_content(work: FigureWork, home: Home, draft: Draft) -> tuple[tuple[Subfigure, ...], Items]:
    """The subfigures of a draft, and the items that stay beside them.

    Boxes are cut at the image's edge and rounded to a hundredth of a pixel. Figure types and QA items are the
    earlier decision's, else those on which the annotations agree. Raises InvalidAnnotation as `drawn_in`.
    """
    current = standing(work.history, work.figure.revision)
    drawn = drawn_in(draft, work.figure, home.campaign)
    return drawn, current.items if current else agreed_items(work.annotations)


def drawn_in(draft: Draft, figure: Figure, campaign: Campaign) -> tuple[Subfigure, ...]:
    """The subfigures of a draft. Raises InvalidAnnotation for what a save refuses, the field named."""
    if len(draft.subfigures or ()) > campaign.max_boxes:
        said = too_many_boxes(len(draft.subfigures or ()), campaign.max_boxes)
        raise InvalidAnnotation(f"subfigures: {said}; remove some")
    return tuple(subfigure_of(part, figure, number) for number, part in enumerate(draft.subfigures or ()))


def subfigure_of(part: Panel, figure: Figure, number: int) -> Subfigure:
    """The subfigure that the reviewer drew; what is wrong with it is told with the field's name."""
    if not part.label.strip():
        raise InvalidAnnotation(f"subfigures[{number}].label: is blank; give the subfigure a label")
    count = len(figure.caption.tokens)
    for token in part.tokens:
        if not 0 <= token < count:
            raise InvalidAnnotation(
                f"subfigures[{number}].tokens: token {token} of {count} does not exist; reload"
            )
    x0, y0, x1, y1 = (round(value, BOX_DECIMALS) for value in part.box)
    try:
        box = Box(x0, y0, x1, y1).clamped(figure.width, figure.height)
    except InvalidAnnotation as error:
        raise InvalidAnnotation(f"subfigures[{number}].box: {error}") from error
    return Subfigure(part.label.strip(), box, frozenset(part.tokens))
