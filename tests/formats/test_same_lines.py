"""Messages of one kind: three in full, then a count."""

from __future__ import annotations

from panelwise.runtime.reports import SameLines


def shown(*lines: str) -> list[str]:
    told: list[str] = []
    same = SameLines(told.append)
    for line in lines:
        same.add(line)
    same.finish()
    return told


def test_twenty_of_one_kind_are_three_and_a_count() -> None:
    lines = [f'x.jsonl:{n}: figure "f{n}": the caption differs' for n in range(1, 21)]
    assert shown(*lines) == [*lines[:3], f"{lines[-1]} (and 16 more like this)"]


def test_a_few_of_a_kind_and_every_other_kind_are_shown_in_full() -> None:
    few = [f"x.jsonl:{n}: is no number" for n in range(4)]
    assert shown(*few) == few
    kinds = ["a: b", "a: c", *few[:3], "note: a: b"]
    assert shown(*kinds) == kinds
    assert shown() == []
