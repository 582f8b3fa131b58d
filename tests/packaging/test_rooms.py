"""How the code is arranged: rooms, each of which says what it is for."""

from __future__ import annotations

import ast
import re

import pytest
from conftest import REPOSITORY

from annotator.gold.exports.registry import EXPORTS

PACKAGES = ("annotator", "agreement", "label_config", "panelwise", "prelabel", "simulator/panelwise_simulator")
ROOMS = sorted(
    {
        str(each.parent.relative_to(REPOSITORY))
        for package in PACKAGES
        for each in (REPOSITORY / package).rglob("*.py")
        if not {"frontend", "migrations", "synth"} & set(each.parts)
    }
)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for(room: str) -> None:
    told = ast.get_docstring(ast.parse((REPOSITORY / room / "__init__.py").read_text(encoding="utf-8")))
    assert told is not None
    assert told.splitlines()[0].endswith((".", ":"))


@pytest.mark.parametrize("page", ["docs/architecture.md"])
def test_every_file_and_room_that_the_map_names_is_there(page: str) -> None:
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:annotator|agreement|label_config|panelwise|prelabel|simulator)/[\w/.]+)`", text)
    assert len(named) > 20
    assert [each for each in named if not (REPOSITORY / each).exists()] == []


def test_every_module_of_exports_is_in_the_registry_and_every_export_in_the_documents() -> None:
    room = REPOSITORY / "annotator/gold/exports"
    files = {each.stem for each in room.glob("*.py")} - {"__init__", "job", "registry"}
    assert files == {each.write.__module__.rpartition(".")[2] for each in EXPORTS}
    pages = "".join(each.read_text(encoding="utf-8") for each in (REPOSITORY / "docs").rglob("*.md"))
    assert [each.name for each in EXPORTS if f"annotator export {each.name}" not in pages] == []
