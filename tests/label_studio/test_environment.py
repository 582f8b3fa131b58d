"""Label Studio's own environment: made once, taken up after a break, its failures told in one line."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from annotator.label_studio.embedded import environment
from panelwise.domain.errors import SyncError

#: A uv that makes what the real one would, and counts its calls.
UV = """#!/bin/sh
echo "$@" >> {calls}
[ "$1" = venv ] && for folder; do :; done && mkdir -p "$folder/bin" && touch "$folder/bin/python"
{extra}
[ "$1" = pip ] && bin=$(dirname "$4") && touch "$bin/label-studio" && echo "Installed 180 packages"
exit 0
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(environment.PROGRAM_VARIABLE, raising=False)
    monkeypatch.setenv(environment.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fake_uv(tmp_path, monkeypatch)


def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: str = "") -> Path:
    calls = tmp_path / "calls"
    uv = tmp_path / "uv"
    uv.write_text(UV.format(calls=calls, extra=extra))
    uv.chmod(0o755)
    monkeypatch.setenv(environment.UV_VARIABLE, str(uv))
    return calls


def test_it_is_made_once_and_told(calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_REPORT_EVERY", 0)
    said: list[str] = []
    assert environment.find() is None
    made = environment.ensure(said.append)
    assert environment.ensure() == environment.find() == made
    assert made.program.exists()
    assert made.python.exists()
    assert "about 1 GB" in said[0]
    assert "installing Label Studio: installed 180 packages" in said
    assert len(calls.read_text().splitlines()) == 2


def test_only_hashed_packages_of_the_lock_are_installed(calls: Path) -> None:
    environment.ensure()
    assert calls.read_text().splitlines()[1].endswith(f"--require-hashes -r {environment.LOCK}")
    assert f"label-studio=={environment.VERSION}" in environment.LOCK.read_text()


def test_what_broke_off_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_uv(tmp_path, monkeypatch, extra='[ "$1" = pip ] && echo "error: disk is full" && exit 2')
    with pytest.raises(SyncError, match=r"uv ended with 2\): error: disk is full"):
        environment.ensure()
    assert environment.find() is None
    fake_uv(tmp_path, monkeypatch)
    assert environment.ensure() == environment.find()


def test_an_environment_without_the_program_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_uv(tmp_path, monkeypatch, extra='[ "$1" = pip ] && exit 0')
    with pytest.raises(SyncError, match="has no label-studio"):
        environment.ensure()


def test_another_lock_means_another_environment(
    calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = environment.ensure()
    newer = tmp_path / "requirements.txt"
    newer.write_text("label-studio==9.9\n")
    monkeypatch.setattr(environment, "LOCK", newer)
    assert environment.find() is None
    assert environment.ensure() != first


def test_a_python_without_ensurepip_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(environment.UV_VARIABLE, raising=False)
    monkeypatch.setattr(environment.shutil, "which", lambda _name: None)
    monkeypatch.setattr(
        environment.subprocess, "run", lambda *_args, **_options: subprocess.CompletedProcess([], returncode=1)
    )
    with pytest.raises(SyncError, match="apt install python3-venv"):
        environment.ensure()


def test_without_uv_the_environment_is_made_with_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[list[str]] = []

    def step(command: list[str], _report: environment.Report) -> None:
        steps.append(command)
        folder = Path(command[-1]) / "bin"
        if "venv" in command:
            folder.mkdir(parents=True)
            (folder / "label-studio").touch()

    monkeypatch.delenv(environment.UV_VARIABLE, raising=False)
    monkeypatch.setattr(environment.shutil, "which", lambda _name: None)
    monkeypatch.setattr(environment, "_run", step)
    environment.ensure()
    assert steps[0][:3] == [sys.executable, "-m", "venv"]
    assert steps[1][1:4] == ["-m", "pip", "install"]
    assert "--require-hashes" in steps[1]


PIP = """\
Looking in indexes: https://mirror.example.org/simple, https://user:secret@other.example.org/simple
WARNING: The directory '/home/someone/.cache/pip' is not writable by the current user.
Collecting annotated-types==0.7.0 (from -r /opt/lock.txt (line 3))
  Downloading https://mirror.example.org/packages/annotated_types-0.7.0-py3-none-any.whl (13 kB)
Collecting Django==5.2.1 (from -r /opt/lock.txt (line 9))
  Using cached Django-5.2.1-py3-none-any.whl (8.3 MB)
Collecting https://mirror.example.org/packages/odd.whl
Installing collected packages: annotated-types, Django
Successfully installed Django-5.2.1 annotated-types-0.7.0
WARNING: Running pip as the 'root' user can result in broken permissions
"""


def test_of_what_pip_says_only_how_far_it_is_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_REPORT_EVERY", 0)
    (tmp_path / "said").write_text(PIP)
    said: list[str] = []
    environment._run(["cat", str(tmp_path / "said")], said.append)
    assert said == [
        "installing Label Studio: 1 packages so far (annotated-types)",
        "installing Label Studio: 2 packages so far (Django)",
        "installing Label Studio: unpacking 2 packages",
    ]


def test_what_pip_says_last_is_in_the_error(tmp_path: Path) -> None:
    said = "Looking in indexes: https://mirror.example.org/simple\nERROR: No space left on device\n"
    (tmp_path / "said").write_text(said)
    with pytest.raises(SyncError, match=r"sh ended with 1\): ERROR: No space left on device"):
        environment._run(["sh", "-c", f"cat {tmp_path / 'said'}; exit 1"], lambda _line: None)


def test_a_given_program_is_taken_and_a_wrong_one_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(environment.PROGRAM_VARIABLE, str(tmp_path / "nothing"))
    with pytest.raises(SyncError, match="no such environment"):
        environment.ensure()
    for name in ("label-studio", "python"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv(environment.PROGRAM_VARIABLE, str(tmp_path / "label-studio"))
    assert environment.ensure().program == tmp_path / "label-studio"


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(environment.CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(SyncError, match="PANELWISE_CACHE"):
        environment.ensure()


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(environment.CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert environment.cache_dir() == Path("/somewhere/panelwise")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert environment.cache_dir() == Path.home() / ".cache" / "panelwise"


def test_settings_of_another_server_do_not_reach_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DJANGO_DB", "POSTGRE_HOST", "LABEL_STUDIO_HOST", "PORT", "PYTHONPATH"):
        monkeypatch.setenv(name, "foreign")
    assert "foreign" not in environment.inherited_environment().values()


def a_database(path: Path, *, users: int) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for table in ("htx_user", "organization", "authtoken_token", "project", "task"):
            connection.execute(f"CREATE TABLE {table} (id INTEGER)")
        connection.executemany("INSERT INTO htx_user VALUES (?)", [(each,) for each in range(users)])
        connection.commit()
    return path


def test_only_a_database_without_accounts_may_be_a_template(tmp_path: Path) -> None:
    assert environment.is_impersonal(a_database(tmp_path / "empty.sqlite3", users=0))
    assert not environment.is_impersonal(a_database(tmp_path / "used.sqlite3", users=1))
    assert not environment.is_impersonal(tmp_path / "missing.sqlite3")
    (tmp_path / "broken.sqlite3").write_bytes(b"no database at all, but long enough to be looked at" * 40)
    assert not environment.is_impersonal(tmp_path / "broken.sqlite3")


@pytest.mark.parametrize(
    ("script", "words"), [("exit 3", "CalledProcessError"), ("exit 0", "would hold accounts")]
)
def test_without_a_template_the_first_start_just_takes_longer(tmp_path: Path, script: str, words: str) -> None:
    program = tmp_path / "label-studio"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    said: list[str] = []
    assert environment.template(environment.Installation(program, "k"), said.append) is None
    assert words in said[-1]


def test_installers_trust_the_certificates_of_this_machine_and_of_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_SYSTEM_CERTS", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CERT", "/company.pem")
    environment._run(["sh", "-c", '[ "$UV_SYSTEM_CERTS $SSL_CERT_FILE" = "true /company.pem" ]'], lambda _: None)
    monkeypatch.setenv("UV_SYSTEM_CERTS", "false")
    monkeypatch.setenv("SSL_CERT_FILE", "/mine.pem")
    environment._run(["sh", "-c", '[ "$UV_SYSTEM_CERTS $SSL_CERT_FILE" = "false /mine.pem" ]'], lambda _: None)
