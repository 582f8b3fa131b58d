from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from panelwise.domain.annotation import LARGEST_MAX_BOXES
from panelwise.domain.campaign import (
    Campaign,
    Person,
    Phase,
    Role,
    Screen,
    Task,
    TaskType,
    Visit,
    check_new_name,
    describe_unlisted,
    unlisted_types,
)
from panelwise.domain.decision import REVIEWED, FigureState, GoldSource, describe_states
from panelwise.domain.errors import InvalidAnnotation

MONDAY = datetime(2026, 11, 23, 18, tzinfo=UTC)
WEEK = timedelta(days=7)


def test_a_phase_that_is_not_listed_is_a_plain_one() -> None:
    campaign = Campaign("c", (Phase("1", seeded=False),), ("A",))
    assert campaign.phase("1").seeded is False
    assert campaign.phase("2") == Phase("2")


@pytest.mark.parametrize(
    ("phases", "labels", "quorum", "complaint"),
    [
        ((Phase("1"), Phase("1")), ("A",), 2, "have the same name"),
        ((Phase("1"),), ("A", "A"), 2, "empty or repeated label"),
        ((Phase("1"),), ("A", ""), 2, "empty or repeated label"),
        ((Phase("1"),), ("A", "B "), 2, 'label "B " has blanks at its ends'),
        ((Phase("1"),), ("\tA",), 2, "blanks at its ends"),
        ((Phase("1"),), ("A",), 0, "quorum = 0 is invalid; give a number from 1 up"),
        ((Phase("1"), Phase("2", figures_of="3")), ("A",), 2, r'figures_of names "3", .* one of 1, 2'),
        ((Phase("1", figures_of="2"), Phase("2", figures_of="1")), ("A",), 2, "leads back to itself"),
    ],
)
def test_contradictory_settings_are_refused(
    phases: tuple[Phase, ...], labels: tuple[str, ...], quorum: int, complaint: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=complaint):
        Campaign("c", phases, labels, quorum=quorum)


@pytest.mark.parametrize("number", [0, LARGEST_MAX_BOXES + 1])
def test_a_limit_of_boxes_that_cannot_be_is_refused(number: int) -> None:
    with pytest.raises(
        InvalidAnnotation, match=rf"max_boxes = {number} is invalid; give a number from 1 to {LARGEST_MAX_BOXES}"
    ):
        Campaign("c", (Phase("1"),), ("A",), max_boxes=number)


def test_only_single_work_can_be_included() -> None:
    assert Campaign("c", (), ("A",)).gold_sources == REVIEWED
    assert Campaign("c", (), ("A",), include=frozenset({GoldSource.SINGLE})).gold_sources == set(GoldSource)
    with pytest.raises(InvalidAnnotation, match="include has unanimous, which is gold in any case"):
        Campaign("c", (), ("A",), include=frozenset({GoldSource.UNANIMOUS}))


@pytest.mark.parametrize(("quorum", "least"), [(1, 2), (2, 2), (3, 3)])
def test_two_at_least_are_unanimous(quorum: int, least: int) -> None:
    assert Campaign("c", (), ("A",), quorum=quorum).least_unanimous == least


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"figures": 0}, "figures = 0 is invalid; give a number from 1 up"),
        ({"batch": 0}, "batch = 0 is invalid"),
        ({"overlap": -1}, "overlap = -1 is invalid; give a number from 0 up"),
        ({"figures": 5, "overlap": 6}, "an overlap of 6 of 5 figures"),
        ({"figures_of": "p"}, "names the phase itself"),
        ({"batch_deadlines": (MONDAY,)}, "without batch"),
        ({"batch": 2, "batch_deadlines": (MONDAY + WEEK, MONDAY)}, "not in order"),
        ({"batch": 2, "batch_deadlines": (MONDAY, MONDAY)}, "not in order"),
        ({"batch": 2, "batch_deadlines": (MONDAY + WEEK,), "deadline": MONDAY}, "is after deadline"),
        ({"annotators": ("a", "a")}, 'annotators has "a" twice'),
        ({"annotators": ("a ",)}, 'annotators has "a ", which is not a valid name'),
        ({"reviewers": ("",)}, "reviewers has"),
        ({"overlap_annotators": ("a",)}, "shared by two or more"),
        ({"annotators": ("a", "b"), "overlap_annotators": ("a", "c")}, '"c", who is not among annotators'),
        ({"blind": True}, "given does not say"),
        ({"given": "gold"}, "given without blind"),
        ({"blind": True, "given": "gold", "task_type": TaskType.FIGURE_QA}, "not for figure-qa"),
    ],
)
def test_a_phase_that_cannot_be_is_refused_by_its_name(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidAnnotation, match=rf'^phase "p": .*{complaint}'):
        Phase("p", **settings)


