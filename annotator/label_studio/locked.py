"""Check regions that annotators may not change: Label Studio's page protects them, its API does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from annotator.label_studio.answers import part, parts
from panelwise.files import is_number

#: Percent of the image: the page rewrites numbers, with other last digits.
_TOLERANCE = 0.01
_LABELS = ("rectanglelabels", "labels", "choices")


def changed(task: Mapping[str, Any], record: Mapping[str, Any]) -> Iterator[str]:
    """Describe an annotation's missing or moved locked regions, for its annotator.

    Locked are the regions that the task's predictions mark as `readonly`. Places and labels are compared; ids and
    order are the server's.
    """
    there = parts(record, "result")
    for prediction in parts(task, "predictions"):
        for region in parts(prediction, "result"):
            if not region.get("readonly"):
                continue
            same = [each for each in there if each.get("from_name") == region.get("from_name")]
            value = part(region, "value")
            if any(_alike(value, each.get("value")) for each in same):
                continue
            called = ", ".join(str(label) for key in _LABELS for label in value.get(key) or ())
            kept = any(_labels(value) == _labels(part(each, "value")) for each in same)
            yield f'the locked region "{called}" was {"changed" if kept else "removed"}'


def _labels(value: Mapping[str, Any]) -> list[Any]:
    return [value.get(key) for key in _LABELS]


def _alike(one: Mapping[str, Any], other: object) -> bool:
    if not isinstance(other, Mapping):
        return False
    # Texts come with newlines written otherwise; where they are is what counts.
    return all(_equal(each, other.get(key)) for key, each in one.items() if key != "text")


def _equal(one: object, other: object) -> bool:
    if is_number(one) and is_number(other):
        return isclose(float(str(one)), float(str(other)), abs_tol=_TOLERANCE, rel_tol=0)
    return one == other
