"""An upgrade that is killed: the store is as it was, or upgraded, and the next one ends it."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from store.test_upgrading import FIRST

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

left = int(sys.argv[2])

@event.listens_for(Engine, "before_cursor_execute")
def count(*_arguments):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), 9)

Store.open(Path(sys.argv[1])).close()
"""


def version(file: Path) -> str:
    with closing(sqlite3.connect(file)) as plain:
        return str(plain.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0])


def rows(file: Path) -> tuple[int, ...]:
    with closing(sqlite3.connect(file)) as plain:
        return tuple(
            plain.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("figures", "annotations", "decisions", "predictions", "tasks", "people", "links")
        )


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_an_upgrade_killed_at_any_statement_loses_nothing_and_is_ended_by_the_next(
    tmp_path: Path, rounds: int
) -> None:
    chance = random.Random(1)
    for number in range(rounds):
        file = tmp_path / f"{number}.sqlite"
        with closing(sqlite3.connect(file)) as plain:
            plain.executescript(FIRST.read_text(encoding="utf-8"))
        before, revision = rows(file), version(file)
        at = chance.randrange(2, 150)
        ended = subprocess.run(
            [sys.executable, "-c", KILLED, str(file), str(at)], cwd=Path(__file__).parents[2], check=False
        )
        assert ended.returncode in (0, -9)
        assert ended.returncode == -9 or at > 40, f"never killed, at statement {at}"
        assert version(file) in (revision, HEAD)
        assert rows(file) == before
        Store.open(file).close()
        assert version(file) == HEAD
        assert rows(file) == before
        assert list(map(str, check_store(file))) == []
