"""A campaign of two figures with a lead, a reviewer and an annotator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import a_figure
from web.lead_client import PASSWORD

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Role


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    with home.open_store() as opened:
        for name, role in (("lea", Role.LEAD), ("rev", Role.REVIEWER), ("ann", Role.ANNOTATOR)):
            people.add_person(opened, name, roles=[role], password=PASSWORD)
        with opened.transaction() as tx:
            tx.figures.add_many([a_figure("f1", caption="Lungs 100%."), a_figure("f2", caption="Leaves.")])
        yield opened
