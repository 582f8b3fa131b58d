"""Values that neither database can keep are the input's fault, and said so."""

from __future__ import annotations

import pytest
from builders import a_figure

from annotator.store.database.errors import InvalidNumber
from annotator.store.queries.figures import MOST_SOUGHT, MOST_WORDS
from annotator.store.store import Store
from panelwise.domain.errors import InvalidAnnotation


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_beyond_64_bits_is_refused_before_the_database_sees_it(store: Store, number: int) -> None:
    with store.read() as tx, pytest.raises(InvalidNumber, match="beyond 64 bits"):
        tx.bulks.get(number)
    with store.read() as tx:
        assert tx.bulks.get(2**63 - 1) is None


@pytest.mark.parametrize(
    "words", [[f"w{number}" for number in range(MOST_WORDS + 1)], ["x" * (MOST_SOUGHT + 1)]], ids=["many", "long"]
)
def test_a_search_that_no_statement_holds_is_refused(store: Store, words: list[str]) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure())
        with pytest.raises(InvalidAnnotation, match="the search has more than"):
            tx.figures.gallery(words, limit=10)
        assert tx.figures.gallery(["lung"] * MOST_WORDS, limit=10)
