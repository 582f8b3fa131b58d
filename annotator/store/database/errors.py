"""Turn errors of the databases and their drivers into one line: where, what, what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, ResourceClosedError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from panelwise.domain import InvalidAnnotation, StoreBusy, StoreError, one_line

#: How long a write waits for another one to end, in seconds.
BUSY_SECONDS = 15

_LOCKED = "another process has been writing too long; wait for it or stop it, then try again"
_MISSING = 'a table of the store is missing; give the campaign\'s own store, or make one with "annotator init"'

#: SQLite's result codes by name (without what follows the second underscore) to what happened and what to do.
_SQLITE = {
    "SQLITE_NOTADB": "this is no SQLite database; give the campaign's store, or restore a backup",
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_FULL": "the disk is full; make room, then try again",
    "SQLITE_READONLY": "may not be written; give this user write permission on the file and its folder",
    "SQLITE_PERM": "permission denied; give this user read and write permission on the file and its folder",
    "SQLITE_AUTH": "permission denied; give this user read and write permission on the file and its folder",
    "SQLITE_CANTOPEN": "cannot be opened; check that the folder exists and that this user may read and write it",
    "SQLITE_CORRUPT": "the database is damaged; restore a backup",
    "SQLITE_IOERR": "reading or writing the disk failed; check the disk and its free space",
    "SQLITE_TOOBIG": "a record is larger than SQLite holds; leave it out",
}

#: PostgreSQL's five-character states, or their first two characters, to what happened and what to do.
_POSTGRES = {
    "28": "the server refuses this login; check user and password in the store's URL",
    "3D000": "no such database on the server; create it (createdb), then try again",
    "42501": "this user may not do that there; grant it the rights on the database and its schema",
    "42P01": _MISSING,
    "42703": _MISSING,
    "3F000": _MISSING,
    "53100": "the server's disk is full; make room, then try again",
    "53200": "the server is out of memory; try again later",
    "53300": "the server has no free connection; close other programs or raise max_connections",
    "55P03": _LOCKED,
    "57014": _LOCKED,
    "40": "another write came in between; try again",
    "57P": "the server is shutting down or starting; try again in a moment",
    "25006": "the server takes no writes (read only); give the primary server's URL",
    "54": "a value is larger than PostgreSQL can index; shorten it",
}

_UNREACHABLE = "the server cannot be reached ({}); start it or correct the store's URL"


class InvalidText(StoreError, InvalidAnnotation):
    """A text that the databases can't store; the input is wrong, not the store."""


class InvalidNumber(StoreError, InvalidAnnotation):
    """A number that the databases can't store; the input is wrong, not the store."""


def check_number(number: int) -> None:
    """Raise InvalidNumber for a number of more than 64 bits."""
    if not -(2**63) <= number < 2**63:
        raise InvalidNumber("a number is beyond 64 bits, which can't be stored; correct it")


def check_text(text: str) -> None:
    """Raise InvalidText for a text that holds NUL or half of a surrogate pair.

    Each database refuses one or the other, or cuts the text there; so the store refuses both everywhere.
    """
    found = text.find("\x00")
    if found < 0:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            found = error.start
        else:
            return
    near = quoted(text[max(0, found - 20) : found + 20])
    kind = "NUL" if text[found] == "\x00" else "half a surrogate pair"
    raise InvalidText(
        f"the text {near} holds {kind} (U+{ord(text[found]):04X}), which cannot be stored; remove it there"
    )


def quoted(text: object, limit: int = 80) -> str:
    """Return the text in double quotes, on one line, printable, cut to `limit` characters."""
    whole = str(text)
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in whole[:limit])
    return f'"{shown}{"…" if len(whole) > limit else ""}"'


def _postgres_fields(error: BaseException | None) -> Mapping[str, str]:
    """Return the server's message by the protocol's letters ("C" the state, "M" the message); empty for none.

    Of a refused login pg8000 may raise that it could not say good-bye; the refusal is then that error's context.
    """
    for _ in range(5):
        if error is None:
            break
        if error.args and isinstance(error.args[0], dict):
            return error.args[0]
        error = error.__cause__ or error.__context__
    return {}


def explain(error: BaseException, where: str) -> StoreError:
    """Return the StoreError for an error of SQLAlchemy, the driver or the socket. where: file or URL."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, ResourceClosedError):
        return StoreError(f"{where}: the transaction has ended; read what is needed before leaving it")
    if isinstance(cause, PoolTimeout):
        return StoreError(f"{where}: too many threads use the store at once; try again")
    if isinstance(cause, sqlite3.Error):
        return _error(where, _explain_sqlite(cause))
    if isinstance(cause, OSError):
        return StoreError(f"{where}: {_UNREACHABLE.format(one_line(cause.strerror or cause))}")
    fields = _postgres_fields(cause)
    state = fields.get("C", "")
    for length in (5, 3, 2):
        if state[:length] in _POSTGRES:
            return _error(where, _POSTGRES[state[:length]])
    if state:
        return StoreError(f"{where}: the server refuses: {one_line(fields.get('M', state))}")
    if type(cause).__name__ == "InterfaceError":
        return StoreError(f"{where}: {_UNREACHABLE.format(one_line(cause))}")
    return StoreError(f"{where}: the database failed: {one_line(cause)}")


def _error(where: str, text: str) -> StoreError:
    return (StoreBusy if text == _LOCKED else StoreError)(f"{where}: {text}")


def _explain_sqlite(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", None) or ""
    known = _SQLITE.get("_".join(name.split("_")[:2]))
    if known:
        return known
    text = one_line(error)
    if text.startswith(("no such table", "no such column")):
        return _MISSING
    return f"the database refuses: {text}"


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn errors of SQLAlchemy, the driver and the socket into StoreError; for the store's own calls only."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise explain(error, where) from error
