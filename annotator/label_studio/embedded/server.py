"""The campaign's own Label Studio on this machine: started when needed, stopped with the command.

Its files are in <home>/label-studio/: the database, credentials.json (0600), server.json (process and address),
port.json (that of the last start) and server.log. It serves the files of <home>/images and no others of the home.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from annotator.label_studio.embedded import environment
from annotator.label_studio.embedded.environment import Report, quiet
from annotator.label_studio.isolation.rules import FILE_VARIABLE
from panelwise.domain import SyncError
from panelwise.runtime import describe_exit, locked, write_whole

ADMIN_EMAIL = "lead@panelwise.local"

#: Seconds that a server may take to answer. A start with migrations takes 45 s on two slow cores.
START_TIMEOUT = 240.0
STOP_TIMEOUT = 10.0
_POLL = 0.2
_ATTEMPTS = 3
_PORT = "port.json"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The account that the commands use and that the lead signs in with."""

    email: str
    password: str
    token: str


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running Label Studio. started_here: leaving the context stops it, and process is its process."""

    url: str
    email: str
    password: str
    token: str
    pid: int
    started_here: bool
    process: subprocess.Popen[bytes] | None = field(default=None, compare=False, repr=False)


def wait_for_end(studio: EmbeddedServer, home: Path) -> NoReturn:
    """Wait until a server that was started here ends; raises SyncError with the log's last line."""
    assert studio.process is not None
    status = studio.process.wait()
    log = data_dir(home) / "server.log"
    raise SyncError(f"Label Studio ended ({describe_exit(status)}): {_last_line(log)}; see {log}")


def data_dir(home: Path) -> Path:
    """Return the folder of a home's Label Studio."""
    return home.absolute() / "label-studio"


def access_file(home: Path) -> Path:
    """Return the file with each project's accounts, in a folder of its own that a container can mount."""
    return data_dir(home) / "access" / "projects.json"


def document_root(home: Path) -> Path:
    """Return the folder whose sub-folder `images` Label Studio serves; it contains that link only.

    The home itself must not be served: every user of Label Studio may add a storage for any sub-folder of the
    root, and so could read the store and the credentials.
    """
    return data_dir(home) / "files"


def storage_path(home: Path) -> Path:
    """Return the folder for a project's storage of local files."""
    return document_root(home) / "images"


def images_folder(home: Path, url: str) -> str | None:
    """Return the folder of images as the server at `url` sees it; None for a server other than the home's own."""
    state = _read_json(data_dir(home) / "server.json")
    return str(storage_path(home)) if state is not None and state.get("url") == url else None


def running(home: Path) -> EmbeddedServer | None:
    """Return the home's server if it runs: its process exists and its address accepts our token."""
    state = _read_json(data_dir(home) / "server.json")
    credentials = _stored_credentials(home)
    if state is None or credentials is None:
        return None
    pid, url = state.get("pid"), state.get("url")
    if not isinstance(pid, int) or not isinstance(url, str) or not _alive(pid):
        return None
    if not _is_ours(url, credentials):
        return None
    return EmbeddedServer(url, credentials.email, credentials.password, credentials.token, pid, started_here=False)


@contextmanager
def label_studio(
    home: Path,
    *,
    password: str | None = None,
    port: int | None = None,
    report: Report = quiet,
    timeout: float = START_TIMEOUT,
) -> Iterator[EmbeddedServer]:
    """Run the home's Label Studio; a server that runs already is used and left running.

    A server started here is stopped when the context ends, also by an error, Ctrl-C or the end of this process.
    password: of the account created on the home's first start, random by default; later starts keep it. port: None
    chooses that of the last start, or a free one. report: called with messages about long steps. Raises SyncError
    with the log's last line.
    """
    home = home.absolute()
    folder = data_dir(home)
    _make_folders(home)
    installation = environment.ensure(report)
    with locked(folder / "server.lock"):
        found = running(home)
        if found is None:
            _prepare_database(home, installation, report)
            credentials = _credentials(home, ADMIN_EMAIL, password)
            report("starting Label Studio")
            process, pipe, url = _start(home, installation, credentials, port, timeout)
    if found is not None:
        yield found
        return
    try:
        yield EmbeddedServer(
            url, credentials.email, credentials.password, credentials.token, process.pid, True, process
        )
    finally:
        _stop(process)
        os.close(pipe)
        (folder / "server.json").unlink(missing_ok=True)


