"""The fields that a figure's screen has beside the figure's state: addresses, findings, other people."""

from __future__ import annotations

import msgspec

from annotator.adjudication.state import PanelFinding
from panelwise.domain import Visit


class Reviewing(msgspec.Struct, frozen=True):
    """Another reviewer who has the figure open, as far as is known. until: when that ends, ISO 8601."""

    reviewer: str
    until: str


class CommentsLink(msgspec.Struct, frozen=True):
    """The address of the comments on a figure, and how many of them are unread."""

    url: str
    unread: int


class ScreenParts(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that every screen has.

    image_url: None for a figure without an image here. next_url: None leads back to the list. findings: key of an
    annotator, "" for what the screen starts from -> what the checks find in that work. comments: None for people
    who may not comment.
    """

    image_url: str | None
    next_url: str | None
    csrf: str
    findings: dict[str, tuple[PanelFinding, ...]]
    findings_url: str
    skip_url: str
    comments: CommentsLink | None


class ReviewerScreenParts(ScreenParts, frozen=True, kw_only=True):
    """The fields that a reviewer's screen has. lease_url: says that it is open. skipped: by the reviewer.

    returns: whether an annotator's work can be sent back, or was. sent_back: whether an annotator is still
    to correct work that was.
    """

    history_url: str
    lease_url: str
    others: tuple[Reviewing, ...]
    skipped: bool
    returns: bool
    sent_back: bool


class SubfiguresScreenParts(ReviewerScreenParts, frozen=True, kw_only=True):
    """The fields that the screen of subfigures has. items_url: that of type and pairs; None without these."""

    items_url: str | None


class ItemsScreenParts(ReviewerScreenParts, frozen=True, kw_only=True):
    """The fields that the screen of type and pairs has. subfigures_url: None for a figure without subfigures."""

    subfigures_url: str | None


class OwnScreenParts(ScreenParts, frozen=True, kw_only=True):
    """The fields of an annotator's own task, in place of those of the same names that a reviewer sees.

    figure_id: the task's key. place: in the phase, from 1. undo_url: takes back the last submission. visit: what
    has to be looked at before it is submitted. shown_id: the figure's id, "" where it is not shown.
    """

    figure_id: str
    place: int
    undo_url: str
    visit: Visit
    shown_id: str
    review: None = None
    agreement: None = None
