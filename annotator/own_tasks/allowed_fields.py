"""The data that a blind session may receive and send; every field sent to a blind reviewer is listed here.

Each record names every field that goes out. Nothing of a figure, an annotation or a decision is passed on whole:
a field that is added to one of these later stays in until it is named here.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from annotator.campaign.shown_caption import ShownCaption
from panelwise.domain import LARGEST_MAX_BOXES, Status

# -- what a reviewer is told --------------------------------------------------------------------------------


class BlindBox(msgspec.Struct, frozen=True):
    """A subfigure that is given: its label, its box in pixels (x0 y0 x1 y1), and the label's colour."""

    label: str
    box: tuple[float, float, float, float]
    color: str


class OwnWork(msgspec.Struct, frozen=True):
    """The reviewer's own last save. texts: token ids, a list for each given subfigure, in their order.

    reason: why the figure is unfit, "" if it is not.
    """

    status: Status
    texts: tuple[tuple[int, ...], ...]
    saved_at: str
    reason: str


class BlindScreen(msgspec.Struct, frozen=True):
    """All that the screen of one blind task shows.

    key: stands for the task in addresses. place, total: its number among those of the phase. written: how many of
    them have work of this reviewer. version: counts this reviewer's own saves. told: what there is to say of the
    figure, from what the reviewer themselves did before, "" for nothing. next_url: None leads back to the list.
    """

    key: str
    phase: str
    place: int
    total: int
    written: int
    image_url: str
    width: int
    height: int
    revision: int
    caption: ShownCaption
    references: tuple[str, ...]
    reference_panels: tuple[tuple[str, ...], ...]
    given: tuple[BlindBox, ...]
    source: str
    version: int
    own: OwnWork | None
    told: str
    reviewer: str
    next_url: str | None
    csrf: str


class BlindSaved(msgspec.Struct, frozen=True):
    """The answer to a save."""

    version: int
    written: int
    total: int
    next_url: str | None


class BlindOvertaken(msgspec.Struct, frozen=True):
    """The answer to a save that another tab of the same reviewer came before. current: what that one saved."""

    error: str
    version: int
    current: OwnWork | None


# -- what a reviewer sends --------------------------------------------------------------------------------

Texts = Annotated[tuple[tuple[int, ...], ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)]


class BlindDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The subcaptions as the reviewer wrote them: token ids, a list for each given subfigure, in their order.

    There is no box in it: those are given. version: the one that the work began from, 0 for none. status:
    accepted, or rejected for a figure that is unfit, and then `texts` is empty and `reason` says why.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    texts: Texts = ()
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    reason: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
