"""The labelling config for human evaluation: a person answers questions without seeing other answers."""

from __future__ import annotations

from label_config import frame, names
from label_config.hotkeys import ChoiceKeys

_HINT = "Answer from the figure and its caption alone, as briefly as you can."

# A question with options is answered by these.
_STYLE = """
.pw-block:has(.pw-picked .lsf-choice) .pw-written { display: none; }
"""


def human_eval_config() -> str:
    """Return the labelling config as XML: seven blocks, each with options to pick or an answer to write.

    Options and their keys come from the task's data; a block without a question there is hidden. The article's
    text is not shown.
    """
    keys = ChoiceKeys()
    unanswerable, unknown = keys.main(names.BLOCKS), keys.main(names.BLOCKS)
    asked = [frame.header(_HINT, "pw-hint")]
    for block in range(1, names.BLOCKS + 1):
        asked += _block(block, unanswerable[block - 1], unknown[block - 1])
    return frame.framed((*asked, *frame.closing(keys, notes=False)), references=False, style=_STYLE)


def _block(block: int, unanswerable: str, unknown: str) -> tuple[str, ...]:
    kind, question, options, picked, written, instead, note = (
        names.numbered(name, block)
        for name in (
            *(names.KIND, names.QUESTION, names.OPTIONS, names.PICKED, names.WRITTEN, names.INSTEAD),
            names.NOTE,
        )
    )
    return (
        '<View className="pw-block">',
        frame.header(f"${kind}", "pw-name"),
        frame.header(f"${question}", "pw-question pw-plain pw-yellow"),
        frame.shown_when(
            instead,
            (names.INSTEAD_UNANSWERABLE, names.INSTEAD_UNKNOWN),
            (
                '<View className="pw-picked pw-quiet">',
                f'<Choices name="{picked}" toName="{names.FIGURE}" value="${options}" choice="multiple"/>',
                "</View>",
                '<View className="pw-written">',
                frame.text_field(written, "Your answer"),
                "</View>",
            ),
            chosen=False,
        ),
        frame.choices(
            instead,
            (names.INSTEAD_UNANSWERABLE, names.INSTEAD_UNKNOWN),
            (unanswerable, unknown),
            'choice="single" showInline="true"',
        ),
        frame.shown_when(
            instead,
            (names.INSTEAD_UNKNOWN,),
            (frame.header("Say why: the question is unclear, or no option is correct.", "pw-hint"),),
        ),
        frame.text_field(note, "Note"),
        "</View>",
    )
