"""A worst figure as a card: its image with both sides' boxes, its caption with the words that differ."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from agreement.pairs.worst import PanelOutcome, WorstFigure
from agreement.score.losses import Loss
from panelwise.domain import Figure, Panel

#: A figure's picture as JPEG, upright and of the figure's shape; None if there is none.
Pictures = Callable[[Figure], bytes | None]
#: Panels described singly, panels named in a mark, characters of a name on a box.
MOST_PANELS = 12
MOST_NAMES = 3
MOST_LETTERS = 8
#: Pixels that a picture is shown at, about; sizes of text in it follow from that.
_SHOWN = (440, 460)
#: Height of a character of a caption in such pixels, as a share of its line.
_TEXT = 0.4


@dataclass(frozen=True, slots=True)
class BoxMark:
    """A box in the picture, with its name's tag. unanswered: whether the other side has none for it."""

    name: str
    x: float
    y: float
    width: float
    height: float
    unanswered: bool
    tag_x: float
    tag_y: float
    tag_width: float


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of the caption that both sides treat in one way.

    state: "" (neither side marked it, or it does not count), "both", "gold", "predicted" (that side only), or
    "moved": both marked it, for different panels. gold, predicted: names of the panels, "" where there is none; of
    what moved only those that the other side did not give it to.
    """

    text: str
    state: str
    gold: str = ""
    predicted: str = ""


@dataclass(frozen=True, slots=True)
class PanelRow:
    """The score of one panel of the gold. causes: each with its loss."""

    name: str
    f1: float
    iou: float
    causes: tuple[tuple[Loss, float], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """The data of one figure's card. unit: pixels of the figure per pixel on the screen, about.

    picture: the image's address (data), "" where there is none. alone: whether no other pair scored the figure.
    tall_text: whether the caption takes more room than the picture, so that the losses go below that.
    more: panels that lost something and are not listed; whole: panels without loss; uncounted: panels of the gold
    without a score; unanswered: names of the other side's boxes that answer to none.
    """

    worst: WorstFigure
    unit: float
    picture: str
    ours: tuple[BoxMark, ...]
    theirs: tuple[BoxMark, ...]
    runs: tuple[Run, ...]
    rows: tuple[PanelRow, ...]
    alone: bool
    tall_text: bool
    more: int
    whole: int
    uncounted: int
    unanswered: tuple[str, ...]


def card(worst: WorstFigure, pictures: Pictures) -> Card:
    """Render the card of a figure. Requests the picture once."""
    worst = _sized(worst)
    figure = worst.figure
    data = pictures(figure)
    unit = max(figure.width / _SHOWN[0], figure.height / _SHOWN[1])
    answering = {each.nearest for each in worst.outcomes if each.answers}
    ours, theirs = _names(worst.drawn), _names(worst.answers)
    lossy = sorted(
        ((sum(each.lost.values()), place) for place, each in enumerate(worst.outcomes) if each.lost),
        key=lambda each: (-each[0], each[1]),
    )
    return Card(
        worst=worst,
        unit=unit,
        picture="" if data is None else "data:image/jpeg;base64," + base64.b64encode(data).decode("ascii"),
        ours=tuple(
            _mark(panel, name, not outcome.answers, unit, right=False)
            for panel, name, outcome in zip(worst.drawn, ours, worst.outcomes, strict=True)
        ),
        theirs=tuple(
            _mark(panel, name, place not in answering, unit, right=True)
            for place, (panel, name) in enumerate(zip(worst.answers, theirs, strict=True))
        ),
        runs=runs(figure, worst.drawn, worst.answers, worst.outcomes),
        rows=tuple(_row(ours[place], worst.outcomes[place]) for _, place in lossy[:MOST_PANELS]),
        alone=worst.alone,
        tall_text=_TEXT * len(figure.caption.text) > figure.height / unit,
        more=max(0, len(lossy) - MOST_PANELS),
        whole=sum(each.f1 is not None and not each.lost for each in worst.outcomes),
        uncounted=sum(each.f1 is None for each in worst.outcomes),
        unanswered=tuple(name for place, name in enumerate(theirs) if place not in answering),
    )


def _sized(worst: WorstFigure) -> WorstFigure:
    """Render the same on an image as large as its boxes reach, if its size is unknown."""
    if worst.figure.sized:
        return worst
    boxes = [panel.box for panel in (*worst.drawn, *worst.answers)]
    width, height = (ceil(max((box[edge] for box in boxes), default=1)) for edge in (2, 3))
    return replace(worst, figure=replace(worst.figure, width=max(width, 1), height=max(height, 1)))


def runs(
    figure: Figure,
    drawn: Sequence[Panel],
    answers: Sequence[Panel],
    outcomes: Sequence[PanelOutcome],
) -> tuple[Run, ...]:
    """The caption in pieces; their texts joined are the caption.

    A word is "both" where the boxes that hold it on one side are those that overlap the other side's most. Words
    that do not count (punctuation) go with their neighbours where these agree.
    """
    caption = figure.caption
    given, other = _holders(drawn), _holders(answers)
    keys: list[_Key | None] = []
    for token in range(len(caption.ranges)):
        if token not in caption.counted:
            keys.append(None)
            continue
        ours, theirs = given.get(token, ()), other.get(token, ())
        state = "gold" if ours else "predicted" if theirs else ""
        if ours and theirs:
            nearest = {outcomes[place].nearest for place in ours}
            state = "both" if nearest == set(theirs) else "moved"
            if state == "moved":
                ours = tuple(place for place in ours if outcomes[place].nearest not in theirs)
                theirs = tuple(place for place in theirs if place not in nearest)
        keys.append((state, ours, theirs))
    names, other_names = _names(drawn), _names(answers)
    found: list[tuple[str, _Key]] = []
    end, before = 0, _NOTHING
    for (start, stop), key in zip(caption.ranges, _bridged(keys), strict=True):
        if key == before and found:
            text, _ = found.pop()
            found.append((text + caption.text[end:stop], key))
        else:
            if start > end:
                found.append((caption.text[end:start], _NOTHING))
            found.append((caption.text[start:stop], key))
        end, before = stop, key
    if end < len(caption.text):
        found.append((caption.text[end:], _NOTHING))
    return tuple(
        Run(text, state, _joined(names, ours), _joined(other_names, theirs))
        for text, (state, ours, theirs) in found
    )


#: How a word is treated: state, places of the gold's panels that hold it, places of the other side's.
_Key = tuple[str, tuple[int, ...], tuple[int, ...]]
_NOTHING: _Key = ("", (), ())


def _bridged(keys: Sequence[_Key | None]) -> list[_Key]:
    """Keys with the unknown ones filled in: where the known ones on both sides are one, by that."""
    filled = [_NOTHING if key is None else key for key in keys]
    last: int | None = None
    for place, key in enumerate(keys):
        if key is None:
            continue
        if last is not None and keys[last] == key:
            filled[last:place] = [key] * (place - last)
        last = place
    return filled


def _holders(panels: Sequence[Panel]) -> Mapping[int, tuple[int, ...]]:
    """The places of the panels that hold each token."""
    found: dict[int, tuple[int, ...]] = {}
    for place, panel in enumerate(panels):
        for token in panel.tokens:
            found[token] = (*found.get(token, ()), place)
    return found


def _names(panels: Sequence[Panel]) -> list[str]:
    """The labels; of panels without one their numbers."""
    return [panel.label or f"#{place}" for place, panel in enumerate(panels, start=1)]


def _joined(names: Sequence[str], places: Sequence[int]) -> str:
    more = f" +{len(places) - MOST_NAMES}" if len(places) > MOST_NAMES else ""
    return " ".join(names[place] for place in places[:MOST_NAMES]) + more


def _row(name: str, outcome: PanelOutcome) -> PanelRow:
    causes = sorted(outcome.lost.items(), key=lambda each: -each[1])
    return PanelRow(name, outcome.f1 or 0.0, outcome.iou, tuple(causes))


def _mark(panel: Panel, name: str, unanswered: bool, unit: float, *, right: bool) -> BoxMark:
    """right: whether the name is in the upper right corner, so that both sides' names can be read."""
    x0, y0, x1, y1 = panel.box
    short = name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"
    width = unit * (7.5 * len(short) + 7)
    return BoxMark(
        name=short,
        x=x0,
        y=y0,
        width=max(0.0, x1 - x0),
        height=max(0.0, y1 - y0),
        unanswered=unanswered,
        tag_x=x1 - width if right else x0,
        tag_y=y0,
        tag_width=width,
    )
