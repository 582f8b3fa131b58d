"""Reachability of an external Label Studio, cached so that every page view may request it."""

from __future__ import annotations

import re
import threading
import time

from panelwise.runtime import http_client

#: Seconds that the server gets to answer, and for which its answer is cached.
TIMEOUT, LASTS = 2.0, 30.0
_lock = threading.Lock()
#: Address -> when it was asked (by the monotonic clock), and why it is unreachable.
_answers: dict[str, tuple[float, str]] = {}


def why_unreachable(url: str) -> str:
    """Return why the server at `url` does not answer, "" if it does; asks it at most every `LASTS` seconds."""
    with _lock:
        asked_at, why = _answers.get(url, (-LASTS, ""))
        if time.monotonic() - asked_at >= LASTS:
            why = _ask(url)
            _answers[url] = time.monotonic(), why
        return why


def _ask(url: str) -> str:
    import httpx

    try:
        with http_client(url, TIMEOUT) as client:
            code = client.get("/health").status_code
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return re.sub(r"^\[Errno \d+\] ", "", str(error)) or type(error).__name__
    return "" if code < 500 else f"it answers {code}"
