"""A table's columns: what each format has of them, in which order."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from agreement.report.blocks import Col, Format, Table, estimate, score
from agreement.report.text.names import ShortNames
from agreement.report.text.parts import NAME, table_lines
from agreement.resampling.estimate import Estimate


@dataclass(frozen=True)
class Fish:
    name: str
    length: Estimate
    weight: Estimate


PIKE = Fish("pike", Estimate(0.5, interval=(0.25, 0.75)), Estimate(None, "no scales"))
CARP = Fish("carp", Estimate(None, "no ruler"), Estimate(2.0))
FISHES: Table[Fish] = Table(
    (
        Col("name", "name", lambda row: row.name, Format.NAME),
        estimate("length", "length", lambda row: row.length),
        score("weight", "weight", lambda row: row.weight),
    ),
    csv=("name", "weight"),
    title="fish",
)


def test_json_has_each_reason_beside_its_number() -> None:
    assert FISHES.records([PIKE, CARP]) == [
        {
            **{"name": "pike", "length": 0.5, "reason": None, "interval": [0.25, 0.75], "interval_reason": None},
            **{"weight": None, "weight_reason": "no scales"},
        },
        {
            **{"name": "carp", "length": None, "reason": "no ruler", "interval": None},
            **{"interval_reason": "no ruler", "weight": 2.0, "weight_reason": None},
        },
    ]


def test_csv_begins_with_the_headings_that_are_named_and_has_all_others_after_them() -> None:
    assert FISHES.headings == (
        *("name", "weight", "length", "reason", "low", "high", "interval reason", "weight reason"),
    )
    [carp] = FISHES.cells([CARP])
    assert (carp["weight"], carp["length"], carp["low"], carp["reason"]) == (2.0, None, None, "no ruler")


def test_text_has_a_line_a_row_and_each_reason_once_below_them() -> None:
    lines = list(table_lines(FISHES, [PIKE, CARP, CARP], ShortNames(["pike", "carp"], NAME)))
    assert lines == [
        "fish               length  95 % CI            weight",
        "pike             0.500000  0.2500 to 0.7500    -    ",
        "carp                -      -                2.000000",
        "carp                -      -                2.000000",
        "  -: no ruler",
        "  -: no scales",
    ]


def test_a_name_that_no_column_has_is_refused_when_the_table_is_made() -> None:
    with pytest.raises(ValueError, match="no such column: depth"):
        Table((Col("name", "name", lambda row: row),), text=("name", "depth"))


def test_a_single_row_is_listed_by_heading_with_the_reason_of_each_undefined_value() -> None:
    named: Table[Fish] = Table(
        (
            Col("name", "name", lambda row: row.name or None, why=lambda _: "not named"),
            estimate("length", "length", lambda row: row.length, heads=("low", "high", "", "")),
        )
    )
    assert list(named.facts(Fish("", PIKE.length, PIKE.weight))) == [
        *(("name", None, "not named"), ("length", 0.5, "")),
        *(("low", 0.25, ""), ("high", 0.75, "")),
    ]
    assert list(named.facts(CARP)) == [
        *(("name", "carp", ""), ("length", None, "no ruler")),
        *(("low", None, "no ruler"), ("high", None, "no ruler")),
    ]
    assert list(named.facts(None, "no fish")) == [
        (heading, None, "no fish") for heading in ("name", "length", "low", "high")
    ]
