"""The configs for figure types, question-answer pairs and human evaluation."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from label_config import figure_types_config, human_eval_config, names, qa_config
from label_config.hotkeys import ALTGR_FREE, ChoiceKeys
from panelwise.domain.items import FIGURE_TYPES, QAKind, Verdict

KINDS = tuple(kind.value for kind in QAKind)
CONFIGS = {
    "figure-types": figure_types_config(FIGURE_TYPES),
    "fine figure-types": figure_types_config(FIGURE_TYPES, fine=True),
    "figure-qa": qa_config(KINDS),
    "figure-qa with types": qa_config(KINDS, types=FIGURE_TYPES, fine=True),
    "human-eval": human_eval_config(),
}
#: Keys that the editor or the browser has: a chord of ours must be none of them.
MODIFIERS = {"ctrl", "alt", "shift", "command"}


@pytest.fixture(params=CONFIGS.values(), ids=CONFIGS.keys())
def root(request: pytest.FixtureRequest) -> ElementTree.Element:
    return ElementTree.fromstring(request.param)


def test_every_choice_and_number_has_a_key_of_its_own_that_typing_does_not_press(
    root: ElementTree.Element,
) -> None:
    takers = [element for element in root.iter() if element.tag in ("Choice", "Number")]
    keys = [element.get("hotkey") or "" for element in takers]
    assert takers
    assert len(set(keys)) == len(keys)
    for key in keys:
        *held, pressed = key.split("+")
        assert set(held) <= MODIFIERS
        assert len(held) >= 2
        assert len(pressed) == 1


def test_keys_that_people_press_type_nothing_with_altgr(root: ElementTree.Element) -> None:
    keys = [element.get("hotkey") or "" for element in root.iter() if element.get("hotkey")]
    assert {key[-1] for key in keys if "command" not in key} <= set(ALTGR_FREE)


def test_every_control_is_about_the_figure_and_has_a_name_of_its_own(root: ElementTree.Element) -> None:
    controls = [element for element in root.iter() if element.get("toName")]
    assert {control.get("toName") for control in controls} == {names.FIGURE}
    found = [element.get("name") for element in root.iter() if element.get("name")]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_label_studio_itself_takes_the_config(config: str) -> None:
    from label_studio_sdk.label_interface import LabelInterface

    LabelInterface(config).validate()


def test_seven_blocks_have_a_verdict_and_fields_that_show_under_incorrect_only() -> None:
    root = ElementTree.fromstring(CONFIGS["figure-qa"])
    named = {element.get("name"): element for element in root.iter() if element.get("name")}
    hidden = {
        element.get("name"): view.get("whenTagName")
        for view in root.iter("View")
        if view.get("visibleWhen") == "choice-selected" and view.get("whenChoiceValue") == names.VERDICT_EDIT
        for element in view.iter()
        if element.get("name")
    }
    for block in range(1, 8):
        verdict = names.numbered(names.VERDICT, block)
        assert [choice.get("value") for choice in named[verdict]] == [each.value for each in Verdict]
        assert named[verdict].get("required") == "true"
        for field in (names.KIND, names.QUESTION, names.OPTIONS, names.ANSWER):
            assert hidden[names.numbered(field, block)] == verdict
        kinds = [choice.get("value") for choice in named[names.numbered(names.KIND, block)]]
        assert kinds == [*KINDS, names.KIND_IMPOSSIBLE]
        assert names.numbered(names.NOTE, block) not in hidden
    assert names.numbered(names.VERDICT, 8) not in named


def test_figure_types_are_asked_for_beside_pairs_where_they_are_wanted() -> None:
    plain, both = (ElementTree.fromstring(CONFIGS[name]) for name in ("figure-qa", "figure-qa with types"))
    assert not any(element.get("name") == names.TYPES for element in plain.iter())
    [types] = [element for element in both.iter() if element.get("name") == names.TYPES]
    assert [choice.get("value") for choice in types] == list(FIGURE_TYPES)


def test_a_campaigns_own_types_are_the_only_ones_that_can_be_given() -> None:
    listed = ["scan", "chart"]
    for config in (figure_types_config(listed, closed=True), qa_config(KINDS, types=listed, closed=True)):
        root = ElementTree.fromstring(config)
        [types] = [element for element in root.iter() if element.get("name") == names.TYPES]
        assert [choice.get("value") for choice in types] == listed
        assert not any(element.get("name") == names.OTHER_TYPES for element in root.iter())


def test_human_evaluation_shows_neither_answers_nor_the_article() -> None:
    config = CONFIGS["human-eval"]
    assert f"${names.ANSWER}" not in config
    assert f"${names.DATA_REFERENCES}" not in config


def test_rules_of_style_have_no_combinator_that_the_editor_spoils(root: ElementTree.Element) -> None:
    [style] = root.iter("Style")
    assert ">" not in (style.text or "")


def test_choices_that_cannot_be_are_refused() -> None:
    for types, complaint in ((("tree",), "two"), (("tree", "tree"), "repeated"), (("tree", " x"), "blanks")):
        with pytest.raises(ValueError, match=complaint):
            figure_types_config(types)
    with pytest.raises(ValueError, match="repeated"):
        qa_config(["a", "a"])
    with pytest.raises(ValueError, match="two figure types"):
        qa_config(KINDS, types=["tree"])


def test_keys_run_out_with_a_word() -> None:
    keys = ChoiceKeys()
    assert len({*keys.main(14), *keys.spare(104)}) == 118
    for more in (keys.main, keys.spare):
        with pytest.raises(ValueError, match="more choices"):
            more(1)
