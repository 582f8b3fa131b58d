"""Read the tables of phrases and words, which are TOML files in `data`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from panelwise_simulator.captions.phrases.language import Phrases, Words

_DATA = Path(__file__).with_name("data")


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """Read the file of this name below `data`, without its ending."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def read_words(lists: Mapping[str, list[str]]) -> Words:
    """Convert lists of words or phrases by name into tuples."""
    return {name: tuple(each) for name, each in lists.items()}


def read_panels(kind: str) -> dict[str, Phrases]:
    """Read what may be said of each drawer of a kind; a name in place of a list is that of a shared one."""
    shared = read_table("shared")

    def phrases(value: list[str] | str) -> tuple[str, ...]:
        return tuple(shared[value] if isinstance(value, str) else value)

    return {
        drawer: Phrases(
            phrases(lists["nouns"]), phrases(lists["series"]), phrases(lists["findings"]), phrases(lists["notes"])
        )
        for drawer, lists in read_table(f"panels/{kind}").items()
    }
