"""Comments on a figure, in threads: who reads which, who is called what there, and what each has not read.

Who both annotates and reviews a figure has read a comment once either role's screen has shown it, and no other.

An annotator shares threads with reviewers and leads only, never with another annotator; reviewers know annotators
by number. Nobody reads or writes comments on a figure that they annotate blind.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from annotator.adjudication.anonymity import Keys
from annotator.adjudication.history import annotators_called
from annotator.adjudication.messages.send_back import recipients
from annotator.adjudication.standing import refuse_withdrawn
from annotator.campaign.home import Home
from annotator.campaign.visibility import Blindfolded, hidden_from, hidden_work
from annotator.store.rows.records import Comment
from annotator.store.store import Store, Transaction
from panelwise.domain import AnnotatorError, Campaign, InvalidAnnotation, Person, Role

#: Characters of a comment at most.
LONGEST_COMMENT = 2_000
#: Comments on a figure at most, and those of an answer.
MOST_COMMENTS, COMMENTS_SHOWN = 500, 100
#: What reviewers and leads are called together.
REVIEWERS = "Reviewers"


class NoComments(AnnotatorError):
    """The campaign gives comments to other roles only."""


class NewComment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A comment to store. thread: the thread that it answers; None starts one with the recipient of that key."""

    body: str
    thread: int | None = None
    recipient: str = ""


class ReadComments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The comments that a screen has shown: all up to the one with this number."""

    last: int


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment as its reader sees it. mine: the reader wrote it."""

    author: str
    mine: bool
    at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Thread:
    """Comments that answer each other, oldest first. between: with whom the reader shares them."""

    id: int
    between: str
    comments: tuple[ShownComment, ...]


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody with whom the reader can begin a thread."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A page of the comments on a figure that the reader may read: of the newest, or those before them.

    last: the number of the last one, 0 for none. earlier: the number before which there are more comments, None if
    these are the first. longest: characters that one may have.
    """

    threads: tuple[Thread, ...]
    parties: tuple[Party, ...]
    last: int
    earlier: int | None = None
    longest: int = LONGEST_COMMENT


def may_comment(campaign: Campaign, person: Person, *, own: bool) -> bool:
    """Return whether the campaign lets the person comment as an annotator (own), or as reviewer or lead."""
    roles = {Role.ANNOTATOR} if own else person.roles - {Role.ANNOTATOR}
    return bool(campaign.comments & roles)


def unread(tx: Transaction, home: Home, person: Person, *, own: bool) -> dict[str, int]:
    """Figure id -> how many comments the person has not read, where there are any and the person may read them."""
    if not may_comment(home.campaign, person, own=own):
        return {}
    found = tx.comments.unread(person.name, person.name if own else None)
    hidden = hidden_from(tx, home, person.name) if found else None
    closed = set() if hidden is None else tx.blind.hidden_figures(hidden)
    return {figure_id: count for figure_id, count in found.items() if figure_id not in closed}


def unread_on(tx: Transaction, home: Home, person: Person, figure_id: str) -> int | None:
    """Count the comments on a task's figure that its annotator has not read; None if they may not read any."""
    try:
        annotator = _reads_as(tx, home, person, figure_id, own=True)
    except (NoComments, Blindfolded):
        return None
    return tx.comments.unread(person.name, annotator, figure_id).get(figure_id, 0)


def open_conversation(
    store: Store, home: Home, person: Person, figure_id: str, *, own: bool, before: int | None = None
) -> Conversation:
    """The newest comments on a figure that the person may read; before: those with a number below.

    own: as the annotator of a task, else as reviewer or lead. Raises UnknownFigure, NoComments, Blindfolded.
    """
    with store.read() as tx:
        annotator = _reads_as(tx, home, person, figure_id, own=own)
        return _conversation(tx, home, person, figure_id, annotator, before)


def mark_read(store: Store, home: Home, person: Person, figure_id: str, shown: ReadComments, *, own: bool) -> None:
    """Store which comments the person was shown. Raises what `open_conversation` does."""
    with store.transaction() as tx:
        annotator = _reads_as(tx, home, person, figure_id, own=own)
        for thread, newest in tx.comments.last_of_threads(figure_id, annotator, shown.last).items():
            tx.comments.put_read(thread, person.name, newest)
        if tx.comments.has_others(figure_id, annotator, shown.last, person.name):
            # A hint about the figure: what its reader submits from now on is not independent.
            tx.seen.add(person.name, [figure_id], datetime.now(UTC))


