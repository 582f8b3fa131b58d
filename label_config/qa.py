"""The labelling config for validating question-answer pairs: a block for each of a figure's seven."""

from __future__ import annotations

from collections.abc import Sequence

from label_config import frame, names
from label_config.figure_types import check_values
from label_config.hotkeys import ChoiceKeys

_HINT = (
    "Judge each pair by the guidelines. Incorrect.Edit opens its fields: change at least one. "
    "What is changed counts while Incorrect.Edit is chosen."
)
_EDIT = "Change what is wrong, leave the rest:"


def qa_config(kinds: Sequence[str], *, types: Sequence[str] = (), fine: bool = False, closed: bool = False) -> str:
    """Return the labelling config as XML: seven blocks, each with a verdict, fields to edit and a note.

    kinds: types of pairs. types: figure types to choose from, where these are requested too; fine, closed: as in
    `figure_types_config`. A block without a question in the task's data is hidden. Raises ValueError for invalid
    choices.
    """
    check_values(kinds, "types of pair")
    keys = ChoiceKeys()
    blocks = range(1, names.BLOCKS + 1)
    correct, edit = keys.main(names.BLOCKS), keys.main(names.BLOCKS)
    asked = [frame.header(_HINT, "pw-hint")]
    for block in blocks:
        asked += _block(block, (correct[block - 1], edit[block - 1]), (*kinds, names.KIND_IMPOSSIBLE), keys)
    if types:
        check_values(types, "figure types")
        asked += [
            '<View className="pw-block pw-quiet">',
            *frame.figure_kind(types, keys, fine=fine, pressed=False, closed=closed),
            "</View>",
        ]
    return frame.framed((*asked, *frame.closing(keys, notes=bool(types))), references=True)


def _block(block: int, verdict_keys: Sequence[str], kinds: Sequence[str], keys: ChoiceKeys) -> tuple[str, ...]:
    verdict, kind, question, options, answer, note = (
        names.numbered(name, block)
        for name in (names.VERDICT, names.KIND, names.QUESTION, names.OPTIONS, names.ANSWER, names.NOTE)
    )
    return (
        '<View className="pw-block">',
        frame.header(f"${kind}", "pw-name"),
        frame.header(f"${question}", "pw-question pw-plain pw-yellow"),
        frame.header(f"${options}", "pw-empty pw-plain"),
        frame.header(f"${answer}", "pw-plain pw-blue"),
        frame.choices(
            verdict,
            (names.VERDICT_CORRECT, names.VERDICT_EDIT),
            verdict_keys,
            'showInline="true" ' + frame.required(f"Pair {block}: choose Correct or Incorrect.Edit."),
        ),
        frame.shown_when(
            verdict,
            (names.VERDICT_EDIT,),
            (
                frame.header(_EDIT, "pw-hint"),
                frame.header("Type", "pw-name"),
                frame.choices(kind, kinds, keys.spare(len(kinds)), 'choice="single" layout="select"'),
                frame.header("Question", "pw-name"),
                frame.text_field(question, "Question", rows=2, opened=True),
                frame.header("Options, one a line", "pw-name"),
                frame.text_field(options, "None", rows=2, opened=True),
                frame.header("Answer (letters where there are options)", "pw-name"),
                frame.text_field(answer, "Answer", opened=True),
            ),
        ),
        frame.text_field(note, "Note on this pair"),
        "</View>",
    )
