"""A home whose disk is full or read-only: how far the work is can be seen, and all of it saved elsewhere."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from builders import a_figure
from running import Done, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.operations.restore import restore
from annotator.store.store import Store
from panelwise.domain.errors import StoreError

COMMAND = "import sys; from annotator.cli.campaign.main import main; main()"
#: Fills the disk that the home is on, or makes it read-only, in a space of its own where any user may.
FULL = "dd if=/dev/zero of=$1/fill bs=4k 2>/dev/null || true"
READ_ONLY = "mount -o remount,ro $1"


def annotator(home: Path, *arguments: object) -> Done:
    return run_command(group, "annotator", *arguments, "--home", home)


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A home whose last work is in the log of its store only: whoever wrote it was killed."""
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
    script = (
        "import os, sqlite3, sys\n"
        "plain = sqlite3.connect(sys.argv[1])\n"
        "plain.execute(\"INSERT INTO settings VALUES ('last', 'work')\")\n"
        "plain.commit()\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, home.path / "store.sqlite"], check=True, timeout=300)
    assert (home.path / "store.sqlite-wal").stat().st_size > 0
    return home.path


def make_stuck(home: Path) -> None:
    """Let SQLite make no index of the log, which is what a full disk keeps it from."""
    (home / "store.sqlite-shm").unlink()
    (home / "store.sqlite-shm").symlink_to("no such folder/index")


def test_status_backup_check_and_doctor_read_a_store_beside_which_nothing_can_be_written(
    killed: Path, tmp_path: Path
) -> None:
    make_stuck(killed)
    before = {each.name: each.read_bytes() for each in killed.iterdir() if each.is_file()}
    done = annotator(killed, "status")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "home: status of 1 figure: 1 untouched"), (
        done.stderr
    )
    assert annotator(killed, "store", "check").stdout.endswith("1 image: 1 fault\n")
    found = annotator(killed, "doctor", "--no-server").stdout
    assert "not writable" in found
    assert "its disk is full or read-only; make room, or make it writable" in found
    done = annotator(killed, "backup", tmp_path / "b.zip")
    assert "of the store at revision" in done.stdout, done.stderr
    list(restore(tmp_path / "b.zip", tmp_path / "again"))
    with closing(sqlite3.connect(tmp_path / "again" / "store.sqlite")) as plain:
        assert plain.execute("SELECT value FROM settings WHERE name = 'last'").fetchall() == [("work",)]
    assert {each.name: each.read_bytes() for each in killed.iterdir() if each.is_file()} == before


def test_nothing_is_written_to_a_copy(killed: Path, tmp_path: Path) -> None:
    make_stuck(killed)
    (tmp_path / "spare").mkdir()
    with Store.open(killed / "store.sqlite", spare=tmp_path / "spare") as store:
        with store.read() as tx:
            assert tx.figures.count() == 1
        with (
            pytest.raises(StoreError, match=r"home/store.sqlite: its disk is full or read-only"),
            store.transaction(),
        ):
            pytest.fail("it was opened for writing")
    with pytest.raises(StoreError, match="cannot be opened"):
        Store.open(killed / "store.sqlite")


def test_a_copy_goes_when_the_store_is_closed(killed: Path, tmp_path: Path) -> None:
    make_stuck(killed)
    (tmp_path / "spare").mkdir()
    Store.open(killed / "store.sqlite", spare=tmp_path / "spare").close()
    assert list((tmp_path / "spare").iterdir()) == []


def test_a_store_that_may_not_be_read_is_not_on_a_full_disk(
    killed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_stuck(killed)
    # Root may read whatever the rights of a file are.
    monkeypatch.setattr(os, "access", lambda _file, mode: mode != os.R_OK)
    with pytest.raises(StoreError, match="this user may read and write it"):
        Store.open(killed / "store.sqlite", spare=tmp_path)


def test_where_there_is_no_room_for_a_copy_either_the_mend_is_told(killed: Path, tmp_path: Path) -> None:
    make_stuck(killed)
    with pytest.raises(
        StoreError, match=r"its disk is full or read-only, .* name a folder on another disk in TMPDIR"
    ):
        Store.open(killed / "store.sqlite", spare=tmp_path / "none")


@pytest.mark.slow
@pytest.mark.parametrize("fault", [FULL, READ_ONLY])
@pytest.mark.parametrize("log", [True, False])
def test_status_and_backup_work_on_a_disk_that_is_full_or_read_only(
    killed: Path, tmp_path: Path, fault: str, log: bool
) -> None:
    """On a real file system of three megabytes, where this user may mount one."""
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode
    ):
        pytest.skip("this user may not mount a file system of their own (unshare -rm)")
    (killed / "store.sqlite-shm").unlink()
    if not log:
        with closing(sqlite3.connect(killed / "store.sqlite")) as plain:
            plain.execute("SELECT count(*) FROM settings").fetchone()
    (tmp_path / "disk").mkdir()
    script = (
        f"set -e; mount -t tmpfs -o size=3m tmpfs $1; cp -r {killed} $1/home; {fault}; "
        f'"{sys.executable}" -c "{COMMAND}" status --home $1/home; '
        f'"{sys.executable}" -c "{COMMAND}" backup {tmp_path}/b.zip --home $1/home || test $? = 1'
    )
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", tmp_path / "disk"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert "home: status of 1 figure" in done.stdout, done.stderr
    assert "backed up" in done.stdout, done.stderr
    list(restore(tmp_path / "b.zip", tmp_path / "again"))
    with closing(sqlite3.connect(tmp_path / "again" / "store.sqlite")) as plain:
        assert plain.execute("SELECT value FROM settings WHERE name = 'last'").fetchall() == [("work",)]
