"""Every output of the sample campaigns, held against what is committed; `--write-golden` accepts a change.

Compared byte by byte but for numbers with a decimal point, whose last digits depend on the processor: those may
differ by 1e-9.
"""

from __future__ import annotations

import difflib
import gzip
import json
import math
import re
import sys
from pathlib import Path

import pytest
from golden.made_homes import CHEAP, MAKERS, open_home, write_homes
from golden.taken_outputs import take_outputs

from annotator.accounts import people as accounts

EXPECTED = Path(__file__).with_name("expected")
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
TOLERANCE = 1e-9


def same(expected: str, found: str) -> bool:
    """Return whether two texts are equal, apart from the last digits of numbers with a decimal point."""
    if NUMBER.split(expected) != NUMBER.split(found):
        return False
    numbers = zip(NUMBER.findall(expected), NUMBER.findall(found), strict=True)
    return all(
        math.isclose(float(one), float(other), rel_tol=TOLERANCE, abs_tol=TOLERANCE) for one, other in numbers
    )


def difference(name: str, expected: str, found: str) -> str:
    lines = list(
        difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", name, lineterm="", n=1)
    )
    return "\n".join(line[:300] for line in lines[:30])


def read_expected(name: str) -> dict[str, str]:
    with gzip.open(EXPECTED / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def write_expected(name: str, texts: dict[str, str]) -> None:
    EXPECTED.mkdir(exist_ok=True)
    content = json.dumps(texts, indent=1, ensure_ascii=False, sort_keys=True).encode()
    (EXPECTED / f"{name}.json.gz").write_bytes(gzip.compress(content, mtime=0))


@pytest.mark.parametrize("name", MAKERS)
def test_every_output_of_a_sample_campaign_is_as_committed(
    name: str, tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "_hasher", CHEAP)
    if pytestconfig.getoption("--write-golden-homes"):
        write_homes(tmp_path / "made")
    found = take_outputs(name, open_home(name, tmp_path / "home"), tmp_path / "scratch")
    writing = pytestconfig.getoption("--write-golden")
    expected = read_expected(name) if (EXPECTED / f"{name}.json.gz").exists() else {}
    wrong = [
        file
        for file in sorted(expected.keys() | found.keys())
        if not same(expected.get(file, ""), found.get(file, ""))
    ]
    told = "\n\n".join(difference(file, expected.get(file, ""), found.get(file, "")) for file in wrong[:10])
    if writing:
        sys.stdout.write(told)
        write_expected(name, found)
        return
    assert not wrong, (
        f"{len(wrong)} outputs differ: {', '.join(wrong)}\n{told}\npytest tests/golden --write-golden"
    )


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ('{"f1": 0.123456789012345}', '{"f1": 0.123456789012346}', True),
        ('{"f1": 0.1234567}', '{"f1": 0.1234568}', False),
        ("2 figures", "3 figures", False),
        ("12.0 px", "12 px", False),
        ("a 0.5", "b 0.5", False),
    ],
)
def test_only_the_last_digits_of_numbers_may_differ(one: str, other: str, alike: bool) -> None:
    assert same(one, other) is alike
