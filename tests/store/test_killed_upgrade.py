"""An upgrade that is killed: the store is as it was, or upgraded, and the next one ends it."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from store.test_upgrading import earlier, make_old

from annotator.store.database.engine import open_database
from annotator.store.database.tables import HEAD, VERSION_TABLE
from annotator.store.maintenance.check import check_store
from annotator.store.store import Store

#: Upgrades, and kills itself before the statement of this number.
KILLED = """
import os, sys
from pathlib import Path
from sqlalchemy import event
from sqlalchemy.engine import Engine
from annotator.store.store import Store

left = int(sys.argv[3])

@event.listens_for(Engine, "before_cursor_execute")
def count(*_arguments):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), 9)

Store.open(sys.argv[1], copies=Path(sys.argv[2])).close()
"""

#: Upgrades, and kills itself once the copy is made: before it has its name, or after.
KILLED_AT_COPY = """
import os, sys
from pathlib import Path
from annotator.store.store import Store

replace = Path.replace

def last(file, target):
    if sys.argv[3] == "named":
        replace(file, target)
    os.kill(os.getpid(), 9)

Path.replace = last
Store.open(sys.argv[1], copies=Path(sys.argv[2])).close()
"""


def state(url: str) -> tuple[str, list[int]]:
    """The store's revision and the numbers of its rows."""
    tables = ("figures", "annotations", "decisions", "predictions", "tasks", "people", "links")
    with closing(open_database(url, create=False)) as database, database.engine.connect() as connection:
        counts = [connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() for table in tables]
        return connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar_one(), counts


def killed(script: str, url: str, copies: Path, at: object) -> int:
    command = [sys.executable, "-c", script, url, str(copies), str(at)]
    return subprocess.run(command, cwd=Path(__file__).parents[2], check=False).returncode


def saved(url: str, copies: Path) -> list[Path]:
    """The copies beside the store, or in the folder for those of a server's."""
    return sorted((Path(url.removeprefix("sqlite:///")).parent if "sqlite" in url else copies).glob("*-before-*"))


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.soak) for part in range(1, 20))])
def test_an_upgrade_killed_at_any_statement_loses_nothing_and_is_ended_by_the_next(
    empty_url: str, part: int, tmp_path: Path
) -> None:
    oldest, *_ = earlier()
    make_old(empty_url, oldest)
    revision, before = state(empty_url)
    at = random.Random(part).randrange(2, 200)
    ended = killed(KILLED, empty_url, tmp_path, at)
    assert ended in (0, -9)
    assert ended == -9 or at > 40, f"never killed, at statement {at}"
    _check_and_end(empty_url, tmp_path, revision, before)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["nameless", "named"])
def test_an_upgrade_killed_while_the_copy_is_saved_is_ended_by_the_next(
    empty_url: str, at: str, tmp_path: Path
) -> None:
    _, *others = earlier()
    make_old(empty_url, others[-2])
    revision, before = state(empty_url)
    assert killed(KILLED_AT_COPY, empty_url, tmp_path, at) == -9
    assert state(empty_url) == (revision, before)
    assert len(saved(empty_url, tmp_path)) == (at == "named")
    _check_and_end(empty_url, tmp_path, revision, before)
    (place,) = {each.parent for each in saved(empty_url, tmp_path)}
    assert list(place.glob(".*/*")) == []


def _check_and_end(url: str, copies: Path, revision: str, rows: list[int]) -> None:
    """Check that the store is whole, as it was or upgraded; that the next upgrade ends it; and the copy."""
    now, left = state(url)
    assert now in (revision, HEAD)
    assert left == rows
    Store.open(url, copies=copies).close()
    assert state(url) == (HEAD, rows)
    assert list(map(str, check_store(url))) == []
    (copy,) = saved(url, copies)
    assert state(f"sqlite:///{copy}") == (revision, rows)
