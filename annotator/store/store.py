"""The campaign's store: figures, predictions, people, tasks, annotations, decisions, the queue, links.

    with Store.open("sqlite:///campaign/store.sqlite", create=True) as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
        with store.read() as tx:
            for annotation in tx.annotations.all(phase="1"):
                ...

Rows stay inside; domain objects and the records of `annotator.store.rows.records` go in and come out. Errors are
StoreError, one line (Conflict for a decision on an outdated version).
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from annotator.store.database.engine import WAIT, WRITING, Database, WriteLine, open_database
from annotator.store.database.errors import explained
from annotator.store.database.schema import bring_up_to_date
from annotator.store.maintenance.rename import NameQueries
from annotator.store.maintenance.snapshot import save_before_upgrade
from annotator.store.queries.annotations import AnnotationQueries
from annotator.store.queries.blind import BlindQueries
from annotator.store.queries.decisions import DecisionQueries
from annotator.store.queries.figures import FigureQueries
from annotator.store.queries.links import LinkQueries
from annotator.store.queries.people import PeopleQueries, SignInQueries, TokenQueries
from annotator.store.queries.predictions import PredictionQueries
from annotator.store.queries.queue.actions import BulkQueries, SentBackQueries, WithdrawalQueries
from annotator.store.queries.queue.attention import CommentQueries, PresenceQueries, SeenQueries
from annotator.store.queries.queue.search import QueueQueries
from annotator.store.queries.statistics import StatisticsQueries
from annotator.store.queries.status import SettingQueries, StatusQueries
from annotator.store.queries.tasks import TaskQueries
from annotator.store.queries.work import WorkQueries
from annotator.store.rows.statements import Session
from panelwise.domain import Figure, StoreError

#: Seconds that a write waits if the request it belongs to can be answered without it.
BRIEFLY = 0.5


class Transaction:
    """Reads and writes of one transaction, by subject. For one thread.

    links: tasks and projects in Label Studio. blind: boxes and hand-ins of blind phases. presence: open and
    skipped figures. bulks: figures adjudicated together. sent_back: work that annotators are to correct.
    comments: what people wrote to each other on figures.
    withdrawals: figures taken out of the campaign. names: of people, in every table. tokens: for the HTTP API.
    work: figures with all work on them. status: counts, and facts about the database.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.figures = FigureQueries(session)
        self.predictions = PredictionQueries(session)
        self.annotations = AnnotationQueries(session)
        self.decisions = DecisionQueries(session)
        self.tasks = TaskQueries(session)
        self.people = PeopleQueries(session)
        self.links = LinkQueries(session)
        self.blind = BlindQueries(session)
        self.queue = QueueQueries(session)
        self.presence = PresenceQueries(session)
        self.bulks = BulkQueries(session)
        self.sent_back = SentBackQueries(session)
        self.comments = CommentQueries(session)
        self.seen = SeenQueries(session)
        self.withdrawals = WithdrawalQueries(session)
        self.names = NameQueries(session)
        self.work = WorkQueries(session)
        self.statistics = StatisticsQueries(session)
        self.status = StatusQueries(session)
        self.settings = SettingQueries(session)
        self.sign_ins = SignInQueries(session)
        self.tokens = TokenQueries(session)


#: Called first in a transaction that writes; what it raises ends that.
Check = Callable[[Transaction], None]


class Store:
    """A campaign's store. May be shared by threads; each transaction belongs to one.

    A process that forks may go on using it in both; no transaction crosses the fork.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = threading.local()
        self._check: Check | None = None
        self._line: WriteLine | None = None

    @classmethod
    def open(
        cls, url: str | Path, *, create: bool = False, spare: Path | None = None, copies: Path | None = None
    ) -> Store:
        """Open the store at a URL or in an SQLite file, given as a path.

        URLs: "sqlite:///FILE", "sqlite://" (of this process only), "postgresql://...". spare: for reading only,
        see `open_database`. create: create it if there is none. A store of an older version of the program is
        upgraded once, however many processes open it, after a copy was saved: beside an SQLite file, in the folder
        `copies` for a server's store. Raises StoreError, one line, if there is no store, it can't be reached, read
        or copied, or a newer version of the program created it.
        """
        database = open_database(url, create=create, spare=spare)
        try:
            bring_up_to_date(database, create=create, save=lambda: save_before_upgrade(database, url, copies))
            database.prepare_file()
        except BaseException:
            database.engine.dispose()
            raise
        return cls(database)

    def checking(self, check: Check) -> Store:
        """Return the store for somebody of whom `check` asks in each transaction whether they may write."""
        checked = copy.copy(self)
        checked._check = check
        return checked

    def limit_waiting(self, most: int) -> Store:
        """Return the store with at most `most` threads waiting to write; others get StoreBusy, see `WriteLine`."""
        limited = copy.copy(self)
        limited._line = WriteLine(self.where, most)
        return limited

    @property
    def where(self) -> str:
        """The file or URL, without password, as messages name it."""
        return self._database.where

    def scrub(self) -> None:
        """Rewrite the database's files, so that deleted and replaced values can't be read from them.

        Takes as long as a copy of the store; on PostgreSQL others wait meanwhile. Raises StoreError if that can't
        be done now: an old value may then still be found in the files.
        """
        self._database.scrub()

    def close(self) -> None:
        """Close all connections. The store can be used again: it reconnects."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def transaction(self, *, wait: float | None = None) -> Iterator[Transaction]:
        """Read and write: other writers wait (`wait` seconds, 15 for None, then StoreBusy), readers do not.

        Commits at the end, rolls back on any exception. A refused record (unknown figure, invalid text, Conflict)
        may be caught inside and the rest is committed; after a failure of the database itself nothing is, and
        StoreError is raised at the end. Keep it short, and never call a server inside.
        """
        if getattr(self._thread, "writing", False):
            raise StoreError(f"{self.where}: this thread is writing already; end that transaction first")
        if self._database.copied:
            raise StoreError(f"{self.where}: its disk is full or read-only; make room, or make it writable")
        self._thread.writing = True
        try:
            with self._session(writable=True, wait=wait) as transaction:
                if self._check is not None:
                    self._check(transaction)
                yield transaction
        finally:
            self._thread.writing = False

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Read one consistent state, that of the first query, in spite of concurrent writes."""
        with self._session(writable=False) as transaction:
            yield transaction

    def existing_figure(self, figure_id: str) -> Figure:
        """Return the figure in its current revision. Raises UnknownFigure."""
        with self.read() as tx:
            return tx.figures.existing(figure_id)

    @contextmanager
    def _session(self, *, writable: bool, wait: float | None = None) -> Iterator[Transaction]:
        where = self.where
        options = {WRITING: writable} | ({} if wait is None else {WAIT: wait})
        line = self._line.place() if writable and self._line is not None else nullcontext()
        with explained(where):
            connection = self._database.engine.connect().execution_options(**options)
        try:
            with line, explained(where):
                begun = connection.begin()
            session = Session(connection, where, writable=writable)
            try:
                yield Transaction(session)
                if writable and session.failure is not None:
                    # Somebody caught the database's error and went on.
                    message = f"{session.failure}; nothing of this transaction was kept"
                    raise StoreError(message) from session.failure
            except BaseException:
                # What went wrong inside is what the caller must hear of, not that undoing it failed too.
                with suppress(SQLAlchemyError, OSError):
                    begun.rollback()
                raise
            with explained(where):
                # A read that failed, and whose error was answered elsewhere, can only be rolled back.
                end = begun.commit if session.failure is None else begun.rollback
                end()
        finally:
            with explained(where):
                connection.close()
