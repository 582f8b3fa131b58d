from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from builders import a_decision, a_figure, golds
from hypothesis import given
from hypothesis import strategies as st

from annotator.consensus.gold_rule import from_decision
from panelwise.domain.decision import Gold
from panelwise.formats.coco import Categories, write_coco
from panelwise.formats.losses import Losses


def check_layout(whole: dict[str, Any]) -> None:
    """What COCO's own readers ask of a detection file: types, ids, references between the lists, boxes."""
    assert {"images", "annotations", "categories"} <= whole.keys()
    for name in ("images", "annotations", "categories"):
        ids = [each["id"] for each in whole[name]]
        assert all(type(number) is int for number in ids)
        assert len(set(ids)) == len(ids)
    images = {each["id"]: each for each in whole["images"]}
    categories = {each["id"]: each["name"] for each in whole["categories"]}
    assert all(name and isinstance(name, str) for name in categories.values())
    for image in images.values():
        assert isinstance(image["file_name"], str)
        assert type(image["width"]) is type(image["height"]) is int
    for box in whole["annotations"]:
        image = images[box["image_id"]]
        assert box["category_id"] in categories
        assert box["iscrowd"] == 0
        x, y, width, height = box["bbox"]
        assert width > 0
        assert height > 0
        assert box["area"] == pytest.approx(width * height)
        assert x >= -0.5
        assert y >= -0.5
        assert x + width <= image["width"] + 0.5
        assert y + height <= image["height"] + 0.5


@given(golds(), st.sampled_from(Categories))
def test_gold_is_written_as_cocos_own_readers_ask(gold: Gold, categories: Categories) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "coco.json"
        tally = write_coco(file, [gold], Losses("COCO"), categories=categories)
        check_layout(json.loads(file.read_text()))
    assert (tally.images, tally.boxes) == (1, len(gold.subfigures))


def test_one_category_or_one_for_each_label(tmp_path: Path) -> None:
    golds_ = [from_decision(a_decision(a_figure(name))) for name in ("f1", "f2")]
    names = {}
    for categories in Categories:
        write_coco(tmp_path / "c.json", golds_, Losses("COCO"), categories=categories)
        whole = json.loads((tmp_path / "c.json").read_text())
        check_layout(whole)
        names[categories] = [each["name"] for each in whole["categories"]]
    assert names == {Categories.SUBFIGURE: ["subfigure"], Categories.LABEL: ["A", "B"]}
    assert [each["bbox"] for each in whole["annotations"][:2]] == [[0, 0, 400, 600], [400, 0, 400, 600]]
    assert [each["category_id"] for each in whole["annotations"]] == [1, 2, 1, 2]


def test_what_coco_has_no_place_for_is_listed(tmp_path: Path) -> None:
    losses = Losses("COCO")
    write_coco(tmp_path / "c.json", [from_decision(a_decision(a_figure(references=("See.",))))], losses)
    told = "\n".join(losses.lines())
    for what in ("captions and their tokens: 1", "subcaptions: 2", "references: 1", "provenance: 1", "labels"):
        assert what in told
