"""The server's log: a line for each request and each fault, as JSON or as text.

No line holds a person's name, an address, a password, a token, a cookie, a caption or a figure's id: routes are
logged, not addresses, and of an exception its kind and where it was raised, not what it says. The number of the
request leads from what a person was shown to the line.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from flask import Flask, Response, g, request

from annotator.web.app.request_ids import request_id
from panelwise.domain import StoreError, one_line
from panelwise.runtime import FAULTS_LOGGER

#: The server's own logger, which is the app's; requests are told at INFO, faults at ERROR.
NAME = "annotator.web"

#: Where our packages lie, and which they are.
_AROUND = Path(__file__).resolve().parents[3]
_OURS = frozenset({"annotator", "agreement", "label_config", "panelwise", "prelabel"})
_KINDS = ("json", "text")
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_Raised = tuple[type, BaseException, TracebackType] | tuple[None, None, None]


class JsonLines(logging.Formatter):
    """Each record an object on a line of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """time, level, logger, message, and what the record carries as `facts`."""
        line: dict[str, Any] = {
            "time": _moment(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": one_line(_message(record)),
            **_facts(record),
            **_raised(record),
        }
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


class TextLines(logging.Formatter):
    """Each record a line for people: time, level, message, then facts as name=value."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line."""
        facts = {**_facts(record), **_raised(record)}
        told = " ".join(f"{name}={_plain(value)}" for name, value in facts.items())
        return f"{_moment(record)} {record.levelname.lower()} {one_line(_message(record))} {told}".rstrip()


class _Stderr(logging.Handler):
    """Writes to the current sys.stderr; errors of writing are ignored, so that a full disk stops no request."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk or a closed pipe: there is nowhere to tell it."""


class Logged(Flask):
    """An app that logs a fault without what Flask adds of its own: the address and the exception's words."""

    def log_exception(self, exc_info: _Raised) -> None:
        """See `fault`."""
        if exc_info[1] is not None:
            fault(exc_info[1])


def start(kind: str) -> None:
    """Write to stderr from now on: "json" or "text", requests and faults; "" faults only, as text."""
    handler = _Stderr()
    handler.setFormatter(JsonLines() if kind == "json" else TextLines())
    logger = logging.getLogger(NAME)
    logger.handlers[:] = [handler]
    logger.setLevel(logging.INFO if kind in _KINDS else logging.ERROR)
    logger.propagate = False
    logging.getLogger(FAULTS_LOGGER).handlers[:] = [handler]
    logging.getLogger(FAULTS_LOGGER).propagate = False
    if kind:
        # What waitress and others have to say goes the same way.
        root = logging.getLogger()
        root.handlers[:] = [handler]
        root.setLevel(logging.WARNING)


def set_up(app: Flask) -> None:
    """Log each request of the app once its answer was sent; faults with their kind and place."""
    app.before_request(_begin)
    app.after_request(_end)


def fault(error: BaseException) -> None:
    """Log what went wrong while a request was answered; in words only where the database itself failed."""
    database = isinstance(error, StoreError) and error.__cause__ is not None
    message = f"the store failed: {error}" if database else "a request failed"
    logging.getLogger(NAME).error(message, extra={"facts": _about_request(), "raised": error})


def settings(problem: str) -> None:
    """Log that campaign.toml cannot be used as it is; not why, for the reason may quote a person's name."""
    logging.getLogger(NAME).error("campaign.toml has an error; run annotator status for details")


def _begin() -> None:
    g.begun = time.perf_counter()


def _end(response: Response) -> Response:
    logger = logging.getLogger(NAME)
    if logger.isEnabledFor(logging.INFO):
        facts = {**_about_request(), "status": response.status_code, "bytes": response.content_length}
        # Where even the session could not be opened, nothing began.
        begun = g.get("begun", time.perf_counter())

        @response.call_on_close
        def told() -> None:
            # What an answer is sent in parts of takes until the last of them.
            facts["seconds"] = round(time.perf_counter() - begun, 4)
            logger.info("request", extra={"facts": facts})

    return response


def _about_request() -> dict[str, Any]:
    """The route, not the address: that may hold a figure's id, a name or the token of an invitation."""
    rule = request.url_rule
    return {
        "request_id": request_id(),
        "method": request.method if request.method in _METHODS else "other",
        "route": rule.rule if rule is not None else "unknown",
    }


def _moment(record: logging.LogRecord) -> str:
    when = datetime.fromtimestamp(record.created, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _message(record: logging.LogRecord) -> str:
    """Return a record's message; for other libraries only the pattern: arguments may be private."""
    return record.getMessage() if record.name == NAME else str(record.msg)


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    facts = getattr(record, "facts", None)
    return dict(facts) if isinstance(facts, Mapping) else {}


def _raised(record: logging.LogRecord) -> dict[str, Any]:
    """The kinds of the exception and of what led to it; our own places that it came through, outermost first."""
    error = getattr(record, "raised", None) or (record.exc_info[1] if record.exc_info else None)
    if not isinstance(error, BaseException):
        return {}
    kinds: list[str] = []
    places: list[str] = []
    seen: BaseException | None = error
    while seen is not None and len(kinds) < 5:
        kinds.append(type(seen).__qualname__)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        inside = file.relative_to(_AROUND) if file.is_relative_to(_AROUND) else Path("elsewhere")
        if inside.parts[0] in _OURS:
            places.append(f"{inside.as_posix()}:{frame.lineno} {frame.name}")
    return {"error": kinds, "at": places}


def _plain(value: object) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f'"{text}"' if " " in text else text
