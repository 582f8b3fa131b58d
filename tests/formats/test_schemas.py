"""JSON Schemas of our own files: what we write and what pages show is valid, what readers refuse is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from builders import a_figure, a_prediction, an_annotation

from panelwise.formats.annotations import annotation_record, prediction_record

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((DOCS / "schemas" / f"{name}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def plain(record: dict[str, Any]) -> Any:
    return json.loads(json.dumps(record))


def test_the_records_that_we_write_are_valid() -> None:
    annotations = validator("annotations")
    for record in (annotation_record(an_annotation(a_figure())), prediction_record(a_prediction(a_figure()))):
        assert list(annotations.iter_errors(plain(dict(record)))) == []


def test_the_examples_of_the_page_are_valid() -> None:
    blocks = re.findall(r"```json\n(.*?)```", (DOCS / "files.md").read_text("utf-8"), re.DOTALL)
    records = [json.loads(block) for block in blocks if '"annotator"' in block and block.startswith("{")]
    assert records
    for record in records:
        assert list(validator("annotations").iter_errors(record)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"subfigures": None},
        {"figure_id": ""},
        {"annotator": 7},
        {"status": "maybe"},
        {"width": 0},
        {"subfigures": [{"label": "A", "box": [0, 0, 1]}]},
    ],
)
def test_what_readers_refuse_is_not_valid(changes: dict[str, Any]) -> None:
    record = plain(dict(annotation_record(an_annotation(a_figure())))) | changes
    assert list(validator("annotations").iter_errors(record))


@pytest.mark.parametrize("images", [["a.png"], [{"image": "a.png", "label": "A", "place": [0, 0, 1, 1]}]])
def test_images_of_a_figure_are_names_or_objects(images: list[Any]) -> None:
    schema = validator("images-of-a-figure")
    assert list(schema.iter_errors(images)) == []
    assert list(schema.iter_errors([*images, 7]))
