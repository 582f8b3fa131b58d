"""A folder of images with a text file beside each, and tables, are figures like those of figures.jsonl."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from panelwise.domain.errors import FormatError
from panelwise.files.image_folders import table_lines
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
    assert problems.notes == [f'{tmp_path}: without a caption: 1 figure, the first "two"']


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
        (b"", "is empty; give a table"),
        (b"caption,label\nx,y\n", r"no column names the images \(caption, label\)"),
        (b"image,Image\na,b\n", "two columns have one name"),
        (b"im\xe4ge\na.png\n", r"t.csv:1: not UTF-8 \(byte 2\)"),
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


def test_the_full_image_wins_over_its_thumbnail_and_a_note_names_both(tmp_path: Path) -> None:
    Image.new("L", (10, 7)).save(tmp_path / "f1.gif")
    Image.new("L", (90, 60)).save(tmp_path / "f1.JPG")
    (tmp_path / "f1.txt").write_text("One.")
    found, problems = read(tmp_path)
    assert {name: each.image for name, each in found.items()} == {"f1": "f1.JPG"}
    assert problems.lines == []
    said = 'figure "f1" has 2 images; took f1.JPG, the largest with 90 x 60 pixels, not f1.gif'
    assert problems.notes == [f"{tmp_path}: {said}"]


def test_another_image_under_a_figures_name_is_a_problem(tmp_path: Path) -> None:
    Image.new("L", (90, 60)).save(tmp_path / "f1.png")
    Image.new("L", (40, 60)).save(tmp_path / "f1.tif")
    (tmp_path / "f1.txt").write_text("One.")
    found, problems = read(tmp_path)
    assert found["f1"].image == "f1.png"
    assert "not f1.tif, of other proportions; give each figure a name of its own" in problems.lines[0]


def test_a_caption_is_found_under_another_spelling_unless_it_is_another_figures(tmp_path: Path) -> None:
    for name in ("b.png", "B.png", unicodedata.normalize("NFD", "größe.png"), "up.png"):
        picture(tmp_path / name)
    for name in ("B.txt", "größe.txt", "UP.TXT"):
        (tmp_path / name).write_text(name)
    found, problems = read(tmp_path)
    captions = {name: each.caption.text for name, each in found.items()}
    assert captions == {"b": "", "B": "B.txt", "größe": "größe.txt", "up": "UP.TXT"}
    assert problems.notes == [f'{tmp_path}: without a caption: 1 figure, the first "b"']


@pytest.mark.parametrize("size", ["640", "640.0", " 640 ", "6.4e2"])
def test_a_size_in_any_spelling_is_the_size(size: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"image,Width,HEIGHT\na.png,{size},NaN\n", "utf-8")
    found, problems = read(path)
    assert (found["a"].width, found["a"].height, problems.lines) == (640, None, [])


@pytest.mark.parametrize("size", ['"1,200"', "900.5", "wide", "0", "-3"])
def test_a_size_that_is_none_is_named_and_the_other_rows_are_read(size: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"image,width,height\na.png,{size},3\nb.png,4,3\n", "utf-8")
    found, problems = read(path)
    assert list(found) == ["b"]
    assert problems.lines[0].startswith(f'{path}:2: "width" holds ')


def test_what_a_table_cannot_give_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",image,caption,references\n0,sub\\a.png,NaN,x\n1,b.png,Two,y\n2,c.png,NaN,\n", "utf-8")
    found, problems = read(path)
    assert list(found) == ["sub/a", "b", "c"]
    assert [each.caption.text for each in found.values()] == ["", "Two", ""]
    assert problems.notes == [
        f"{path}:1: left out references, which no cell can hold; give a figures.jsonl",
        f"{path}:1: left out 3 cells in column 1, without a name",
        f'{path}:1: left out 2 cells with "NaN" for a missing caption',
        f'{path}: without a caption: 2 figures, the first "sub/a", "c"',
    ]


def test_words_in_a_column_without_a_name_are_never_an_empty_caption(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("image,,\na.png,1,\nb.png,2,Lungs.\n", "utf-8")
    with pytest.raises(FormatError, match=r"t\.csv:3: column 3 has words, but no name, .*; name it \"caption\""):
        read(path)
    path.write_text(",image\n0,a.png\n1,b.png\n", "utf-8")
    found, problems = read(path)
    assert (list(found), problems.count) == (["a", "b"], 0)
    assert problems.notes == [
        f'{path}:1: no column is named "caption"; captions are empty',
        f"{path}:1: left out 2 cells in column 1, without a name",
        f'{path}: without a caption: 2 figures, the first "a", "b"',
    ]


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("image,caption,Text", "caption"),
        ("caption,path,image", "image"),
        ("image,name,id", "figure_id"),
        ("image,doi,paper", "document"),
    ],
)
def test_two_columns_that_may_be_one_thing_are_named_and_the_other_is_stored(
    head: str, key: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{head}\n{head.lower()}\n", "utf-8")
    found, problems = read(path)
    (note,) = (note for note in problems.notes if "may each be" in note)
    assert note.startswith(f'{path}:1: columns "')
    assert f" may each be the {key}; read " in note
    (record,) = found.values()
    (other,) = record.extra
    assert f'"{other}"' in note.partition(" may each be ")[0].partition(" and ")[2]
    assert problems.count == 0


def test_what_a_folder_holds_beside_the_figures_is_named(tmp_path: Path) -> None:
    """An image of a format that is not read, and a caption of no image, would be lost without a word."""
    picture(tmp_path / "one.png")
    for name in ("one.txt", "two.txt", "three.txt", ".hidden.txt"):
        (tmp_path / name).write_text("Fig 1: cells.", encoding="utf-8")
    (tmp_path / "two.JP2").write_bytes(b"\0\0\0\x0cjP  ")
    (tmp_path / "figure.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "README.md").write_text("about", encoding="utf-8")
    found, problems = read(tmp_path)
    assert list(found) == ["one"]
    assert problems.count == 0
    assert problems.notes == [
        f"{tmp_path}: left out 2 images of formats that are not read, the first figure.pdf; convert them to PNG",
        f"{tmp_path}: left out 2 texts without an image, the first three.txt",
    ]


def test_a_caption_may_bear_the_whole_name_of_its_image(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        picture(tmp_path / name)
        (tmp_path / f"{name}.txt").write_text(f"Whole {name}.")
    (tmp_path / "b.txt").write_text("Short b.")
    found, problems = read(tmp_path)
    assert {name: figure.caption.text for name, figure in found.items()} == {"a": "Whole a.png.", "b": "Short b."}
    assert problems.notes == [f"{tmp_path}: left out 1 text without an image, the first b.png.txt"]


@pytest.mark.parametrize("name", ["captions.json", "metadata.jsonl", "a.caption"])
def test_files_that_may_hold_captions_are_never_passed_over_in_silence(tmp_path: Path, name: str) -> None:
    picture(tmp_path / "a.png")
    (tmp_path / name).write_text("{}")
    _, problems = read(tmp_path)
    assert problems.notes[0] == (
        f"{tmp_path}: left out 1 file that may hold captions, the first {name}; give captions in texts beside the "
        "images, or name the file that lists the figures"
    )


def test_ids_that_pandas_wrote_as_floats_are_whole_numbers_where_all_are(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    path.write_text("id,image,caption,paper\n1.0,a.png,One,7.0\n,b.png,Two,7.0\n12.0,c.png,Three,\n", "utf-8")
    problems = Problems()
    records = [line.record for line in table_lines(path, problems)]
    assert [each["figure_id"] for each in records] == ["1", "b", "12"]
    assert [each.get("source") for each in records] == [{"document": "7"}, {"document": "7"}, None]
    assert problems.notes == [
        f'{path}:1: each {key} is written as a float; 1.0 is read as "1"' for key in ("figure_id", "document")
    ]
    path.write_text("id,image,caption\n1.0,a.png,One\n1.1,b.png,Two\n", "utf-8")
    assert [line.record["figure_id"] for line in table_lines(path, Problems())] == ["1.0", "1.1"]


@pytest.mark.parametrize("cell", ["NA", "None", "n/a", "NaN", "<NA>"])
def test_an_article_or_id_that_is_missing_is_no_name(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "figures.csv"
    path.write_text(f"id,image,caption,document\n{cell},a.png,One,{cell}\n", "utf-8")
    problems = Problems()
    (line,) = table_lines(path, problems)
    assert line.record == {"figure_id": "a", "image": "a.png", "caption": "One"}
    assert f'left out 1 cell with "{cell}" for a missing document' in problems.notes[-1]


@pytest.mark.parametrize("cell", ["None", "NA", "N/A", "nan", "NULL"])
def test_a_cell_that_stands_for_a_missing_caption_is_no_caption(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"image,caption,remark\na.png,{cell},{cell}\nb.png,None of these.,x\n", "utf-8")
    found, problems = read(path)
    assert [figure.caption.text for figure in found.values()] == ["", "None of these."]
    assert (found["a"].extra, problems.lines) == ({"remark": cell}, [])
    assert problems.notes[0] == f'{path}:1: left out 1 cell with "{cell}" for a missing caption'
