from __future__ import annotations

from panelwise.formats.losses import Losses


def test_what_is_left_out_and_what_is_kept_aside_are_told_with_their_counts() -> None:
    losses = Losses("COCO")
    losses.aside("captions", key="panelwise")
    losses.aside("captions", 2, key="panelwise")
    losses.aside("notes", 0, key="panelwise")
    losses.left_out("subfigures", 4, instead="`annotator export gold` writes them")
    losses.left_out("times", False)
    assert list(losses.lines()) == [
        "COCO cannot represent subfigures: 4 left out; `annotator export gold` writes them",
        'COCO cannot represent captions: 3 kept under the extra key "panelwise"',
    ]
    assert losses.count == 4
