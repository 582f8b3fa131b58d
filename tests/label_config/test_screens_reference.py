"""The reference of the screens names all controls there are, and no others."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from conftest import REPOSITORY

from annotator.label_studio.payload.items import items_data
from label_config import figure_types_config, human_eval_config, names, qa_config, subfigure_config
from label_config.hotkeys import ALTGR_FREE
from panelwise.domain.items import FIGURE_TYPES, QAKind
from tests.label_studio.item_cases import HUMAN, QA, seven_pairs, with_pairs

PAGE = (REPOSITORY / "docs" / "reference" / "label-studio-screens.md").read_text(encoding="utf-8")
SCREENS = {
    "Subfigures": subfigure_config(["A"]),
    "Figure types": figure_types_config(FIGURE_TYPES),
    "Question-answer pairs": qa_config([kind.value for kind in QAKind]),
    "Human evaluation": human_eval_config(),
}


def section(heading: str) -> str:
    return re.split(r"^## ", PAGE, flags=re.MULTILINE)[1 + sections().index(heading)]


def sections() -> list[str]:
    return re.findall(r"^## (.*)$", PAGE, re.MULTILINE)


def listed_names(heading: str) -> set[str]:
    """Return the names in code before the colon of a section's list entries."""
    rows = re.findall(r"^- (`[^:]*):", section(heading), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


@pytest.mark.parametrize("screen", SCREENS)
def test_the_page_lists_the_controls_of_a_screen(screen: str) -> None:
    root = ElementTree.fromstring(SCREENS[screen])
    controls = {element.get("name") or "" for element in root.iter() if element.get("toName")}
    firsts = {name for name in controls if not name[-1].isdigit() or name.endswith("1")}
    said = listed_names(screen) - {"verdict7"}
    assert said | {names.STATUS} == firsts


def test_the_page_lists_the_keys_of_a_tasks_data() -> None:
    figure = with_pairs(seven_pairs())
    data = {*items_data(figure, QA, seven_pairs()), *items_data(figure, HUMAN, seven_pairs())}
    data.add(names.DATA_LABELS)
    assert listed_names("A task's data") == {key for key in data if not key[-1].isdigit() or key.endswith("1")}


def test_the_page_gives_the_keys_that_are_there() -> None:
    assert f"`Ctrl Alt` and `{' '.join(ALTGR_FREE).upper()}`" in section("Keys")
