"""Open a database: URL, engine, transactions, the line of its writers, and the check of texts."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import ssl
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from annotator.store.database.errors import BUSY_SECONDS, check_number, check_text, explained, quoted
from annotator.store.database.tables import metadata
from panelwise.domain import StoreBusy, StoreError, one_line
from panelwise.settings import secret_setting

#: Execution option of a connection whose next transaction writes.
WRITING = "panelwise_writing"

#: Execution option of a connection: seconds that its writing transactions wait for others, if not BUSY_SECONDS.
WAIT = "panelwise_wait"

#: Execution option of a statement whose texts have been checked.
CHECKED = "panelwise_checked"

#: PostgreSQL's advisory lock that every writer holds until it ends; any fixed number that no other program uses.
_WRITER_LOCK = 5_027_214_031

#: SQLite's result codes where it cannot make a file beside the store, or let one grow.
_STUCK = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY)

_POSTGRES_NAMES = {"postgresql", "postgres", "postgresql+pg8000"}
_POSTGRES_OPTIONS = {"host", "port", "user", "password", "sslmode", "unix_sock", "application_name"}


#: The password in what was to be a URL.
_PASSWORD = re.compile(r"(?<=:)(?!//).*(?=@)")


@dataclass(frozen=True, slots=True)
class Database:
    """An engine, how to name it in messages (never with a password), and the SQLite file, None for a server.

    copied: the file is a copy made for reading, since the disk of the store itself is full or read-only.
    """

    engine: Engine
    where: str
    file: Path | None = None
    copied: bool = False

    def prepare_file(self) -> None:
        """Prepare a database once it is known to be a store; no other file may be changed."""
        if self.file is not None:
            with explained(self.where):
                use_wal(self.engine)

    def scrub(self) -> None:
        """Rewrite the database's files without the remains of deleted and replaced rows."""
        with explained(self.where):
            if self.file is None:
                _scrub_postgres(self.engine)
            elif not _scrub_sqlite(self.engine):
                raise StoreError(
                    f"{self.file}-wal: another process reads the store, so what was replaced may still be found "
                    "there; stop `annotator serve` and the like: the log goes with the last of them"
                )

    def close(self) -> None:
        """Close every pooled connection. A copy is deleted now, a temporary database with its engine."""
        with explained(self.where):
            self.engine.dispose()
        if self.copied and self.file is not None:
            shutil.rmtree(self.file.parent, ignore_errors=True)


