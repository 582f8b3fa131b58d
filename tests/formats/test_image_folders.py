"""A folder of images with a text file beside each, and tables, are figures like those of figures.jsonl."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.detect import check_figures
from panelwise.formats.figures import FigureRecord, read_figures


def read(path: Path) -> tuple[dict[str, FigureRecord], Problems]:
    problems = Problems()
    check_figures(path)
    return {each.figure_id: each for each in read_figures(path, problems)}, problems


def picture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (8, 8)).save(path)


def test_a_folder_of_images_has_its_captions_beside_them(tmp_path: Path) -> None:
    picture(tmp_path / "lungs" / "one.png")
    picture(tmp_path / "two.JPG")
    picture(tmp_path / ".hidden" / "no.png")
    (tmp_path / "lungs" / "one.txt").write_bytes("\ufeffLungs 😀.\r\n(A) Left.".encode())
    found, problems = read(tmp_path)
    assert list(found) == ["lungs/one", "two"]
    assert found["lungs/one"].caption.text == "Lungs 😀. (A) Left."
    assert found["lungs/one"].image == "lungs/one.png"
    assert found["two"].caption.text == ""
    assert problems.count == 0
    assert problems.notes == [f"{tmp_path / 'two.txt'}: is missing; the caption is empty"]


def test_an_image_whose_name_is_no_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    picture(tmp_path / "one.png")
    try:
        picture(tmp_path / os.fsdecode(b"two\xff.png"))
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    found, problems = read(tmp_path)
    assert list(found) == ["one"]
    assert problems.lines == [f"{tmp_path}: the name of two\\udcff.png is not UTF-8; rename the file"]


def test_a_table_of_excel_is_refused_and_no_image_comes_in_without_its_caption(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    sheet = tmp_path / "captions.xlsx"
    sheet.write_bytes(b"PK\3\4" + bytes(26) + b"[Content_Types].xml")
    with pytest.raises(FormatError, match=r"captions\.xlsx: is a file of Excel .*; save a table as CSV"):
        read(tmp_path)
    table = tmp_path / "captions.csv"
    table.write_bytes(sheet.read_bytes())
    with pytest.raises(FormatError, match=r"captions\.csv: is a file of Excel .*; save a table as CSV"):
        read(tmp_path)
    table.write_text("image,caption\na.png,Lungs.\n", "utf-8")
    assert read(tmp_path)[0]["a"].caption.text == "Lungs."
    with pytest.raises(FormatError, match=r"a\.png: is a single image; name its folder"):
        check_figures(tmp_path / "a.png")


def test_a_folder_with_a_list_or_one_table_is_read_by_it(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    (tmp_path / "captions.csv").write_text("Image,Caption\na.png,From the table.\n", "utf-8")
    assert read(tmp_path)[0]["a"].caption.text == "From the table."
    (tmp_path / "figures.jsonl").write_text('{"figure_id": "x", "image": "a.png", "caption": "c"}\n', "utf-8")
    assert list(read(tmp_path)[0]) == ["x"]
    (tmp_path / "figures.jsonl").unlink()
    (tmp_path / "more.tsv").write_text("image\na.png\n", "utf-8")
    with pytest.raises(FormatError, match=r"holds 2 tables \(captions.csv, more.tsv\)"):
        read(tmp_path)


@pytest.mark.parametrize(("name", "apart"), [("t.csv", ","), ("t.csv", ";"), ("t.tsv", "\t"), ("t.CSV", "\t")])
def test_a_table_names_images_captions_articles_and_more(name: str, apart: str, tmp_path: Path) -> None:
    rows = [
        ["ID", "file", "caption", "DOI", "lab", "width", "tokens"],
        ["f1", "img/a.png", f'"Lungs{apart} (A) left{apart} ""said""\n(B) right."', "10.1/x", "north", "640", "5"],
        ["", "b.png", "", "", "", "", ""],
        [""] * 7,
    ]
    path = tmp_path / name
    path.write_text("\r\n".join(apart.join(row) for row in rows), "utf-8", newline="")
    found, problems = read(path)
    one = found["f1"]
    assert one.caption.text == f'Lungs{apart.strip()} (A) left{apart.strip()} "said" (B) right.'
    assert (one.image, one.document, one.width) == ("img/a.png", "10.1/x", 640)
    assert dict(one.extra) == {"lab": "north"}
    assert found["b"].caption.text == ""
    assert problems.count == 0


def test_rows_that_do_not_fit_are_problems_with_their_line_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("image,caption\na.png,one, two\nb.png,fine\n,no image\nb.png,again\n", "utf-8")
    found, problems = read(path)
    assert list(found) == ["b"]
    assert [line.split(": ")[0] for line in problems.lines] == [f"{path}:{number}" for number in (2, 4, 5)]
    assert "has 3 cells, the header 2; put texts with commas in quotes" in problems.lines[0]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "no column names the images"),
        (b"caption,label\nx,y\n", r"no column names the images \(caption, label\)"),
        (b"image,Image\na,b\n", "two columns have one name"),
        (b"image\n\xff\xfe\n", "not UTF-8"),
    ],
)
def test_what_is_no_table_of_figures_is_refused_in_one_line(content: bytes, match: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=match):
        read(path)


def test_a_folder_without_images_and_a_caption_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no image"):
        read(tmp_path)
    picture(tmp_path / "a.png")
    picture(tmp_path / "b.png")
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "b.txt").write_bytes(b"x" * (1 << 21))
    found, problems = read(tmp_path)
    assert found == {}
    assert "not UTF-8" in problems.lines[0]
    assert "is no caption" in problems.lines[1]
