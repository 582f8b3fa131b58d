"""Label Studio's own virtual environment, created on first use: its pinned versions don't fit ours."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from panelwise.domain import SyncError
from panelwise.runtime import locked

Report = Callable[[str], None]

#: The version that the packaged lock pins.
VERSION = "1.23.2"
LOCK = Path(__file__).with_name("requirements.txt")

#: Names a bin/label-studio of an environment that is there already.
PROGRAM_VARIABLE = "PANELWISE_LABEL_STUDIO"
UV_VARIABLE = "PANELWISE_UV"
CACHE_VARIABLE = "PANELWISE_CACHE"

#: What a child process may inherit. Settings of some other Label Studio or database must not reach ours.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "LOGNAME", "LD_LIBRARY_PATH")

#: Tables that must be empty in a template: it goes into many homes.
_PERSONAL_TABLES = ("htx_user", "organization", "authtoken_token", "project", "task")

#: A package that an installer has come to, and a step that uv is through with.
_PACKAGE = re.compile(r"(?:Collecting|Downloaded) ([A-Za-z0-9][A-Za-z0-9._-]*)(?![A-Za-z0-9._-]|://)")
_STAGE = re.compile(r"(?:Resolved|Prepared|Installed) \d+ packages?\b")

_MIGRATION_TIMEOUT = 600.0
_REPORT_EVERY = 5.0


@dataclass(frozen=True, slots=True)
class Installation:
    """An installed Label Studio. program: its bin/label-studio. key: its name in the cache."""

    program: Path
    key: str

    @property
    def python(self) -> Path:
        """The environment's Python interpreter."""
        return self.program.with_name("python")


def quiet(_line: str) -> None:
    """Ignore a progress message."""


def cache_dir() -> Path:
    """Return the folder of environments and templates: PANELWISE_CACHE, else panelwise in the user's cache."""
    given = os.environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base).absolute() / "panelwise"


def inherited_environment() -> dict[str, str]:
    """Return the environment variables that child processes get."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ} | {"PYTHONUTF8": "1"}


def find() -> Installation | None:
    """Return the installed Label Studio; None if it has to be installed.

    Raises SyncError if PANELWISE_LABEL_STUDIO is not the path of a program.
    """
    given = os.environ.get(PROGRAM_VARIABLE)
    if given:
        program = Path(given).absolute()
        if not os.access(program, os.X_OK) or not program.with_name("python").exists():
            raise SyncError(
                f"{PROGRAM_VARIABLE}={given}: no such environment; name its bin/label-studio, or unset it"
            )
        return Installation(program, _key(str(program).encode()))
    folder = _folder()
    if not _marker(folder).exists():
        return None
    return Installation(folder / "bin" / "label-studio", folder.name)


def ensure(report: Report = quiet) -> Installation:
    """Return the installed Label Studio; installs it if it is missing (about 1 GB; a minute or two).

    report: called with short progress messages. Safe with several processes at once; an interrupted installation
    starts again. Raises SyncError, one line, if it fails.
    """
    ready = find()
    if ready is not None:
        return ready
    folder = _folder()
    with _cache_locked(folder.with_name(folder.name + ".lock")):
        if not _marker(folder).exists():
            report(f"making Label Studio {VERSION} its own environment (once; about 1 GB, a minute or two)")
            _make(folder, report)
            _marker(folder).write_text(VERSION + "\n", encoding="utf-8")
    return Installation(folder / "bin" / "label-studio", folder.name)


def template(installation: Installation, report: Report = quiet) -> Path | None:
    """Return a migrated SQLite file of Label Studio without users, projects or secrets, for a fast first start.

    Created once per installation and cached. None if it can't be created or contains personal data: the server
    then migrates a new database.
    """
    kept = cache_dir() / "templates" / f"{installation.key}.sqlite3"
    if kept.exists():
        return kept
    with _cache_locked(kept.with_suffix(".lock")):
        if kept.exists():
            return kept
        report("preparing Label Studio's database (once; about half a minute)")
        with tempfile.TemporaryDirectory(prefix="panelwise-template-") as scratch:
            fresh = Path(scratch) / "label_studio.sqlite3"
            try:
                # "version" migrates and leaves, before any account is made; the secret key goes to a file beside.
                subprocess.run(
                    [str(installation.program), "version"],
                    env=inherited_environment() | offline_settings() | {"LABEL_STUDIO_BASE_DATA_DIR": scratch},
                    cwd=scratch,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=_MIGRATION_TIMEOUT,
                    check=True,
                )
            except (OSError, subprocess.SubprocessError) as error:
                report(f"no database template ({type(error).__name__}); the first start takes longer")
                return None
            if not is_impersonal(fresh):
                report("no database template (it would hold accounts); the first start takes longer")
                return None
            partial = kept.with_suffix(".partial")
            shutil.copyfile(fresh, partial)
            partial.replace(kept)
    return kept


def is_impersonal(database: Path) -> bool:
    """Return True if a Label Studio database exists, is migrated and has no account, token, project or task."""
    if not database.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            return all(
                connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # names from a constant
                for table in _PERSONAL_TABLES
            )
    except sqlite3.Error:
        return False


def offline_settings() -> dict[str, str]:
    """Return variables that keep Label Studio offline: no analytics, no version check, an unusable proxy."""
    dead = "http://127.0.0.1:9"
    loopback = "127.0.0.1,localhost"
    return {
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "DEBUG": "false",
        "HTTP_PROXY": dead,
        "HTTPS_PROXY": dead,
        "http_proxy": dead,
        "https_proxy": dead,
        "NO_PROXY": loopback,
        "no_proxy": loopback,
    }


@contextmanager
def _cache_locked(path: Path) -> Iterator[None]:
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(path))
        except OSError as error:
            raise SyncError(
                f"{path}: {error.strerror}; make the folder writable or set {CACHE_VARIABLE}"
            ) from error
        yield


def _key(*parts: bytes) -> str:
    """Return a short name for all that an environment depends on."""
    content = b"\0".join((*parts, LOCK.read_bytes(), sys.version.encode()))
    return f"label-studio-{VERSION}-{hashlib.sha256(content).hexdigest()[:12]}"


def _folder() -> Path:
    return cache_dir() / _key()


def _marker(folder: Path) -> Path:
    """Return the file that marks a complete environment; it is written last, as environments can't be moved."""
    return folder / ".complete"


