from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from builders import figures
from hypothesis import given

from panelwise.domain.errors import FormatError
from panelwise.domain.figure import Figure
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.figures import figure_record, read_figures


@given(figures())
def test_a_figure_reads_back_equal(figure: Figure) -> None:
    with TemporaryDirectory() as folder:
        write_lines(Path(folder) / "f.jsonl", [figure_record(figure)])
        (record,) = read_figures(Path(folder) / "f.jsonl", Problems())
    assert record.figure_id == figure.id
    assert record.caption == figure.caption
    assert (record.width, record.height, record.image) == (figure.width, figure.height, figure.image)
    assert (record.references, record.document) == (figure.references, figure.document)
    assert (dict(record.source), dict(record.extra)) == (dict(figure.source), dict(figure.extra))


@pytest.mark.parametrize("caption", [None, ""])
def test_a_null_or_empty_caption_has_no_tokens(tmp_path: Path, caption: str | None) -> None:
    write_lines(tmp_path / "f.jsonl", [{"figure_id": "f1", "image": "a.png", "caption": caption}])
    (record,) = read_figures(tmp_path / "f.jsonl", Problems())
    assert record.caption.text == ""
    assert record.caption.tokens == ()
    assert record.width is None


def test_the_first_of_a_repeated_id_is_kept_and_the_second_named(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    write_lines(file, [{"figure_id": "f1", "image": "a.png"}, {"figure_id": "f1", "image": "b.png"}])
    problems = Problems()
    assert [each.image for each in read_figures(file, problems)] == ["a.png"]
    assert problems.lines == [
        f'{file}:2: figure "f1" was given before ({file}:1); kept the first, give each figure an id of its own'
    ]


def test_a_record_of_the_release_is_read(tmp_path: Path) -> None:
    release = {
        "pdf_hash": "a" * 40,
        "fig_uri": "2-Figure1-1.png",
        "s2_caption": "Figure 1: a lung.",
        "s2orc_references": ["See Figure 1."],
        "oa_info": {"oa_url": None},
    }
    write_lines(
        tmp_path / "f.jsonl", [release, {**release, "fig_uri": "3-Figure2-1.png", "s2orc_references": None}]
    )
    problems = Problems()
    first, second = read_figures(tmp_path / "f.jsonl", problems)
    assert problems.lines == []
    assert first.figure_id == first.image == "a" * 40 + "_2-Figure1-1.png"
    assert first.document == "a" * 40
    assert first.references == ("See Figure 1.",)
    assert second.references == ()
    assert first.extra == {"oa_info": {"oa_url": None}}


def test_a_record_of_the_release_without_its_own_caption_has_that_of_the_parser(tmp_path: Path) -> None:
    release = {"pdf_hash": "a" * 40, "fig_uri": "2-Figure1-1.png", "s2_caption": None}
    write_lines(tmp_path / "f.jsonl", [{**release, "s2orc_caption": "A lung."}])
    problems = Problems()
    (found,) = read_figures(tmp_path / "f.jsonl", problems)
    assert (found.caption.text, problems.lines) == ("A lung.", [])


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"image": "a.png"}, '"figure_id" is missing'),
        ({"figure_id": "f1"}, '"image" is missing'),
        ({"figure_id": 7, "image": "a.png"}, "holds a number, not a text"),
        ({"figure_id": "f1", "image": "a.png", "references": "one"}, "not a list"),
        ({"figure_id": "f1", "image": "a.png", "caption": "x", "tokens": [[0, 2]]}, "beyond the caption"),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, record: dict[str, object], complaint: str) -> None:
    file = tmp_path / "f.jsonl"
    write_lines(file, [record])
    problems = Problems()
    assert list(read_figures(file, problems)) == []
    assert problems.lines[0].startswith(f"{file}:1: ")
    assert complaint in problems.lines[0]


@pytest.mark.parametrize(
    "key",
    ["Caption", "captions", "caption_string", "figcaption", "figure_caption", "image caption text", "Legend"],
)
def test_a_caption_by_another_name_never_makes_a_figure_without_one(tmp_path: Path, key: str) -> None:
    for name, record in (
        ("figures.jsonl", {"figure_id": "f1", "image": "a.png", key: "Fig 1: (A) cells."}),
        ("coco.json", {"images": [{"id": 1, "file_name": "a.png", key: "Fig 1: (A) cells."}], "annotations": []}),
    ):
        path = tmp_path / name
        path.write_text(json.dumps(record), encoding="utf-8")
        problems = Problems()
        assert list(read_figures(path, problems)) == []
        assert problems.lines == [f'{path}:1: "caption" is missing, but "{key}" holds a text; name it "caption"']
    table = tmp_path / "t.csv"
    table.write_text(f"figure_id,image,{key} text\nf1,a.png,Fig 1: (A) cells.\n", encoding="utf-8")
    if "aption" in key:
        with pytest.raises(FormatError, match=r'no column is named "caption", but ".* text" is'):
            list(read_figures(table, Problems()))


