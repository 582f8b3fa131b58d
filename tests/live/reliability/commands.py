"""The real commands, as processes of their own, and a person with a browser's cookies at the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from types import TracebackType
from typing import Any

from web.asking import PASSWORD, token_of

COMMAND = str(Path(sys.executable).with_name("annotator"))
#: Seconds to wait for a process or an answer: on a busy machine it takes a while.
PATIENCE = 300.0


def annotator(home: Path, *arguments: str) -> str:
    """Run a command to its end; returns what it printed."""
    command = [COMMAND, *arguments, "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Serving:
    """`annotator serve` on a free port of loopback; a context manager, killed at its end."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def __enter__(self) -> Serving:
        command = [COMMAND, "serve", "--home", str(self._home), "--port", "0"]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        # What hangs is killed, and then there is nothing to read.
        late = threading.Timer(PATIENCE, self._process.kill)
        late.start()
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        late.cancel()
        if "http://" not in line:
            self.__exit__(None, None, None)
            raise AssertionError("the server did not start")
        self.url = next(word for word in line.split() if word.startswith("http")).rstrip("/")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait(PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()


class Visitor:
    """A person who signs in and asks; answers are (status, text), whatever the status is."""

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )
        _, page = self.get("/login")
        self.post_form("/login", csrf_token=token_of(page), name=name, password=PASSWORD)

    def get(self, path: str) -> tuple[int, str]:
        """GET, redirects followed."""
        return self._open(urllib.request.Request(self._url + path))

    def get_json(self, path: str) -> Any:
        """What a GET answers that must succeed."""
        status, text = self.get(path)
        assert status == 200, text
        return json.loads(text)

    def post_form(self, path: str, **fields: str | list[str]) -> tuple[int, str]:
        """POST a form, redirects followed."""
        form = urllib.parse.urlencode(fields, doseq=True).encode()
        return self._open(urllib.request.Request(self._url + path, form))

    def _open(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode("utf-8", "replace")