def test_an_overlap_may_be_shared_by_people_named_later() -> None:
    assert Phase("p", overlap_annotators=("a", "b")).annotators == ()


@pytest.mark.parametrize(
    ("given", "model"), [("gold", None), ("ann1", None), ("prediction", ""), ("prediction:classic:1", "classic:1")]
)
def test_a_blind_phase_says_which_models_subfigures_are_given(given: str, model: str | None) -> None:
    assert Phase("p", blind=True, given=given).model_of_boxes == model


def test_a_batch_without_a_deadline_of_its_own_is_due_with_the_phase() -> None:
    phase = Phase("p", batch=3, batch_deadlines=(MONDAY, MONDAY + WEEK), deadline=MONDAY + 3 * WEEK)
    assert [phase.batch_deadline(number) for number in (1, 2, 3)] == [
        MONDAY,
        MONDAY + WEEK,
        MONDAY + 3 * WEEK,
    ]
    assert Phase("p").batch_deadline(1) is None


def test_a_batch_counts_from_one() -> None:
    with pytest.raises(InvalidAnnotation, match="batch 0 is invalid"):
        Task("f1", "ann1", "1", batch=0)


def test_reviewers_are_the_phases_own_or_else_the_campaigns_and_do_the_blind_tasks() -> None:
    blind = Phase("2", blind=True, given="gold", figures_of="1")
    named = Phase("3", reviewers=("r3",), annotators=("a",))
    campaign = Campaign("c", (Phase("1"), blind, named), ("A",), reviewers=("r1", "r2"))
    assert [campaign.reviewers_of(phase) for phase in campaign.phases] == [("r1", "r2"), ("r1", "r2"), ("r3",)]
    assert [campaign.annotators_of(phase) for phase in campaign.phases] == [(), ("r1", "r2"), ("a",)]


def test_figures_of_a_phase_are_those_of_the_phase_at_the_beginning_of_the_chain() -> None:
    phases = (Phase("1"), Phase("2", figures_of="1"), Phase("3", figures_of="2"))
    campaign = Campaign("c", phases, ("A",))
    assert [campaign.source_of(phase).name for phase in phases] == ["1", "1", "1"]


def test_reviewers_are_named_once() -> None:
    with pytest.raises(InvalidAnnotation, match='reviewers has "r" twice'):
        Campaign("c", (), ("A",), reviewers=("r", "r"))


@pytest.mark.parametrize(
    "path", ["", "../x.md", "/etc/x.md", "a//b.md", "a/./b.md", "C:\\x.md", "a\\..\\b.md", "c:x"]
)
def test_guidelines_outside_of_the_home_are_refused(path: str) -> None:
    with pytest.raises(InvalidAnnotation, match="is no file of the home"):
        Campaign("c", (), ("A",), guideline_file=path)


def test_one_person_under_two_spellings_is_told() -> None:
    with pytest.raises(InvalidAnnotation, match='annotators has "Ann" and "ann", which differ only by case'):
        Phase("1", annotators=("Ann", "ben", "ann"))


@pytest.mark.parametrize("path", ["secret.key", "store.sqlite", "campaign.toml", "gold.jsonl", "texts/md", ".env"])
def test_no_other_file_of_the_home_may_be_the_guidelines(path: str) -> None:
    with pytest.raises(InvalidAnnotation, match=r"does not end in .md, .markdown or .txt; name a Markdown file"):
        Campaign("c", (), ("A",), guideline_file=path)


