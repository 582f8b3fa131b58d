from __future__ import annotations

from panelwise.domain.findings import Severity


def test_severities_rank_from_the_gravest_on() -> None:
    assert sorted(Severity, key=lambda each: each.rank) == [Severity.ERROR, Severity.WARNING, Severity.NOTE]
    assert Severity.ERROR.rank == 0
