"""A file given for another is refused in one line, which says what it is and what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders import a_figure, a_prediction, an_annotation

from annotator.label_studio.payload.figures import annotation_payload, task_data
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Gold, GoldSource, Provenance
from panelwise.domain.errors import FormatError
from panelwise.formats.annotations import annotation_record, prediction_record
from panelwise.formats.detect import check_figures, check_layout
from panelwise.formats.figures import figure_record
from panelwise.formats.label_studio_export import task_record
from panelwise.formats.layout import Contents, Layout
from panelwise.formats.medicat import gold_record
from panelwise.formats.registry import COCO, FIGURES, JSONL, LABEL_STUDIO, LAYOUTS, MEDICAT, PREDICTIONS

SOME = [a_figure(f"f{number}") for number in range(3)]
WORK = [an_annotation(figure) for figure in SOME]
RECORDS: Mapping[Layout, list[dict[str, Any]]] = {
    JSONL: [annotation_record(each) for each in WORK],
    MEDICAT: msgspec.to_builtins(
        [
            gold_record(
                Gold(
                    each.figure,
                    Status.ACCEPTED,
                    each.subfigures,
                    Provenance(GoldSource.SINGLE, "", ("a",), each.saved_at),
                )
            )
            for each in WORK
        ]
    ),
    LABEL_STUDIO: [task_record(task_data(each.figure), annotation_payload(each), each) for each in WORK],
    PREDICTIONS: [prediction_record(a_prediction(figure)) for figure in SOME],
    FIGURES: [figure_record(figure) for figure in SOME],
}
COCO_FILE = {
    "info": {},
    "images": [{"id": 1, "file_name": "f0.png"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}],
}
HOLDERS = {
    "lines": lambda records: "".join(f"{json.dumps(each)}\n" for each in records),
    "array": json.dumps,
    "spread array": lambda records: json.dumps(records, indent=2),
    "one": lambda records: json.dumps(records[0], indent=2),
}
JSON_LINES = (JSONL, MEDICAT, PREDICTIONS)


def refused(path: Path, wanted: Layout) -> str:
    """What a user is told; "" where the file passes."""
    try:
        check_layout(path, wanted)
    except FormatError as error:
        told = str(error)
    else:
        return ""
    assert told.startswith(f"{path}: ")
    assert "\n" not in told
    return told.removeprefix(f"{path}: ")


def fits(layout: Layout, holder: str, wanted: Layout) -> bool:
    if layout is LABEL_STUDIO:
        return wanted is layout and "array" in holder
    return wanted is layout and holder == "lines" and layout in JSON_LINES


@pytest.mark.parametrize("wanted", [each for each in LAYOUTS if each is not FIGURES])
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("layout", RECORDS)
def test_a_file_passes_only_for_what_it_is(tmp_path: Path, layout: Layout, holder: str, wanted: Layout) -> None:
    (tmp_path / "f").write_text(HOLDERS[holder](RECORDS[layout]))
    assert (refused(tmp_path / "f", wanted) == "") is fits(layout, holder, wanted)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("wanted", [each for each in LAYOUTS if each is not FIGURES])
def test_a_coco_file_is_known_however_it_is_spread(tmp_path: Path, wanted: Layout, indent: int | None) -> None:
    (tmp_path / "f").write_text(json.dumps(COCO_FILE, indent=indent))
    told = "" if wanted is COCO else "looks like a COCO file; import it with --from coco"
    if Contents.ANNOTATIONS not in wanted.contents:
        told = "looks like a COCO file; import it with `annotator import annotations --from coco --annotator NAME`"
    assert refused(tmp_path / "f", wanted) == told


@pytest.mark.parametrize(
    ("layout", "holder", "wanted", "told"),
    [
        (
            JSONL,
            "array",
            JSONL,
            "looks like annotations.jsonl, as one JSON array; put one object a line (jq -c '.[]' FILE)",
        ),
        (
            JSONL,
            "one",
            MEDICAT,
            "looks like annotations.jsonl, as one JSON object; put one object a line (jq -c . FILE), then import "
            "it with --from jsonl",
        ),
        (
            LABEL_STUDIO,
            "array",
            JSONL,
            "looks like Label Studio's export; import it with --from label-studio",
        ),
        (
            LABEL_STUDIO,
            "lines",
            LABEL_STUDIO,
            "looks like Label Studio's export, as one object a line; put all into one JSON array (jq -s . FILE)",
        ),
        (
            MEDICAT,
            "lines",
            COCO,
            "looks like MedICaT's annotations; import it with --from medicat",
        ),
        (
            PREDICTIONS,
            "lines",
            JSONL,
            "looks like predictions; import it with `annotator import predictions`",
        ),
        (
            FIGURES,
            "array",
            LABEL_STUDIO,
            "looks like a file of figures; import it with `annotator import figures`",
        ),
    ],
)
def test_what_is_told_says_what_it_is_and_what_to_do(
    tmp_path: Path, layout: Layout, holder: str, wanted: Layout, told: str
) -> None:
    (tmp_path / "f").write_text(HOLDERS[holder](RECORDS[layout]))
    assert refused(tmp_path / "f", wanted) == told


@pytest.mark.parametrize("broken", [0, 1, 2])
@pytest.mark.parametrize("text", ['{"figure_id": "f', "[1]", '"x"', "}", '{"image": "x", "caption": "y"}'])
def test_one_broken_line_does_not_make_a_file_another(tmp_path: Path, broken: int, text: str) -> None:
    for layout in JSON_LINES:
        lines = [json.dumps(each) for each in RECORDS[layout]]
        lines[broken] = text
        (tmp_path / "f").write_text("\ufeff" * (text == "}") + "\n".join(lines))
        if text == "[1]" and broken == 0:
            continue  # begins as an array does
        assert refused(tmp_path / "f", layout) == ""


@pytest.mark.parametrize("text", ["", "\n \n", "nonsense", "{}", "{\n}", '{"a":\n1}', "{" * 5000])
def test_what_looks_like_nothing_is_left_to_its_reader(tmp_path: Path, text: str) -> None:
    (tmp_path / "f").write_text(text)
    assert refused(tmp_path / "f", COCO) == refused(tmp_path / "f", LABEL_STUDIO) == ""


def test_an_unknown_array_is_no_file_of_lines(tmp_path: Path) -> None:
    (tmp_path / "f").write_text('[{"a": 1}]')
    assert refused(tmp_path / "f", JSONL) == (
        "holds one JSON array, and looks like nothing known; put one object a line (jq -c '.[]' FILE) as in "
        "annotations.jsonl, or name its layout with --from"
    )


def test_what_is_no_prediction_is_not_sent_to_an_option_that_predictions_lack(tmp_path: Path) -> None:
    for holder in ("lines", "array", "one"):
        for layout, records in RECORDS.items():
            (tmp_path / "f").write_text(HOLDERS[holder](records))
            assert "with --from" not in refused(tmp_path / "f", PREDICTIONS), layout
    (tmp_path / "f").write_text('[{"a": 1}]')
    assert refused(tmp_path / "f", PREDICTIONS) == (
        "holds one JSON array, and looks like nothing known; put one object a line (jq -c '.[]' FILE) as in "
        "predictions of `prelabel run --out`"
    )


def refused_as_figures(path: Path, *, images: bool = True) -> str:
    try:
        check_figures(path, images=images)
    except FormatError as error:
        return str(error).removeprefix(f"{path}: ")
    return ""


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("layout", RECORDS)
def test_only_figures_and_what_has_them_are_taken_for_figures(tmp_path: Path, layout: Layout, holder: str) -> None:
    (tmp_path / "f").write_text(HOLDERS[holder](RECORDS[layout]))
    told = refused_as_figures(tmp_path / "f")
    if holder == "one":
        assert told == (
            "holds one JSON object over several lines; put one object a line (jq -c . FILE), if it is a figure"
        )
    elif layout in (FIGURES, MEDICAT):
        assert told == ""
    else:
        assert told.startswith("looks like ")
        assert "; import it with `annotator import " in told


@pytest.mark.parametrize("indent", [None, 1])
def test_a_coco_file_may_be_given_as_figures(tmp_path: Path, indent: int | None) -> None:
    (tmp_path / "f").write_text(json.dumps(COCO_FILE, indent=indent))
    assert refused_as_figures(tmp_path / "f") == ""


def test_work_that_names_its_figures_may_be_given_as_figures(tmp_path: Path) -> None:
    lines = HOLDERS["lines"]
    (tmp_path / "f").write_text(lines(RECORDS[JSONL]))
    assert refused_as_figures(tmp_path / "f", images=False) == ""
    (tmp_path / "f").write_text(lines([{**each, "image": "x.png"} for each in RECORDS[JSONL]]))
    assert refused_as_figures(tmp_path / "f") == ""


@pytest.mark.parametrize("text", ['{"figure_id": "f', "[1]", '"x"', "}", "\0" * 50])
def test_one_broken_line_does_not_make_figures_another_file(tmp_path: Path, text: str) -> None:
    for broken in range(3):
        lines = [json.dumps(each) for each in RECORDS[FIGURES]]
        lines[broken] = text
        (tmp_path / "f").write_text("\n".join(lines))
        if not text.startswith("[") or broken:
            assert refused_as_figures(tmp_path / "f") == ""
