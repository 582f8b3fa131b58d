"""Agreement counts what people submitted before others' work or a hint about the figure reached them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation

from agreement.report.csv.report import summary_rows
from agreement.report.json.report import report_record
from agreement.report.methods import PLAIN, methods
from agreement.report.text.report import report_text
from annotator.adjudication.messages.comments import ReadComments, mark_read
from annotator.assignment.assign import assign_phase
from annotator.assignment.reassign import reassign
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.gold.dataset import numbers
from annotator.gold.dataset.check import faults
from annotator.gold.dataset.datasheet import annotation_protocol
from annotator.gold.release import make_release
from annotator.measurement.report import ReportOptions, measure, measure_sources
from annotator.store.database.tables import figures_seen
from annotator.store.database.values import to_time
from annotator.store.store import Store, Transaction
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Campaign, Person, Phase, Role
from panelwise.domain.decision import GoldSource
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record

FULL, SHORT = (4, 6, 7), (4,)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def did(who: str, tokens: tuple[int, ...], minutes: float, figure: str = "f1", **more: object) -> Annotation:
    drawn = (a_subfigure(tokens=tokens),)
    return an_annotation(a_figure(figure), annotator=who, subfigures=drawn, minutes=minutes, **more)


def returned(tx: Transaction) -> None:
    tx.sent_back.add("f1", "1", "ann1", "rev1", "the words", at(10))


def returned_twice(tx: Transaction) -> None:
    returned(tx)
    tx.sent_back.add("f1", "1", "ann1", "rev1", "still the words", at(15))


def seen(tx: Transaction) -> None:
    tx.seen.add("ann1", ["f1"], at(10))


def decided(tx: Transaction) -> None:
    tx.decisions.add(a_decision(reviewer="ann1", decided_at=at(10)))


def asked_a_colleague(tx: Transaction) -> None:
    tx.comments.add("f1", "ann2", "ann1", "why so few words?", at(10), thread=None)


def looked_before(tx: Transaction, who: str, figure: str, minutes: float) -> None:
    """Record a look as if before the work was there, which is no clock that was set back."""
    tx.seen._insert(figures_seen, {"figure_id": figure, "person": who, "at": to_time(at(minutes))})


WAYS = [returned, returned_twice, seen, decided, asked_a_colleague]


@pytest.fixture
def figures(store: Store) -> Store:
    """f1: ann1 has words that ann2 lacks, submitted at 5 after a first try at 0; both agree on f2."""
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
            tx.annotations.add(did("ann2", SHORT, 1, name))
        tx.annotations.add(did("ann1", (6, 7), 0))
        tx.annotations.add(did("ann1", FULL, 5))
        tx.annotations.add(did("ann1", SHORT, 1, "f2"))
    return store


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_work_from_before_the_hint_counts_and_the_corrected_stands_beside_it(
    way: Callable[[Transaction], None], figures: Store
) -> None:
    before = measure(figures)
    assert (before.iaa, before.corrected and before.corrected.annotations) == (0.75, 0)
    with figures.transaction() as tx:
        way(tx)
        tx.annotations.add(did("ann1", SHORT, 20))
    report = measure(figures)
    assert report.iaa == 0.75
    assert report.corrected is not None
    assert (report.corrected.annotations, report.corrected.iaa) == (1, 1.0)
    assert report.corrected.sent_back == (way in (returned, returned_twice))
    assert report.acquainted is None
    assert "IAA corrected    1.000000" in report_text(report)
    assert report_record(report)["corrected"]["iaa"] == 1.0
    assert ("IAA with corrections", 1.0, "") in list(summary_rows(report))
    assert "1 annotation was corrected after that" in methods(report, PLAIN)


def test_own_corrections_count_until_a_hint_comes(figures: Store) -> None:
    with figures.transaction() as tx:
        tx.annotations.add(did("ann1", SHORT, 8))
        seen(tx)
    report = measure(figures)
    assert (report.iaa, report.corrected and report.corrected.annotations) == (1.0, 0)


def test_who_knew_the_figure_before_the_first_submission_is_reported_apart_with_the_latest_work(
    figures: Store,
) -> None:
    with figures.transaction() as tx:
        looked_before(tx, "ann1", "f1", -5)
    report = measure(figures)
    assert report.acquainted is not None
    assert [(each.annotator, each.figures, each.of) for each in report.acquainted.people] == [("ann1", 1, 2)]
    assert (report.acquainted.before.iaa, report.acquainted.new.iaa) == (0.5, 1.0)
    assert (report.iaa, report.corrected and report.corrected.annotations) == (0.75, 0)
    assert "1 annotator knew figures before: IAA is 0.500 on these and 1.000 on the others." in methods(
        report, PLAIN
    )


def test_decisions_are_known_in_a_later_phase(figures: Store) -> None:
    with figures.transaction() as tx:
        tx.decisions.add(a_decision(reviewer="rev1", decided_at=at(30)))
        for name, minutes in (("rev1", 40), ("rev2", 41)):
            for figure in ("f1", "f2"):
                tx.annotations.add(did(name, FULL, minutes, figure, phase="2"))
    found = measure(figures, ReportOptions(phase="2")).acquainted
    assert found is not None
    assert [(each.annotator, each.figures, each.of) for each in found.people] == [("rev1", 1, 2)]


def test_a_skip_before_the_hint_is_no_work_and_the_work_after_it_does_not_count(figures: Store) -> None:
    with figures.transaction() as tx:
        tx.annotations.add(did("ann1", SHORT, 8, status=Status.IGNORED))
        seen(tx)
        tx.annotations.add(did("ann1", SHORT, 20))
    report = measure(figures)
    assert (report.iaa, report.counts.scored) == (1.0, 1)
    assert report.corrected is not None
    assert report.corrected.annotations == 1


def test_gold_uses_the_latest_work(figures: Store) -> None:
    with figures.transaction() as tx:
        returned(tx)
        tx.annotations.add(did("ann1", SHORT, 20))
    found = list(gold(figures, Campaign("c", (Phase("1"),), ("A",)), GoldTally(), include=tuple(GoldSource)))
    assert {each.figure.id: each.provenance.source for each in found} == {
        "f1": GoldSource.UNANIMOUS,
        "f2": GoldSource.UNANIMOUS,
    }


def test_of_files_the_history_is_unknown_and_that_is_said(figures: Store, home: Home) -> None:
    file = home.path / "work.jsonl"
    with figures.read() as tx:
        write_lines(file, map(annotation_record, tx.annotations.all()))
    report = measure_sources([file], Problems())
    assert report.corrected is None
    assert report_record(report)["corrected_reason"].startswith("files don't say")
    assert "corrected          unknown" in report_text(report)
    assert "it is unknown if any was changed" in methods(report, PLAIN)
    of_home = measure_sources([home.path], Problems())
    assert of_home.corrected is not None
    assert measure_sources([home.path, file], Problems()).corrected is None


def test_only_comments_of_others_that_were_read_are_a_hint(figures: Store, home: Home) -> None:
    ann1 = Person("ann1", frozenset({Role.ANNOTATOR}))
    with figures.transaction() as tx:
        tx.people.put(ann1)
        tx.comments.add("f1", "ann1", "ann1", "is this one panel?", at(2), thread=None)
    mark_read(figures, home, ann1, "f1", ReadComments(9), own=True)
    with figures.transaction() as tx:
        assert tx.seen.contacts() == {}
        tx.comments.add("f1", "ann1", "rev1", "no, look at the words", at(3), thread=1)
    with figures.read() as tx:
        assert ("ann1", "f1") not in tx.seen.contacts()
    mark_read(figures, home, ann1, "f1", ReadComments(9), own=True)
    with figures.read() as tx:
        assert ("ann1", "f1") in tx.seen.contacts()


def test_the_first_time_stays(figures: Store) -> None:
    with figures.transaction() as tx:
        tx.seen.add("ann1", ["f1"], at(13))
        tx.seen.add("ann1", ["f1", "f2"], at(19))
        assert [contact.at for contact in tx.seen.contacts()["ann1", "f1"]] == [at(13)]
        tx.seen.add_all("lea", at(14))
        tx.seen.add_all("lea", at(15))
        assert {key: [each.at for each in own] for key, own in tx.seen.contacts().items() if key[0] == "lea"} == {
            ("lea", "f1"): [at(14)],
            ("lea", "f2"): [at(14)],
        }
        assert not tx.seen.any_unseen("lea")


def test_a_figure_without_others_work_shows_nothing(figures: Store) -> None:
    with figures.transaction() as tx:
        tx.figures.add(a_figure("f3"))
        tx.annotations.add(did("ann1", FULL, 2, "f3"))
        assert tx.seen.unseen("ann1", ["f1", "f2", "f3"]) == ["f1", "f2"]


@pytest.mark.slow
def test_a_release_says_which_work_its_agreement_is_of(figures: Store, home: Home) -> None:
    with figures.transaction() as tx:
        returned(tx)
        tx.annotations.add(did("ann1", SHORT, 20))
        looked_before(tx, "ann2", "f2", 0)
    made = make_release(home, figures, "first")
    [phase] = made.manifest["agreement"]["phases"]
    assert (phase["campaign"]["iaa"], phase["campaign"]["work"]) == (0.75, "independent")
    assert phase["campaign"]["corrected"] == {"annotations": 1, "sent_back": 1, "iaa": 1.0, "reason": None}
    assert phase["campaign"]["acquainted"]["figures"] == 1
    assert "ann2" not in str(phase)
    assert (phase["released"]["iaa"], phase["released"]["work"]) == (1.0, "latest")
    first = phase["released_independent"]
    assert (first["iaa"], first["figures"], first["work"]) == (0.75, 2, "independent")
    rows = dict(numbers.agreement(made.manifest))
    assert rows["Phase 1, released figures, independent work: IAA"] == "0.750"
    alike = {**phase, "released_independent": {**phase["released"], "work": "independent"}}
    earlier = {key: value for key, value in phase.items() if key != "released_independent"}
    for each in (alike, earlier):
        plain = dict(numbers.agreement({**made.manifest, "agreement": {"phases": [each]}}))
        assert not [name for name in plain if "independent work" in name]
    assert rows["Phase 1, all figures: IAA with corrections"] == "1.000"
    assert rows["Phase 1, all figures: IAA where an annotator knew the figure"] == "1.000"
    assert "of each annotator's last submission from before" in (made.release.path / "README.md").read_text(
        "utf-8"
    )
    sentence = "1 annotation was replaced by later corrections; the history of 0 annotations is unknown."
    assert sentence in (made.release.path / "DATASHEET.md").read_text("utf-8")
    assert list(faults(made.release)) == []
    assert "worked in the phases 1 (subfigures). 1 annotation was corrected after others' work on the figure" in (
        made.release.path / "croissant.json"
    ).read_text("utf-8")
    unsaid = {**phase, "campaign": {"iaa": None}}
    assert numbers.independence_statement({"agreement": {"phases": [unsaid]}}) == ""


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            {"work": "independent", "corrected": {"annotations": 0}, "annotations": 4},
            "phases 1 (subfigures), independently. 0",
        ),
        (
            {"work": "independent", "corrected": None, "annotations": 4},
            "(subfigures). The history of 4 annotations is unknown. 0",
        ),
        ({"iaa": None}, "(subfigures). The release does not say whether others' work on a figure reached them. 0"),
    ],
)
def test_a_release_calls_work_independent_only_where_that_is_known(entry: dict[str, Any], said: str) -> None:
    manifest: Any = {
        "agreement": {"phases": [{"campaign": entry}]},
        "campaign": {"phases": [{"name": "1", "task_type": "subfigures"}], "second_reviewer": False, "quorum": 2},
        "counts": {"by_source": {"single": 0, "adjudicated": 0, "unanimous": 0}},
        "guidelines": {},
    }
    assert said in annotation_protocol(manifest)


def test_the_plan_counts_image_names_and_prefers_people_who_do_not_know_them(store: Store) -> None:
    campaign = Campaign("c", (Phase("1"), Phase("2", annotators=("ann", "ben"), overlap=0)), ("A",))
    with store.transaction() as tx:
        for number in range(6):
            tx.figures.add(a_figure(f"f{number}"))
        tx.seen.add("ann", ["f0", "f1"], NOON)
        tx.decisions.add(a_decision(a_figure("f2"), reviewer="ann"))
    plan = assign_phase(store, campaign, campaign.phase("2"), dry_run=True)
    assert {task.annotator for task in plan.tasks if task.figure in ("f0", "f1", "f2")} == {"ben"}
    assert [(share.annotator, share.knows) for share in plan.shares()] == [("ann", 0), ("ben", 0)]
    shared = assign_phase(store, campaign, Phase("2", annotators=("ann", "ben")), dry_run=True)
    assert [(share.annotator, share.knows, share.tasks) for share in shared.shares()] == [
        ("ann", 3, 6),
        ("ben", 0, 6),
    ]
    assert any("3 tasks with an annotator who knows the figure" in note for note in shared.notes)


def test_reassigned_tasks_go_to_people_who_do_not_know_the_figures(store: Store) -> None:
    campaign = Campaign("c", (Phase("1", annotators=("ann", "ben", "cem"), overlap=0),), ("A",))
    with store.transaction() as tx:
        for number in range(6):
            tx.figures.add(a_figure(f"f{number}"))
    assign_phase(store, campaign, campaign.phase("1"))
    with store.transaction() as tx:
        tx.seen.add("ben", [task.figure for task in tx.tasks.all(annotator="ann")], NOON)
    changed = reassign(store, campaign, "ann")
    assert {new.annotator for _, new in changed.changes} == {"cem"}


def test_the_overlap_grows_by_figures_that_others_do_not_know(store: Store) -> None:
    phase = Phase("1", annotators=("ann", "ben"), overlap=0)
    campaign = Campaign("c", (phase,), ("A",))
    with store.transaction() as tx:
        for number in range(4):
            tx.figures.add(a_figure(f"f{number}"))
    tasks = assign_phase(store, campaign, phase).tasks
    known = {task.figure for task in tasks if task.figure != "f3"}
    with store.transaction() as tx:
        for name in ("ann", "ben"):
            tx.seen.add(name, known, NOON)
    wider = Phase("1", annotators=("ann", "ben"), overlap=1)
    found = assign_phase(store, campaign, wider, change_overlap=True, dry_run=True)
    assert found.shared == {"f3"}
