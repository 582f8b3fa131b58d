from __future__ import annotations

from pathlib import Path

import pytest

from annotator.campaign.home import Home
from annotator.campaign.protected_files import refuse_protected
from panelwise.domain.errors import AnnotatorError

KEPT = (
    "campaign.toml",
    "store.sqlite",
    "store.sqlite-wal",
    "store.sqlite-shm",
    "secret.key",
    "images",
    "images/f1.png",
    "images/../store.sqlite",
    "thumbnails/f1.jpg",
    "releases/001-pilot/gold.jsonl",
    "label-studio/new/deep.json",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home")


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_what_a_campaign_keeps_is_refused_by_any_name_and_from_any_command(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "link").symlink_to(home.path)
    (tmp_path / "alias").symlink_to(home.path / name)
    monkeypatch.chdir(home.path)
    for path in (home.path / name, tmp_path / "link" / name, tmp_path / "alias", Path(name)):
        for given in (home, None):
            with pytest.raises(AnnotatorError, match="name another file or folder") as error:
                refuse_protected(path, given)
            assert str(error.value).startswith(f"{path}: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gold.jsonl", "exports/images/f1.png", "store.sqlite.bak", "images2", "."])
def test_other_files_of_a_home_may_be_written(home: Home, name: str) -> None:
    refuse_protected(home.path / name, home)
    refuse_protected(home.path / name)


def test_a_folder_that_is_no_home_may_hold_files_of_those_names(tmp_path: Path) -> None:
    for name in KEPT:
        refuse_protected(tmp_path / name)
    refuse_protected(None)


def test_images_that_lie_elsewhere_behind_a_link_are_kept_too(home: Home, tmp_path: Path) -> None:
    home.images.rmdir()
    (tmp_path / "disk").mkdir()
    home.images.symlink_to(tmp_path / "disk")
    for path in (home.images / "f1.png", tmp_path / "disk" / "f1.png"):
        with pytest.raises(AnnotatorError, match="own files"):
            refuse_protected(path, home)


def test_a_store_that_the_settings_put_elsewhere_is_kept_too(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANELWISE_STORE_URL", f"sqlite:///{tmp_path / 'other.db'}")
    for name in ("other.db", "other.db-wal"):
        with pytest.raises(AnnotatorError, match="own files"):
            refuse_protected(tmp_path / name, home)
    refuse_protected(tmp_path / "gold.jsonl", home)
    monkeypatch.setenv("PANELWISE_STORE_URL", "sqlite://")
    refuse_protected(tmp_path / "gold.jsonl", home)
