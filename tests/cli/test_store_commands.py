"""`annotator store`, `backup` and `restore` as a user runs them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest
from builders import a_decision, a_figure
from cli.test_gold_and_flags_commands import run
from older_store import make_older
from running import notes
from store.spoiling import spoil

from annotator.campaign.home import Home
from annotator.store.database.tables import HEAD, VERSION_TABLE
from annotator.store.maintenance.snapshot import look_into
from panelwise.domain.errors import AnnotatorError, StoreError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure(image=""))
        tx.decisions.add(a_decision(a_figure(image="")))
    return home.path


def test_a_sound_store_is_told_in_one_line(home: Path) -> None:
    code, said, _ = run("store", "check", "--home", home)
    assert (code, said) == (0, "14 rows of 27 tables, 0 images: no faults\n")


def test_what_is_wrong_is_named_and_fails(home: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f2", image="images/gone.png"))
    with Home.find(home).open_store() as store:
        spoil(store, "UPDATE decisions SET payload = 'x'")
    code, said, _ = run("store", "check", "--home", home)
    lines = said.splitlines()
    assert code == 1
    assert lines[0].startswith('damaged: decisions f1 1: decision 1 on figure "f1" in the store is damaged')
    assert lines[1] == (
        'image: images gone.png: image of figure "f2": No such file or directory; restore the image, or a backup'
    )
    assert lines[2] == "16 rows of 27 tables, 1 image: 2 faults"
    code, said, _ = run("store", "check", "--json", "--home", home)
    found = json.loads(said)
    assert (code, found["sound"], found["images"], found["rows"]["figures"]) == (1, False, 1, 2)
    assert [each["kind"] for each in found["faults"]] == ["damaged", "image"]


def test_the_queue_is_mended_where_asked_for(home: Path) -> None:
    with Home.find(home).open_store() as store:
        spoil(store, "INSERT INTO queue_counts VALUES ('loss', 'x', 1, 0)")
    assert run("store", "check", "--home", home)[0] == 1
    code, _, warned = run("store", "check", "--mend", "--home", home)
    assert code == 0
    assert "recomputed 1 figure" in warned


def test_an_older_store_is_looked_at_then_upgraded_then_the_latest(home: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        make_older(tx.session.connection, "0002")
    file = home / "store.sqlite"
    code, said, _ = run("store", "check", "--home", home)
    assert code == 1
    assert "run annotator store upgrade" in said
    for _ in range(2):
        said = run("store", "upgrade", "--look", "--home", home)[1]
        assert said == f"{file}: at revision 0002; annotator store upgrade would upgrade it to {HEAD}\n"
    code, said, warned = run("store", "upgrade", "--home", home)
    assert said == f"{file}: upgraded from revision 0002 to {HEAD}\n"
    copy = home / f"store-before-{HEAD}.sqlite"
    assert f"saved as it was before: {copy}" in warned
    assert look_into(copy, "copy").revision == "0002"
    assert run("store", "upgrade", "--home", home)[1] == f"{file}: at revision {HEAD}, the latest\n"
    assert run("store", "check", "--home", home)[0] == 0


@pytest.mark.parametrize("look", [(), ("--look",)])
def test_a_store_of_a_newer_program_is_refused_by_name(home: Path, look: tuple[str, ...]) -> None:
    with closing(sqlite3.connect(home / "store.sqlite")) as plain, plain:
        plain.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(
        StoreError, match=r"a newer Panelwise made this store \(revision \"9999\".*upgrade Panelwise"
    ):
        run("store", "upgrade", *look, "--home", home)


def test_what_holds_no_store_is_not_upgraded(home: Path) -> None:
    (home / "store.sqlite").unlink()
    with closing(sqlite3.connect(home / "store.sqlite")) as plain:
        plain.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError, match="holds no Panelwise store"):
        run("store", "upgrade", "--look", "--home", home)


def test_a_copy_tells_tables_rows_and_hashes(home: Path, tmp_path: Path) -> None:
    code, said, warned = run("store", "copy", home / "store.sqlite", f"sqlite:///{tmp_path / 'a.sqlite'}")
    lines = said.splitlines()
    assert code == 0
    assert lines[0].split()[:2] == ["figures", "1"]
    assert lines[-1] == "copied 14 rows of 27 tables; counts and hashes are equal on both sides"
    assert "[store] in campaign.toml" in warned
    found = json.loads(run("store", "copy", "--json", tmp_path / "a.sqlite", tmp_path / "b.sqlite")[1])
    assert found["rows"] == 14
    assert {each["table"]: each["rows"] for each in found["tables"]}["decisions"] == 1
    with pytest.raises(StoreError, match="not empty"):
        run("store", "copy", home / "store.sqlite", tmp_path / "b.sqlite")


def test_a_backup_is_made_checked_and_restored(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "b.zip"
    code, said, warned = run("backup", file, "--home", home)
    assert code == 0
    assert f"to {file}: 14 rows of the store at revision {HEAD}" in said
    assert "without --secret" in warned
    assert "Label Studio" not in warned
    assert run("restore", "--check", file)[1] == f"{file}: 2 files, all intact\n"
    code, said, warned = run("restore", file, tmp_path / "again")
    assert code == 0
    assert 'campaign "home" as of 20' in said
    assert "no secret.key" in warned
    assert run("store", "check", "--hashes", "--home", tmp_path / "again")[0] == 0


def test_an_older_store_is_upgraded_when_it_is_restored(home: Path, tmp_path: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        make_older(tx.session.connection, "0001")
    run("backup", tmp_path / "b.zip", "--secret", "--home", home)
    code, _, warned = run("restore", tmp_path / "b.zip", tmp_path / "again")
    assert (code, notes(warned)) == (0, f"upgraded the store from revision 0001 to {HEAD}\n")


def test_what_a_backup_or_a_restored_campaign_lacks_is_named(home: Path, tmp_path: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.figures.add(a_figure("f2", image="images/gone.png"))
    (home / "label-studio").mkdir()
    (home / "label-studio" / "label_studio.sqlite3").write_bytes(b"")
    code, _, warned = run("backup", tmp_path / "b.zip", "--home", home)
    assert code == 1
    assert "gone.png: No such file or directory; missing in the backup" in warned
    assert "without --label-studio, work not yet pulled is missing" in warned
    code, _, warned = run("restore", tmp_path / "b.zip", tmp_path / "again")
    assert code == 1
    assert "image: images gone.png" in warned


def test_wrong_usage_of_restore_is_told(home: Path, tmp_path: Path) -> None:
    for arguments in (("x.zip",), ("x.zip", "there", "--check"), ("x.zip", "--check", "--store", "sqlite://")):
        with pytest.raises(click.UsageError):
            run("restore", *arguments)
    with pytest.raises(AnnotatorError, match="no such file"):
        run("restore", tmp_path / "x.zip", tmp_path / "again")
