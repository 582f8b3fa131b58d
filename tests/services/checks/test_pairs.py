"""What the checks on pairs let pass, and what they tell apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from services.checks.examples import ANSWERS, CAPTION, PAIRS, answered, judged, one, pair, with_pairs

from annotator.checks.run import findings_of
from panelwise.domain.items import UNANSWERABLE, FigureKind, HumanAnswer, Items, QAKind, QAVerdict, Verdict

CHOICE, BINARY, OPEN = QAKind.CHOICE_VISUAL, QAKind.BINARY_VISUAL, QAKind.INFINITE_NON_VISUAL


def checks_of(work, phase=PAIRS) -> set[str]:
    return {finding.check for finding in findings_of(work, phase)}


@pytest.mark.parametrize("answer", ["A", "d", "A,C", "A, C", "B and D", "A;B;C", "C."])
def test_answers_by_letter_are_options(answer: str) -> None:
    assert checks_of(one(CHOICE, answer=answer)) == set()


@pytest.mark.parametrize("answer", ["E", "A,E", "AB", "none", ",", "1"])
def test_other_answers_are_no_options(answer: str) -> None:
    assert checks_of(one(CHOICE, answer=answer)) == {"answer-not-an-option"}


def test_an_option_written_out_is_told_with_its_letter() -> None:
    (found,) = findings_of(one(CHOICE, answer="gru"), PAIRS)
    assert found.message.endswith("write its letter, B")


def test_a_choice_without_options_is_told_to_get_some() -> None:
    found = {each.check: each.message for each in findings_of(one(CHOICE, choices=()), PAIRS)}
    assert found["answer-not-an-option"].endswith("give the question its options")
    assert "has 0 options" in found["option-count"]


def test_options_under_a_question_that_has_none_are_counted_too() -> None:
    assert checks_of(one(BINARY, choices=("Yes", "No"))) == {"option-count"}


@pytest.mark.parametrize("answer", ["yes", "No", "TRUE", "false."])
def test_binary_answers_in_any_case(answer: str) -> None:
    assert checks_of(one(BINARY, answer=answer)) == set()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("higher", "lower"),
        ("10-sample", "100-sample"),
        ("subtask a", "subtask b"),
        ("BERT is better than GPT", "GPT is better than BERT"),
        ("x coordinate", "y coordinate"),
        ("with pretraining", "without pretraining"),
        ("correctly predicted", "incorrectly predicted"),
        (", and .", "! and ?"),
        ("higher, lower, lower", "higher, higher, lower"),
    ],
)
def test_options_that_differ_in_what_they_mean_are_let_be(ours: str, theirs: str) -> None:
    assert "options-alike" not in checks_of(one(CHOICE, choices=(ours, theirs, "dots", "stars")))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("Recall and precision", "precision and recall"),
        ("dashed line", "dahsed line"),
        ("GRU", "gru"),
        ("The labelled line", "labeled line"),
        ("it increases", "It increased"),
    ],
)
def test_options_that_say_the_same_are_told(ours: str, theirs: str) -> None:
    assert "options-alike" in checks_of(one(CHOICE, choices=(ours, theirs, "dots", "stars")))


def test_long_options_are_cut_in_the_message() -> None:
    ours = "the model with the higher ratio of masks is the better one of the two that were tried"
    (found,) = findings_of(one(CHOICE, choices=(ours, f"{ours}.", "dots", "stars")), PAIRS)
    assert "..." in found.message
    assert len(found.message) < 200


def test_the_sentence_with_a_slip_is_misworded_and_no_answer_elsewhere() -> None:
    slip = UNANSWERABLE.replace("provided ", "")
    assert checks_of(one(QAKind.UNANSWERABLE, answer=slip)) == {"unanswerable-misworded"}
    assert checks_of(one(BINARY, answer=slip)) == {"unanswerable-type-missing"}


def test_ambiguous_words_are_colours_in_pairs_about_colours_only() -> None:
    assert checks_of(one(QAKind.INFINITE_VISUAL, question="Where does the line of LIME end?")) == set()
    assert checks_of(one(QAKind.INFINITE_VISUAL, question="Which colour has the line?", answer="Lime")) == {
        "exotic-colour"
    }


def test_a_name_in_capitals_is_no_attribute() -> None:
    assert checks_of(one(OPEN, question="What is the highest BLUE score?")) == set()


@pytest.mark.parametrize(
    "question",
    [
        "What type of figure is this?",
        "Which kind of plot is shown on the left?",
        "What is the chart type?",
        "Is this figure a bar chart?",
        "Is this a bar chart?",
        "Is it a histogram?",
        "Are these scatter plots?",
    ],
)
def test_questions_for_the_type_are_found(question: str) -> None:
    assert "asks-for-figure-type" in checks_of(one(QAKind.INFINITE_VISUAL, question=question))


def test_a_question_whose_options_are_types_asks_for_the_type() -> None:
    shapes = ("Histogram", "A line chart", "Pie chart", "Triangle")
    question = "What is the shape of the figure?"
    assert checks_of(one(QAKind.CHOICE_VISUAL, question=question, choices=shapes)) == {"asks-for-figure-type"}
    for others in (
        ("Circle", "Square", "Tree", "Triangle"),
        ("Top left graph", "Top right graph", "Bottom left plot", "The last chart"),
    ):
        assert checks_of(one(QAKind.CHOICE_VISUAL, question=question, choices=others)) == set()


def test_a_binary_question_stays_one_with_four_options() -> None:
    options = ("True", "False", "Both", "None of them")
    assert "options-binary" in checks_of(one(QAKind.CHOICE_VISUAL, choices=options, answer="A"))
    assert checks_of(one(QAKind.CHOICE_VISUAL, choices=("Yes", "LSTM", "Both", "None"), answer="A")) == set()


@pytest.mark.parametrize("answer", ["Yes", "no.", "TRUE"])
def test_an_open_question_is_not_answered_yes_or_no(answer: str) -> None:
    assert checks_of(one(QAKind.INFINITE_VISUAL, answer=answer)) == {"answer-binary"}
    assert checks_of(one(QAKind.INFINITE_VISUAL, answer="Between 5 and 7")) == set()


@pytest.mark.parametrize(
    "question",
    [
        "What type of metric is on the left?",
        "Which type of node is red?",
        "Is the line in this bar chart red?",
        "Is this a red line?",
    ],
)
def test_questions_for_other_types_are_let_be(question: str) -> None:
    assert checks_of(one(QAKind.INFINITE_VISUAL, question=question)) == set()


def test_a_question_on_the_caption_alone_may_stay_with_its_note() -> None:
    item = pair(OPEN, question="What is varied?", answer="Training size")
    noted = QAVerdict("p1", Verdict.CORRECT, note="Question is based solely on caption.")
    assert checks_of(judged(item)) == {"caption-only"}
    assert checks_of(judged(item, verdicts=(noted,))) == set()


def test_options_that_all_stand_in_the_caption_do_not_tell_which_is_right() -> None:
    both = ("TreeRNN", "RNTN", "LSTM", "GRU")
    alone = ("TreeRNN", "CNN", "LSTM", "GRU")
    assert "RNTN" in CAPTION
    kind = QAKind.CHOICE_NON_VISUAL
    assert checks_of(one(kind, choices=both, answer="A")) == set()
    assert checks_of(one(kind, choices=alone, answer="A")) == {"caption-only"}


def test_digits_of_the_captions_numbering_are_no_answer() -> None:
    assert checks_of(one(OPEN, answer="4")) == set()


def test_a_pair_given_up_is_not_looked_at_further() -> None:
    given_up = replace(pair(CHOICE), question="None", answer="None", choices=())
    verdict = QAVerdict("p1", Verdict.INCORRECT, given_up)
    assert checks_of(judged(pair(CHOICE), verdicts=(verdict,))) == set()
    assert checks_of(answered(given_up), ANSWERS) == set()


def test_the_edited_pair_is_what_is_looked_at() -> None:
    edited = replace(pair(BINARY), answer="Mostly")
    work = judged(pair(BINARY), verdicts=(QAVerdict("p1", Verdict.INCORRECT, edited),))
    mended = judged(edited, verdicts=(QAVerdict("p1", Verdict.INCORRECT, pair(BINARY)),))
    assert checks_of(work) == {"answer-not-binary"}
    assert checks_of(mended) == set()


def test_an_edit_that_changes_blanks_only_is_none() -> None:
    blank = replace(pair(BINARY), answer="No ")
    incorrect = QAVerdict("p1", Verdict.INCORRECT, blank)
    assert checks_of(judged(pair(BINARY), verdicts=(incorrect,))) == {"edit-missing"}
    assert checks_of(judged(pair(BINARY), verdicts=(replace(incorrect, verdict=Verdict.CORRECT),))) == set()


def test_a_changed_type_is_an_edit() -> None:
    moved = QAVerdict("p1", Verdict.INCORRECT, replace(pair(), kind=QAKind.UNANSWERABLE, answer=UNANSWERABLE))
    assert checks_of(judged(pair(), verdicts=(moved,))) == set()


def test_one_binary_question_may_be_answered_yes() -> None:
    assert checks_of(one(BINARY, answer="Yes")) == set()


def test_pairs_without_questions_are_not_held_against_each_other() -> None:
    work = judged(pair(number=1, question=""), pair(number=2, question=""))
    assert checks_of(work) == {"question-missing"}


def test_questions_that_are_nearly_alike_by_their_words_are_told() -> None:
    ours = "What is the colour of the cell in the matrix of the system for 'fr-ca' when the true label is 'fr-fr'?"
    work = judged(pair(number=1, question=ours), pair(number=2, question=ours.replace("fr-fr", "fr-ch")))
    (found,) = findings_of(work, PAIRS)
    assert (found.check, found.where) == ("questions-alike", "p2")
    assert "nearly that of" in found.message


def test_types_are_looked_at_where_they_were_judged_beside_pairs() -> None:
    work = judged(pair())
    typed = replace(work, items=replace(work.items, kind=FigureKind(True, 1, frozenset({"tree"}))))
    assert checks_of(typed) == {"compound-and-count"}


def test_half_said_of_a_figures_kind_is_not_enough() -> None:
    from services.checks.examples import TYPES, typed

    found = findings_of(typed(None, None, "tree"), TYPES)
    assert [each.check for each in found] == ["kind-missing", "kind-missing"]
    assert "compound-and-count" in checks_of(typed(True, 1, "tree"), TYPES)
    assert checks_of(typed(True, 0, "tree"), TYPES) == {"compound-and-count"}


def test_a_campaigns_own_types_are_known() -> None:
    from services.checks.examples import TYPES, typed

    own = replace(TYPES, types=("violin plot", "scan"))
    assert checks_of(typed(False, 1, "Violin plots"), own) == set()
    assert checks_of(typed(False, 1, "tree"), own) == {"type-unknown"}


def test_fine_types_are_free() -> None:
    from services.checks.examples import TYPES, typed

    assert checks_of(typed(False, 1, "violin plot"), replace(TYPES, fine_types=True)) == set()


def test_human_answers_that_follow_the_guidelines_pass() -> None:
    assert checks_of(answered(pair(), HumanAnswer("p1", None, "phrasing unclear")), ANSWERS) == set()
    assert checks_of(answered(pair(), HumanAnswer("p1", UNANSWERABLE)), ANSWERS) == set()
    assert checks_of(answered(pair(CHOICE), HumanAnswer("p1", "a,b")), ANSWERS) == set()
    assert checks_of(answered(pair(BINARY), HumanAnswer("p1", "yes")), ANSWERS) == set()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (" ", "human-answer-missing"),
        ("I don't know", "reason-missing"),
        ("i do not know.", "reason-missing"),
        ("It is not possible to answer this question based on the data.", "unanswerable-misworded"),
        ("one two three four five six seven eight nine ten eleven", "answer-long"),
    ],
)
def test_human_answers_that_do_not(answer: str, found: str) -> None:
    assert checks_of(answered(pair(), HumanAnswer("p1", answer)), ANSWERS) == {found}


def test_answers_to_strange_questions_are_told() -> None:
    work = answered(pair(), HumanAnswer("p1", "20"), HumanAnswer("p7", "20"))
    assert checks_of(work, ANSWERS) == {"pair-unknown"}
    assert checks_of(with_pairs(items=Items(answers=(HumanAnswer("p7", "20"),))), ANSWERS) == set()
