"""One-line messages from Label Studio's error answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


def refusal(doing: str, status: int | None, body: Any) -> str:
    """Return one line for an error status. doing: what the request was for."""
    if not isinstance(body, Mapping):
        text = " ".join(re.sub(r"<[^>]*>", " ", str(body)).split())[:120]
        return (
            f"answered {status} while {doing}, not as Label Studio does ({text or 'empty'}); "
            "is another program on that port?"
        )
    if status == 401:
        return (
            f"refused the token while {doing}; copy it from Account & Settings there into LABEL_STUDIO_API_KEY, "
            "where Panelwise is started, or give a command --token"
        )
    said = _messages(body.get("validation_errors")) or _messages(body.get("detail")) or _messages(body)
    return f"refused ({status}) while {doing}: {said[:500]}"


def form_error(page: str) -> str:
    """Return the errors that a sign-up page shows, in one line."""
    found = re.findall(r'class="[^"]*error[^"]*"[^>]*>(.*?)</', page, flags=re.DOTALL)
    text = " ".join(" ".join(re.sub(r"<[^>]*>", " ", each) for each in found).split())
    return text[:200] or "the server refused the sign-up"


def answer_body(answer: httpx.Response) -> Any:
    """Return the body of an answer: parsed JSON, or its text if it is not JSON."""
    try:
        return answer.json()
    except ValueError:
        return answer.text


def _messages(found: Any) -> str:
    """Join the texts of nested validation errors."""
    if isinstance(found, Mapping):
        return "; ".join(f"{key}: {_messages(value)}" for key, value in found.items() if value)
    if isinstance(found, list | tuple):
        return "; ".join(filter(None, map(_messages, found)))
    return " ".join(str(found).split()) if found else ""