def add_comment(
    store: Store,
    home: Home,
    person: Person,
    figure_id: str,
    comment: NewComment,
    *,
    own: bool,
    now: datetime | None = None,
) -> Conversation:
    """Write a comment; returns what `open_conversation` does, with it.

    Raises what that does, and InvalidAnnotation for a comment without text, a thread or recipient that the person
    does not see, a withdrawn figure, and one that has as many comments as a figure may have.
    """
    body = comment.body.strip()
    if not 0 < len(body) <= LONGEST_COMMENT:
        raise InvalidAnnotation(f"write 1 to {LONGEST_COMMENT:,} characters")
    with store.transaction() as tx:
        annotator = _reads_as(tx, home, person, figure_id, own=own)
        work = tx.work.of(figure_id)
        refuse_withdrawn(tx, work)
        if tx.comments.count(figure_id) >= MOST_COMMENTS:
            raise InvalidAnnotation(f"this figure has {MOST_COMMENTS} comments, the most that a figure may have")
        if comment.thread is not None:
            between = tx.comments.thread_with(figure_id, comment.thread, annotator)
        else:
            keys = Keys(home.secret(), figure_id)
            names = {keys.of(each.annotator): each.annotator for each in work.annotations}
            parties = _parties(tx, home, figure_id, annotator)
            known = any(each.key == comment.recipient for each in parties)
            between = names.get(comment.recipient, annotator or "") if known else None
        if between is None:
            raise InvalidAnnotation("there is no such thread or recipient on this figure; reload the page")
        at = tx.work.time_after(figure_id, now or datetime.now(UTC))
        tx.comments.add(figure_id, between, person.name, body, at, thread=comment.thread)
        return _conversation(tx, home, person, figure_id, annotator)


def _reads_as(tx: Transaction, home: Home, person: Person, figure_id: str, *, own: bool) -> str | None:
    """The annotator whose threads the person reads, None for all threads. Raises NoComments, Blindfolded."""
    if not may_comment(home.campaign, person, own=own):
        raise NoComments("this campaign has no comments for you; its lead sets `comments` in campaign.toml")
    if tx.blind.hides(hidden_work(tx, home, person.name), [figure_id]):
        raise Blindfolded(closed=False, uncertain=home.uncertain)
    return person.name if own else None


def _conversation(
    tx: Transaction, home: Home, person: Person, figure_id: str, annotator: str | None, before: int | None = None
) -> Conversation:
    keys = Keys(home.secret(), figure_id)
    called = annotators_called(tx.work.of(figure_id), home, keys) if annotator is None else {}

    def name(party: str) -> str:
        return called.get(keys.of(party), "An annotator") if party else REVIEWERS

    def author(each: Comment) -> str:
        if each.author == person.name:
            return "You"
        if annotator is not None:
            return "Reviewer"
        return name(each.author) if each.author == each.annotator else each.author

    threads: dict[int, list[Comment]] = {}
    found = tx.comments.on_figure(figure_id, annotator, before=before, limit=COMMENTS_SHOWN + 1)
    shown = found[-COMMENTS_SHOWN:]
    for each in shown:
        threads.setdefault(each.thread, []).append(each)
    return Conversation(
        tuple(
            Thread(
                number,
                REVIEWERS if annotator is not None else name(written[0].annotator),
                tuple(
                    ShownComment(author(each), each.author == person.name, each.at, each.body) for each in written
                ),
            )
            for number, written in threads.items()
        ),
        _parties(tx, home, figure_id, annotator),
        shown[-1].id if shown else 0,
        shown[0].id if len(found) > len(shown) else None,
    )


def _parties(tx: Transaction, home: Home, figure_id: str, annotator: str | None) -> tuple[Party, ...]:
    """With whom a thread can be begun: reviewers among themselves or with an annotator, an annotator with them."""
    if annotator is not None or Role.ANNOTATOR not in home.campaign.comments:
        return (Party("", REVIEWERS),)
    named = {each.key: each.called for each in recipients(tx, home, tx.work.of(figure_id))}
    return (Party("", REVIEWERS), *(Party(key, called) for key, called in named.items()))
