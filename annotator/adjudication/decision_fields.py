"""The fields of every decision as a person sends it, and as screens show it; limits of texts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from panelwise.domain import LARGEST_MAX_BOXES, Awaits, ErrorKind, Status

#: Characters of a question, an option or an answer at most, and options of one question.
LONGEST, MOST_OPTIONS = 5_000, 26

Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Note = Annotated[str, msgspec.Meta(max_length=10_000)]
Name = Annotated[str, msgspec.Meta(max_length=1_000)]


class Panel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A subfigure in plain values. box: x0 y0 x1 y1 in pixels; tokens: ids, in any order from a reviewer."""

    label: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    box: tuple[float, float, float, float]
    tokens: tuple[int, ...] = ()


class DraftBasics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of every decision as a person sends it. version: the one it was loaded with, 0 if there was none.

    based_on: keys of the annotators whose work was adopted. seconds: time spent on the screen. guideline_flag:
    what the guidelines leave open. second: a second reviewer is requested. viewed: labels of the subfigures, or
    ids of the items ("" for the figure's type), that an annotator looked at or changed; None if not recorded.
    """

    version: Annotated[int, msgspec.Meta(ge=0)]
    status: Status
    based_on: Annotated[tuple[str, ...], msgspec.Meta(max_length=200)] = ()
    note: Note = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] | None = None
    error_kind: ErrorKind | None = None
    guideline_flag: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    second: bool = False
    viewed: Annotated[tuple[Name, ...], msgspec.Meta(max_length=LARGEST_MAX_BOXES)] | None = None


class DecisionBasics(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a decision that every screen shows, its adopted voices under keys."""

    version: int
    status: Status
    note: str
    reviewer: str
    decided_at: datetime
    based_on: tuple[str, ...]
    error_kind: ErrorKind | None = None
    guideline_flag: str | None = None
    awaits: Awaits | None = None
