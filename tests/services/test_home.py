from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from builders import a_figure
from full_disk import full_disk

from annotator.campaign.home import Home, LiveHome
from panelwise.domain.errors import AnnotatorError, FormatError, StoreError


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
    with pytest.raises(AnnotatorError, match='figure "f1": has no stored image; import it again with its image'):
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
        tx.figures.add(a_figure())
    with two.open_store() as store, store.read() as tx:
        assert tx.figures.count() == 0
    assert (one.path / "store.sqlite").is_file()


@pytest.mark.usefixtures("every_migration")
@pytest.mark.parametrize("room", [0, 50, 10_000, 60_000])
@pytest.mark.slow
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


# -- for programs that run on ---------------------------------------------------------------------------------


BLIND = '[[phases]]\nname = "2"\nblind = true\ngiven = "gold"\n'


class Live:
    """A home that is asked for again and again, and its campaign.toml in the hands of somebody who edits it."""

    def __init__(self, home: Home) -> None:
        self.problems: list[str] = []
        self.home = LiveHome(home, report=self.problems.append)
        self.file = home.path / "campaign.toml"
        self.valid = self.file.read_text()

    def write(self, text: str, *, left_alone: bool = True) -> Home:
        """left_alone: since long ago."""
        self.file.write_text(text)
        return self.after(left_alone)

    def after(self, left_alone: bool) -> Home:
        if left_alone:
            os.utime(self.file, (0, 0))
        return self.home.current()


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    monkeypatch.setattr("annotator.campaign.home.COMPLETE_AFTER", 3600.0)  # however slow the machine is
    return Live(Home.create(tmp_path / "home", name="lungs"))


def test_a_home_that_runs_on_has_the_settings_of_the_moment(live: Live) -> None:
    before = live.home.current()
    assert not before.uncertain
    assert live.home.current().settings is before.settings  # nothing is parsed again
    changed = live.write(live.valid + BLIND)
    assert ([phase.name for phase in changed.campaign.phases], changed.uncertain) == (["1", "2"], False)
    assert live.write(live.valid).campaign == before.campaign
    assert live.problems == []


def test_a_change_of_the_same_length_and_time_is_seen(live: Live) -> None:
    stamp = live.file.stat()
    live.file.write_text(live.valid.replace('name = "lungs"', 'name = "heart"'))
    os.utime(live.file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert live.home.current().campaign.name == "heart"


def test_settings_are_uncertain_until_the_file_was_left_alone(live: Live) -> None:
    half = live.write(live.valid + '[[phases]]\nname = "2"\n', left_alone=False)
    assert half.uncertain
    assert not half.campaign.phases[1].blind  # as if it were not
    assert live.write(live.valid + BLIND, left_alone=False).uncertain
    assert not live.after(left_alone=True).uncertain


@pytest.mark.parametrize("spoiled", ["", "name = ", 'name = "lungs"\nlabels = []\n', "\xff" * 3, None])
def test_the_earlier_settings_apply_while_the_file_cannot_be_read(live: Live, spoiled: str | None) -> None:
    before = live.write(live.valid + BLIND)
    if spoiled is None:
        live.file.unlink()
    else:
        live.file.write_bytes(spoiled.encode("latin-1"))
        os.utime(live.file, (0, 0))
    for _ in range(3):
        broken = live.home.current()
        assert (broken.campaign, broken.uncertain) == (before.campaign, True)
    [problem] = live.problems
    assert str(live.file) in problem
    assert problem.endswith("; the earlier settings apply until it is corrected")
    mended = live.write(live.valid)
    assert ([phase.name for phase in mended.campaign.phases], mended.uncertain) == (["1"], False)


def test_another_store_in_the_file_is_refused_until_it_is_taken_back(live: Live) -> None:
    live.home.check_store()
    live.write(live.valid + '[store]\nurl = "sqlite:///elsewhere.sqlite"\n')
    with pytest.raises(StoreError, match="now names another store; restart this program"):
        live.home.check_store()
    live.write(live.valid)
    live.home.check_store()
