from __future__ import annotations

import stat
from pathlib import Path

import pytest
from builders import a_figure
from full_disk import full_disk

from annotator.domain.errors import AnnotatorError, FormatError
from annotator.services.home import Home


def test_a_home_is_found_by_option_then_environment_then_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "three"):
        Home.create(tmp_path / name)
    monkeypatch.chdir(tmp_path / "three")
    assert Home.find().path.name == "three"
    monkeypatch.setenv("PANELWISE_HOME", str(tmp_path / "two"))
    assert Home.find().path.name == "two"
    assert Home.find(tmp_path / "one").path.name == "one"


def test_where_there_is_no_home_the_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="annotator init DIR"):
        Home.find(tmp_path)


def test_making_a_home_twice_changes_nothing(tmp_path: Path) -> None:
    first = Home.create(tmp_path, name="lungs", labels=("a", "b"))
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.suffix in (".toml", ".key")}
    second = Home.create(tmp_path, name="other")
    assert first.campaign == second.campaign
    assert {file: file.read_bytes() for file in before} == before


def test_the_secret_is_its_owners_only_and_stays(tmp_path: Path) -> None:
    home = Home.create(tmp_path)
    assert len(home.secret()) == 64
    assert home.secret() == home.secret()
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600
    (tmp_path / "secret.key").write_text("short")
    with pytest.raises(AnnotatorError, match="too short"):
        home.secret()


@pytest.mark.slow
@pytest.mark.parametrize(
    "image", ["campaign.toml", "../x.png", "/etc/passwd", "secret.key", "images/../secret.key"]
)
def test_an_image_cannot_lie_outside_the_images_folder(tmp_path: Path, image: str) -> None:
    with pytest.raises(AnnotatorError, match="is not in"):
        Home.create(tmp_path).image_path(a_figure(image=image))


def test_a_figure_without_an_image_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match='figure "f1": has no image here; import it again with its image'):
        Home.create(tmp_path).image_path(a_figure(image=""))


def test_settings_come_from_the_environment_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home.create(tmp_path)
    assert home.label_studio.url == ""
    assert home.store_location == tmp_path / "store.sqlite"
    monkeypatch.setenv("LABEL_STUDIO_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", "t")
    monkeypatch.setenv("PANELWISE_STORE_URL", "postgresql://x/y")
    assert (home.label_studio.url, home.label_studio.token) == ("http://127.0.0.1:9", "t")
    assert home.store_location == "postgresql://x/y"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["q?x", "a%20b", "spaced out", "ünïcode", "#1"])
def test_a_home_may_lie_under_any_name(tmp_path: Path, name: str) -> None:
    one, two = Home.create(tmp_path / name / "h1"), Home.create(tmp_path / name / "h2")
    with one.open_store() as store, store.transaction() as tx:
        tx.add_figure(a_figure())
    with two.open_store() as store, store.read() as tx:
        assert tx.count_figures() == 0
    assert (one.path / "store.sqlite").is_file()


@pytest.mark.parametrize("room", [0, 50, 10_000, 60_000])
def test_a_disk_that_fills_up_while_a_home_is_made_leaves_nothing_that_keeps_the_next_try_from_working(
    tmp_path: Path, room: int
) -> None:
    with full_disk(room), pytest.raises((OSError, AnnotatorError)):
        Home.create(tmp_path / "new", name="lungs", guidelines="# Rules\n" * 10)
    assert all(
        each.stat().st_size for each in (tmp_path / "new").iterdir() if each.suffix in (".toml", ".key", ".md")
    )
    home = Home.create(tmp_path / "new", name="lungs", guidelines="# Rules\n" * 10)
    assert home.campaign.name == "lungs"
    assert (home.path / "guidelines.md").read_text() == "# Rules\n" * 10
    home.open_store().close()


def test_an_empty_campaign_toml_of_an_earlier_full_disk_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / "campaign.toml").touch()
    assert Home.create(tmp_path, name="lungs").campaign.name == "lungs"


def test_a_disk_that_fills_up_leaves_no_empty_secret(tmp_path: Path) -> None:
    home = Home.create(tmp_path)
    (tmp_path / "secret.key").unlink()
    with full_disk(), pytest.raises(OSError, match="File too large") as error:
        home.secret()
    assert error.value.filename == str(tmp_path / "secret.key")
    assert not (tmp_path / "secret.key").exists()
    assert len(home.secret()) == 64


def test_processes_that_make_the_secret_at_once_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home.create(tmp_path)
    (tmp_path / "secret.key").unlink()
    reading = Path.read_bytes
    first = iter((True,))

    def late(self: Path) -> bytes:
        if next(first, False):
            # Another process is faster between our look and our writing.
            other = Home.find(tmp_path).secret()
            assert len(other) == 64
            raise FileNotFoundError(str(self))
        return reading(self)

    monkeypatch.setattr(Path, "read_bytes", late)
    assert home.secret() == reading(tmp_path / "secret.key").strip()
    assert [each.name for each in tmp_path.iterdir() if "secret" in each.name] == ["secret.key"]


def test_a_new_home_is_its_owners_only(tmp_path: Path) -> None:
    assert stat.S_IMODE(Home.create(tmp_path / "new").path.stat().st_mode) == 0o700


def test_settings_that_contradict_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(AnnotatorError, match="repeated label"):
        Home.create(tmp_path / "new", labels=("A", "A"))
    assert not (tmp_path / "new").exists()
