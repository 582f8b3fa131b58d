"""Work on a caption or image that was replaced since: kept, told, and never mixed with the new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from adjudicated import decide, figure_state
from builders import NOON, a_decision, an_annotation
from services.revised import CAMPAIGN, FIRST, SECOND, keep, present, revise, work_on

from agreement.report.json.report import report_json
from annotator.adjudication.draft import SubfiguresDraft
from annotator.campaign.home import Home
from annotator.consensus.gold_rule import GoldTally, gold
from annotator.dashboards.status import campaign_progress
from annotator.imports import replace
from annotator.imports.annotations import import_annotations
from annotator.measurement.compare import compare_sources
from annotator.measurement.report import measure, measure_sources
from annotator.queue.pages import queue_page
from annotator.queue.ranking import score_disagreement
from annotator.store.rows.records import Revisions
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation, Status
from panelwise.domain.campaign import Task
from panelwise.domain.decision import GoldSource
from panelwise.domain.errors import InvalidAnnotation
from panelwise.files.jsonl import Problems, write_lines
from panelwise.formats.annotations import annotation_record


def test_work_done_again_counts_however_late_the_old_is_saved(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    old = present(store)
    keep(store, work_on(old))
    revise(home, store, folder, FIRST | {"caption": "(A) new."})
    keep(store, work_on(present(store), minutes=1), work_on(old, minutes=2, seconds=1.0, status=Status.REJECTED))
    with store.read() as tx:
        assert [each.figure.revision for each in tx.annotations.all()] == [2]
        [late] = tx.annotations.all(revisions=Revisions.OTHER)
    assert late.saved_at > NOON
    assert campaign_progress(store).left_behind == 0


def test_work_on_an_earlier_caption_is_to_be_redone(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    with store.transaction() as tx:
        tx.tasks.add([Task(figure, name, "1") for figure in ("f1", "f2") for name in ("ann1", "ann2")])
    keep(store, work_on(present(store)), work_on(present(store), "imported"))
    revise(home, store, folder, FIRST | {"caption": "New."}, SECOND)
    state = campaign_progress(store)
    assert {row.annotator: (row.done, row.open, row.redo) for row in state.rows} == {
        "ann1": (0, 1, 1),
        "ann2": (0, 2, 0),
        "imported": (0, 0, 1),
    }
    assert (state.revised, state.left_behind) == (("f1",), 2)
    assert state.as_record("c")["revised"] == {"figures": ["f1"], "annotations": 2, "decisions": 0}


def test_work_on_an_earlier_caption_is_no_gold(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    keep(store, work_on(present(store)), _bare(store))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(present(store), subfigures=()))
    tally = GoldTally()
    assert [each.figure.id for each in gold(store, CAMPAIGN, tally, include=tuple(GoldSource))] == ["f1", "f2"]
    revise(home, store, folder, FIRST | {"caption": "New."}, SECOND | {"caption": "New."})
    tally = GoldTally()
    assert list(gold(store, CAMPAIGN, tally)) == []
    assert (tally.revised, tally.untouched) == (["f1", "f2"], 0)
    keep(store, _bare(store, minutes=5))
    tally = GoldTally()
    [made] = gold(store, CAMPAIGN, tally, include=tuple(GoldSource))
    assert (made.figure.revision, tally.revised) == (2, ["f1"])


def _bare(store: Store, **more: Any) -> Annotation:
    return an_annotation(present(store, "f2"), subfigures=(), **more)


def test_the_screen_and_the_queue_tell_of_work_on_an_earlier_caption(
    home: Home, store: Store, folder: Path
) -> None:
    revise(home, store, folder, FIRST)
    old = present(store)
    keep(store, work_on(old), work_on(old, "ann2"))
    score_disagreement(store, home.campaign)
    draft = SubfiguresDraft(version=0, status=Status.ACCEPTED, subfigures=())
    decide(store, home, "f1", "rev", draft)
    revise(home, store, folder, FIRST | {"caption": "New."})
    said = "2 annotations were made on an earlier caption"
    state = figure_state(store, home, "f1", "rev")
    assert (state.reasons[0], state.decision, state.version, state.annotations) == (said, None, 1, ())
    assert state.reasons[1] == "adjudicated before its caption or image was replaced"
    assert (campaign_progress(store).adjudicated, campaign_progress(store).unsettled) == (0, 1)
    [row] = queue_page(store, home.campaign).rows
    assert (row.left_behind, row.decided, row.annotators, row.revision) == (said, None, 0, 2)
    with pytest.raises(InvalidAnnotation, match=r'image of figure "f1" was replaced after you opened it'):
        decide(
            store, home, "f1", "rev", SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=()), revision=1
        )
    again = SubfiguresDraft(version=1, status=Status.ACCEPTED, subfigures=())
    assert decide(store, home, "f1", "rev", again, revision=2).version == 2
    assert queue_page(store, home.campaign).rows == ()
    assert (campaign_progress(store).adjudicated, campaign_progress(store).unsettled) == (1, 0)
    assert "adjudicated before" not in " ".join(figure_state(store, home, "f1", "rev").reasons)
    revise(home, store, folder, FIRST | {"image": "wide.png", "caption": "New."})
    assert figure_state(store, home, "f1", "rev").reasons[0] == said + " and image"


def test_figures_that_nobody_did_again_wait_behind_those_that_were(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    keep(store, work_on(present(store)), work_on(present(store), "ann2"), _bare(store))
    revise(home, store, folder, FIRST | {"caption": "New."})
    keep(store, an_annotation(present(store, "f2"), annotator="ann2", subfigures=(), status=Status.REJECTED))
    score_disagreement(store, home.campaign)
    assert [row.figure_id for row in queue_page(store, home.campaign).rows] == ["f2", "f1"]


def test_a_revision_whose_scoring_broke_off_is_scored_by_the_next_run(
    home: Home, store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revise(home, store, folder, FIRST)
    keep(store, work_on(present(store)), work_on(present(store), "ann2"))
    score_disagreement(store, CAMPAIGN)

    def dies(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(replace, "score_disagreement", dies)
        with pytest.raises(KeyboardInterrupt):
            revise(home, store, folder, {**FIRST, "caption": "Other."})
    [row] = queue_page(store, CAMPAIGN).rows
    assert (row.annotators, row.revision) == (2, 2)  # scored before it was revised
    revise(home, store, folder, {**FIRST, "caption": "Other."})
    [row] = queue_page(store, CAMPAIGN).rows
    assert (row.annotators, row.revision) == (0, 2)


def test_agreement_never_mixes_two_revisions(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST, SECOND)
    for name in ("ann1", "ann2"):
        keep(store, work_on(present(store), name), work_on(present(store, "f2"), name))
    before = measure(store)
    assert (before.iaa, before.counts.shared) == (1.0, 2)
    revise(home, store, folder, FIRST | {"caption": "(A) new."}, SECOND)
    told: list[str] = []
    still = measure_sources([home.path], Problems(), warn=told.append)
    assert still.counts.shared == 2
    assert told == [
        "compared 1 figure on an outdated caption or image, because no annotator worked on the current one: f1"
    ]
    keep(store, work_on(present(store), "ann1", minutes=1))
    told.clear()
    mixed = measure_sources([home.path], Problems(), warn=told.append)
    assert (mixed.counts.shared, mixed.counts.figures, mixed.counts.annotations) == (1, 2, 3)
    assert told == ["left out 1 annotation on another revision than the others of their figures: f1"]
    assert report_json(measure(store)) == report_json(mixed)


def test_gold_is_compared_with_work_on_its_own_caption(
    home: Home, store: Store, folder: Path, tmp_path: Path
) -> None:
    revise(home, store, folder, FIRST)
    old = work_on(present(store))
    write_lines(tmp_path / "old.jsonl", [annotation_record(old)])
    revise(home, store, folder, FIRST | {"caption": "(A) new."})
    keep(store, work_on(present(store), minutes=1))
    with store.transaction() as tx:
        tx.decisions.add(a_decision(present(store), subfigures=work_on(present(store)).subfigures))
    told: list[str] = []
    found = compare_sources(home.path, [tmp_path / "old.jsonl"], Problems(), warn=told.append)
    assert (found.missing, found.score) == (("f1",), None)
    assert told == ["left out 1 annotation on another caption or image than the gold's: f1"]
    assert compare_sources(home.path, [home.path], Problems()).score == 1.0


def test_exported_work_says_its_revision_and_comes_back_on_it(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    old = work_on(present(store))
    revise(home, store, folder, FIRST | {"image": "other.png"})
    new = work_on(present(store), minutes=1)
    records = [annotation_record(each) for each in (old, new)]
    assert [record["revision"] for record in records] == [1, 2]
    write_lines(folder / "a.jsonl", records)
    problems = Problems()
    *_, tally = import_annotations(store, folder / "a.jsonl", problems)
    assert (tally.added, problems.lines) == (2, [])
    with store.read() as tx:
        assert list(tx.annotations.all()) == [new]
        assert list(tx.annotations.all(revisions=Revisions.OTHER)) == [old]
    *_, tally = import_annotations(store, folder / "a.jsonl", problems)
    assert (tally.added, tally.unchanged) == (0, 2)


def test_a_record_without_its_revision_goes_where_its_caption_fits(home: Home, store: Store, folder: Path) -> None:
    revise(home, store, folder, FIRST)
    old = present(store)
    revise(home, store, folder, FIRST | {"caption": "(A) new."})
    records = [annotation_record(work_on(figure)) for figure in (old, present(store))]
    for record in records:
        del record["revision"]
    records.append(records[0] | {"caption": "never there", "tokens": None, "subfigures": []})
    write_lines(folder / "a.jsonl", records)
    problems = Problems()
    *_, tally = import_annotations(store, folder / "a.jsonl", problems)
    assert tally.added == 2
    assert ["the caption differs" in line for line in problems.lines] == [True]
    with store.read() as tx:
        assert {each.figure.revision for each in tx.annotations.all(revisions=Revisions.ALL)} == {1, 2}