def _make_folders(home: Path) -> None:
    try:
        data_dir(home).mkdir(mode=0o700, parents=True, exist_ok=True)
        document_root(home).mkdir(exist_ok=True)
        (home / "images").mkdir(exist_ok=True)
        link = storage_path(home)
        if not link.is_symlink():
            link.symlink_to(Path("..") / ".." / "images", target_is_directory=True)
    except OSError as error:
        raise SyncError(
            f"{error.filename or home}: {error.strerror}; make the campaign's home writable"
        ) from error


def _prepare_database(home: Path, installation: environment.Installation, report: Report) -> None:
    database = data_dir(home) / "label_studio.sqlite3"
    if database.exists():
        return
    made = environment.template(installation, report)
    if made is not None:
        partial = database.with_suffix(".partial")
        shutil.copyfile(made, partial)
        partial.replace(database)


def _credentials(home: Path, email: str, password: str | None) -> Credentials:
    """Return the stored credentials; created if the database has no account yet."""
    stored = _stored_credentials(home)
    if stored is not None:
        return stored
    path = data_dir(home) / "credentials.json"
    database = data_dir(home) / "label_studio.sqlite3"
    if database.exists() and not environment.is_impersonal(database):
        raise SyncError(f"{path}: missing, though Label Studio's database holds accounts; put the file back")
    fresh = Credentials(email.lower(), password or secrets.token_urlsafe(12), secrets.token_hex(20))
    _write_json(path, asdict(fresh))
    return fresh


def _stored_credentials(home: Path) -> Credentials | None:
    path = data_dir(home) / "credentials.json"
    stored = _read_json(path)
    if stored is None:
        return None
    try:
        return Credentials(str(stored["email"]), str(stored["password"]), str(stored["token"]))
    except KeyError as error:
        raise SyncError(f"{path}: {error} is missing; put the file back as it was written") from error


def _start(
    home: Path,
    installation: environment.Installation,
    credentials: Credentials,
    port: int | None,
    timeout: float,
) -> tuple[subprocess.Popen[bytes], int, str]:
    """Start the server and wait for its answer. Returns the process, our end of its pipe, and the address."""
    folder = data_dir(home)
    for _attempt in range(_ATTEMPTS):
        chosen = port if port is not None else usual_port(home)
        if _busy(chosen):
            if port is not None:
                raise SyncError(f"port {port} is taken by another program; give another one, or none")
            continue
        url = f"http://127.0.0.1:{chosen}"
        reading, writing = os.pipe()
        try:
            process = _launch(home, installation, credentials, chosen, reading)
        except OSError as error:
            os.close(writing)
            raise SyncError(f"{installation.python}: {error.strerror}; Label Studio cannot be started") from error
        finally:
            os.close(reading)
        try:
            ours = _wait(process, url, credentials, folder / "server.log", timeout)
        except BaseException:
            _stop(process)
            os.close(writing)
            raise
        if ours:
            _write_json(folder / _PORT, {"port": chosen})
            _write_json(folder / "server.json", {"pid": process.pid, "url": url, "version": environment.VERSION})
            return process, writing, url
        # Someone took the port in between; Label Studio then silently goes to the next one.
        _stop(process)
        os.close(writing)
    raise SyncError("no free port for Label Studio after three tries; give one with --port")


