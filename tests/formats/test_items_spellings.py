from __future__ import annotations

import pytest

from panelwise.domain.errors import FormatError
from panelwise.domain.items import HumanAnswer
from panelwise.files.jsonl import Fields, Problems
from panelwise.formats.content import Content
from panelwise.formats.items import read_items
from panelwise.formats.scivqa import read_pair


def test_an_answer_under_another_key_is_no_i_dont_know() -> None:
    content, problems = Content("a.jsonl:1"), Problems()
    record = {"answers": [{"instance_id": "p1", "human_prediction": "red"}, {"instance_id": "p2", "answer": None}]}
    items = read_items(Fields("a.jsonl:1", record), content)
    content.report(problems)
    assert items.answers == (HumanAnswer("p2", None, ""),)
    assert content.partly_read
    assert problems.lines == [
        'a.jsonl:1: "answers[0].answer" is missing; give a text, or null for "I don\'t know"; left this answer out'
    ]


def test_an_annotation_whose_only_answer_is_under_another_key_is_refused() -> None:
    content = Content("a.jsonl:1")
    read_items(Fields("a.jsonl:1", {"answers": [{"instance_id": "p1", "human_prediction": "red"}]}), content)
    with pytest.raises(FormatError, match="left the annotation out"):
        content.report(Problems())


@pytest.mark.parametrize(
    ("written", "text"), [(12, "12"), (12.0, "12"), (0.5, "0.5"), ("12.0", "12.0"), (None, None)]
)
def test_an_answer_written_as_a_number_is_its_text(written: object, text: str | None) -> None:
    record = {"answers": [{"instance_id": "p1", "answer": written}]}
    assert read_items(Fields("a.jsonl:1", record), Content()).answers == (HumanAnswer("p1", text, ""),)
    pair = {"instance_id": "p1", "qa_pair_type": "unanswerable", "question": "?", "answer": written}
    assert read_pair(Fields("qa.json:1", pair)).answer == (text or "")
