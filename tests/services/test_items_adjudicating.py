"""What the screen of types and pairs shows, and what becomes of a decision on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from adjudicated import decide, decide_items, items_state, screens_of, work_of
from builders import NOON, a_decision, a_subfigure, an_annotation
from items_cases import a_home, a_qa_figure, edited, judged, kinds, pairs_in, verdicts

from annotator.adjudication.decision_fields import Panel
from annotator.adjudication.draft import ItemsDraft, SubfiguresDraft
from annotator.adjudication.history import reopen
from annotator.adjudication.items.screen import has_subfigures, items_left
from annotator.adjudication.items.state import ItemsState
from annotator.adjudication.kinds.pairs import PairValue, PairWord, pair_word
from annotator.adjudication.kinds.supports import ADJUDICATED
from annotator.adjudication.kinds.types import KindValue
from annotator.adjudication.screens import draft_findings
from annotator.campaign.home import Home
from annotator.store.queries.figures import UnknownFigure
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.decision import Awaits
from panelwise.domain.errors import Conflict, InvalidAnnotation
from panelwise.domain.figure import Figure
from panelwise.domain.items import FigureKind, HumanAnswer, Items, QAItem, QAKind, QAVerdict, Verdict
from panelwise.settings.campaign_toml import FILE_NAME

FIGURE = a_qa_figure()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return a_home(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    yield store
    store.close()


def submit(store: Store, *annotations: Annotation, figure: Figure = FIGURE) -> None:
    with store.transaction() as tx:
        tx.figures.add(figure)
        for annotation in annotations:
            tx.annotations.add(annotation)


def state(store: Store, home: Home, reviewer: str = "rev1") -> ItemsState:
    return items_state(store, home, "f1", reviewer)


def a_draft(found: ItemsState, *words: PairWord, **changes: object) -> ItemsDraft:
    """A decision as the screen proposes it, but for these words on pairs."""
    by_id = {each.id: each.proposal for each in found.pairs}
    by_id.update({each.item: each for each in words})
    fields: dict[str, object] = {
        "version": found.version,
        "status": Status.ACCEPTED,
        "kind": None if found.kind is None else found.kind.proposal,
        "verdicts": tuple(by_id.values()),
        **changes,
    }
    return ItemsDraft(**fields)


@pytest.fixture
def three(store: Store) -> None:
    """Three who differ on q1 (two and one) and q4 (one and two), and on the type."""
    wrong = edited(FIGURE, "q1", answer="0.75", note="read off")
    submit(
        store,
        judged(FIGURE, verdicts(FIGURE, wrong), annotator="Zed"),
        judged(FIGURE, verdicts(FIGURE, replace(wrong, note="")), annotator="Yan"),
        judged(FIGURE, verdicts(FIGURE, edited(FIGURE, "q4", answer="Yes")), annotator="Xan"),
        judged(FIGURE, kinds(True, 2), annotator="Zed", phase="types"),
        judged(FIGURE, kinds(True, 3, "line chart", "bar chart"), annotator="Yan", phase="types"),
        judged(
            FIGURE, Items(answers=(HumanAnswer("f1-q2", "1,000", "from the axis"),)), annotator="Wim", phase="eval"
        ),
    )


@pytest.mark.usefixtures("three")
def test_what_most_say_is_proposed_and_where_they_differ_is_a_conflict(store: Store, home: Home) -> None:
    found = state(store, home)
    pairs = {each.id.removeprefix("f1-"): each for each in found.pairs}
    assert [each.id for each in found.pairs] == [each.id for each in pairs_in(FIGURE).values()]
    assert {name for name, each in pairs.items() if each.conflict} == {"q1", "q4"}
    assert pairs["q1"].proposal.edited is not None
    assert pairs["q1"].proposal.edited.answer == "0.75"
    assert pairs["q1"].proposal.note == "read off"
    assert pairs["q1"].reasons == ("2 of 3 find it incorrect",)
    assert pairs["q4"].proposal.verdict is Verdict.CORRECT
    assert pairs["q4"].preselected
    assert pairs["q7"].reasons == ()
    assert pairs["q2"].answers[0].answer == "1,000"
    assert found.kind is not None
    assert found.kind.disputed == ("count", "bar chart")
    assert found.kind.proposal == KindValue(True, 2, ("line chart",))
    assert found.kind.original == KindValue(True, 2, ("line chart",))
    assert found.type_names[0] == "bar chart"
    assert found.phase == "qa, types"
    assert 0 < (found.agreement or 0) < 1


@pytest.mark.usefixtures("three")
def test_no_name_of_an_annotator_is_in_the_state(store: Store, home: Home) -> None:
    written = msgspec.json.encode(state(store, home)).decode()
    for name in ("Zed", "Yan", "Xan", "Wim"):
        assert name not in written
    keys = {each.key for each in state(store, home).annotators}
    assert len(keys) == 3
    assert keys == {each.key for each in state(store, home, "rev2").annotators}


@pytest.mark.usefixtures("three")
def test_a_decision_keeps_what_was_sent_and_whose_work_it_is(store: Store, home: Home) -> None:
    found = state(store, home)
    mended = PairValue(QAKind.BINARY_NON_VISUAL, " Is a baseline named? ", (), "Yes")
    word = PairWord("f1-q4", Verdict.INCORRECT, mended, " mine ")
    draft = a_draft(found, word, based_on=(found.annotators[0].key,), note=" seen ", seconds=4.5)
    made = decide_items(store, home, "f1", "rev1", draft)
    by_id = {each.item: each for each in made.items.verdicts}
    assert by_id["f1-q4"] == QAVerdict(
        "f1-q4",
        Verdict.INCORRECT,
        QAItem("f1-q4", "Is a baseline named?", QAKind.BINARY_NON_VISUAL, (), "Yes"),
        "mine",
    )
    assert made.items.kind == FigureKind(True, 2, frozenset({"line chart"}))
    assert made.items.answers == (HumanAnswer("f1-q2", "1,000", "from the axis"),)
    assert made.based_on[0] in {"Zed", "Yan", "Xan"}
    assert (made.note, made.seconds, made.version, made.subfigures) == ("seen", 4.5, 1, ())
    again = state(store, home)
    assert again.decision is not None
    assert {each.item: each for each in again.decision.verdicts}["f1-q4"] == pair_word(by_id["f1-q4"])
    assert again.decision.based_on == (found.annotators[0].key,)


@pytest.mark.usefixtures("three")
def test_who_comes_too_late_is_told_and_nothing_is_overwritten(store: Store, home: Home) -> None:
    draft = a_draft(state(store, home))
    decide_items(store, home, "f1", "rev1", draft)
    with pytest.raises(Conflict, match="rev1 adjudicated this figure"):
        decide_items(store, home, "f1", "rev2", draft)
    with store.read() as tx:
        assert [each.reviewer for each in tx.decisions.history("f1")] == ["rev1"]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("word", "line"),
    [
        (PairWord("f1-q9", Verdict.CORRECT), 'no pair "f1-q9"'),
        (
            PairWord("f1-q1", Verdict.CORRECT, PairValue(QAKind.UNANSWERABLE, "", (), "")),
            r"verdicts\[0\].edited: a pair that is correct has no edit",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_the_field(store: Store, home: Home, word: PairWord, line: str) -> None:
    draft = a_draft(state(store, home), verdicts=(word,))
    with pytest.raises(InvalidAnnotation, match=line):
        decide_items(store, home, "f1", "rev1", draft)
    with pytest.raises(InvalidAnnotation, match=line):
        draft_findings(store, home, "f1", draft)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("field", "said"),
    [
        (support.kind.field, said)
        for support in ADJUDICATED
        for said in (msgspec.UNSET, () if support.kind.on_pairs else None)
    ],
)
def test_a_decision_that_lacks_a_kind_that_the_figure_asks_for_is_refused_not_stored_as_empty(
    store: Store, home: Home, field: str, said: object
) -> None:
    draft = a_draft(state(store, home), **{field: said})
    for refuse in (draft_findings, lambda *_: decide_items(store, home, "f1", "rev1", draft)):
        with pytest.raises(InvalidAnnotation, match=f"^{field}: is missing, and this figure asks for it"):
            refuse(store, home, "f1", draft)
    with store.read() as tx:
        assert tx.decisions.history("f1") == []
    # Who rejects the figure says nothing of its items.
    rejected = a_draft(state(store, home), **{field: said, "status": Status.REJECTED})
    assert decide_items(store, home, "f1", "rev1", rejected).status is Status.REJECTED


@pytest.mark.usefixtures("three")
def test_a_decision_on_some_pairs_is_refused_with_those_that_are_missing(store: Store, home: Home) -> None:
    draft = a_draft(state(store, home))
    for judged_pairs, line in (
        (draft.verdicts[1:], 'pair 1 ("f1-q1") is missing'),
        ((*draft.verdicts[:1], *draft.verdicts[3:]), 'pairs 2 ("f1-q2"), 3 ("f1-q3") are missing'),
    ):
        partial = msgspec.structs.replace(draft, verdicts=judged_pairs)
        for refuse in (draft_findings, lambda *_, sent=partial: decide_items(store, home, "f1", "rev1", sent)):
            with pytest.raises(InvalidAnnotation, match="^verdicts: " + re.escape(line)):
                refuse(store, home, "f1", partial)
    with store.read() as tx:
        assert tx.decisions.history("f1") == []


@pytest.mark.usefixtures("three")
def test_a_later_decision_on_some_pairs_keeps_the_verdicts_on_the_others(store: Store, home: Home) -> None:
    first = decide_items(store, home, "f1", "rev1", a_draft(state(store, home)))
    other = PairWord("f1-q4", Verdict.INCORRECT, PairValue(QAKind.BINARY_NON_VISUAL, "Is it?", (), "No"))
    second = decide_items(store, home, "f1", "rev2", a_draft(state(store, home), verdicts=(other,)))
    before, after = ({each.item: each for each in made.items.verdicts} for made in (first, second))
    assert after.keys() == before.keys() == {f"f1-q{number}" for number in range(1, 8)}
    assert after["f1-q4"].verdict is Verdict.INCORRECT
    assert all(after[name] == before[name] for name in before if name != "f1-q4")
    reopen(store, "f1", "rev1", loaded=2)
    last = decide_items(store, home, "f1", "rev1", a_draft(state(store, home), verdicts=(other,)))
    assert len(last.items.verdicts) == 7


@pytest.mark.usefixtures("three")
def test_a_second_reviewer_judges_every_pair_and_takes_none_over(store: Store, home: Home) -> None:
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home), second=True))
    draft = a_draft(state(store, home, "rev2"))
    partial = msgspec.structs.replace(draft, verdicts=draft.verdicts[:6])
    with pytest.raises(InvalidAnnotation, match=r'^verdicts: pair 7 \("f1-q7"\) is missing'):
        decide_items(store, home, "f1", "rev2", partial)


def test_a_page_that_was_opened_before_a_type_was_judged_drops_no_type(store: Store, home: Home) -> None:
    submit(store, judged(FIGURE, verdicts(FIGURE)))
    draft = a_draft(state(store, home))
    assert draft.kind is None
    submit(store, judged(FIGURE, kinds(True, 2), annotator="Zed", phase="types"))
    with pytest.raises(InvalidAnnotation, match=r"^kind: is missing"):
        decide_items(store, home, "f1", "rev1", draft)


def test_a_decision_may_lack_a_kind_that_nobody_asks_for(store: Store, home: Home) -> None:
    submit(store, judged(FIGURE, verdicts(FIGURE)))
    draft = a_draft(state(store, home), kind=msgspec.UNSET)
    assert decide_items(store, home, "f1", "rev1", draft).items.kind is None


@pytest.mark.usefixtures("three")
def test_a_replaced_caption_an_unknown_key_and_an_unknown_figure_are_refused(store: Store, home: Home) -> None:
    draft = a_draft(state(store, home))
    with pytest.raises(InvalidAnnotation, match="replaced after you opened it"):
        decide_items(store, home, "f1", "rev1", draft, revision=2)
    with pytest.raises(InvalidAnnotation, match=r"based_on\[0\]"):
        decide_items(store, home, "f1", "rev1", msgspec.structs.replace(draft, based_on=("nobody",)))
    with pytest.raises(UnknownFigure):
        decide_items(store, home, "nope", "rev1", draft)


def test_findings_are_told_apart_by_voice_and_made_anew_for_a_draft(store: Store, home: Home) -> None:
    unedited = QAVerdict("f1-q1", Verdict.INCORRECT)
    submit(store, judged(FIGURE, verdicts(FIGURE, unedited)))
    found = state(store, home)
    (voice,) = found.annotators
    assert [(each.item, each.check) for each in found.findings[voice.key]] == [("f1-q1", "edit-missing")]
    assert "edit-missing" in {each.check for each in found.findings[""]}
    mended = a_draft(found, PairWord("f1-q1", Verdict.CORRECT))
    assert "edit-missing" not in {each.check for each in draft_findings(store, home, "f1", mended)}


def test_a_decision_on_items_keeps_the_subfigures_and_the_other_way_round(store: Store, home: Home) -> None:
    drawn = an_annotation(FIGURE, annotator="ann1", subfigures=(a_subfigure("A", tokens=(2,)),))
    other = replace(drawn, annotator="ann2", subfigures=(a_subfigure("A", tokens=(2, 3)),))
    submit(store, drawn, other, judged(FIGURE, kinds(True, 2), phase="types"))
    assert screens_of(store, home.campaign, "f1") == (True, True)
    assert has_subfigures(work_of(store, "f1"), home.campaign)
    with pytest.raises(InvalidAnnotation, match="adjudicate these first"):
        decide_items(store, home, "f1", "rev1", a_draft(state(store, home)))
    part = Panel("A", (0, 0, 100, 100), (2,))
    decide(store, home, "f1", "rev1", SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=(part,)))
    made = decide_items(
        store, home, "f1", "rev1", a_draft(state(store, home), kind=KindValue(False, 1, ("tree",)))
    )
    assert [each.label for each in made.subfigures] == ["A"]
    again = decide(
        store, home, "f1", "rev2", SubfiguresDraft(version=2, status=Status.ACCEPTED, subfigures=(part,))
    )
    assert again.items.kind == FigureKind(False, 1, frozenset({"tree"}))


def test_subfigures_on_which_annotators_agree_need_no_decision_before(store: Store, home: Home) -> None:
    drawn = an_annotation(FIGURE, subfigures=(a_subfigure("A", tokens=(2,)),))
    submit(store, drawn, judged(FIGURE, verdicts(FIGURE)))
    made = decide_items(store, home, "f1", "rev1", a_draft(state(store, home)))
    assert [each.label for each in made.subfigures] == ["A"]


def test_after_subfigures_the_items_that_are_in_dispute_are_left(store: Store, home: Home) -> None:
    drawn = an_annotation(FIGURE, subfigures=(a_subfigure("A", tokens=(2,)),))
    mine, theirs = (
        judged(FIGURE, verdicts(FIGURE)),
        judged(FIGURE, verdicts(FIGURE, edited(FIGURE, "q1", answer="1"))),
    )
    submit(store, drawn, mine, replace(theirs, annotator="ann2"))
    made = decide(
        store,
        home,
        "f1",
        "rev1",
        SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=(Panel("A", (0, 0, 9, 9)),)),
    )
    with store.read() as tx:
        work = list(tx.annotations.all(figure="f1"))
    assert items_left(home.campaign, made, work)
    settled = decide_items(store, home, "f1", "rev1", a_draft(state(store, home)))
    assert not items_left(home.campaign, settled, work)


def test_a_decision_has_only_types_that_the_campaign_lists(store: Store, home: Home) -> None:
    submit(store, judged(FIGURE, kinds(True, 2, "scan"), phase="types"))
    settings = home.path / FILE_NAME
    settings.write_text(f'figure_types = ["scan", "chart"]\n{settings.read_text("utf-8")}', encoding="utf-8")
    listed = Home.find(home.path)
    found = state(store, listed)
    assert found.type_names == ("scan", "chart", "line chart")  # which the figure came with
    with pytest.raises(InvalidAnnotation, match=r'kind.types: type "tree" is none of the campaign.s figure_types'):
        decide_items(store, listed, "f1", "rev1", a_draft(found, kind=KindValue(True, 2, ("scan", "tree"))))
    made = decide_items(store, listed, "f1", "rev1", a_draft(found))
    assert made.items.kind is not None
    assert made.items.kind.types == {"scan"}


def test_which_screen_a_figure_has(store: Store, home: Home) -> None:
    submit(store)
    assert screens_of(store, home.campaign, "f1") == (True, False)
    submit(store, judged(FIGURE, kinds(), phase="types"))
    assert screens_of(store, home.campaign, "f1") == (False, True)


def test_a_rejected_figure_keeps_neither_type_nor_pairs(store: Store, home: Home) -> None:
    submit(store, judged(FIGURE, verdicts(FIGURE)))
    made = decide_items(store, home, "f1", "rev1", a_draft(state(store, home), status=Status.REJECTED))
    assert made.status is Status.REJECTED
    assert made.items == Items()


@pytest.mark.usefixtures("three")
def test_a_second_reviewer_who_says_otherwise_makes_a_tie_that_a_third_sees_as_two_voices(
    store: Store, home: Home
) -> None:
    first = decide_items(store, home, "f1", "rev1", a_draft(state(store, home), second=True))
    assert first.awaits is Awaits.SECOND
    other = PairWord("f1-q4", Verdict.INCORRECT, PairValue(QAKind.BINARY_NON_VISUAL, "Is it?", (), "No"))
    second = decide_items(store, home, "f1", "rev2", a_draft(state(store, home, "rev2"), other))
    assert second.awaits is Awaits.TIE_BREAK
    found = state(store, home, "rev3")
    assert [each.name for each in found.annotators] == ["Reviewer 1", "Reviewer 2"]
    assert found.decision is None
    assert [each.id for each in found.pairs if each.conflict] == ["f1-q4"]
    third = decide_items(store, home, "f1", "rev3", a_draft(found, other))
    assert third.awaits is None


@pytest.mark.usefixtures("three")
def test_a_second_reviewer_who_says_the_same_ends_the_round(store: Store, home: Home) -> None:
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home), second=True))
    same = decide_items(store, home, "f1", "rev2", a_draft(state(store, home, "rev2")))
    assert same.awaits is None


@pytest.mark.usefixtures("three")
def test_newer_work_and_a_reopening_are_told(store: Store, home: Home) -> None:
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home)), now=NOON + timedelta(minutes=1))
    submit(store, judged(FIGURE, verdicts(FIGURE), annotator="Zed", minutes=9))
    assert "changed since it was adjudicated" in state(store, home).reasons
    reopen(store, "f1", "rev2", loaded=1, note="look again")
    assert state(store, home).reasons[0] == "rev2 reopened it: look again"
    assert state(store, home).decision is None


@pytest.mark.usefixtures("three")
def test_a_reopened_figure_starts_from_the_decision_before(store: Store, home: Home) -> None:
    wrong = PairWord("f1-q2", Verdict.INCORRECT, PairValue(QAKind.BINARY_VISUAL, "Which?", (), "no"))
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home), wrong, note="read twice"))
    reopen(store, "f1", "rev2", loaded=1)
    found = state(store, home)
    assert found.decision is None
    assert found.starts_from is not None
    assert (found.starts_from.note, wrong in found.starts_from.verdicts) == ("read twice", True)


@pytest.mark.usefixtures("three")
def test_a_tie_is_broken_between_two_reviewers_and_starts_from_neither(store: Store, home: Home) -> None:
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home), second=True))
    other = PairWord("f1-q1", Verdict.INCORRECT, PairValue(QAKind.BINARY_VISUAL, "Which?", (), "no"))
    decide_items(store, home, "f1", "rev2", a_draft(state(store, home, "rev2"), other))
    found = state(store, home, "rev3")
    assert (found.decision, found.starts_from, len(found.annotators)) == (None, None, 2)


def test_on_a_reopened_figure_either_screen_keeps_what_the_other_decided(store: Store, home: Home) -> None:
    box = a_subfigure("A", tokens=(2, 3))
    submit(store, an_annotation(FIGURE, subfigures=(box,)), judged(FIGURE, verdicts(FIGURE)))
    wrong = PairWord("f1-q2", Verdict.INCORRECT, PairValue(QAKind.BINARY_VISUAL, "Which?", (), "no"))
    decide_items(store, home, "f1", "rev1", a_draft(state(store, home), wrong))
    reopen(store, "f1", "rev2", loaded=1)
    panel = Panel("B", (0.0, 0.0, 50.0, 50.0), ())
    drawn = SubfiguresDraft(version=2, status=Status.ACCEPTED, subfigures=(panel,))
    made = decide(store, home, "f1", "rev2", drawn)
    assert [pair_word(verdict) for verdict in made.items.verdicts if verdict.item == "f1-q2"] == [wrong]
    reopen(store, "f1", "rev2", loaded=3)
    assert [
        part.label for part in decide_items(store, home, "f1", "rev1", a_draft(state(store, home))).subfigures
    ] == ["B"]


@pytest.mark.usefixtures("three")
def test_what_a_decision_leaves_open_is_no_pair_that_nobody_judged(store: Store, home: Home) -> None:
    items = Items(kinds(True, 2).kind, verdicts(FIGURE).verdicts[1:])
    with store.transaction() as tx:
        tx.decisions.add(a_decision(FIGURE, subfigures=(), items=items))
    assert "verdict-missing" not in {each.check for each in state(store, home).findings[""]}


def test_answers_of_human_evaluation_are_not_decided_on(store: Store, home: Home) -> None:
    file = home.path / "campaign.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index("[[phases]]")] + text[text.rindex("[[phases]]") :], encoding="utf-8")
    home = Home.find(home.path)
    submit(store, judged(FIGURE, Items(answers=(HumanAnswer("f1-q1", "yes"),)), phase="eval"))
    found = state(store, home)
    assert (found.adjudicated, found.pairs, found.kind) == (False, (), None)
    for status in Status:
        with pytest.raises(InvalidAnnotation, match="answers of human evaluation are compared to the gold"):
            decide_items(store, home, "f1", "rev1", ItemsDraft(version=0, status=status, verdicts=()))


@pytest.mark.usefixtures("three")
def test_the_screen_names_the_fields_that_the_figure_asks_for(store: Store, home: Home) -> None:
    assert (state(store, home).kinds, state(store, home).adjudicated) == (("kind", "verdicts"), True)
