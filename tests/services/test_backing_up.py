"""A campaign backed up and restored: the same again, or nothing at all."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from builders import a_decision, a_figure, an_annotation
from older_store import make_older
from PIL import Image
from store.spoiling import spoil

from annotator.campaign.home import Home
from annotator.gold.release import make_release
from annotator.imports.image_intake import store_image
from annotator.operations import restore as restoring
from annotator.operations.backup import BackedUp, back_up
from annotator.operations.backup_file import BackupWriter
from annotator.operations.doctor import diagnose
from annotator.operations.findings import State
from annotator.operations.restore import check_backup, restore
from annotator.operations.store_check import check_campaign, repair_queue
from annotator.store.database.tables import VERSION_TABLE
from annotator.store.maintenance.copy import copy_between
from panelwise.domain.errors import AnnotatorError, FormatError, StoreError
from panelwise.settings.campaign_toml import FILE_NAME


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two figures with images, one of them revised; guidelines, a release and an embedded server's data."""
    tmp_path = tmp_path_factory.mktemp("backed-up")
    home = Home.create(tmp_path / "home")
    with home.open_store() as store, store.transaction() as tx:
        for name, colour in (("f1", "red"), ("f2", "blue")):
            Image.new("RGB", (800, 600), colour).save(tmp_path / f"{name}.png")
            stored = store_image(tmp_path / f"{name}.png", home.path, name)
            licence = {"licence": "CC0"}
            tx.figures.add(a_figure(name, image=stored.path, image_sha256=stored.sha256, extra=licence))
        Image.new("RGB", (800, 600), "green").save(tmp_path / "new.png")
        stored = store_image(tmp_path / "new.png", home.path, "f2")
        tx.figures.replace(a_figure("f2", image=stored.path, image_sha256=stored.sha256))
        tx.decisions.add(a_decision(tx.figures.get("f1")))
    with home.open_store() as store:
        make_release(home, store, "pilot", images=True)
    (home.path / "guidelines.md").write_text("# Börsen 😀\n", encoding="utf-8")
    (home.path / "thumbnails").mkdir()
    (home.path / "thumbnails" / "x.jpg").write_text("small")
    (home.path / "mine.txt").write_text("mine")
    return home.path


@pytest.fixture
def home(campaign: Path, tmp_path: Path) -> Home:
    shutil.copytree(campaign, tmp_path / "home")
    return Home.find(tmp_path / "home")


def backed_up(home: Home, path: Path, **more: bool) -> BackedUp:
    *_, done = back_up(home, path, **more)
    return done


def restored(path: Path, folder: Path, **more: str) -> Home:
    list(restore(path, folder, **more))
    return Home.find(folder)


def tables(home: Home) -> list[tuple[str, int, str]]:
    """Every table with its rows and their hash."""
    scratch = home.path.parent / f"tables-{home.path.name}.sqlite"
    found = [(each.table, each.rows, each.sha256) for each in copy_between(home.store_location, scratch)]
    scratch.unlink()
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file() and not each.name.startswith("store.sqlite")
    }


@pytest.mark.slow
def test_a_restored_campaign_is_the_one_that_was_backed_up(home: Home, tmp_path: Path) -> None:
    done = backed_up(home, tmp_path / "b.zip", secret=True)
    again = restored(tmp_path / "b.zip", tmp_path / "again")
    assert done.problems == []
    assert list(check_campaign(again, hashes=True)) == []
    assert tables(again) == tables(home)
    left_out = {"thumbnails/x.jpg", "mine.txt", "releases/.lock"}
    assert files(again.path) == {name: data for name, data in files(home.path).items() if name not in left_out}
    assert again.secret() == home.secret()


def test_the_manifest_tells_what_is_in_the_backup(home: Home, tmp_path: Path) -> None:
    manifest = backed_up(home, tmp_path / "b.zip").manifest
    assert manifest["campaign"] == "home"
    assert manifest["store"]["rows"]["figure_revisions"] == 3
    assert manifest["store"]["engine"] == "sqlite"
    assert sum(name.startswith("images/") for name in manifest["files"]) == 3
    assert [each.manifest for each in check_backup(tmp_path / "b.zip")][-1] == json.loads(json.dumps(manifest))