def _make(folder: Path, report: Report) -> None:
    uv = os.environ.get(UV_VARIABLE)
    if uv and not os.access(uv, os.X_OK):
        uv = None
    uv = uv or shutil.which("uv")
    if folder.exists():
        shutil.rmtree(folder)
    python = folder / "bin" / "python"
    if uv:
        _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], report)
        # No --compile-bytecode: the first start compiles what it needs, a quarter of it all, and 20 s sooner.
        install = [uv, "pip", "install", "--python", str(python)]
    else:
        if subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True, check=False).returncode:
            raise SyncError(
                "Label Studio needs an environment of its own, and this Python has no ensurepip: "
                "apt install python3-venv, or put uv on the PATH"
            )
        _run([sys.executable, "-m", "venv", str(folder)], report)
        install = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    _run([*install, "--require-hashes", "-r", str(LOCK)], report)
    if not (folder / "bin" / "label-studio").exists():
        raise SyncError(f"{folder}: the environment was made but has no label-studio; remove it and try again")


class _Progress:
    """Progress of an installer, from its output: pip's "Collecting NAME==1 (from ...)", uv's "Downloaded NAME".

    Other lines name hosts, folders and caches, or are warnings about them, on which the lead can't act.
    """

    def __init__(self) -> None:
        self.said = ""
        self._names: set[str] = set()

    def take(self, line: str) -> bool:
        """Return True if the line has news, which is then in `said`."""
        package = _PACKAGE.match(line)
        stage = _STAGE.match(line)
        if package is not None and package[1].lower() not in self._names:
            self._names.add(package[1].lower())
            self.said = f"installing Label Studio: {len(self._names)} packages so far ({package[1]})"
            return True
        if line.startswith("Installing collected packages: "):
            self.said = f"installing Label Studio: unpacking {line.count(',') + 1} packages"
            return True
        if stage is not None:
            self.said = f"installing Label Studio: {stage[0].lower()}"
            return True
        return False


def _run(command: list[str], report: Report) -> None:
    """Run a step of the installation and report its progress. Raises SyncError with the step's last output."""
    # Everything but what would tie the new environment to ours: mirrors and certificates are set by variables.
    variables = {
        name: value
        for name, value in os.environ.items()
        if name not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "UV_PROJECT_ENVIRONMENT")
    }
    # uv takes certificates from this machine only if asked, and knows nothing of pip's setting.
    variables.setdefault("UV_SYSTEM_CERTS", "true")
    if "PIP_CERT" in variables:
        variables.setdefault("SSL_CERT_FILE", variables["PIP_CERT"])
    tail: deque[str] = deque(maxlen=30)
    try:
        process = subprocess.Popen(
            command,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise SyncError(f"{command[0]}: {error.strerror}; Label Studio's environment was not made") from error
    try:
        assert process.stdout is not None
        told = time.monotonic()
        progress = _Progress()
        for line in process.stdout:
            if line.strip():
                tail.append(line.strip())
            # Installers say a line per package; now and then one is enough to see that it goes on.
            if progress.take(line.strip()) and time.monotonic() - told >= _REPORT_EVERY:
                told = time.monotonic()
                report(progress.said)
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        if process.stdout is not None:
            process.stdout.close()
    if code:
        said = next((line for line in reversed(tail) if "error" in line.lower()), tail[-1] if tail else "")
        raise SyncError(
            f"Label Studio's environment could not be made ({Path(command[0]).name} ended with {code}): "
            f"{said[:300]}; "
            "check the connection to the package index and the free disk space, then try again"
        )