def _launch(
    home: Path, installation: environment.Installation, credentials: Credentials, port: int, pipe: int
) -> subprocess.Popen[bytes]:
    folder = data_dir(home)
    settings = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        FILE_VARIABLE: str(access_file(home)),
        "LABEL_STUDIO_HOST": "",
        "LABEL_STUDIO_USERNAME": credentials.email,
        "LABEL_STUDIO_PASSWORD": credentials.password,
        "LABEL_STUDIO_USER_TOKEN": credentials.token,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(document_root(home)),
        # Models that it asks (`prelabel serve`), and who waits for its calls, are on this machine.
        "USE_DEFAULT_BANNED_SUBNETS": "false",
        # Predictions are checked instead of silently dropped.
        "fflag_feat_utc_210_prediction_validation_15082025": "true",
    }
    log = os.open(folder / "server.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        return subprocess.Popen(
            # -P: the script's folder must not come first on the path, its modules have names of Django apps.
            [
                *(str(installation.python), "-P", str(Path(__file__).with_name("guarded.py")), str(pipe)),
                *("start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)),
            ],
            env=environment.inherited_environment() | environment.offline_settings() | settings,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            pass_fds=(pipe,),
            start_new_session=True,
        )
    finally:
        os.close(log)


def _wait(process: subprocess.Popen[bytes], url: str, credentials: Credentials, log: Path, timeout: float) -> bool:
    """Wait until `url` answers: True if it accepts the credentials, False if it is another server."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if process.poll() is not None:
            raise SyncError(
                f"Label Studio ended at once (exit {process.returncode}): {_last_line(log)}; see {log}"
            )
        if _answers(url):
            return _is_ours(url, credentials)
        time.sleep(_POLL)
    raise SyncError(f"Label Studio did not answer within {timeout:.0f} s: {_last_line(log)}; see {log}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the process and its children."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, how)
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_TIMEOUT)
            return


def usual_port(home: Path, report: Report = quiet) -> int:
    """Return the port of the last start, so that annotators' addresses stay valid; another one if it is taken.

    report: called with a line if the address changes.
    """
    last = (_read_json(data_dir(home) / _PORT) or {}).get("port")
    if type(last) is not int or not 0 < last < 1 << 16:
        return _free_port()
    if not _busy(last):
        return last
    chosen = _free_port()
    report(f"Label Studio's port {last} is taken by another program; its address is http://127.0.0.1:{chosen} now")
    return chosen


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _busy(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _answers(url: str) -> bool:
    """Return True if any HTTP server answers at the address."""
    return _get(f"{url}/health", None) is not None


def _is_ours(url: str, credentials: Credentials) -> bool:
    """Return True if the address is a Label Studio that accepts our token."""
    body = _get(f"{url}/api/current-user/whoami", credentials.token)
    if not body:
        return False
    try:
        account = json.loads(body)
    except ValueError:
        return False
    return isinstance(account, dict) and str(account.get("email", "")).lower() == credentials.email


def _get(url: str, token: str | None) -> bytes | None:
    """Return the body at a loopback address, without a proxy; empty for an error status, None if unreachable."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers={"Authorization": f"Token {token}"} if token else {})
    try:
        with opener.open(request, timeout=10) as response:
            return bytes(response.read())
    except urllib.error.HTTPError as error:
        error.close()
        return b""
    except (OSError, ValueError):
        return None


def _last_line(log: Path) -> str:
    try:
        with log.open("rb") as handle:
            handle.seek(max(0, handle.seek(0, os.SEEK_END) - 8000))
            lines = handle.read().decode("utf-8", errors="replace").split("\n")
    except OSError:
        return "no log"
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "the log is empty")


def _read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in the file; None if the file is missing or incomplete."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise SyncError(f"{path}: {error.strerror}; make it readable") from error
    return found if isinstance(found, dict) else None


def _write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a file that only this user can read, completely or not at all."""
    write_whole(path, json.dumps(content, indent=1).encode(), lasting=True, mode=0o600)
