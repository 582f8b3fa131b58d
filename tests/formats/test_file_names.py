"""A file that is there is found under any equivalent spelling of its name, where just one fits."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from panelwise.domain.caption import Caption
from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.file_names import (
    NameIndex,
    find_file,
    id_of_image,
    image_path,
    largest,
    pixel_size,
    without_ending,
)
from panelwise.formats.image_names import ImageNames


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def picture(path: Path, width: int, height: int) -> None:
    Image.new("L", (width, height)).save(path)


@pytest.mark.parametrize(
    ("there", "name"),
    [
        ("f1.png", "f1.png"),
        ("f1.JPG", "f1.jpg"),
        ("f1.jpg", "F1.JPG"),
        ("f1.tiff", "f1.tif"),
        ("f1.jpeg", "f1"),
        ("f1.png", "f1.eps"),
        ("fig.abc.png", "fig.abc"),
        ("fig.1.png", "fig.1"),
        ("fig.1.png", "fig.1.TIF"),
        ("images/f1.png", "images\\f1.png"),
        ("images/f1.png", ".\\Images\\f1.PNG"),
        ("f1.png", "./f1.png"),
        ("my fig.png", "my%20fig.png"),
        ("my%20fig.png", "my fig.png"),
        ("my fig.png", "my+fig.png"),
        ("a+b.png", "a%2Bb.png"),
        ("my fig.png", "./My%20Fig.PNG?download=1"),
        ("f1.png", "f1.png#panel-a"),
        ("f1.png", "F1.tif?width=800&u=/a/b.gif#x"),
        ("images/f1.png", "images/f1.png?v=../2"),
        ("f#1.png", "f%231.png"),
        ("f#1.png", "f#1.png"),
        ("what?.png", "what?.png"),
        (unicodedata.normalize("NFD", "größe.png"), "größe.png"),
        ("größe.png", unicodedata.normalize("NFD", "größe.png")),
        (unicodedata.normalize("NFD", "Größe/f.png"), "größe\\F.jpg"),
    ],
)
def test_a_file_is_found_under_another_spelling(tmp_path: Path, there: str, name: str) -> None:
    files(tmp_path, there, "else.png", "other/f9.png", "f1.txt", "fig.2.png")
    assert find_file(tmp_path, name) == tmp_path / there
    assert image_path(tmp_path, name) == tmp_path / there


@pytest.mark.parametrize("name", ["f2.png", "", ".", "sub", "sub/", "f1.xml", "f1.v2x", "no/f1.png", "f1.png\0"])
def test_what_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    files(tmp_path, "f1.png", "sub/f3.png", "f2.txt")
    assert find_file(tmp_path, name) is None
    assert image_path(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "..\\secret.png", "a/../../secret.png", "%2e%2e/secret.png", "/etc/hostname", "~/secret"],
)
def test_no_spelling_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    files(tmp_path, "secret.png", "in/a/f1.png")
    assert find_file(tmp_path / "in", name) is None


def test_of_several_that_fit_none_is_taken_and_all_are_named(tmp_path: Path) -> None:
    files(tmp_path, "A.PNG", "a.Png", "Sub/x.png", "sub/x.png", "B.gif", "b.tif")
    for name, message in (
        ("a.png", r'"a.png" may be any of A.PNG, a.Png in '),
        ("SUB/x.png", r"may be any of Sub, sub in "),
    ):
        with pytest.raises(FormatError, match=message):
            find_file(tmp_path, name)
    assert find_file(tmp_path, "a.Png") == tmp_path / "a.Png"
    assert find_file(tmp_path, "sub/X.PNG") == tmp_path / "sub" / "x.png"
    assert find_file(tmp_path, "b.png") == tmp_path / "b.tif"
    files(tmp_path, "D.gif", "d.tif")
    with pytest.raises(FormatError, match=r"may be any of D\.gif, d\.tif"):
        find_file(tmp_path, "%64")


def test_of_images_with_several_endings_the_largest_is_taken_and_both_are_named(tmp_path: Path) -> None:
    picture(tmp_path / "x-f1.png", 10, 6)
    picture(tmp_path / "x-f1.tif", 100, 60)
    said: list[str] = []
    assert find_file(tmp_path, "x-f1", note=said.append) == tmp_path / "x-f1.tif"
    assert said == [f'"x-f1" may be x-f1.png or x-f1.tif in {tmp_path}; took x-f1.tif, the larger image']
    assert find_file(tmp_path, "x-f1.png", note=said.append) == tmp_path / "x-f1.png", "as named"
    assert len(said) == 1


def test_unreadable_images_and_equal_sizes_go_by_ending(tmp_path: Path) -> None:
    files(tmp_path, "a.gif", "a.jpg", "a.xyz")
    assert largest([tmp_path / "a.gif", tmp_path / "a.jpg", tmp_path / "a.xyz"]).name == "a.jpg"
    assert pixel_size(tmp_path / "a.gif") == (0, 0)
    picture(tmp_path / "a.gif", 3, 2)
    assert largest([tmp_path / "a.gif", tmp_path / "a.jpg"]).name == "a.gif"


def test_files_that_come_later_are_found(tmp_path: Path) -> None:
    os.utime(tmp_path, (1, 1))
    assert find_file(tmp_path, "f1") is None
    files(tmp_path, "f1.PNG")
    assert find_file(tmp_path, "f1") == tmp_path / "f1.PNG"


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.png", "a"), ("a.b.JPEG", "a.b"), ("fig.1", "fig.1"), ("fig.a", "fig.a"), (".png", ".png"), ("a", "a")],
)
def test_an_ending_is_none_of_a_figures_number(name: str, stem: str) -> None:
    assert without_ending(name) == stem
    assert id_of_image(f".\\x\\{name}") == f"x/{stem}"


def test_an_index_prefers_the_same_spelling() -> None:
    index = NameIndex[int]()
    for name, value in (("a", 1), ("A", 2), ("a", 1), ("b%20c", 3)):
        index.add(name, value)
    assert (index.find("a"), index.find("A"), index.find("b c"), index.find("x")) == ((1,), (2,), (3,), ())
    assert index.every("a") == [1, 2, 1]


def test_a_figure_is_found_by_an_address_with_a_query_or_a_fragment() -> None:
    figures = [Figure(name, f"{name}.png", 8, 6, Caption.cut("")) for name in ("f1", "f#2")]
    for image in ("https://host/files/f1.png?download=1", "f1.png#x", "./F1.png?a=b#c"):
        assert ImageNames(figures).figures_of(image) == ("f1",)
    assert ImageNames(figures).figures_of("f#2.png") == ("f#2",)


@pytest.mark.parametrize(
    "image",
    ["figs/lung%20one.png", "figs/lung%20one%2Epng", "lung%20one%2ePNG", "x\\lung one.jpg", "lung+one.png"],
)
def test_a_figure_is_found_by_an_image_whose_ending_is_escaped_too(image: str) -> None:
    figure = Figure("lung one", "images/0a1b.png", 8, 6, Caption.cut(""))
    assert ImageNames([figure]).figures_of(image) == ("lung one",)
    assert ImageNames([figure]).figures_of("lung%20two%2Epng") == ()
