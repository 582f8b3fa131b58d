"""The campaign's store: figures, predictions, people, tasks, annotations, decisions, the queue, links.

    with Store.open("sqlite:///campaign/store.sqlite", create=True) as store:
        with store.transaction() as tx:
            tx.figures.add(figure)
        with store.read() as tx:
            for annotation in tx.annotations.all(phase="1"):
                ...

Rows stay inside; domain objects and the records of `annotator.store.rows.records` go in and come out. Errors are
StoreError (Conflict for a decision that came too late), told in one line.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from annotator.store.database.engine import WRITING, Database, open_database
from annotator.store.database.errors import explained
from annotator.store.database.schema import bring_up_to_date
from annotator.store.maintenance.rename import NameQueries
from annotator.store.queries.annotations import AnnotationQueries
from annotator.store.queries.blind import BlindQueries
from annotator.store.queries.decisions import DecisionQueries
from annotator.store.queries.figures import FigureQueries
from annotator.store.queries.links import LinkQueries
from annotator.store.queries.people import PeopleQueries, SignInQueries
from annotator.store.queries.predictions import PredictionQueries
from annotator.store.queries.queue.bulks import BulkQueries
from annotator.store.queries.queue.presence import PresenceQueries
from annotator.store.queries.queue.search import QueueQueries
from annotator.store.queries.settings import SettingQueries
from annotator.store.queries.statistics import StatisticsQueries
from annotator.store.queries.status import StatusQueries
from annotator.store.queries.tasks import TaskQueries
from annotator.store.queries.work import WorkQueries
from annotator.store.rows.records import Link, ProjectLink, QueueCounts, QueueEntry, Revisions
from annotator.store.rows.statements import Session
from panelwise.domain.errors import StoreError
from panelwise.domain.figure import Figure

__all__ = ["Link", "ProjectLink", "QueueCounts", "QueueEntry", "Revisions", "Store", "Transaction"]


class Transaction:
    """What can be read from and written to the store within one transaction, by subject. For one thread.

    links: tasks and projects in Label Studio. blind: what blind phases give, and who handed in what. presence: who
    looks at which figure, and who skipped it. bulks: figures decided together. names: of people, in every table.
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
        self.names = NameQueries(session)
        self.work = WorkQueries(session)
        self.statistics = StatisticsQueries(session)
        self.status = StatusQueries(session)
        self.settings = SettingQueries(session)
        self.sign_ins = SignInQueries(session)


class Store:
    """A campaign's store. May be shared by threads; each transaction belongs to one.

    A process that forks may go on using it in both; no transaction crosses the fork.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = threading.local()

    @classmethod
    def open(cls, url: str | Path, *, create: bool = False, spare: Path | None = None) -> Store:
        """Open the store at a URL: "sqlite:///FILE", "sqlite://" (of this process only), "postgresql://...";
        or in an SQLite file, given as a path.

        spare: for who only reads, see `open_database`.

        create: make it if there is none. A store of an older version of the program is brought up to date, once,
        however many processes open it. Raises StoreError, one line, if there is no store, it cannot be reached or
        read, or a newer version of the program made it.
        """
        database = open_database(url, create=create, spare=spare)
        try:
            bring_up_to_date(database, create=create)
            database.prepare_file()
        except BaseException:
            database.engine.dispose()
            raise
        return cls(database)

    @property
    def where(self) -> str:
        """The file or URL, without password, as messages name it."""
        return self._database.where

    def scrub(self) -> None:
        """Make what was deleted or replaced unreadable in the database's files too: it is written anew.

        Takes as long as a copy of the store; on PostgreSQL others wait meanwhile. Raises StoreError where that
        cannot be done now: an old value may then still be found in the files.
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
    def transaction(self) -> Iterator[Transaction]:
        """Read and write, alone: other writers wait (15 s at most, then StoreError), readers do not.

        Commits at the end, rolls back on any exception. A record that the store refuses (unknown figure, text that
        cannot be kept, Conflict) may be caught inside and the rest goes on; where the database itself failed,
        nothing is kept and StoreError raised at the end. Keep it short, and never call a server inside.
        """
        if getattr(self._thread, "writing", False):
            raise StoreError(f"{self.where}: this thread is writing already; end that transaction first")
        if self._database.copied:
            raise StoreError(f"{self.where}: its disk is full or read-only; make room, or make it writable")
        self._thread.writing = True
        try:
            with self._session(writable=True) as transaction:
                yield transaction
        finally:
            self._thread.writing = False

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """Read from one unchanging state, that of the first reading inside, whatever others write meanwhile."""
        with self._session(writable=False) as transaction:
            yield transaction

    def existing_figure(self, figure_id: str) -> Figure:
        """Return the figure in its present revision. Raises UnknownFigure."""
        with self.read() as tx:
            return tx.figures.existing(figure_id)

    @contextmanager
    def _session(self, *, writable: bool) -> Iterator[Transaction]:
        where = self.where
        with explained(where):
            connection = self._database.engine.connect().execution_options(**{WRITING: writable})
        try:
            with explained(where):
                begun = connection.begin()
            session = Session(connection, where, writable=writable)
            try:
                yield Transaction(session)
                if writable and session.failure is not None:
                    # Somebody caught the database's error and went on.
                    told = f"{session.failure}; nothing of this transaction was kept"
                    raise StoreError(told) from session.failure
            except BaseException:
                # What went wrong inside is what the caller must hear of, not that undoing it failed too.
                with suppress(SQLAlchemyError, OSError):
                    begun.rollback()
                raise
            with explained(where):
                begun.commit()
        finally:
            with explained(where):
                connection.close()
