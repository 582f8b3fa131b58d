"""The campaign's own server: ours and nobody else's, gone when we are gone."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest
from process_state import alive, children

from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded.server import data_dir, images_folder, label_studio, running, usual_port
from panelwise.domain.errors import SyncError


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment whose python is a script of the test's choice; no real Label Studio."""
    folder = tmp_path / "env" / "bin"
    folder.mkdir(parents=True)
    for name in ("label-studio", "python"):
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv(environment.PROGRAM_VARIABLE, str(folder / "label-studio"))
    monkeypatch.setenv(environment.CACHE_VARIABLE, str(tmp_path / "cache"))
    return folder


def posing_as(folder: Path, script: str) -> None:
    (folder / "python").write_text(f"#!{sys.executable}\n{script}")


def test_a_server_that_ends_at_once_is_told_with_its_last_words(installation: Path, tmp_path: Path) -> None:
    posing_as(installation, "print('something');\nraise SystemExit('no such table: htx_user')\n")
    with (
        pytest.raises(SyncError, match=r"exit 1.*no such table: htx_user.*server\.log"),
        label_studio(tmp_path / "h"),
    ):
        pass
    assert not (data_dir(tmp_path / "h") / "server.json").exists()


@pytest.mark.slow
def test_a_server_that_never_answers_is_ended(installation: Path, tmp_path: Path) -> None:
    # On a busy machine it may be ended before it has done anything: so it is looked for, not asked.
    before = children(os.getpid())
    (installation / "python").write_text("#!/bin/sh\nexec sleep 600\n")
    with pytest.raises(SyncError, match="did not answer within 3 s"), label_studio(tmp_path / "h", timeout=3):
        pass
    assert not list(filter(alive, children(os.getpid()) - before))


@pytest.mark.slow
def test_another_program_that_answers_is_not_taken_for_ours(installation: Path, tmp_path: Path) -> None:
    posing_as(
        installation,
        "import http.server, sys\n"
        "where = ('127.0.0.1', int(sys.argv[-1]))\n"
        "http.server.HTTPServer(where, http.server.SimpleHTTPRequestHandler).serve_forever()\n",
    )
    with pytest.raises(SyncError, match="no free port"), label_studio(tmp_path / "h", timeout=300):
        pass


@pytest.mark.slow
def test_its_port_is_the_same_from_start_to_start_and_a_taken_one_is_named(
    installation: Path, tmp_path: Path
) -> None:
    posing_as(
        installation,
        "import http.server, os, sys\n"
        "class Studio(http.server.BaseHTTPRequestHandler):\n"
        "    def do_GET(self):\n"
        "        self.send_response(200)\n"
        "        self.end_headers()\n"
        '        self.wfile.write(b\'{"email": "lead@panelwise.local"}\')\n'
        "http.server.HTTPServer(('127.0.0.1', int(sys.argv[-1])), Studio).serve_forever()\n",
    )
    with label_studio(tmp_path / "h", timeout=300) as first:
        pass
    with label_studio(tmp_path / "h", timeout=300) as second:
        assert second.url == first.url
    port = int(first.url.rpartition(":")[2])
    assert usual_port(tmp_path / "h") == port
    lines: list[str] = []
    with socket.create_server(("127.0.0.1", port)):
        other = usual_port(tmp_path / "h", lines.append)
    assert other != port
    assert lines == [
        f"Label Studio's port {port} is taken by another program; its address is http://127.0.0.1:{other} now"
    ]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"port": "8080"}', '{"port": 70000}', '{"port": true}'])
def test_a_damaged_note_of_the_port_is_ignored(tmp_path: Path, content: str) -> None:
    data_dir(tmp_path).mkdir()
    (data_dir(tmp_path) / "port.json").write_text(content)
    assert 1024 <= usual_port(tmp_path) < 1 << 16


def test_a_port_that_is_taken_is_told(installation: Path, tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        with pytest.raises(SyncError, match=f"port {port} is taken"), label_studio(tmp_path / "h", port=port):
            pass


def test_the_database_without_its_credentials_is_refused(installation: Path, tmp_path: Path) -> None:
    folder = data_dir(tmp_path / "h")
    folder.mkdir(parents=True)
    (folder / "label_studio.sqlite3").write_bytes(b"")
    with pytest.raises(SyncError, match=r"credentials\.json: missing"), label_studio(tmp_path / "h"):
        pass


def test_credentials_broken_by_hand_are_told(installation: Path, tmp_path: Path) -> None:
    folder = data_dir(tmp_path / "h")
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text('{"email": "a@b.c"}')
    with pytest.raises(SyncError, match="'password' is missing"), label_studio(tmp_path / "h"):
        pass


def test_a_stale_state_file_names_no_running_server(tmp_path: Path) -> None:
    folder = data_dir(tmp_path)
    folder.mkdir(parents=True)
    (folder / "credentials.json").write_text('{"email": "a@b.c", "password": "p", "token": "t"}')
    for state in ('{"pid": 999999999, "url": "http://127.0.0.1:1"}', '{"pid": "x"}', "broken", "[]"):
        (folder / "server.json").write_text(state)
        assert running(tmp_path) is None
    (folder / "server.json").write_text(json.dumps({"pid": os.getpid(), "url": "http://127.0.0.1:1"}))
    assert running(tmp_path) is None


def test_images_of_another_server_are_not_ours_to_find(tmp_path: Path) -> None:
    assert images_folder(tmp_path, "http://127.0.0.1:1") is None


def test_a_home_that_cannot_be_written_is_told(installation: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SyncError, match="make the campaign's home writable"), label_studio(tmp_path / "file"):
        pass