def open_database(url: str | Path, *, create: bool, spare: Path | None = None) -> Database:
    """Open the database at `url`, or in an SQLite file; connects. Raises StoreError if it can't be used.

    spare: a folder for a copy to read from, if the disk of an SQLite file is full or read-only, so that SQLite
    can't create the index of its log. The copy must not be written to. None: such a file is refused.

    "sqlite://" is a database of this process only. It is in a temporary file rather than in memory, so that
    threads, readers beside a writer and locks work as in a real store.
    """
    check_text(str(url))
    try:
        # A path is no URL: it may hold "?" and "%".
        parsed = URL.create("sqlite", database=str(url)) if isinstance(url, Path) else make_url(url)
    except (ArgumentError, ValueError) as error:
        raise StoreError(
            f"store: {quoted(_PASSWORD.sub('***', str(url)), 40)} is no URL; give sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from error
    if parsed.drivername in _POSTGRES_NAMES:
        database = _open_postgres(parsed)
    elif parsed.drivername in {"sqlite", "sqlite+pysqlite"}:
        database = _open_sqlite(parsed, create=create, spare=spare)
    else:
        raise StoreError(
            f"store: no support for {quoted(parsed.drivername)}; give sqlite:///FILE or postgresql://USER@HOST/NAME"
        )
    event.listen(database.engine, "before_cursor_execute", _check_values)
    _forget_after_fork(database.engine)
    return database


# SQLite


def spare_folder() -> Path | None:
    """Return the folder for a copy of an unreadable store: TMPDIR; None if no folder is writable."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        return None


def _open_sqlite(url: URL, *, create: bool, spare: Path | None) -> Database:
    temporary = url.database in {None, "", ":memory:"}
    if temporary:
        folder = tempfile.mkdtemp(prefix="panelwise-store-")
        file = Path(folder, "store.sqlite")
    else:
        file = Path(str(url.database))
        _check_file(file, create=create)
    where = "store (temporary)" if temporary else str(file)
    copied = False
    if spare is not None and not temporary and _disk_is_stuck(file):
        file, copied = _copied(file, spare), True
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None},
        pool_size=8,
        max_overflow=24,
    )
    # A temporary database may be lost to a power cut: no waiting for the disk.
    synchronous = "OFF" if temporary or copied else "FULL"

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        for pragma in ("foreign_keys=ON", f"synchronous={synchronous}", f"busy_timeout={BUSY_SECONDS * 1000}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that reads first and writes later fails at once when another one wrote in between,
        # whatever the timeout; so a writing one takes its lock at the start.
        options = connection.get_execution_options()
        if not options.get(WRITING, False):
            connection.exec_driver_sql("BEGIN")
        elif WAIT not in options:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={round(options[WAIT] * 1000)}")
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            finally:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")

    if temporary or copied:
        weakref.finalize(engine, shutil.rmtree, file.parent, ignore_errors=True)
    return Database(engine, where, file, copied)


def _disk_is_stuck(file: Path) -> bool:
    """Return whether a readable SQLite file cannot be used for want of a place to write beside it."""
    try:
        with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as plain:
            plain.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF in _STUCK and os.access(file, os.R_OK)
    except sqlite3.Error:
        return False  # Whatever else is wrong is found when it is opened in earnest.
    return False


def _copied(file: Path, spare: Path) -> Path:
    """A copy of an SQLite file, and of its log, in a new folder of `spare`. Nobody else can have the file open."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="panelwise-store-", dir=spare))
        for ending in ("", "-wal"):
            source = file.with_name(file.name + ending)
            if source.is_file():
                shutil.copyfile(source, folder / f"store.sqlite{ending}")
    except OSError as error:
        raise StoreError(
            f"{file}: its disk is full or read-only, and it cannot be copied to {spare} ({error.strerror}); "
            "make room, or name a folder on another disk in TMPDIR"
        ) from error
    return folder / "store.sqlite"


def _check_file(file: Path, *, create: bool) -> None:
    try:
        if file.is_dir():
            raise StoreError(f"{file}: this is a folder, not a store; give the store's file")
        if file.exists():
            return
        if not create:
            raise StoreError(f'{file}: there is no store here; make one with "annotator init"')
        if not file.parent.is_dir():
            raise StoreError(f"{file}: the folder {file.parent} does not exist; make it first")
    except (OSError, ValueError) as error:
        raise StoreError(f"{quoted(file)}: cannot be opened ({one_line(error)}); check path and rights") from error


def use_wal(engine: Engine) -> None:
    """Switch the file to write-ahead logging, so that readers never wait for the writer.

    SQLite does not wait by itself for the exclusive lock that the change needs; two processes may want it at once.
    """
    until = time.monotonic() + BUSY_SECONDS
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        while True:
            try:
                mode = cursor.execute("PRAGMA journal_mode").fetchone()
                if mode and mode[0] != "wal":
                    cursor.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.02)
    finally:
        connection.close()


def _scrub_sqlite(engine: Engine) -> bool:
    """Rewrite the file and empty the write-ahead log; False if a reader keeps the log in use."""
    connection = engine.raw_connection()
    try:
        cursor = connection.cursor()
        cursor.execute("VACUUM")
        busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy
    finally:
        connection.close()


# PostgreSQL


def _scrub_postgres(engine: Engine) -> None:
    """Rewrite every table: replaced rows stay in a table's file until then."""
    connection = engine.raw_connection()
    try:
        connection.rollback()  # what the pool asked to see whether the server is there began a transaction
        connection.dbapi_connection.autocommit = True  # type: ignore[union-attr]  # DB-API's types lack it
        cursor = connection.cursor()
        cursor.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'")
        for table in metadata.sorted_tables:
            cursor.execute(f"VACUUM FULL {table.name}")
    finally:
        # Not given back to the pool: its settings are not those of the others.
        connection.invalidate()
        connection.close()


def _open_postgres(url: URL) -> Database:
    where = url.set(drivername="postgresql").render_as_string(hide_password=True)
    unknown = sorted(set(url.query) - _POSTGRES_OPTIONS)
    if unknown:
        raise StoreError(
            f"{where}: unknown option {quoted(unknown[0])}; known are {', '.join(sorted(_POSTGRES_OPTIONS))}"
        )
    options = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
    try:
        url, arguments = _for_pg8000(url, options)
        engine = create_engine(
            url, connect_args=arguments, pool_size=8, max_overflow=24, pool_pre_ping=True, isolation_level=None
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            f'{where}: the PostgreSQL driver is not installed; pip install "panelwise[postgres]"'
        ) from error
    except (OSError, ValueError) as error:
        raise StoreError(f"{where}: unusable URL ({one_line(error)}); correct it") from error

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # Readers too: a client that locks a table and never ends would block every thread of a server.
        connection.cursor().execute(f"SET lock_timeout = '{_milliseconds(BUSY_SECONDS)}ms'")
        connection.commit()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get(WRITING, False):
            # One writer at a time, as on SQLite: what a transaction has checked still holds when it writes.
            wait = _milliseconds(options.get(WAIT, BUSY_SECONDS))
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{wait}ms'")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    return Database(engine, where)