def test_nobody_else_may_read_a_backup_and_no_secret_is_in_it_unasked(home: Home, tmp_path: Path) -> None:
    settings = home.path / FILE_NAME
    settings.write_text(
        settings.read_text() + f'\n[store]\nurl = "sqlite:///{home.path}/store.sqlite?password=x"\n'
    )
    settings.write_text(settings.read_text().replace("?password=x", ""))
    done = backed_up(Home.find(home.path), tmp_path / "b.zip")
    assert stat.S_IMODE((tmp_path / "b.zip").stat().st_mode) == 0o600
    assert "secret.key" not in done.manifest["files"]
    again = restored(tmp_path / "b.zip", tmp_path / "again")
    assert not (again.path / "secret.key").exists()
    assert again.settings.store.url == ""
    assert again.secret() != home.secret()


def test_the_embedded_servers_data_comes_along_when_asked_for(home: Home, tmp_path: Path) -> None:
    folder = home.path / "label-studio"
    (folder / "media").mkdir(parents=True)
    (folder / "media" / "upload.png").write_bytes(b"x")
    (folder / "server.log").write_text("noise")
    (folder / "credentials.json").write_text("{}")
    with closing(sqlite3.connect(folder / "label_studio.sqlite3")) as plain, plain:
        plain.execute("CREATE TABLE task (id)")
        plain.execute("INSERT INTO task VALUES (7)")
    assert not any("label-studio" in name for name in backed_up(home, tmp_path / "a.zip").manifest["files"])
    backed_up(home, tmp_path / "b.zip", studio=True)
    again = restored(tmp_path / "b.zip", tmp_path / "again").path / "label-studio"
    assert {str(each.relative_to(again)) for each in again.rglob("*") if each.is_file()} == {
        "label_studio.sqlite3",
        "credentials.json",
        "media/upload.png",
    }
    assert stat.S_IMODE((again / "credentials.json").stat().st_mode) == 0o600
    with closing(sqlite3.connect(again / "label_studio.sqlite3")) as plain:
        assert plain.execute("SELECT id FROM task").fetchall() == [(7,)]


def test_guidelines_in_a_folder_come_back_where_they_were(home: Home, tmp_path: Path) -> None:
    settings = home.path / FILE_NAME
    settings.write_text('guideline_file = "rules/v2.md"\n' + settings.read_text())
    (home.path / "rules").mkdir()
    (home.path / "rules" / "v2.md").write_text("two")
    backed_up(Home.find(home.path), tmp_path / "b.zip")
    again = restored(tmp_path / "b.zip", tmp_path / "again").path
    assert (again / "rules" / "v2.md").read_text() == "two"
    assert not (again / "guidelines").exists()


