"""Columns are kept where they harm nobody and nobody else reads them; whatever happens, the report comes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import a_figure, an_annotation

from agreement.primitives.settings import Settings
from agreement.report.json.report import report_json
from annotator.measurement import columns as reading_columns
from annotator.measurement import kept_columns
from annotator.measurement.kept_columns import SETTING
from annotator.measurement.report import measure_sources
from panelwise.files.jsonl import Problems, encode_line
from panelwise.formats.annotations import annotation_record

WORK = [
    annotation_record(an_annotation(a_figure(figure), annotator=name, minutes=minutes))
    for figure in ("f1", "f2")
    for minutes, name in enumerate(("ann1", "ann2", "ann3"))
]
QUICK = Settings(resamples=20)
NAME = "annotations.jsonl"


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that counts as large enough for its columns to be kept, and a cache folder elsewhere."""
    monkeypatch.setattr(reading_columns, "COLUMNS_FROM", 0)
    monkeypatch.setattr(reading_columns, "KEPT_FROM", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    file = tmp_path / "work" / NAME
    file.parent.mkdir()
    file.write_bytes(b"".join(encode_line(record) for record in WORK))
    return file


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.panelwise-cache")


def in_cache(file: Path) -> list[Path]:
    return list(file.parent.parent.glob("caches/panelwise/*"))


def report_of(file: Path) -> tuple[str, list[str]]:
    problems, told = Problems(), list[str]()
    report = report_json(measure_sources([file], problems, settings=QUICK, tell=told.append))
    assert problems.lines == []
    return report, told


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def serves(file: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether what is kept is taken instead of decoding."""
    with monkeypatch.context() as patch:
        patch.setattr(reading_columns, "decode_annotations", lambda *_, **__: 1 / 0)
        try:
            report_of(file)
        except ZeroDivisionError:
            return False
    return True


def test_a_link_is_neither_written_through_nor_replaced(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = large.parent / "precious"
    victim.write_text("precious")
    for target in ("precious", "not there"):
        beside(large).unlink(missing_ok=True)
        beside(large).symlink_to(target)
        assert report_of(large)[1] == []
        assert os.readlink(beside(large)) == target
        assert sorted(each.name for each in large.parent.iterdir()) == [NAME, beside(large).name, "precious"]
    assert victim.read_text() == "precious"
    assert len(in_cache(large)) == 1
    assert serves(large, monkeypatch)


def test_a_link_that_is_put_there_meanwhile_is_replaced_itself(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = large.parent / "precious"
    victim.write_text("precious")
    write = kept_columns.write_columns

    def planting(file: Any, *arguments: Any) -> None:
        beside(large).symlink_to(victim)
        write(file, *arguments)

    monkeypatch.setattr(kept_columns, "write_columns", planting)
    report_of(large)
    assert victim.read_text() == "precious"
    assert not beside(large).is_symlink()


@pytest.mark.slow
@pytest.mark.parametrize("foreign", ["my own notes", "", "x" * 10_000, "panelwise"])
def test_a_file_of_that_name_that_is_none_of_ours_is_left_alone(
    large: Path, foreign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(large).write_text(foreign)
    first, told = report_of(large)
    assert (beside(large).read_text(), told) == (foreign, [])
    assert len(in_cache(large)) == 1, "the next place serves"
    assert serves(large, monkeypatch)
    monkeypatch.setenv(SETTING, str(large.parent.parent / "chosen"))
    report_of(large)
    (chosen,) = (large.parent.parent / "chosen").iterdir()
    chosen.write_text(foreign)
    again, told = report_of(large)
    assert (again, chosen.read_text()) == (first, foreign)
    assert len(told) == 1
    assert "is no file of columns of yours, and was left alone" in told[0]


def test_what_is_no_file_at_all_is_left_alone(large: Path) -> None:
    beside(large).mkdir()
    first = report_of(large)
    beside(large).rmdir()
    os.mkfifo(beside(large))
    assert report_of(large) == first
    assert len(in_cache(large)) == 1


@pytest.mark.parametrize("harm", [lambda raw: raw[:200], lambda raw: raw[:-1], lambda raw: raw + b"x"])
def test_columns_of_ours_that_are_damaged_are_made_anew(large: Path, harm: Any) -> None:
    first = report_of(large)
    good = beside(large).read_bytes()
    beside(large).write_bytes(harm(good))
    assert report_of(large) == first
    assert beside(large).read_bytes() == good


@pytest.mark.usefixtures("usual_umask")
@pytest.mark.parametrize(
    ("source", "kept"), [(0o600, 0o600), (0o400, 0o600), (0o640, 0o640), (0o644, 0o644), (0o666, 0o644)]
)
def test_who_may_not_read_the_file_may_not_read_its_columns(large: Path, source: int, kept: int) -> None:
    large.chmod(source)
    report_of(large)
    assert mode(beside(large)) == kept


@pytest.mark.usefixtures("usual_umask")
def test_elsewhere_only_their_owner_may_read_them(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large.chmod(0o644)
    monkeypatch.setenv(SETTING, str(large.parent.parent / "chosen"))
    report_of(large)
    (chosen,) = (large.parent.parent / "chosen").iterdir()
    assert (mode(chosen), mode(chosen.parent)) == (0o600, 0o700)


@pytest.mark.usefixtures("usual_umask")
def test_a_file_of_another_group_has_columns_for_their_owner_alone(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large.chmod(0o644)
    real = os.fstat

    def of_another_group(number: int) -> os.stat_result:
        there = real(number)
        return os.stat_result((*there[:5], there.st_gid + 1, *there[6:10]))

    monkeypatch.setattr(os, "fstat", of_another_group)
    report_of(large)
    assert mode(beside(large)) == 0o600


@pytest.mark.parametrize(
    "setting", ["~nobody-of-that-name/x", "/dev/null/x", "/proc/x", "x" * 300], ids=lambda text: text[:9]
)
def test_a_folder_that_cannot_be_is_told_once_and_does_no_harm(
    large: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(large.parent)
    monkeypatch.setenv(SETTING, "off")
    first, _ = report_of(large)
    monkeypatch.setenv(SETTING, setting)
    again, told = report_of(large)
    assert again == first
    assert [SETTING in line for line in told] == [True]
    assert [each.name for each in large.parent.iterdir()] == [NAME]


def test_a_name_too_long_to_be_longer_falls_to_the_next_place(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    longest = large.rename(large.with_name("x" * 244 + ".jsonl"))
    assert report_of(longest)[1] == []
    assert len(in_cache(longest)) == 1
    assert serves(longest, monkeypatch)


def test_without_a_home_nothing_is_kept_but_beside_the_file(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda name: name)
    first = report_of(large)
    assert first[1] == []
    beside(large).write_text("notes")
    again, told = report_of(large)
    assert again == first[0]
    assert ["there is no such home" in line for line in told] == [True]
    assert not list(Path().glob("~*"))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_where_nothing_can_be_written_it_is_told_and_does_no_harm(
    large: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(kept_columns, "write_columns", refuse)
    _, told = report_of(large)
    assert len(told) == 1
    assert os.strerror(number) in told[0]
    assert SETTING in told[0]
    assert [each.name for each in large.parent.iterdir()] == [NAME], "nothing half written is left"


def test_where_columns_are_kept_can_be_chosen(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SETTING, "off")
    first = report_of(large)
    folder = large.parent.parent / "chosen"
    monkeypatch.setenv(SETTING, str(folder))
    assert report_of(large) == first
    assert len(list(folder.iterdir())) == 1
    assert [each.name for each in large.parent.iterdir()] == [NAME]
    assert serves(large, monkeypatch)
