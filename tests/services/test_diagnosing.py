"""`annotator doctor`: what is wrong is found, and what to do is told."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from running import run_command

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.operations import doctor as diagnosing
from annotator.operations import doctor_store
from annotator.operations.doctor import diagnose
from annotator.operations.findings import Finding, State
from annotator.store.store import Store
from panelwise.domain.campaign import Role


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "lungs")
    with home.open_store() as store:
        accounts.add_person(store, "lead", roles=[Role.LEAD])
    return home


def found(home: Home, about: str) -> list[Finding]:
    return [each for each in diagnose(home.path, server=False) if each.about == about]


def the(home: Home, about: str) -> Finding:
    (finding,) = found(home, about)
    return finding


def test_a_fresh_campaign_is_well(home: Home) -> None:
    findings = list(diagnose(home.path, server=False))
    assert [each for each in findings if each.state is State.WRONG] == []
    assert {each.about for each in findings} == {
        *("program", "time zone", "campaign", "secret", "permissions", "disk", "store", "database", "people"),
    }


def test_a_place_without_a_campaign_is_told(tmp_path: Path) -> None:
    last = list(diagnose(tmp_path))[-1]
    assert (last.about, last.state) == ("campaign", State.WRONG)
    assert last.fix.startswith("create one with `annotator init DIR`")


def test_a_broken_campaign_toml_is_told(home: Home) -> None:
    (home.path / "campaign.toml").write_text("name = ", encoding="utf-8")
    assert the(home, "campaign").state is State.WRONG


def test_a_missing_secret_is_told_and_none_is_made(home: Home) -> None:
    (home.path / "secret.key").unlink()
    finding = the(home, "secret")
    assert finding.state is State.WRONG
    assert "backup" in finding.fix
    assert not (home.path / "secret.key").exists()


def test_a_secret_that_others_can_read_is_told(home: Home) -> None:
    (home.path / "secret.key").chmod(0o644)
    finding = the(home, "secret")
    assert finding.state is State.WRONG
    assert "mode 644" in finding.message
    assert finding.fix == f"chmod 600 {home.path / 'secret.key'}"


def test_a_secret_that_is_too_short_is_told(home: Home) -> None:
    (home.path / "secret.key").write_bytes(b"short")
    assert "too short" in the(home, "secret").message


def test_a_home_open_to_everybody_is_told(home: Home) -> None:
    home.path.chmod(0o755)
    finding = the(home, "permissions")
    assert finding.state is State.NOTE
    assert finding.fix == f"chmod 700 {home.path}"


def test_credentials_that_others_can_read_are_told(home: Home) -> None:
    (home.path / "label-studio").mkdir()
    (home.path / "label-studio" / "credentials.json").write_text("{}")
    (home.path / "label-studio" / "credentials.json").chmod(0o644)
    assert any("credentials.json can be read by others" in each.message for each in found(home, "permissions"))


def test_a_folder_that_may_not_be_written_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != home.images)
    (finding,) = found(home, "permissions")
    assert finding.state is State.WRONG
    assert str(home.images) in finding.message


@pytest.mark.parametrize(
    ("free", "state"), [(50 * 1024**2, State.WRONG), (1024**3, State.NOTE), (50 * 1024**3, State.GOOD)]
)
def test_little_room_on_the_disk_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch, free: int, state: State
) -> None:
    usage = namedtuple("usage", "total used free")(100 * 1024**3, 0, free)
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage)
    assert the(home, "disk").state is state


def test_files_of_a_killed_command_are_named_after_a_day(home: Home) -> None:
    code = (
        "import os, sys; from pathlib import Path; from panelwise.runtime.atomic_write import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as file: file.write(b'x'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(home.images / "f1.png")], cwd=Path(__file__).parents[2])
    scratch = home.path / ".unpacked-x"
    scratch.mkdir()
    (home.images / ".thumbnails").mkdir()
    (left,) = (each for each in home.images.iterdir() if each.is_file())
    assert found(home, "leftovers") == [], "the command may still run"
    for each in (left, scratch, home.images / ".thumbnails"):
        os.utime(each, (time.time() - 90_000,) * 2)
    finding = the(home, "leftovers")
    assert (finding.state, finding.fix) == (State.NOTE, "remove them; nothing uses them")
    assert finding.message == f"of commands that were killed: {scratch}, {left}"


def test_folders_of_killed_commands_are_named_by_one_list(home: Home) -> None:
    (home.path / "releases").mkdir()
    beside, other = (home.path.parent / f".{name}.restoring-x" for name in (home.path.name, "mice"))
    left = [beside, home.path / ".backup-x", home.path / "releases" / ".making-x"]
    for each in (*left, other):
        each.mkdir()
        os.utime(each, (time.time() - 90_000,) * 2)
    message = the(home, "leftovers").message
    assert message == f"of commands that were killed: {', '.join(map(str, sorted(left)))}"


def test_a_clock_that_was_set_back_is_told(home: Home) -> None:
    ahead = time.time() + 86_400
    os.utime(home.path / "secret.key", (ahead, ahead))
    assert "is behind" in the(home, "clock").message


def test_a_missing_store_is_told_and_none_is_made(home: Home) -> None:
    for file in home.path.glob("store.sqlite*"):
        file.unlink()
    finding = the(home, "store")
    assert finding.state is State.WRONG
    assert "annotator init" in finding.fix
    assert not (home.path / "store.sqlite").exists()


def _revision(home: Home, revision: str) -> None:
    with closing(sqlite3.connect(home.path / "store.sqlite")) as connection, connection:
        connection.execute("UPDATE panelwise_revision SET version_num = ?", (revision,))


def test_an_older_store_is_told_and_left_as_it_is(home: Home) -> None:
    _revision(home, "0003")
    finding = the(home, "store")
    assert finding.state is State.NOTE
    assert "annotator store upgrade" in finding.fix
    with closing(sqlite3.connect(home.path / "store.sqlite")) as connection:
        assert connection.execute("SELECT version_num FROM panelwise_revision").fetchone() == ("0003",)


def test_a_store_of_a_newer_program_is_told(home: Home) -> None:
    _revision(home, "9999")
    finding = the(home, "store")
    assert finding.state is State.WRONG
    assert "newer Panelwise" in finding.message


def test_a_file_that_is_no_store_is_told(home: Home) -> None:
    for file in home.path.glob("store.sqlite*"):
        file.write_bytes(b"nothing of the kind " * 500)
    assert the(home, "store").state is State.WRONG


def test_a_database_that_cannot_be_reached_is_told_without_its_password(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pg8000")
    monkeypatch.setenv("PANELWISE_STORE_URL", "postgresql://panelwise:geheim@127.0.0.1:1/panelwise")
    finding = the(home, "store")
    assert finding.state is State.WRONG
    assert "cannot be reached" in finding.message
    assert "geheim" not in str(finding)


def test_a_store_that_takes_no_writes_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(sqlite3.connect(home.path / "store.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("annotator.store.database.engine.BUSY_SECONDS", 0)
        assert any(each.message.startswith("not writable") for each in found(home, "store"))


def test_sqlite_on_a_shared_file_system_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_store, "_file_system", lambda _file: "nfs4")
    (_, finding) = found(home, "store")
    assert finding.state is State.WRONG
    assert "annotator store copy" in finding.fix


def test_the_file_system_is_that_of_the_longest_mount() -> None:
    assert doctor_store._file_system(Path("/proc/self/stat")) in ("proc", "")


def test_an_old_database_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.queries.status.StatusQueries.engine", lambda _self: ("SQLite", (3, 8, 7)))
    assert the(home, "database").state is State.NOTE


@pytest.mark.parametrize(
    ("off", "state"), [(0, State.GOOD), (10, State.NOTE), (120, State.WRONG), (-120, State.WRONG)]
)
def test_a_databases_clock_that_is_off_is_told(
    home: Home, store: Store, monkeypatch: pytest.MonkeyPatch, off: int, state: State
) -> None:
    monkeypatch.setattr(
        "annotator.store.queries.status.StatusQueries.clock",
        lambda _self: datetime.now(UTC) + timedelta(seconds=off),
    )
    *_, finding = doctor_store._engine(store, None)
    assert (finding.about, finding.state) == ("clock", state)


def test_a_campaign_that_nobody_leads_or_settles_is_told(home: Home) -> None:
    with home.open_store() as store:
        accounts.set_roles(store, "lead", [Role.REVIEWER])
        assert "no lead" in the(home, "people").message
        accounts.set_roles(store, "lead", [Role.ANNOTATOR])
    assert "no reviewer or lead can sign in" in the(home, "people").message


def test_a_front_end_that_is_not_whole_is_told(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnosing, "_BUILT", tmp_path)
    assert the(home, "program").state is State.WRONG
    (tmp_path / "a.js").write_text("1")
    (tmp_path / "manifest.json").write_text(json.dumps({"built": {"a.js": "0" * 64}}))
    assert "a.js differs from the built file" in the(home, "program").message


def test_the_command_tells_and_exits_by_what_it_found(home: Home) -> None:
    done = run_command(group, "annotator", "doctor", "--no-server", "--home", home.path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("0 wrong, ")
    (home.path / "secret.key").chmod(0o644)
    done = run_command(group, "annotator", "doctor", "--no-server", "--home", home.path)
    assert done.returncode == 1
    assert f"; chmod 600 {home.path / 'secret.key'}" in done.stdout


def test_as_json_each_finding_is_an_object(home: Home) -> None:
    done = run_command(group, "annotator", "doctor", "--no-server", "--json", "--home", home.path)
    told = json.loads(done.stdout)
    assert told["well"] is True
    assert {"about", "state", "told", "mend"} == set(told["findings"][0])


def test_a_check_that_fails_itself_is_a_finding_and_the_others_go_on(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_examined: object) -> Iterator[Finding]:
        raise PermissionError(13, "Permission denied", str(home.images))
        yield

    monkeypatch.setitem(diagnosing.PROBES, "disk", failing)
    disk = the(home, "disk")
    assert (disk.state, disk.message) == (State.WRONG, f"{home.images}: Permission denied")
    assert the(home, "people").state is State.GOOD


def test_checks_that_read_the_store_are_left_out_where_it_cannot_be_opened(home: Home) -> None:
    (home.path / "store.sqlite").write_bytes(b"no database")
    findings = list(diagnose(home.path, server=False))
    assert [each.about for each in findings if each.state is State.WRONG] == ["store"]
    assert "people" not in {each.about for each in findings}
