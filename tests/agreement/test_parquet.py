"""Parquet tables of annotations: the same work as JSON lines, into columns and record by record."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders import a_figure, a_prediction, a_subfigure, an_annotation
from click.testing import CliRunner
from rich_work import rich_work

from agreement.columns.corpus import Corpus
from agreement.reading import parquet as module
from agreement.reading.parquet import articles_in_memory, parquet_columns
from annotator.cli.agreement.main import group
from annotator.gold.dataset.rows import annotation_row, prediction_row
from annotator.measurement import columns
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems, write_lines
from panelwise.files.parquet import WorkRow, write_parquet
from panelwise.formats.annotations import annotation_record, read_annotations, read_predictions

pyarrow = pytest.importorskip("pyarrow", reason="the extra panelwise[release] is not installed")


def written(path: Path, work: Sequence[Annotation]) -> Path:
    write_parquet(path, WorkRow, map(annotation_row, work))
    return path


def report(*arguments: object) -> str:
    done = CliRunner().invoke(group, ["report", *map(str, arguments), "--bootstrap", "20"], catch_exceptions=False)
    return done.stdout


def same(one: Corpus, other: Corpus) -> None:
    for name in ("annotators", "phases", "figures", "labels"):
        assert getattr(one, name) == getattr(other, name)
    for name in (
        *("annotator", "phase", "figure", "revision", "status", "seeded", "saved_at", "content", "digests"),
        *("tokens", "counted", "panel_starts", "boxes", "label"),
    ):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert np.array_equal(one.text.words, other.text.words)


@pytest.mark.parametrize("rows", [1, 7, 1 << 13])
def test_columns_and_records_are_those_of_the_work(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = rich_work()
    file, problems = written(tmp_path / "work.parquet", work), Problems()
    monkeypatch.setattr(module, "_ROWS", rows)
    found = parquet_columns(file, problems)
    assert problems.count == 0
    same(found, Corpus.of(work))
    again = [each.saved_at for each in work]
    assert [each.saved_at for each in read_annotations(file, Problems())] == again
    for place, (mine, theirs) in enumerate(zip(read_annotations(file, Problems()), work, strict=True)):
        assert (mine.subfigures, mine.items, mine.status) == (theirs.subfigures, theirs.items, theirs.status)
        assert mine.figure.caption == theirs.figure.caption
        assert mine.seconds == theirs.seconds
        assert found.rows[place].subfigures == theirs.subfigures
        assert mine.figure.document == theirs.figure.document


def test_a_report_is_that_of_json_lines_with_the_articles_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = [
        an_annotation(
            a_figure(f"f{number}", document=f"doi:{number // 2}"),
            annotator=name,
            subfigures=(a_subfigure(tokens=range(4, 7 + place + number % 3)),),
        )
        for number in range(8)
        for place, name in enumerate(("ann1", "ann2", "ann3"))
    ]
    lines, figures = tmp_path / "work.jsonl", tmp_path / "figures.jsonl"
    write_lines(lines, map(annotation_record, work))
    write_lines(
        figures, [{"figure_id": each.figure.id, "source": {"document": each.figure.document}} for each in work]
    )
    table = written(tmp_path / "work.parquet", work)
    assert report(table, "--format", "json") == report(lines, "--articles", figures, "--format", "json")
    assert "resamples of articles" in report(table)
    # What both sources hold alike counts once.
    assert report(table, lines, "--format", "json") == report(table, "--format", "json")
    records = [{**annotation_record(each), "document": each.figure.document} for each in work]
    write_lines(lines, records)
    for least in (1, 1 << 20):
        # As a large file is read, and a small one.
        monkeypatch.setattr(columns, "COLUMNS_FROM", least)
        assert report(lines, "--format", "json") == report(table, "--format", "json")
    assert set(articles_in_memory(parquet_columns(table, Problems()).rows).values()) == {
        f"doi:{n}" for n in range(4)
    }
    page = report(table, "--format", "html", "--mode", "official-code")
    assert "as the MedICaT authors" in page


def test_predictions_and_gold_are_compared_from_tables(tmp_path: Path) -> None:
    figures = [a_figure(f"f{number}") for number in range(3)]
    gold = written(tmp_path / "gold.parquet", [an_annotation(each, annotator="gold") for each in figures])
    table = tmp_path / "predictions.parquet"
    models = [a_prediction(each, scores=(0.9, 0.4)) for each in figures]
    write_parquet(table, WorkRow, (prediction_row(each, document="", split="") for each in models))
    assert [each.scores for each in read_predictions(table, Problems())] == [(0.9, 0.4)] * 3
    done = CliRunner().invoke(
        group, ["compare", str(gold), str(table), "--bootstrap", "20"], catch_exceptions=False
    )
    assert "score              1.000000" in done.stdout
    assert "AP" in done.stdout


def broken(work: Sequence[Annotation], row: int, key: str, value: Any) -> Any:
    """The table of some work with one cell replaced."""
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(written(Path(key), work)).to_pylist()
    rows[row][key] = value
    return pyarrow.Table.from_pylist(rows)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("status", "fine", 'work.parquet:2: "status" is "fine"'),
        ("figure_id", "", 'work.parquet:2: "figure_id" is empty'),
        ("annotator", None, 'work.parquet:2: "annotator" is missing'),
        ("width", 0, 'work.parquet:2: "width" holds 0'),
        ("saved_at", "yesterday", 'work.parquet:2: "saved_at" holds "yesterday"'),
        ("tokens", [[0, 9], [3, 12]], "work.parquet:2: "),
        ("tokens", [[0, 9, 10]], "work.parquet:2: "),
        ("subfigures", [{"label": "A", "box": [0.0, 0.0, 9.0], "subcaption": []}], "work.parquet:2: "),
        ("subfigures", [{"label": "A", "box": [0.0, 0.0, 9e9, 9.0], "subcaption": []}], "leaves the image"),
        ("subfigures", [{"label": "", "box": [0.0, 0.0, 9.0, 9.0], "subcaption": []}], "work.parquet:2: "),
        ("subfigures", [{"label": "A", "box": [0.0, 0.0, 9.0, 9.0], "subcaption": [99]}], "work.parquet:2: "),
    ],
)
def test_a_bad_row_is_named_and_the_rest_is_read(
    key: str, value: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    work = [an_annotation(a_figure(f"f{number}")) for number in range(3)]
    file = tmp_path / "work.parquet"
    pyarrow.parquet.write_table(broken(work, 1, key, value), file)
    problems = Problems()
    found = parquet_columns(file, problems)
    assert found.figures[found.figure[0]] == "f0"
    assert [found.figures[place] for place in found.figure] == ["f0", "f2"]
    assert found.rows[1].figure.id == "f2"
    [line] = problems.lines
    assert said in line
    assert len(list(read_annotations(file, Problems()))) == 2


def test_what_cannot_be_read_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet

    file = written(tmp_path / "work.parquet", [an_annotation()])
    other = tmp_path / "other.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), other)
    with pytest.raises(FormatError, match="a table without caption, figure_id, subfigures, tokens; give one that"):
        parquet_columns(other, Problems())
    other.write_bytes(file.read_bytes()[:200])
    with pytest.raises(FormatError, match="not valid Parquet"):
        parquet_columns(other, Problems())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FormatError, match=r'is Parquet; pip install "panelwise\[release\]" reads it'):
        report(file)


def test_rows_with_an_odd_value_are_read_with_care_and_a_repeated_row_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    work = [an_annotation(a_figure(f"f{number}")) for number in range(3)]
    parts = [
        {"label": " A", "box": [400.0, 600.0, 0.0, 0.0], "subcaption": [4]},
        {"label": "B", "box": [400.0, 0.0, 900.0, 600.0], "subcaption": [6]},
        {"label": "C", "box": [400.0, 0.0, 800.0, 600.0], "subcaption": [6, 99]},
    ]
    table = broken(work, 1, "subfigures", parts)
    pyarrow.parquet.write_table(pyarrow.concat_tables([table, table.slice(2, 1)]), tmp_path / "work.parquet")
    problems, also = Problems(), Problems()
    found = parquet_columns(tmp_path / "work.parquet", problems)
    again = Corpus.of(list(read_annotations(tmp_path / "work.parquet", also)))
    same(found, again)
    assert (problems.lines, problems.notes) == (also.lines, also.notes)
    assert [found.figures[place] for place in found.figure] == ["f0", "f1", "f2", "f2"]
    assert [each.label for each in found.rows[1].subfigures] == ["A", "C"]
    assert len(problems.lines) == len(problems.notes) == 2
    done = CliRunner().invoke(group, ["report", "work.parquet", "--bootstrap", "0"])
    assert 'work.parquet:4: figure "f2" by "ann1" in phase "1" is there before (work.parquet:3' in done.stderr
    assert done.exit_code == 1


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("items", "{", 'work.parquet:2: "kind" holds a text, not an object'),
        ("items", "[1]", 'work.parquet:2: "kind" holds a text, not an object'),
        ("subfigures", [None], 'work.parquet:2: "subfigures[0]" holds null, not an object'),
    ],
)
def test_a_cell_that_is_no_object_is_named_and_read_as_nothing(
    key: str, value: Any, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    work = [an_annotation(a_figure(f"f{number}"), subfigures=()) for number in range(3)]
    pyarrow.parquet.write_table(broken(work, 1, key, value), tmp_path / "work.parquet")
    problems, also = Problems(), Problems()
    found = list(read_annotations(Path("work.parquet"), problems))
    assert [each.figure.id for each in found] == ["f0", "f2"]
    [line] = problems.lines
    assert said in line
    same(parquet_columns(Path("work.parquet"), also), Corpus.of(found))
    assert also.lines == problems.lines


@pytest.mark.parametrize(
    ("key", "convert"),
    [
        ("width", str),
        ("width", float),
        ("caption", None),
        ("phase", int),
        ("partly_read", str),
        ("tokens", lambda pairs: [[str(number) for number in pair] for pair in pairs]),
        ("subfigures", lambda parts: [{**part, "box": list(map(str, part["box"]))} for part in parts]),
        ("subfigures", lambda parts: [{**part, "box": list(map(int, part["box"]))} for part in parts]),
    ],
)
def test_a_table_with_values_of_other_types_is_read_as_records_are(
    key: str, convert: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    file = Path("work.parquet")
    rows = pyarrow.parquet.read_table(
        written(file, [an_annotation(a_figure(f"f{number}"), phase="1") for number in range(3)])
    ).to_pylist()
    for row in rows:
        row[key] = None if convert is None else convert(row[key])
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    problems, also = Problems(), Problems()
    found = parquet_columns(file, problems)
    same(found, Corpus.of(list(read_annotations(file, also))))
    assert (problems.lines, problems.notes) == (also.lines, also.notes)