@pytest.mark.parametrize(
    "record",
    [
        *({"subcaption": "A"}, {"has_legend": "yes"}, {"figure_caption": ""}, {"caption_id": "c7"}),
        *({"caption_source": "the publisher"}, {"captioner": "ann"}, {"caption_language": "en"}),
    ],
)
def test_other_keys_that_speak_of_captions_are_no_captions(tmp_path: Path, record: dict[str, str]) -> None:
    path = tmp_path / "figures.jsonl"
    path.write_text(json.dumps({"figure_id": "f1", "image": "a.png", **record}), encoding="utf-8")
    problems = Problems()
    assert [each.caption.text for each in read_figures(path, problems)] == [""]
    assert problems.lines == []


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ({"figure_id": "f1", "image": "a.png", "caption": None, "figure_caption": "Fig 1."}, "caption"),
        ({"pdf_hash": "a", "fig_uri": "1.png", "caption": "Fig 1."}, "s2_caption"),
        ({"pdf_hash": "a", "fig_uri": "1.png", "s2_caption": None, "legend": "Fig 1."}, "s2_caption"),
        (
            *({"pdf_hash": "a", "fig_uri": "1.png", "width": 9, "height": 9, "spans": [], "caption": "Fig 1."},),
            "text",
        ),
    ],
)
def test_each_layout_refuses_a_caption_by_the_name_of_another(
    tmp_path: Path, keys: dict[str, object], name: str
) -> None:
    path = tmp_path / "figures.jsonl"
    write_lines(path, [keys])
    problems = Problems()
    assert list(read_figures(path, problems)) == []
    assert problems.lines[0].startswith(f'{path}:1: "{name}" is missing, but "')
    assert problems.lines[0].endswith(f'name it "{name}"')


def test_figures_without_a_caption_are_one_note_with_the_key_that_may_be_it(tmp_path: Path) -> None:
    records = [
        {"figure_id": f"f{number}", "image": "a.png", "licence": "Any use that is not for profit"}
        for number in range(5)
    ]
    records[0]["description"] = "Lungs."
    records[1] |= {"caption": None, "text": "Hearts.", "remark": "read it once more before the meeting"}
    records[2] |= {"caption": " ", "description": "Livers."}
    records[3] |= {"caption": "Kidneys.", "text": "Hearts."}
    path = tmp_path / "figures.jsonl"
    write_lines(path, records)
    problems = Problems()
    assert len(list(read_figures(path, problems))) == 5
    assert problems.lines == []
    assert problems.notes == [
        f'{path}: without a caption: 4 figures, the first "f0", "f1", "f2"; 2 of them with a text under '
        '"description": rename it to "caption" if that is the caption'
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("f.json", '[{"figure_id": "a", "image": "a.png", "words": "Two lungs and then a heart."}]'),
        ("coco.json", '{"images": [{"id": 1, "file_name": "a.png", "words": "Two lungs and then a heart."}]}'),
        ("t.csv", "figure_id,image,caption,words\na,a.png,,Two lungs and then a heart.\n"),
    ],
)
def test_any_text_of_some_length_may_be_a_missing_caption(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text.replace('"}]}', '"}], "annotations": []}'), encoding="utf-8")
    problems = Problems()
    assert [each.caption.text for each in read_figures(path, problems)] == [""]
    assert problems.notes == [
        f'{path}: without a caption: 1 figure, the first "a"; 1 of them with a text under "words": '
        'rename it to "caption" if that is the caption'
    ]


def test_a_size_of_zero_in_coco_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "coco.json"
    image = {"id": 1, "file_name": "a.png", "width": 0, "height": "0", "caption": "x"}
    path.write_text(json.dumps({"images": [image], "annotations": []}), encoding="utf-8")
    problems = Problems()
    assert [(each.width, each.height) for each in read_figures(path, problems)] == [(None, None)]
    assert problems.lines == []