def test_guidelines_may_lie_in_a_folder_of_the_home() -> None:
    assert Campaign("c", (), ("A",), guideline_file="texts/v2.md").guideline_file == "texts/v2.md"


@pytest.mark.parametrize("name", ["", " ann", "ann "])
def test_a_name_is_not_empty_and_has_no_blanks_at_its_ends(name: str) -> None:
    with pytest.raises(InvalidAnnotation, match="not a valid name"):
        Person(name, frozenset({Role.ANNOTATOR}))


def test_a_person_may_hold_several_roles() -> None:
    assert Person("ann", frozenset({Role.ANNOTATOR, Role.REVIEWER})).roles >= {Role.REVIEWER}


def test_a_new_name_holds_no_control_characters() -> None:
    check_new_name("Ånn O'Neill")
    with pytest.raises(InvalidAnnotation, match=r"'a\\tb' contains control characters"):
        check_new_name("a\tb")


@pytest.mark.parametrize(
    ("phase", "measures"),
    [
        (Phase("2"), False),
        (Phase("2", blind=True, given="gold"), True),
        (Phase("2", blind=True, given="ann1"), False),
        (Phase("2", blind=True, given="phase", figures_of="1"), False),
        (Phase("2", blind=True, given="prediction"), False),
    ],
)
def test_blind_work_on_the_golds_boxes_measures_the_gold(phase: Phase, measures: bool) -> None:
    assert phase.measures_gold is measures


@pytest.mark.parametrize("task_type", TaskType)
def test_panelwises_own_screen_is_for_every_type_of_task(task_type: TaskType) -> None:
    assert Phase("1", task_type, annotate_in=Screen.PANELWISE, fine_types=True).own_screen


def test_a_campaigns_figure_types_are_those_of_all_its_phases() -> None:
    campaign = Campaign("c", (Phase("1"), Phase("fine", fine_types=True)), ("A",), figure_types=("scan", "chart"))
    first, fine = campaign.phases
    assert {first.types, fine.types, campaign.phase("unlisted").types} == {("scan", "chart")}
    assert (first.types_closed, fine.types_closed, Phase("1").types_closed) == (True, False, False)
    assert unlisted_types({"scan", "tree"}, first) == {"tree"}
    assert unlisted_types({"scan", "tree"}, fine) == unlisted_types({"any"}, Phase("1")) == frozenset()
    message = describe_unlisted({"tree", "map"}, first.types)
    assert message == """type "map", "tree" is none of the campaign's figure_types (scan, chart)"""


@pytest.mark.parametrize(
    ("types", "complaint"),
    [
        (("scan",), "has 1 types; list 2 to 12"),
        (tuple(map(str, range(13))), "has 13 types; list 2 to 12"),
        (("scan", " chart"), "has ' chart', which is not a valid type"),
        (("scan", ""), "has '', which is not a valid type"),
        (("scan", "cha\nrt"), "which is not a valid type"),
        (("scan", "Scan"), 'has "Scan" twice; list each type once'),
    ],
)
def test_a_list_of_figure_types_that_cannot_be_chosen_from_is_refused(
    types: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=f"figure_types .*{complaint}"):
        Campaign("c", (Phase("1"),), ("A",), figure_types=types)


def test_boxes_of_a_phase_need_that_phase() -> None:
    with pytest.raises(InvalidAnnotation, match='given = "phase" without figures_of; name there the phase'):
        Phase("2", blind=True, given="phase")


def test_panelwises_own_screen_is_refused_for_a_blind_phase() -> None:
    with pytest.raises(InvalidAnnotation, match="not for a blind phase"):
        Phase("1", annotate_in=Screen.PANELWISE, blind=True, given="gold")