def test_a_backup_cannot_bring_in_a_secret_as_its_guidelines(home: Home, tmp_path: Path) -> None:
    """Whoever knows the secret can sign in as anybody; restoring says that a new one is made."""
    settings = f'guideline_file = "secret.key"\n{(home.path / FILE_NAME).read_text()}'
    with (tmp_path / "b.zip").open("wb") as file:
        writer = BackupWriter(file)
        writer.add("store.sqlite", BytesIO((home.path / "store.sqlite").read_bytes()))
        writer.add("campaign.toml", BytesIO(settings.encode()))
        writer.add("guidelines/secret.key", BytesIO(b"0" * 64))
        writer.finish({"secret": False})
    with pytest.raises(FormatError, match=r"'guidelines/secret.key', which is not part of a campaign"):
        restored(tmp_path / "b.zip", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_guidelines_that_are_a_link_to_a_secret_are_left_out_and_named(home: Home, tmp_path: Path) -> None:
    (home.path / "guidelines.md").unlink()
    (home.path / "guidelines.md").symlink_to("secret.key")
    done = backed_up(home, tmp_path / "b.zip")
    assert [line.partition(":")[0] for line in done.problems] == ["guidelines.md"]
    assert not any(name.startswith("guidelines/") for name in done.manifest["files"])


@pytest.mark.slow
def test_a_tampered_release_is_named_by_backup_check_and_doctor(home: Home, tmp_path: Path) -> None:
    release = home.path / "releases" / "001-pilot"
    image = next((release / "images").iterdir())
    for file in (release / "gold.jsonl", image):
        file.chmod(0o644)
        file.write_bytes(file.read_bytes() + b"\n")
    (release / "notes.txt").write_text("mine")
    changed = [f"{release}/gold.jsonl: has changed", f"{image}: has changed", f"{release}/notes.txt: is not part"]
    done = backed_up(home, tmp_path / "b.zip")
    assert [line.partition(" since")[0].partition(" of")[0] for line in done.problems] == changed
    assert all(line.endswith("backed up as it is") for line in done.problems)
    checked = [each.message for each in check_campaign(home, hashes=True)]
    assert [line.partition(" since")[0].partition(" of")[0] for line in checked] == changed
    for lines in (
        [each.message for each in check_campaign(home)],
        [each.message for each in diagnose(home.path, server=False) if each.about == "releases"],
    ):
        assert [line.partition(" since")[0].partition(" of")[0] for line in lines] == [changed[0], changed[2]]
    # Restoring brings it back as it is, and says so again.
    again = restored(tmp_path / "b.zip", tmp_path / "again")
    assert len(list(check_campaign(again, hashes=True))) == 3


def test_doctor_says_that_releases_are_as_they_were_made(home: Home) -> None:
    (found,) = [each for each in diagnose(home.path, server=False) if each.about == "releases"]
    assert (found.state, found.message) == (State.GOOD, "1 release, unchanged")


def test_images_on_another_disk_are_backed_up(home: Home, tmp_path: Path) -> None:
    home.images.rename(tmp_path / "disk")
    home.images.symlink_to(tmp_path / "disk")
    done = backed_up(home, tmp_path / "b.zip")
    assert done.problems == []
    assert sum(name.startswith("images/") for name in done.manifest["files"]) == 3


def test_what_is_missing_is_told_and_the_rest_is_kept(home: Home, tmp_path: Path) -> None:
    with home.open_store() as store, store.transaction() as tx:
        gone, other = tx.figures.get("f1").image, tx.figures.get("f2").image
        tx.figures.add(a_figure("f3", image="../../etc/passwd"))
    (home.path / gone).unlink()
    (home.path / other).write_bytes(b"other")
    done = backed_up(home, tmp_path / "b.zip")
    assert len(done.problems) == 3
    assert any("No such file or directory; missing in the backup" in line for line in done.problems)
    assert any("differs from the imported image; backed up as it is" in line for line in done.problems)
    assert any("is not in" in line for line in done.problems)
    assert done.manifest["problems"] == done.problems
    again = restored(tmp_path / "b.zip", tmp_path / "again")
    assert len(list(check_campaign(again, hashes=True))) == 3
    assert (again.path / other).read_bytes() == b"other"


def test_a_store_of_an_older_program_is_backed_up_as_it_is(home: Home, tmp_path: Path) -> None:
    with home.open_store() as store, store.transaction() as tx:
        make_older(tx.session.connection, "0002")
    done = backed_up(home, tmp_path / "b.zip")
    assert done.manifest["store"]["revision"] == "0002"
    with closing(sqlite3.connect(home.path / "store.sqlite")) as plain:
        assert plain.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone() == ("0002",)
    with restored(tmp_path / "b.zip", tmp_path / "again").open_store() as store, store.read() as tx:
        assert tx.decisions.last_version("f1") == 1


def test_a_store_of_a_newer_program_is_not_restored(home: Home, tmp_path: Path) -> None:
    with closing(sqlite3.connect(home.path / "store.sqlite")) as plain, plain:
        plain.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    backed_up(home, tmp_path / "b.zip")
    with pytest.raises(StoreError, match="a newer Panelwise made this store"):
        restored(tmp_path / "b.zip", tmp_path / "again")
    assert sorted(each.name for each in tmp_path.glob("*again*")) == []


def test_a_damaged_backup_leaves_nothing_behind(home: Home, tmp_path: Path) -> None:
    backed_up(home, tmp_path / "b.zip")
    data = bytearray((tmp_path / "b.zip").read_bytes())
    place = data.index(b"\x89PNG") + 60
    data[place] ^= 1
    (tmp_path / "b.zip").write_bytes(data)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(FormatError, match=r"images/.*png (is damaged|is not what was backed up)"):
        restored(tmp_path / "b.zip", tmp_path / "again")
    with pytest.raises(FormatError, match="use an intact copy of the backup"):
        list(check_backup(tmp_path / "b.zip"))
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_restored_over(home: Home, tmp_path: Path) -> None:
    backed_up(home, tmp_path / "b.zip")
    before = files(home.path)
    with pytest.raises(AnnotatorError, match="is not empty; name a new folder"):
        restored(tmp_path / "b.zip", home.path)
    with pytest.raises(AnnotatorError, match="exists and is not a folder"):
        restored(tmp_path / "b.zip", tmp_path / "b.zip")
    assert files(home.path) == before
    (tmp_path / "empty").mkdir()
    assert restored(tmp_path / "b.zip", tmp_path / "empty").campaign.name == "home"


def test_too_little_room_is_told_before_anything_is_written(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backed_up(home, tmp_path / "b.zip")
    usage = os.statvfs(tmp_path)
    monkeypatch.setattr(
        restoring.shutil, "disk_usage", lambda _: type("", (), {"free": 10, "total": usage.f_blocks})
    )
    with pytest.raises(AnnotatorError, match="MB needed, 0 MB free; free space"):
        restored(tmp_path / "b.zip", tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("name", ["store.sqlite", "images/b.zip", "releases/b.zip", "b.tar"])
def test_a_backup_is_not_written_where_the_campaign_keeps_its_own(home: Home, name: str) -> None:
    with pytest.raises(AnnotatorError, match=r"would overwrite the campaign's own files|ends in \.zip"):
        backed_up(home, home.path / name)


def test_a_backup_that_breaks_off_leaves_no_file(home: Home, tmp_path: Path) -> None:
    steps = back_up(home, tmp_path / "out" / "b.zip")
    next(steps)
    steps.close()
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.slow
def test_a_restored_store_may_go_into_another_database(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backed_up(home, tmp_path / "b.zip")
    url = f"sqlite:///{tmp_path / 'elsewhere.sqlite'}"
    again = restored(tmp_path / "b.zip", tmp_path / "again", store_url=url)
    assert again.settings.store.url == url
    assert not (again.path / "store.sqlite").exists()
    assert tables(again) == tables(home)
    with pytest.raises(StoreError, match="not empty"):
        restored(tmp_path / "b.zip", tmp_path / "third", store_url=url)
    assert not (tmp_path / "third").exists()
    monkeypatch.setenv("PANELWISE_STORE_URL", f"sqlite:///{tmp_path / 'set.sqlite'}")
    with pytest.raises(AnnotatorError, match="PANELWISE_STORE_URL names another store"):
        restored(tmp_path / "b.zip", tmp_path / "third", store_url=url)
    fourth = restored(tmp_path / "b.zip", tmp_path / "fourth")
    assert (tmp_path / "set.sqlite").exists()
    assert fourth.settings.store.url == ""
    assert not (fourth.path / "store.sqlite").exists()


def test_a_queue_is_made_anew_of_the_work(home: Home) -> None:
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.annotations.add(an_annotation(tx.figures.get("f1")))
        repair_queue(home, store)
        with store.read() as tx:
            before = tx.queue.page()
        spoil(store, "UPDATE queue SET version = 9", "DELETE FROM queue_facets")
        assert list(check_campaign(home)) != []
        repair_queue(home, store)
        with store.read() as tx:
            assert tx.queue.page() == before
    assert list(check_campaign(home)) == []
