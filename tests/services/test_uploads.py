"""Files sent in pieces, and ZIP archives: nothing gets outside, nothing hostile gets in, breaks lose nothing."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.imports import uploads
from annotator.imports.report import Outcome, names_in_upload, open_report, read_report
from annotator.imports.uploads import (
    UnknownUpload,
    add_piece,
    begin_upload,
    remove_old,
    sizes_of,
    unpacked,
    upload_folder,
)
from panelwise.domain.errors import FormatError, InvalidAnnotation
from panelwise.files.jsonl import Problems


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign")


def png() -> bytes:
    held = io.BytesIO()
    Image.new("L", (20, 10)).save(held, "PNG")
    return held.getvalue()


def archive(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def test_a_file_comes_in_pieces_and_goes_on_after_a_break(home: Home) -> None:
    upload = begin_upload(home)
    assert add_piece(home, upload, "a/one.png", 0, b"abc") == 3
    assert add_piece(home, upload, "a/one.png", 0, b"abc") == 3, "sent twice"
    assert add_piece(home, upload, "a/one.png", 7, b"xyz") == 3, "a gap"
    assert add_piece(home, upload, "a/one.png", 3, b"def") == 6
    assert (upload_folder(home, upload) / "a" / "one.png").read_bytes() == b"abcdef"
    uploads.remove_upload(home, upload)
    for name in (upload, "../images", "", "."):
        with pytest.raises(UnknownUpload):
            add_piece(home, name, "one.png", 0, b"abc")


@pytest.mark.parametrize(
    "name",
    [
        *("", "/etc/passwd.png", "../one.png", "a/../../one.png", "..\\one.png", "C:\\one.png", "a\x00.png"),
        *("one.exe", "one", "a\n.png", "x/" * 30 + "one.png", "y" * 500 + ".png", "é" * 130 + ".png"),
    ],
)
def test_names_that_lead_elsewhere_or_are_of_no_use_are_refused(name: str, home: Home) -> None:
    upload = begin_upload(home)
    with pytest.raises(InvalidAnnotation):
        add_piece(home, upload, name, 0, b"x")
    assert sizes_of(home, upload) == {}


def test_a_file_is_no_folder_and_a_folder_no_file(home: Home) -> None:
    upload = begin_upload(home)
    add_piece(home, upload, "a/b.png", 0, b"x")
    (upload_folder(home, upload) / "c.png").mkdir()
    for name in ("a/b.png/c.png", "a/b.png/c/d.png", "c.png"):
        with pytest.raises(InvalidAnnotation, match=r"came as a (file|folder) before; leave it out"):
            add_piece(home, upload, name, 0, b"x")


def test_a_file_beyond_its_limit_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_OF_LIST", 5)
    upload = begin_upload(home)
    assert add_piece(home, upload, "a.csv", 0, b"12345") == 5
    with pytest.raises(InvalidAnnotation, match=r'"a\.csv" has more than 5 bytes'):
        add_piece(home, upload, "a.csv", 5, b"6")


def test_uploads_that_were_given_up_are_removed_after_a_day(home: Home) -> None:
    old, new = begin_upload(home), begin_upload(home)
    add_piece(home, old, "a.txt", 0, b"x")
    for each in (upload_folder(home, old), upload_folder(home, old) / "a.txt"):
        os.utime(each, (0, 0))
    remove_old(home)
    assert [each.name for each in (home.path / "uploads").iterdir()] == [new]


def test_an_archive_is_imported_like_the_folder_in_it(home: Home, tmp_path: Path) -> None:
    path = archive(
        tmp_path / "figures.ZIP",
        **{
            "mine/a.png": png(),
            "mine/a.txt": b"Lungs.",
            "mine/sub/b.png": png(),
            "__MACOSX/mine/._a.png": b"x",
            "mine/.DS_Store": b"x",
        },
    )
    done = CliRunner().invoke(group, ["import", "figures", str(path), "--home", str(home.path)])
    assert done.exit_code == 0, done.output
    with home.open_store() as store, store.read() as tx:
        assert {each.id: each.caption.text for each in tx.figures.all()} == {"a": "Lungs.", "sub/b": ""}
    assert not [each for each in home.path.iterdir() if each.name.startswith(".unpacked")]


def test_loose_files_and_archives_of_one_folder_come_together(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "loose.png").write_bytes(png())
    archive(folder / "more.zip", **{"packed.png": png()})
    with unpacked(folder, home, Problems()) as found:
        assert sorted(each.name for each in found.iterdir()) == ["loose.png", "packed.png"]
    assert sorted(each.name for each in folder.iterdir()) == ["loose.png", "more.zip"]


def test_hostile_entries_are_left_out_and_named(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MOST_OF_LIST", 1000)
    path = tmp_path / "x.zip"
    link = zipfile.ZipInfo("link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in ("../out.png", "/abs.png", "run.sh", "inner.zip"):
            made.writestr(name, b"x")
        made.writestr(link, b"/etc/passwd")
        made.writestr("bomb.txt", bytes(10_000_000))
        made.writestr("é" * 200 + ".png", png())
        made.writestr("secret.png", b"secret")
        made.writestr("packed.png", b"packed")
        made.writestr("good.png", png())
        made.writestr("good.png/in/a.png", png())
        with pytest.warns(UserWarning, match="Duplicate name"):
            made.writestr("good.png", b"other")
    data = bytearray(path.read_bytes())
    for name, place, value in ((b"secret.png", 6, 1), (b"packed.png", 8, 99)):  # encrypted; method 99
        data[data.index(name) - 30 + place] = value
        data[data.rindex(name) - 46 + place + 2] = value
    path.write_bytes(data)
    problems = Problems()
    with unpacked(path, home, problems) as found:
        assert [each.name for each in found.iterdir()] == ["good.png"]
        assert (found / "good.png").read_bytes() == png()
    assert problems.count == 11
    assert 'x.zip: "secret.png" is encrypted; make a plain archive of it' in problems.lines
    assert 'x.zip: "packed.png" is compressed by an unknown method; make a plain archive of it' in problems.lines
    assert all(line.startswith("x.zip: ") for line in problems.lines)
    assert not (home.path / "out.png").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"x" * 100])
def test_what_is_no_archive_is_refused_in_one_line(content: bytes, home: Home, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="cannot be unpacked"), unpacked(path, home, Problems()):
        pass


@pytest.mark.parametrize(("header", "offset"), [(b"PK\x03\x04", 36), (b"PK\x01\x02", 46)])  # content, name
def test_an_archive_with_a_changed_byte_is_refused_in_one_line(
    header: bytes, offset: int, home: Home, tmp_path: Path
) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("ä.png", b"x" * 50)
    data = bytearray(path.read_bytes())
    data[data.index(header) + offset] = 0xFF
    path.write_bytes(data)
    with pytest.raises(FormatError, match="cannot be unpacked"), unpacked(path, home, Problems()):
        pass


def test_a_damaged_file_of_an_archive_is_named_and_the_others_are_unpacked(home: Home, tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", **{"a.png": png(), "b.png": png()})
    data = bytearray(path.read_bytes())
    data[data.index(b"IDAT") + 6] ^= 0xFF
    path.write_bytes(data)
    problems = Problems()
    with unpacked(path, home, problems) as found:
        assert [each.name for each in found.iterdir()] == ["b.png"]
        assert (found / "b.png").read_bytes() == png()
    (line,) = problems.lines
    assert line.startswith('x.zip: "a.png" is damaged (Bad CRC-32')


def test_an_archive_that_is_cut_off_leaves_nothing(home: Home, tmp_path: Path) -> None:
    path = archive(tmp_path / "x.zip", **{f"{number}.png": png() for number in range(20)})
    path.write_bytes(path.read_bytes()[:-200])
    done = CliRunner().invoke(group, ["import", "figures", str(path), "--home", str(home.path)])
    assert done.exit_code != 0
    with home.open_store() as store, store.read() as tx:
        assert tx.figures.count() == 0
    assert not [each for each in home.path.iterdir() if each.name.startswith(".unpacked")]


def test_an_import_writes_a_report_that_no_spreadsheet_runs(home: Home, tmp_path: Path) -> None:
    folder, report = tmp_path / "figures", tmp_path / "report.csv"
    folder.mkdir()
    (folder / "a.png").write_bytes(png())
    lines = [
        '{"figure_id": "a", "image": "a.png", "caption": "Lungs."}',
        '{"figure_id": "=1+1", "image": "missing.png", "caption": "x"}',
        "no JSON",
    ]
    (folder / "figures.jsonl").write_text("\n".join(lines))
    command = [
        "import",
        "figures",
        str(folder / "figures.jsonl"),
        "--home",
        str(home.path),
        "--report",
        str(report),
    ]
    assert CliRunner().invoke(group, command).exit_code == 1
    found = read_report(report, most=10)
    assert found.counts == {"imported": 1, "revised": 0, "unchanged": 0, "refused": 2, "note": 0}
    assert {row.place.rpartition(":")[2] for row in found.rows} == {"2", "3"}
    assert CliRunner().invoke(group, [*command, "--revise"]).exit_code == 1
    again = read_report(report, most=3)
    assert again.counts[Outcome.UNCHANGED] == 1, "added to"
    assert [row.count for row in again.rows] == [2, 2], "one row a kind"
    assert len(read_report(report, most=1).rows) == 1
    for damaged in (
        b"\x00\xff",
        b"records,result\nfigures,else\n",
        b"records,result,count,place,message\nf,note,x,,\n",
    ):
        report.write_bytes(damaged)
        with pytest.raises(FormatError, match="is no report"):
            read_report(report, most=3)


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("t.csv:2: no image", "t.csv:2", "no image"),
        ("a: a/b.png: is damaged", "a/b.png", "is damaged"),
        ("note: =x.png: is missing", "'=x.png", "is missing"),
        ("nothing to import", "", "nothing to import"),
    ],
)
def test_the_place_of_a_problem_has_a_column(line: str, place: str, message: str, tmp_path: Path) -> None:
    with open_report(tmp_path / "r.csv", "figures") as report:
        assert report is not None
        report.add_line(line)
    (row,) = read_report(tmp_path / "r.csv", most=5).rows
    assert (row.place, row.message) == (place, message)


def test_messages_name_files_as_their_sender_knows_them(home: Home) -> None:
    for place in (home.path / "uploads" / "0a1b", home.path / ".unpacked-x_1"):
        assert names_in_upload(f"{place}/a/b.png: is damaged", home.path) == "a/b.png: is damaged"
        assert names_in_upload(f"{place}: b.png: is damaged", home.path) == "b.png: is damaged"
    assert names_in_upload(f"{home.path}/b.png: is damaged", home.path) == f"{home.path}/b.png: is damaged"


def test_an_archive_of_folders_without_end_is_refused_before_anything_is_unpacked(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry of a hundred bytes may bring twenty folders of its own: 3,000 of them took two minutes."""
    monkeypatch.setattr(uploads, "MOST_FOLDERS", 60)

    def archive(folders: int) -> Path:
        path = tmp_path / f"{folders}.zip"
        with zipfile.ZipFile(path, "w") as made:
            for number in range(3):
                inner = "/".join(f"d{number}-{depth}" for depth in range(folders))
                made.writestr(f"{inner}/x.png", b"x")
        return path

    with uploads.unpacked(archive(15), home, Problems()) as folder:
        assert sum(1 for each in folder.rglob("*.png")) == 3
    with (
        pytest.raises(FormatError, match=r"^20\.zip: holds more than 60 folders; put its files into fewer"),
        uploads.unpacked(archive(20), home, Problems()),
    ):
        raise AssertionError("it was unpacked")
