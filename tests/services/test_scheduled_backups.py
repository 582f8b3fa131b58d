"""Backups on a schedule are restored as a test, and the newest stay."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from builders import a_figure
from click.testing import CliRunner

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.operations import backup as module
from annotator.operations.backup import Made, Schedule, backups_in, make_backup, scheduled_backups

START = datetime(2026, 11, 27, 2, 15, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.create(tmp_path / "campaign")
    with made.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f1", image=""))
    return made


@pytest.fixture
def restorable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every backup passes as restorable, without a process for each."""
    monkeypatch.setattr(module, "restore_fails", lambda _path: "")


def names(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


class Clock:
    """A clock that waiting sets, until so many waits. waits: seconds of each."""

    def __init__(self, stop_after: int, now: datetime = START) -> None:
        self.moment, self.left, self.waits = now, stop_after, list[float]()

    def now(self) -> datetime:
        return self.moment

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        self.moment += timedelta(seconds=seconds)
        self.left -= 1
        return self.left < 0


def run(home: Home, schedule: Schedule, clock: Clock) -> list[Made]:
    return list(scheduled_backups(home, schedule, wait=clock.wait, now=clock.now))


def test_a_backup_is_made_each_time_it_is_due_and_the_newest_stay(
    home: Home, tmp_path: Path, restorable: None
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=2)
    clock = Clock(4)
    made = run(home, schedule, clock)
    assert clock.waits == [0, *[DAY.total_seconds()] * 4]
    assert [len(each.removed) for each in made] == [0, 0, 1, 1]
    assert names(schedule.folder) == ["2026-11-29T021500Z.zip", "2026-11-30T021500Z.zip"]


def test_after_a_restart_the_next_is_due_a_day_after_the_newest(
    home: Home, tmp_path: Path, restorable: None
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=3)
    run(home, schedule, Clock(1))
    later = Clock(1, START + timedelta(hours=20))
    run(home, schedule, later)
    assert later.waits[0] == timedelta(hours=4).total_seconds()
    missed = Clock(1, START + timedelta(days=9))
    run(home, schedule, missed)
    assert missed.waits[0] == 0


def test_a_clock_that_was_set_back_delays_a_backup_by_one_interval_at_most(
    home: Home, tmp_path: Path, restorable: None
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=3)
    run(home, schedule, Clock(1))
    clock = Clock(0, START - timedelta(days=400))
    run(home, schedule, clock)
    assert clock.waits == [DAY.total_seconds()]


@pytest.mark.parametrize("back", [timedelta(0), timedelta(hours=1), DAY])
def test_the_backup_made_after_the_clock_was_set_back_stays_and_the_older_one_goes(
    home: Home, tmp_path: Path, restorable: None, back: timedelta
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=1)
    [before] = run(home, schedule, Clock(1))
    after = make_backup(home, schedule, START - back)
    assert after.removed == (before.path,)
    assert after.path is not None
    assert names(schedule.folder) == [after.path.name]


def test_files_of_other_names_are_neither_counted_nor_removed(
    home: Home, tmp_path: Path, restorable: None
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=1)
    schedule.folder.mkdir()
    for name in ("before-upgrade.zip", "notes.txt", "2026-01-01T000000Z.zip"):
        (schedule.folder / name).write_text("x", "utf-8")
    made = make_backup(home, schedule, START)
    assert [each.name for each in made.removed] == ["2026-01-01T000000Z.zip"]
    assert names(schedule.folder) == ["2026-11-27T021500Z.zip", "before-upgrade.zip", "notes.txt"]


def test_a_backup_that_cannot_be_restored_is_put_aside_and_no_older_one_goes(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=1)
    schedule.folder.mkdir()
    (schedule.folder / "2026-01-01T000000Z.zip").write_text("x", "utf-8")
    whole = module.back_up

    def damaged(at: Home, path: Path, **more: bool) -> object:
        yield from whole(at, path, **more)
        path.write_bytes(path.read_bytes()[:-40])

    monkeypatch.setattr(module, "back_up", damaged)
    for moment in (START, START + DAY):
        made = make_backup(home, schedule, moment)
        assert made.path is None
        (line,) = made.problems
        assert "can't be restored" in line
        assert "truncated" in line
    assert names(schedule.folder) == ["2026-01-01T000000Z.zip", "failed/2026-11-28T021500Z.zip"]


def test_after_a_failure_the_next_attempt_is_an_hour_later(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes: list[str] = ["no space", ""]
    monkeypatch.setattr(module, "restore_fails", lambda _path: outcomes.pop(0))
    clock = Clock(2)
    made = run(home, Schedule(tmp_path / "backups", DAY, keep=2), clock)
    assert [each.path is None for each in made] == [True, False]
    assert clock.waits == [0, 3600, DAY.total_seconds()]


@pytest.mark.parametrize("hinder", ["folder", "store", "settings"])
def test_what_hinders_a_backup_is_one_line_and_the_schedule_goes_on(
    home: Home, tmp_path: Path, restorable: None, hinder: str
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=2)
    mend: dict[str, Callable[[], object]] = {
        "folder": lambda: schedule.folder.unlink(),
        "store": lambda: (home.path / "away").rename(home.path / "store.sqlite"),
        "settings": lambda: (home.path / "campaign.toml").write_text(settings, "utf-8"),
    }
    settings = (home.path / "campaign.toml").read_text("utf-8")
    if hinder == "folder":
        schedule.folder.write_text("a file", "utf-8")
    elif hinder == "store":
        (home.path / "store.sqlite").rename(home.path / "away")
    else:
        (home.path / "campaign.toml").write_text("[", "utf-8")
    clock = Clock(2)
    made = iter(scheduled_backups(home, schedule, wait=clock.wait, now=clock.now))
    failed = next(made)
    assert (failed.path, len(failed.problems), "\n" in failed.problems[0]) == (None, 1, False)
    mend[hinder]()
    assert next(made).path is not None


def test_the_test_restores_to_files_whatever_store_the_environment_names(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = Schedule(tmp_path / "backups", DAY, keep=2, secret=True)
    (path,) = [make_backup(home, schedule, START).path]
    assert path is not None
    elsewhere = tmp_path / "elsewhere.sqlite"
    monkeypatch.setenv("PANELWISE_STORE_URL", f"sqlite:///{elsewhere}")
    assert module.restore_fails(path) == ""
    assert not elsewhere.exists()
    assert names(schedule.folder) == [path.name]
    with zipfile.ZipFile(path) as archive:
        assert "secret.key" in archive.namelist()


def test_the_command_makes_one_says_so_and_stops_when_asked(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    words = ["backup", str(folder), "--every", "24", "--keep", "3", "--home", str(home.path)]
    code = "from annotator.cli.campaign.main import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    (made,) = backups_in(folder)
    assert line.startswith(f"{made}: ")
    assert "restored as a test" in line
    assert (process.returncode, "backing up every 24 h" in errors) == (0, True)
    assert "next:" not in errors  # it was restored already


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("b.zip", "--keep", "3"), "--keep needs --every"),
        (("b.zip", "--every", "24"), "name a folder"),
        (("b", "--every", "0"), "--every"),
        (("b", "--every", "24", "--keep", "0"), "--keep"),
    ],
)
def test_wrong_usage_of_the_schedule_is_refused(
    home: Home, tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    done = CliRunner().invoke(group, ["backup", str(tmp_path / words[0]), *words[1:], "--home", str(home.path)])
    assert done.exit_code == 2
    assert line in done.output
