from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from annotator.imports.image_intake import store_image
from panelwise.domain.errors import FormatError
from panelwise.settings.file_tables import ImageLimits


@pytest.fixture
def source(tmp_path: Path) -> Path:
    Image.new("CMYK", (80, 60), (0, 255, 255, 0)).save(tmp_path / "a.tiff")
    Image.new("RGB", (80, 60), "red").save(tmp_path / "a.png")
    return tmp_path


@pytest.mark.parametrize("name", ["a.tiff", "a.png"])
def test_the_same_bytes_give_the_same_path_and_are_not_decoded_twice(
    source: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    first = store_image(source / name, home, "f")
    stored = (home / first.path).read_bytes()
    # Another version of Pillow writes other bytes for the same pixels; what is stored stays.
    monkeypatch.setattr("panelwise.images.decode.as_png", lambda _: pytest.fail("written again"))
    again = store_image(source / name, home, "f")
    assert (again.path, again.sha256, again.width, again.height) == (first.path, first.sha256, 80, 60)
    assert (home / first.path).read_bytes() == stored
    assert [file.name for file in (home / "images").iterdir()] == [Path(first.path).name]


@pytest.mark.parametrize("name", ["a.tiff", "a.png"])
def test_a_stored_image_that_was_damaged_is_stored_anew(source: Path, tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    first = store_image(source / name, home, "f")
    whole = (home / first.path).read_bytes()
    (home / first.path).write_bytes(whole[: len(whole) // 2])
    assert store_image(source / name, home, "f").path == first.path
    assert (home / first.path).read_bytes() == whole


def test_what_was_let_in_stays_when_a_limit_is_lowered(source: Path, tmp_path: Path) -> None:
    first = store_image(source / "a.png", tmp_path / "home", "f")
    assert store_image(source / "a.png", tmp_path / "home", "f", ImageLimits(max_pixels=10)) == first
    with pytest.raises(FormatError, match="max_pixels"):
        store_image(source / "a.png", tmp_path / "home", "g", ImageLimits(max_pixels=10))


def test_paths_of_the_users_own_are_taken_wherever_they_lead(source: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "link.png").symlink_to(source / "a.png")
    paths = [tmp_path / "sub" / ".." / "a.png", tmp_path / "sub" / "link.png", (source / "a.png").absolute()]
    assert len({store_image(path, tmp_path / "home", "f").path for path in paths}) == 1


@pytest.mark.parametrize("figure_id", ["../../x", "/etc/x", "..", "a/b\\c", "ä" * 300, ".", "con", "\u202e"])
def test_no_figure_id_leads_out_of_the_images(source: Path, tmp_path: Path, figure_id: str) -> None:
    stored = store_image(source / "a.png", tmp_path / "home", figure_id)
    assert (tmp_path / "home" / stored.path).resolve().parent == tmp_path / "home" / "images"


def test_names_of_files_may_be_any_that_the_system_has(source: Path, tmp_path: Path) -> None:
    content = (source / "a.png").read_bytes()
    for at, name in enumerate(["a b.png", "ä \u4e2d.png", "new\nline.png", "-rf", "x" * 250]):
        (source / name).write_bytes(content)
        assert (tmp_path / "home" / store_image(source / name, tmp_path / "home", f"f{at}").path).is_file()


def test_one_image_may_be_that_of_two_figures(source: Path, tmp_path: Path) -> None:
    one, two = (store_image(source / "a.png", tmp_path / "home", name) for name in ("a", "b"))
    assert one.path != two.path
    assert one.sha256 == two.sha256
