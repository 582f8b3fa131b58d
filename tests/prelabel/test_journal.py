from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import a_figure, a_prediction

from panelwise.domain.annotation import Prediction
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError, InvalidAnnotation
from panelwise.formats.annotations import prediction_record
from panelwise.formats.figures import FigureRecord
from prelabel.runs.journal import WHOLE, Journal, Shard


def made(*names: str) -> list[Prediction]:
    return [a_prediction(a_figure(name)) for name in names]


def record(name: str, *, caption: str | None = None, width: int | None = None) -> FigureRecord:
    figure = a_figure(name)
    cut = figure.caption if caption is None else Caption.cut(caption)
    height = figure.height if width else None
    return FigureRecord(name, f"{name}.png", width, height, cut, (), {}, {}, "figures.jsonl:1")


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_file_appears_at_the_end_in_the_order_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with Journal(out, "m-1", WHOLE) as journal:
        journal.add(made("a", "b"))
        journal.add(made("c"))
        assert len(journal) == 3
        assert not out.exists()
        assert journal.finish(["c", "x", "a", "b"]) == 3
    assert [each["figure_id"] for each in lines_of(out)] == ["c", "a", "b"]
    assert lines_of(out)[1] == json.loads(json.dumps(prediction_record(made("a")[0])))
    assert [each.name for each in tmp_path.iterdir()] == ["p.jsonl"]


def test_what_was_done_is_known_after_a_break_and_a_line_that_was_cut_off_is_not(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with Journal(out, "m-1", WHOLE) as journal:
        journal.add(made("a", "b"))
        journal.add(made("c", "d"))
    partial = out.with_name("p.jsonl.partial")
    partial.write_bytes(partial.read_bytes()[:-10])
    with Journal(out, "m-1", WHOLE) as journal:
        assert journal.resumed == 2
        assert [journal.has(record(name)) for name in "abcd"] == [True, True, False, False]
        journal.add(made("c", "d"))
        journal.finish("abcd")
    assert [each["figure_id"] for each in lines_of(out)] == ["a", "b", "c", "d"]


def test_a_figure_whose_caption_or_size_has_changed_since_is_not_done(tmp_path: Path) -> None:
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE) as journal:
        journal.add(made("a"))
        assert journal.has(record("a"))
        assert journal.has(record("a", width=800))
        assert not journal.has(record("a", width=801))
        assert not journal.has(record("a", caption="Another one."))


def test_a_head_that_was_cut_off_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl.partial").write_bytes(b'{"partial": "p.j')
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE) as journal:
        assert journal.resumed == 0
        journal.add(made("a"))
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE) as journal:
        assert journal.resumed == 1


def test_a_run_in_which_nothing_was_done_leaves_nothing_behind(tmp_path: Path) -> None:
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE):
        assert (tmp_path / "p.jsonl.partial").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("version", "shard"), [("m-2", WHOLE), ("m-1", Shard(1, 2))])
def test_another_models_or_parts_work_is_neither_taken_nor_thrown_away(
    tmp_path: Path, version: str, shard: Shard
) -> None:
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE) as journal:
        journal.add(made("a"))
    with pytest.raises(AnnotatorError, match="an unfinished run holds"):
        Journal(tmp_path / "p.jsonl", version, shard)
    with Journal(tmp_path / "p.jsonl", version, shard, restart=True) as journal:
        assert journal.resumed == 0


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    with Journal(tmp_path / "p.jsonl", "m-1", WHOLE) as journal:
        journal.add(made("a"))
        with pytest.raises(AnnotatorError, match="another run writes it now"):
            Journal(tmp_path / "p.jsonl", "m-1", WHOLE)
        assert len(journal) == 1
        assert journal.finish(["a"]) == 1


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl.partial").write_text("my notes\n")
    with pytest.raises(FormatError, match="is no unfinished run"):
        Journal(tmp_path / "p.jsonl", "m-1", WHOLE, restart=False)
    assert (tmp_path / "p.jsonl.partial").read_text() == "my notes\n"


def test_every_figure_falls_to_one_part() -> None:
    names = [f"figure-{number}" for number in range(1000)]
    parts = [Shard(number, 7) for number in range(1, 8)]
    falls = [[str(part) for part in parts if part.has(name)] for name in names]
    assert all(len(each) == 1 for each in falls)
    sizes = [sum(part.has(name) for name in names) for part in parts]
    assert min(sizes) > 100
    assert all(WHOLE.has(name) for name in names)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/9999999"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(InvalidAnnotation, match="part"):
        Shard.read(text)


def test_a_part_is_read_as_it_is_written() -> None:
    assert Shard.read(" 2/8 ") == Shard(2, 8)
    assert str(Shard(2, 8)) == "2/8"
