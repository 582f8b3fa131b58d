"""Tables are read strictly: what does not fit is named with its place, and everything else is read unchanged."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.files.tables import MOST_OF_CELL, read_table


def rows(path: Path, content: str | bytes) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return the header and rows of a table, and the problems without the file's name."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    problems = Problems()
    table = read_table(path, problems)
    return [table.columns, *(row.cells for row in table.rows)], [
        line.removeprefix(f"{path}:") for line in problems.lines
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.csv"


def test_an_open_quotation_mark_is_named_where_it_began_and_swallows_no_rows(path: Path) -> None:
    found, said = rows(path, 'image,caption\na,"One\nb,"Two, more"\nc,Three\n')
    assert found == [("image", "caption"), ("b", "Two, more"), ("c", "Three")]
    assert len(said) == 1
    assert said[0].startswith(
        "2: the quotation mark that begins cell 2 (byte 16) is closed on line 3 before more text"
    )


def test_a_quotation_mark_that_never_ends_costs_its_row_alone(path: Path) -> None:
    found, said = rows(path, 'image,caption\na,first\nb,"Two\nc,Three\n')
    assert found[1:] == [("a", "first"), ("c", "Three")]
    assert "3: the quotation mark that begins cell 2 (byte 24) is never closed" in said[0]


def test_the_line_of_a_mark_within_a_row_of_several_lines_is_named(path: Path) -> None:
    _, said = rows(path, 'image,caption,more\n"a\nb","one",\n"c\nd","open\n')
    assert "4: the quotation mark on line 5 that begins cell 2 (byte 38) is never closed" in said[0]


def test_a_cell_that_never_seems_to_end_is_not_read_into_memory(path: Path) -> None:
    found, said = rows(path, 'image,caption\na,"' + f"{'x' * 99}\n" * (MOST_OF_CELL // 90) + "b,two\n")
    assert found[-1] == ("b", "two")
    assert f"is not closed within {MOST_OF_CELL} characters" in said[0]


def test_a_cut_cell_in_unquoted_cells_is_refused_and_single_marks_stay(path: Path) -> None:
    found, said = rows(path, 'image,caption,doc\na,the "best, or" so\nb,5" nails,x\nc,a "b" c,y\n')
    assert found[1:] == [("b", '5" nails', "x"), ("c", 'a "b" c', "y")]
    assert "2: quotation marks stand within cells 2 and 3" in said[0]


def test_a_blank_before_a_quoted_cell_shifts_nothing(path: Path) -> None:
    found, said = rows(path, 'image, caption, doc\na, "one, two" , x\n')
    assert (found[1:], said) == ([("a", "one, two", " x")], [])


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("a", "2: has 1 cell, the header 2; give one for each column"),
        ("a,b,c", "2: has 3 cells, the header 2; put texts with commas in quotes"),
        ("a,b,", "2: has 3 cells, the header 2; put texts with commas in quotes"),
        ("a,x\0y", "2: holds a NUL (byte 17); save the table as UTF-8"),
        ("a," + "x" * (MOST_OF_CELL + 1), f"2: a cell has more than {MOST_OF_CELL} characters; shorten it"),
    ],
)
def test_a_row_that_does_not_fit_is_named_and_the_next_is_read(path: Path, row: str, complaint: str) -> None:
    found, said = rows(path, f"image,caption\n{row}\nz,last\n")
    assert (found[1:], said) == ([("z", "last")], [complaint])


def test_cells_stay_as_they_were_written(path: Path) -> None:
    cells = ("007", " 1e3", "NaN", "'=1+1", "1,200.0", "a\xa0b", 'say ""x""', "two\r\nlines", "x" * 200_000, "")
    row = ",".join(f'"{cell}"' for cell in cells)
    found, said = rows(path, ",".join(f"c{n}" for n in range(10)) + f"\n{row}\n")
    assert said == []
    assert found[1] == (*cells[:6], 'say "x"', *cells[7:])


def test_lines_may_end_in_any_way_and_blank_rows_are_no_rows(path: Path) -> None:
    found, said = rows(path, "\r\n\ufeff,\nimage,caption\ra,1\n\n , \r\nb,2\rc,3".replace("\ufeff", ""))
    assert (found, said) == ([("image", "caption"), ("a", "1"), ("b", "2"), ("c", "3")], [])


def test_a_line_end_on_the_border_of_two_blocks_is_one(path: Path) -> None:
    for width in (65_519, 65_520, 65_521, 65_522):
        found, said = rows(path, f"image,caption\r\na,{'x' * width}\r\nb,2\r\nc\r\n")
        assert (len(found), said) == (3, ["4: has 1 cell, the header 2; give one for each column"])


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ("image;caption\na;1,5 mm\nb;2,5 mm\n", 2),
        ("id;image;caption, long\n1;a;x\n2;b;y, z\n", 3),
        ("image,caption\na,one; two; three\n", 2),
        ("image|caption\na|x\n", 2),
        ("image\tcaption\na\tx, y\n", 2),
        ("sep=;\nimage;cap,tion;a,b\n", 3),
        ('"a,b";c\n"1,2";3\n', 2),
        ("image\na\n", 1),
    ],
)
def test_the_delimiter_is_the_one_that_the_rows_agree_with(path: Path, content: str, columns: int) -> None:
    found, said = rows(path, content)
    assert {len(row) for row in found} == {columns}
    assert len(said) == (len(found) == 1), "a table without rows is a problem"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"image,Image\na,b\n", r't.csv:1: two columns have one name, "image"'),
        (b'image,"caption\na,b\n', "t.csv:1: the quotation mark that begins cell 2 .* never closed"),
        ("image,caption\na,b\n".encode("utf-16"), "is UTF-16 text"),
        ("image,caption\na,b\n".encode("utf-16-le"), "is UTF-16 text"),
        (b"PK\3\4....[Content_Types].xml..xl/workbook.xml", "is a file of Excel .*save a table as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is a file of Excel"),
        (b"\x89PNG\r\n", "is PNG"),
        (b"\x1f\x8b\0", "is packed with gzip"),
    ],
)
def test_what_is_no_table_is_refused_with_its_kind(path: Path, content: bytes, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        rows(path, content)


def test_a_missing_table_and_one_long_line_are_refused(path: Path) -> None:
    with pytest.raises(FormatError, match="No such file"):
        read_table(path, Problems())
    with pytest.raises(FormatError, match=r"t\.csv:2: has more than \d+ bytes"):
        rows(path, b"image\n" + b"x" * (1 << 24))


def test_a_file_of_quotation_marks_out_of_place_ends_soon(path: Path) -> None:
    with pytest.raises(FormatError, match="too many quotation marks"):
        rows(path, "image,caption\n" + 'x",' + '"x",' * 3 + "\n" + 'x","x\n' * 300_000)


def test_a_letter_that_is_none_is_named_by_line_and_byte_of_the_file(path: Path) -> None:
    text = "image,caption\n" + "a,b\n" * 20_000 + "c,Größe\n" + "d,e\n"
    raw = b"\xef\xbb\xbf" + text.encode("cp1252")
    found, said = rows(path, raw)
    assert said == [f"20002: not UTF-8 (byte {raw.index(0xF6)}); save the table as UTF-8"]
    assert found[-1] == ("d", "e")


def test_the_header_has_its_place_and_names_are_found_in_any_case(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf\r\n Image ,CAPTION\r\na,b\r\n")
    table = read_table(path, Problems())
    assert (table.columns, table.where, table.delimiter) == (("Image", "CAPTION"), f"{path}:2", ",")
    assert (table.place("file", "image"), table.place("caption"), table.place("doi")) == (0, 1, None)
    assert path.read_bytes()[slice(*table.header)] == b" Image ,CAPTION\r\n"


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


@given(st.lists(st.lists(TEXT, min_size=3, max_size=3), min_size=1, max_size=6))
def test_what_other_programs_write_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, cells: list[list[str]]
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["a", "b", "c"], *cells])
    found, said = rows(tmp_path_factory.mktemp("t") / "t.csv", text.getvalue())
    wanted = [tuple(row) for row in cells if any(cell.strip() for cell in row)]
    assert found[1:] == wanted
    assert bool(said) is not bool(wanted)
