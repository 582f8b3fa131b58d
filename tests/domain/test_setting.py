"""Settings that describe themselves: rows, limits in words, and numbers outside of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from panelwise.domain.figure import LARGEST
from panelwise.domain.setting import Setting, limit_problems, setting_rows


@dataclass(frozen=True)
class Table:
    """A table with a described setting of each kind, and a field that is none."""

    name: Annotated[str, Setting("of the table")]
    count: Annotated[int | None, Setting("how many", least=1, most=9)] = None
    share: Annotated[float, Setting("how much", above=0, most=1)] = 0.5
    people: Annotated[tuple[str, ...], Setting("who")] = ()
    cache: str = ""


def test_only_described_fields_are_settings_in_their_order() -> None:
    rows = setting_rows(Table)
    assert list(rows) == ["name", "count", "share", "people"]
    assert [row.required for row in rows.values()] == [True, False, False, False]
    assert (rows["people"].element, rows["count"].element) == (str, int | None)
    assert rows["share"].default == 0.5


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (Setting(""), ""),
        (Setting("", least=0), "from 0 up"),
        (Setting("", least=1, most=LARGEST), "from 1 up"),
        (Setting("", least=1, most=5000), "from 1 to 5000"),
        (Setting("", above=0), "above 0"),
        (Setting("", above=0, most=1), "above 0 and up to 1"),
        (Setting("", most=3), "up to 3"),
    ],
)
def test_limits_are_said_in_words(setting: Setting, words: str) -> None:
    assert setting.limits == words


@pytest.mark.parametrize(
    ("table", "problems"),
    [
        (Table("a"), []),
        (Table("a", 1, 1.0), []),
        (Table("a", 0), ["count = 0 is invalid; give a number from 1 to 9"]),
        (Table("a", 10), ["count = 10 is invalid; give a number from 1 to 9"]),
        (Table("a", None, 0.0), ["share = 0.0 is invalid; give a number above 0 and up to 1"]),
        (Table("a", None, float("nan")), ["share = nan is invalid; give a number above 0 and up to 1"]),
    ],
)
def test_a_number_outside_its_limits_is_a_problem(table: Table, problems: list[str]) -> None:
    assert list(limit_problems(table)) == problems
