"""Locked regions: what counts as changed."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.label_studio.adapter import changed_locked_regions

BOX = {
    "id": "b1",
    "from_name": "subfig",
    "value": {"x": 10.0, "y": 20, "width": 30.5, "height": 40, "rectanglelabels": ["A"]},
}
SPAN = {"id": "s1", "from_name": "subcap", "value": {"start": 1, "end": 4, "text": "a\\nb", "labels": ["B"]}}
TASK = {"predictions": [{"result": [BOX | {"readonly": True}, SPAN | {"readonly": True}]}]}


def moved(region: dict[str, Any], **value: object) -> dict[str, Any]:
    return region | {"value": region["value"] | value}


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ([BOX, SPAN], []),
        ([moved(SPAN, text="a\nb") | {"id": "x"}, moved(BOX, x=10.000004) | {"id": "y"}], []),
        ([moved(BOX, x=11.0), SPAN], ['the locked region "A" was changed']),
        ([SPAN], ['the locked region "A" was removed']),
        ([BOX, moved(SPAN, end=5)], ['the locked region "B" was changed']),
        ([moved(BOX, rectanglelabels=["C"]), SPAN], ['the locked region "A" was removed']),
        ([BOX | {"from_name": "subcap"}, SPAN, {"id": "r"}, None], ['the locked region "A" was removed']),
    ],
)
def test_a_locked_region_stays_where_it_is_and_what_it_is(result: list[Any], told: list[str]) -> None:
    assert list(changed_locked_regions(TASK, {"result": result})) == told


def test_what_is_not_locked_may_be_changed() -> None:
    free = {"predictions": [{"result": [BOX, SPAN]}, {"result": None}]}
    assert list(changed_locked_regions(free, {"result": []})) == list(changed_locked_regions({}, {})) == []
