"""Flags for the guidelines, as records and as a table."""

from __future__ import annotations

import csv
import io

import pytest
from builders import a_decision, a_figure

from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Names
from annotator.gold.flags import COLUMNS, flag_records
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.decision import ErrorKind
from panelwise.files.tables import csv_text


@pytest.fixture
def flags(store: Store) -> Store:
    """f1 flagged, f2 decided without a flag, f3 flagged with a text that is a formula to spreadsheets."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        tx.decisions.add(
            a_decision(guideline_flag="insets, or not?", error_kind=ErrorKind.GAP, note="as rev2 said")
        )
        tx.decisions.add(a_decision(a_figure("f2"), reviewer="rev2"))
        tx.decisions.add(
            a_decision(
                a_figure("f3"), reviewer="rev2", guideline_flag="=1+1", status=Status.REJECTED, subfigures=()
            )
        )
    return store


def test_records_hold_every_column(flags: Store, home: Home) -> None:
    told: list[str] = []
    first, second = flag_records(home, flags, told)
    assert tuple(first) == COLUMNS
    assert (first["figure_id"], first["guideline_flag"], first["note"]) == (
        "f1",
        "insets, or not?",
        "as rev2 said",
    )
    assert first["caption"].startswith("Fig 1")
    assert (second["figure_id"], second["status"], second["reviewer"]) == ("f3", Status.REJECTED, "rev2")
    assert (first["error_kind"], second["error_kind"]) == ("guideline gap", None)
    assert first["decided_at"] == "2026-11-21T12:00:00Z"
    assert told == []


def test_under_pseudonyms_the_lead_hears_of_names_in_what_was_written(flags: Store, home: Home) -> None:
    told: list[str] = []
    found = list(flag_records(home, flags, told, names=Names.PSEUDONYMS))
    assert {record["reviewer"] for record in found}.isdisjoint({"rev1", "rev2"})
    assert told == [
        "notes and comments are written as they are (records that have some: 2)",
        "names of people stand in those of f1 (1 in all)",
    ]


def test_no_cell_of_the_table_is_a_formula(flags: Store, home: Home) -> None:
    table = list(csv.DictReader(io.StringIO(csv_text(COLUMNS, flag_records(home, flags, [])))))
    assert [row["guideline_flag"] for row in table] == ["insets, or not?", "'=1+1"]
    assert [row["error_kind"] for row in table] == ["guideline gap", ""]
