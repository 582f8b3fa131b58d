"""Words that all domains share, and what makes up a domain."""

from __future__ import annotations

from dataclasses import dataclass

from panelwise_simulator.captions.phrases.language import Words
from panelwise_simulator.captions.phrases.tables import read_table, read_words


@dataclass(frozen=True, slots=True)
class Domain:
    """words: for `{name}`; axes: for `{@name}`; abbreviations: as "ABA, abscisic acid"."""

    words: Words
    axes: Words
    abbreviations: tuple[str, ...]


def read_domain(name: str) -> Domain:
    """Read the words of a field of research."""
    table = read_table(f"domains/{name}")
    return Domain(read_words(table["words"]), read_words(table["axes"]), tuple(table["abbreviations"]))


#: Axes whose items keep their order when a few of them are taken.
ORDERED = frozenset({"time", "dose", "plane", "phase", "power", "year", "stage", "size"})

COMMON = read_words(read_table("common")["words"])
COMMON_AXES = read_words(read_table("common")["axes"])