def test_every_subfigure_is_asked_for_on_panelwises_own_screen_only() -> None:
    assert Phase("1", annotate_in=Screen.PANELWISE, visit=Visit.ALL).visit is Visit.ALL
    with pytest.raises(InvalidAnnotation, match="visit is for work on Panelwise's own screen"):
        Phase("1", visit=Visit.ALL)
    with pytest.raises(InvalidAnnotation, match="show_ids is for Panelwise's own screen"):
        Phase("1", show_ids=False)
    assert not Phase("1", annotate_in=Screen.PANELWISE, show_ids=False).show_ids


@pytest.mark.parametrize(
    ("task_type", "fine_types", "asked"),
    [
        (TaskType.FIGURE_TYPES, False, True),
        (TaskType.FIGURE_QA, True, True),
        (TaskType.FIGURE_QA, False, False),
        (TaskType.HUMAN_EVAL, True, False),
        (TaskType.SUBFIGURES, True, False),
    ],
)
def test_the_figures_type_is_asked_for_with_pairs_where_fine_types_are(
    task_type: TaskType, fine_types: bool, asked: bool
) -> None:
    assert Phase("1", task_type, fine_types=fine_types).asks_for_kind is asked
    assert Phase("1", task_type, figure_type=fine_types).asks_for_kind is asked


def test_only_phases_annotated_in_label_studio_go_there() -> None:
    assert Phase("1").in_label_studio
    assert not Phase("1", annotate_in=Screen.PANELWISE).in_label_studio
    assert not Phase("1", blind=True, given="gold").in_label_studio


@pytest.mark.parametrize(
    ("phases", "message"),
    [
        ([{"hidden_gold": 0.6}], "hidden_gold = 0.6 is invalid; give a number from 0 to 0.5"),
        ([{"pass_mark": 1.5}], "pass_mark = 1.5 is invalid"),
        ([{"unseeded": 0.6}], "unseeded = 0.6 is invalid; give a number from 0 to 0.5"),
        (
            [{"unseeded": 0.1, "seeded": False}],
            "unseeded is a share of tasks that begin with pre-labels, but seeded",
        ),
        ([{"unseeded": 0.1, "task_type": TaskType.FIGURE_QA}], "unseeded is for subfigures that annotators draw"),
        (
            [{"blind": True, "given": "gold", "hidden_gold": 0.1}],
            "hidden_gold is for subfigures .* not for a blind",
        ),
        ([{"training_phase": "0"}], 'training_phase names "0", which is no phase before it'),
        ([{}, {"training_phase": "p0"}], 'training_phase names "p0", which has no pass_mark'),
        ([{"training_phase": "p0", "pass_mark": 0.5}], "training_phase names the phase itself"),
    ],
)
def test_settings_that_measure_annotators_are_refused_where_they_cannot_be(
    phases: list[dict[str, object]], message: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=message):
        Campaign("c", tuple(Phase(f"p{at}", **each) for at, each in enumerate(phases)), ())  # type: ignore[arg-type]


def test_a_task_type_says_whether_it_asks_about_pairs() -> None:
    assert {each for each in TaskType if Phase("1", each).kind.on_pairs} == {
        TaskType.FIGURE_QA,
        TaskType.HUMAN_EVAL,
    }


@pytest.mark.parametrize(
    ("states", "answered", "line"),
    [
        ({}, 0, "no figure"),
        ({FigureState.UNTOUCHED: 6}, 0, "6 untouched"),
        ({FigureState.UNTOUCHED: 6}, 4, "4 answered, 2 untouched"),
        ({FigureState.UNTOUCHED: 6}, 6, "6 answered"),
        ({FigureState.UNTOUCHED: 2, FigureState.ADJUDICATED: 1}, 3, "2 answered, 1 adjudicated"),
    ],
)
def test_states_are_counted_in_one_line(states: dict[FigureState, int], answered: int, line: str) -> None:
    assert describe_states(states, answered=answered) == line


def test_pages_say_whom_a_figure_waits_for() -> None:
    states = {FigureState.SINGLE: 3, FigureState.AWAITING: 1, FigureState.WAITING: 2}
    assert describe_states(states) == "3 single, 1 awaiting, 2 waiting"
    line = "3 single, 1 awaiting another reviewer, 2 waiting for an annotator"
    assert describe_states(states, phrases=True) == line
