from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from builders import a_decision, a_figure, figures, texts
from hypothesis import given
from hypothesis import strategies as st

from annotator.consensus.gold_rule import from_decision
from panelwise.domain.caption import Caption, Span
from panelwise.domain.figure import Figure
from panelwise.files.json_arrays import write_records
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.figures import FigureRecord, figure_record, read_figures, release_record
from panelwise.formats.losses import Losses
from panelwise.formats.medicat import gold_record

odd_extras = st.dictionaries(
    st.sampled_from(["caption", "image", "width", "split", "pdf_hash", "s2_caption", "panelwise", "figure_extra"]),
    st.integers() | texts | st.none(),
    max_size=3,
)


def back(record: FigureRecord) -> Figure:
    assert record.width is not None
    assert record.height is not None
    return Figure(
        record.figure_id,
        record.image,
        record.width,
        record.height,
        record.caption,
        record.references,
        record.document,
        record.source,
        record.extra,
    )


@given(figures(), odd_extras, st.booleans())
def test_figures_read_back_in_their_own_layout(figure: Figure, extra: dict[str, object], array: bool) -> None:
    figure = replace(figure, extra={key: value for key, value in extra.items() if key != "pdf_hash"})
    with TemporaryDirectory() as folder:
        file = Path(folder) / "f.json"
        write_records(file, [figure_record(figure)], array=array)
        problems = Problems()
        (record,) = read_figures(file, problems)
    assert problems.lines == []
    assert back(record) == figure


@given(figures(), odd_extras)
def test_figures_read_back_from_the_releases_layout(figure: Figure, extra: dict[str, object]) -> None:
    figure = replace(figure, extra={key: value for key, value in extra.items() if key != "pdf_hash"})
    with TemporaryDirectory() as folder:
        file = Path(folder) / "f.jsonl"
        write_lines(file, [release_record(figure, Losses("release"))])
        problems = Problems()
        (record,) = read_figures(file, problems)
    assert problems.lines == []
    assert back(record) == figure


def test_tokens_of_their_own_survive_the_releases_layout(tmp_path: Path) -> None:
    figure = replace(a_figure(), caption=Caption("left lung", (Span(0, 9),)))
    losses = Losses("release")
    write_lines(tmp_path / "f.jsonl", [release_record(figure, losses)])
    (record,) = read_figures(tmp_path / "f.jsonl", Problems())
    assert record.caption == figure.caption
    assert any("tokens cut in a way of their own" in line for line in losses.lines())


def test_a_release_record_is_written_as_it_came(tmp_path: Path) -> None:
    given_record = {
        **{
            "pdf_hash": "ab" * 20,
            "fig_key": "Figure1",
            "fig_uri": "2-Figure1-1.png",
            "s2_caption": "Fig 1: lung.",
        },
        **{"s2orc_references": ["See Fig 1."], "oa_info": {"doi": "10.1/x"}, "radiology": True},
    }
    write_lines(tmp_path / "f.jsonl", [given_record])
    (record,) = read_figures(tmp_path / "f.jsonl", Problems())
    assert record.image == record.figure_id == f"{'ab' * 20}_2-Figure1-1.png"
    written = release_record(back(msgspec.structs.replace(record, width=8, height=6)), Losses("release"))
    assert {key: written[key] for key in given_record} == given_record


def test_gold_and_the_datasets_annotations_are_figures_files(shared_data: Path, tmp_path: Path) -> None:
    gold = from_decision(a_decision(a_figure(extra={"split": "test"}, source={"document": "doi:10.1/x"})))
    theirs = json.loads((shared_data / "medicat_record.json").read_text())
    write_lines(tmp_path / "g.jsonl", [gold_record(gold), theirs])
    problems = Problems()
    ours, other = read_figures(tmp_path / "g.jsonl", problems)
    assert problems.lines == []
    assert back(ours) == gold.figure
    assert other.image == f"{theirs['pdf_hash']}_2-Figure1-1.png"
    assert other.caption.text == theirs["text"]
    assert (other.width, other.height, other.extra) == (300, 100, {})


def test_a_bad_figure_of_any_layout_is_named_with_its_line(tmp_path: Path) -> None:
    gold = json.loads(json.dumps(gold_record(from_decision(a_decision()))))
    bad = [
        {**gold, "width": None},
        {**gold, "text": "cut"},
        {"pdf_hash": "a", "fig_uri": 3},
        {"pdf_hash": "a", "fig_uri": "b", "panelwise": {"figure_id": 3}},
        {"figure_id": "f1", "image_file": ""},
    ]
    write_lines(tmp_path / "f.jsonl", bad)
    problems = Problems()
    assert list(read_figures(tmp_path / "f.jsonl", problems)) == []
    assert [line.startswith(f"{tmp_path / 'f.jsonl'}:{at}: ") for at, line in enumerate(problems.lines, 1)] == [
        True
    ] * 5
