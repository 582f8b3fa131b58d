"""The client of an OpenAI-compatible language model server: vLLM, Ollama, llama.cpp, or a hosted one."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from panelwise.domain import AnnotatorError
from panelwise.runtime import http_client, server_address
from prelabel.assistant.answers import SCHEMA

if TYPE_CHECKING:
    import httpx

#: Seconds to wait for an answer; a large model on a CPU takes minutes.
TIMEOUT = 300.0
#: How often a request is made that finds the server busy or gone; seconds before the second one, then doubled.
ATTEMPTS, FIRST_WAIT, LONGEST_WAIT = 5, 1.0, 60.0
#: An answer of more bytes is not read.
MOST_BYTES = 1 << 20


class RequestRefused(AnnotatorError):
    """The server refused one request, such as a caption too long for its model; others may do."""


class LanguageModel(Protocol):
    """Answers requests. name: the model's."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The text of the model's answer. Raises RequestRefused for this request, AnnotatorError for good."""
        ...

    def close(self) -> None:
        """Let go of the connections; the next request opens new ones."""
        ...


class ChatServer:
    """A model behind an OpenAI-compatible address. May be used by several threads. Nothing is logged."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        most: int | None = None,
        per_minute: int | None = None,
        timeout: float = TIMEOUT,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        """url: up to "/v1". key: sent as a bearer token. most: requests at most, in all; per_minute: in a minute.

        Raises AnnotatorError for what is no such address or key.
        """
        parts = server_address(url)
        if parts is None:
            raise AnnotatorError(f"{url}: is no address of a server; give one such as http://127.0.0.1:11434/v1")
        if parts.username or parts.password:
            raise AnnotatorError("--assistant: leave the password out; set PANELWISE_ASSISTANT_KEY instead")
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise AnnotatorError("PANELWISE_ASSISTANT_KEY has blanks or odd characters; copy it again")
        self.name = model
        self._url = url.rstrip("/")
        self._key = key
        self._most, self._made = most, 0
        self._pause = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._timeout, self._first_wait = timeout, first_wait
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """See `LanguageModel`. Waits for a busy server, a little longer each time, or as long as it says."""
        body = {
            "model": self.name,
            "messages": list(messages),
            "temperature": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "panels", "strict": True, "schema": SCHEMA},
            },
        }
        wait, why = self._first_wait, ""
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(wait)
                wait = min(LONGEST_WAIT, 2 * wait)
            self._wait_for_turn()
            found = self._post(body)
            if isinstance(found, str):
                return found
            why, after = found
            wait = min(LONGEST_WAIT, max(wait, after))
        raise AnnotatorError(
            f"{self._url}: {why}, {ATTEMPTS} times in a row; start the server, and run again to go on"
        )

    def _post(self, body: Mapping[str, Any]) -> str | tuple[str, float]:
        """The answer, or why to try again and how many seconds from now at least."""
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            with self._opened().stream("POST", "chat/completions", json=body, headers=headers) as reply:
                content = b""
                for piece in reply.iter_bytes():
                    content += piece
                    if len(content) > MOST_BYTES:
                        raise RequestRefused(f"{self._url}: answers with more than {MOST_BYTES} bytes")
        except httpx.ConnectError as error:
            return f"no server answers ({error})", 0.0
        except httpx.TimeoutException:
            return f"gave no answer in {self._timeout:g} s", 0.0
        except httpx.HTTPError as error:
            return f"broke off ({type(error).__name__})", 0.0
        status = reply.status_code
        if status == 429 or status >= 500:
            return f"is busy or failed (HTTP {status})", _seconds(reply.headers.get("retry-after", ""))
        if status in (401, 403):
            raise AnnotatorError(f"{self._url}: refuses the key (HTTP {status}); set PANELWISE_ASSISTANT_KEY")
        if status == 404 or status < 200 or 300 <= status < 400:
            raise AnnotatorError(
                f'{self._url}: has no chat/completions for model "{self.name}" (HTTP {status}); '
                "check --assistant and --assistant-model"
            )
        if status >= 400:
            raise RequestRefused(f"{self._url}: refuses the request (HTTP {status})")
        return _content(content, self._url)

    def _opened(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                import httpx

                self._client = http_client(self._url, httpx.Timeout(self._timeout, connect=10.0))
            return self._client

    def _wait_for_turn(self) -> None:
        """Keep to the limits of requests. Raises AnnotatorError if they are used up."""
        with self._lock:
            if self._most is not None and self._made >= self._most:
                raise AnnotatorError(
                    f"{self._most} requests were made, the limit of --assistant-limit; run again to go on"
                )
            self._made += 1
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._pause
        if turn > now:
            time.sleep(turn - now)

    def close(self) -> None:
        """See `LanguageModel`."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None


def _seconds(text: str) -> float:
    """Return the seconds of the header Retry-After; 0 for a date or an empty header."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0


class _Message(msgspec.Struct):
    content: str


class _Choice(msgspec.Struct):
    message: _Message


class _Reply(msgspec.Struct):
    choices: list[_Choice]


def _content(content: bytes, url: str) -> str:
    try:
        return msgspec.json.decode(content, type=_Reply).choices[0].message.content
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError):
        raise RequestRefused(f"{url}: gives no answer in the form of chat/completions") from None
