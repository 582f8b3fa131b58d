"""No text that people can type makes a check fail, or a finding that cannot be printed in a line."""

from __future__ import annotations

from builders import a_figure, an_annotation, captions, figures, subfigure_lists
from hypothesis import given
from hypothesis import strategies as st
from services.checks.examples import ANSWERS, PAIRS, TYPES

from annotator.checks.report import csv_text, text_lines
from annotator.checks.rules.catalogue import CHECKS
from annotator.checks.run import Checked, findings_of
from panelwise.domain.campaign import Phase
from panelwise.domain.items import UNANSWERABLE, FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.formats.scivqa import pair_record

KNOWN = {check.id: check for check in CHECKS}
texts = st.one_of(
    st.text(max_size=25),
    st.sampled_from(
        ["Yes", "A,B", "None", "None.", "a", ",", "teal", "the", UNANSWERABLE, "İ", "ǅ", "\u202e", "１"]
    ),
)
items = st.builds(
    QAItem,
    id=st.sampled_from(["p1", "p2", "p3"]),
    question=texts,
    kind=st.sampled_from(QAKind),
    choices=st.lists(texts, max_size=30).map(tuple),
    answer=texts,
)
several = st.lists(items, max_size=3, unique_by=lambda item: item.id)


def check(work, phase: Phase) -> None:
    found = findings_of(work, phase)
    for finding in found:
        assert finding.severity is KNOWN[finding.check].severity
        assert phase.kind in KNOWN[finding.check].of
    lines = list(text_lines([Checked(work, found)]))
    assert all(line.isprintable() for line in lines)
    assert csv_text([Checked(work, found)]).count("\n") >= 1 + len(found)


@given(several, several, captions, texts)
def test_pairs_of_any_text_are_checked(came: list[QAItem], edited: list[QAItem], caption: str, note: str) -> None:
    figure = a_figure(caption=caption, extra={"qa": [pair_record(item) for item in came]})
    verdicts = tuple(QAVerdict(item.id, Verdict.INCORRECT, item, note) for item in edited)
    kind = FigureKind(True, len(came), frozenset(item.answer for item in edited), note)
    check(an_annotation(figure, subfigures=(), items=Items(kind, verdicts)), PAIRS)
    check(an_annotation(figure, subfigures=(), items=Items(kind)), TYPES)
    answers = tuple(HumanAnswer(item.id, item.answer or None, note) for item in edited)
    check(an_annotation(figure, subfigures=(), items=Items(answers=answers)), ANSWERS)


@given(figures(), st.data(), st.booleans())
def test_subfigures_of_any_shape_are_checked(figure, data: st.DataObject, single: bool) -> None:
    drawn = data.draw(subfigure_lists(figure))
    check(an_annotation(figure, subfigures=drawn), Phase("1", single_span=single))
