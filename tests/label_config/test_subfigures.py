from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from label_config import default_labels, names, subfigure_config

labels = st.lists(
    st.text(
        st.characters(exclude_categories=("Cc", "Cs", "Cn", "Co"), exclude_characters="\ufffe\uffff"), min_size=1
    )
    .map(str.strip)
    .filter(bool),
    min_size=1,
    max_size=6,
    unique=True,
)


def tags(config: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(config).iter(tag))


@given(labels)
def test_any_label_survives_the_xml(chosen: list[str]) -> None:
    root = ElementTree.fromstring(subfigure_config(chosen))
    for control in ("RectangleLabels", "Labels"):
        [palette] = root.iter(control)
        assert [label.get("value") for label in palette] == chosen


def test_boxes_and_spans_share_labels_colours_and_keys() -> None:
    config = subfigure_config(default_labels(30))
    [boxes], [spans] = tags(config, "RectangleLabels"), tags(config, "Labels")
    assert [label.attrib for label in boxes] == [label.attrib for label in spans]
    assert len({label.get("background") for label in boxes}) == 30
    keys = [label.get("hotkey") for label in boxes if label.get("hotkey")]
    assert len(set(keys)) == len(keys) == 30


def test_the_controls_bear_the_names_that_payloads_use() -> None:
    config = subfigure_config(["A"])
    wiring = {
        tag: (element.get("name"), element.get("toName"), element.get("value"))
        for tag in ("RectangleLabels", "Labels", "Choices", "Image", "Text", "HyperText")
        for element in tags(config, tag)
    }
    assert wiring == {
        "RectangleLabels": (names.SUBFIGURE, names.FIGURE, None),
        "Labels": (names.SUBCAPTION, names.CAPTION, None),
        "Choices": (names.STATUS, names.FIGURE, None),
        "Image": (names.FIGURE, None, f"${names.DATA_IMAGE}"),
        "Text": (names.CAPTION, None, f"${names.DATA_CAPTION}"),
        "HyperText": (names.REFERENCES, None, f"${names.DATA_REFERENCES}"),
    }


def test_a_figure_can_be_rejected_with_keys_that_typing_does_not_fire() -> None:
    choices = tags(subfigure_config(["A"]), "Choice")
    assert [choice.get("value") for choice in choices] == [names.STATUS_ACCEPT, names.STATUS_REJECT]
    assert all((choice.get("hotkey") or "").startswith("ctrl+alt+") for choice in choices)


def test_boxes_cannot_be_rotated_and_what_the_article_says_cannot_be_marked() -> None:
    config = subfigure_config(["A"])
    [boxes], [image], [article] = tags(config, "RectangleLabels"), tags(config, "Image"), tags(config, "HyperText")
    assert boxes.get("canRotate") == "false"
    assert image.get("rotateControl") == "false"
    assert article.get("selectionEnabled") == "false"
    assert "highlightColor" not in config


def test_granularity_and_references_can_be_chosen() -> None:
    config = subfigure_config(["A"], granularity="symbol", references=False)
    assert tags(config, "Text")[0].get("granularity") == "symbol"
    assert tags(config, "HyperText") == []


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [([], "at least one"), (["A", "A"], "repeated"), (["A", ""], "empty"), ([" A"], "blanks")],
)
def test_a_palette_that_cannot_be_is_refused(chosen: list[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        subfigure_config(chosen)


def test_an_unknown_granularity_is_refused() -> None:
    with pytest.raises(ValueError, match="sentence"):
        subfigure_config(["A"], granularity="sentence")


def test_label_studio_itself_takes_the_config() -> None:
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface(subfigure_config(default_labels(60)))
    interface.validate()
    assert {control.name for control in interface.controls} == {names.SUBFIGURE, names.SUBCAPTION, names.STATUS}
