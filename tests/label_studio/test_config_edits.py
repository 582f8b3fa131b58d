"""Which edits of a labelling config do harm."""

from __future__ import annotations

import pytest

from annotator.label_studio.adapter import missing_parts as missing
from annotator.sync.marked_projects import config_hash
from label_config import subfigure_config

OURS = subfigure_config(["A", "B"])


@pytest.mark.parametrize(
    ("old", "new", "lacks"),
    [
        ('name="subfig"', 'name="boxes"', 'RectangleLabels "subfig" of "figure"'),
        ('toName="caption"', 'toName="title"', 'Labels "subcap" of "caption"'),
        ('value="$caption"', 'value="$title"', 'Text "caption" showing $caption'),
        ('<Label value="B"', '<Label value="b"', '"B" in "subfig"'),
        ('<Choice value="Reject figure"', '<Choice value="Reject"', '"Reject figure" in "status"'),
    ],
)
def test_what_work_cannot_be_read_without_is_missed(old: str, new: str, lacks: str) -> None:
    assert old in OURS
    assert lacks in missing(OURS.replace(old, new), OURS)


def test_what_is_no_xml_lacks_everything() -> None:
    assert missing("<View>", OURS) == ("it is no XML",)


def test_colours_texts_and_more_to_choose_from_are_the_leads_own() -> None:
    prettier = OURS.replace("<View>", '<View><Header value="Mind the scale bars"/>', 1)
    assert missing(prettier.replace('<Label value="A"', '<Label value="Z"/><Label value="A"'), OURS) == ()
    assert missing(OURS, OURS) == ()
    assert config_hash(f"\n{OURS} ") == config_hash(OURS) != config_hash(prettier)