def _milliseconds(seconds: float) -> int:
    """Return a lock_timeout of PostgreSQL, to which 0 is no limit."""
    return max(1, round(seconds * 1000))


def _for_pg8000(url: URL, options: dict[str, str]) -> tuple[URL, dict[str, Any]]:
    """Return the URL without its options, and pg8000's arguments for them; libpq's names are accepted.

    host=/DIR means the server's unix socket in that folder. sslmode: require encrypts, verify-ca and verify-full
    also check the server's certificate. Raises ValueError for an invalid port or mode.
    """
    host = options.get("host", url.host or "")
    port = int(options["port"]) if "port" in options else url.port
    arguments: dict[str, Any] = {}
    if "application_name" in options:
        arguments["application_name"] = options["application_name"]
    socket = options.get("unix_sock", f"{host}/.s.PGSQL.{port or 5432}" if host.startswith("/") else "")
    if socket:
        arguments["unix_sock"] = socket
        # Nothing is encrypted there: the driver need not read every certificate of the machine before it asks.
        arguments["ssl_context"] = False
        host, port = "", None
    mode = options.get("sslmode", "prefer")
    if mode in {"require", "verify-ca", "verify-full"}:
        context = ssl.create_default_context()
        context.check_hostname = mode == "verify-full"
        if mode == "require":
            context.verify_mode = ssl.CERT_NONE
        arguments["ssl_context"] = context
    elif mode not in {"disable", "allow", "prefer"}:
        raise ValueError(f"sslmode {mode}")
    user = options.get("user", url.username or os.environ.get("PGUSER") or _login_name())
    password = options.get("password", url.password or secret_setting("PGPASSWORD") or None)
    return URL.create("postgresql+pg8000", user, password, host or None, port, url.database or user), arguments


def _login_name() -> str:
    import getpass

    return getpass.getuser()


# both


def _check_values(
    _connection: Connection, _cursor: Any, _statement: str, parameters: Any, context: Any, executemany: bool
) -> None:
    """Refuse what the databases can't keep in any value bound to a statement: NUL and half surrogate pairs in a
    text, and a number of more than 64 bits.
    """
    if context is not None and context.execution_options.get(CHECKED):
        return
    for row in parameters if executemany else (parameters,):
        for value in row.values() if isinstance(row, dict) else row:
            if isinstance(value, str):
                check_text(value)
            elif isinstance(value, int):
                check_number(value)


def _forget_after_fork(engine: Engine) -> None:
    """A child process must not use, nor close, its parent's connections: it begins with an empty pool."""
    weak = weakref.ref(engine)

    def forget() -> None:
        engine = weak()
        if engine is not None:
            engine.dispose(close=False)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)


#: Seconds without progress after which a full line accepts nobody.
PATIENCE = 2.0


class WriteLine:
    """Limits how many threads of a server wait for the write lock, so that others are left to answer.

    While writers make progress, a thread that finds the line full waits for a place. If for PATIENCE seconds none
    of those in it got the lock, as when another process keeps it, the thread is refused.
    """

    def __init__(self, where: str, most: int) -> None:
        self._where = where
        self._most = most
        self._changed = threading.Condition()
        self._waiting = 0
        #: When the line last moved: somebody joined an empty line, or left it.
        self._moved = 0.0

    @contextmanager
    def place(self) -> Iterator[None]:
        """Wait in line for the lock, which the body acquires. Raises StoreBusy if the line is full."""
        with self._changed:
            while self._waiting >= self._most:
                left = self._moved + PATIENCE - time.monotonic()
                if left <= 0:
                    raise StoreBusy(f"{self._where}: too many writers wait for another process; try again")
                self._changed.wait(left)
            if not self._waiting:
                self._moved = time.monotonic()
            self._waiting += 1
        try:
            yield
        except BaseException:
            self._leave(moved=False)
            raise
        self._leave(moved=True)

    def _leave(self, *, moved: bool) -> None:
        with self._changed:
            self._waiting -= 1
            if moved:
                self._moved = time.monotonic()
            self._changed.notify()
