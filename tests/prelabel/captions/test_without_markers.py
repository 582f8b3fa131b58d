"""Captions written for these tests, with the words that each panel should get by the gold's conventions.

Panels are numbered from 1 where the caption only lists them. `missed`: not read right so far.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from panelwise.domain.caption import Caption
from prelabel.captions.enumerations import MOST_PANELS, read_enumeration
from prelabel.captions.parser import parse_caption

CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("without_markers.jsonl").read_text(encoding="utf-8").splitlines()
]
WORD = re.compile(r"\w+")


def words(caption: str) -> dict[str, set[str]]:
    cut = Caption.cut(caption)
    return {
        label: {word for span in cut.spans_of(tokens) for word in WORD.findall(caption[span.start : span.end])}
        for label, tokens in parse_caption(cut).tokens.items()
    }


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.xfail(strict=True)) if case.get("missed") else case for case in CASES],
    ids=lambda case: case["caption"][:40],
)
def test_each_panel_gets_its_own_words(case: dict[str, Any]) -> None:
    expected = {label: set(WORD.findall(text)) for label, text in case["panels"].items()}
    found = words(case["caption"])
    assert (list(found), found) == (list(expected), expected)


@pytest.mark.parametrize(
    "caption",
    [
        "AP and " * 2000 + "lateral views.",
        "From left to right: " + "oak, " * 5000,
        "Rows: " + "a, " * 3000 + "columns: " + "b, " * 3000,
        "Images at " + "1, " * 5000 + "and 2 h.",
        "left and right " * 3000 + "respectively",
        "A, one; B, two; " * 2000,
    ],
)
def test_lists_without_end_name_no_more_panels_than_a_figure_has(caption: str) -> None:
    assert len(read_enumeration(caption)) <= MOST_PANELS
    assert len(parse_caption(caption).labels) <= MOST_PANELS


def test_a_list_of_times_that_does_not_rise_names_no_panels() -> None:
    assert read_enumeration("Images at 0, 24 and 72 h.") != {}
    assert read_enumeration("Images of 72, 3 and 24 h.") == {}
