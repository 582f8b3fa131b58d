"""Work of which a part could not be read: it is no evidence that an annotator missed something."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from builders import a_figure, an_annotation
from running import run_command

from agreement.columns.people import Passed
from agreement.models.comparison import comparison
from agreement.pairs.pairwise import figure_agreement, pair_scores
from agreement.report.full_report import full_report
from agreement.report.json.report import report_record
from agreement.report.methods import methods
from agreement.report.text.report import report_text
from annotator.cli.agreement.main import group
from panelwise.domain.annotation import Annotation, Status
from panelwise.formats.annotations import annotation_record

PARTS = an_annotation().subfigures


def works(status: Status = Status.ACCEPTED) -> list[Annotation]:
    """Two people agree on f1; of the second one's work on f2 a box could not be read."""
    one, two = a_figure("f1"), a_figure("f2")
    found = [an_annotation(each, annotator=name) for each in (one, two) for name in ("ann1", "ann2")]
    kept = PARTS[:1] if status is Status.ACCEPTED else ()
    return [*found[:3], replace(found[3], status=status, subfigures=kept, partly_read=True)]


def test_a_box_that_could_not_be_read_is_no_miss() -> None:
    report = full_report(works())
    assert (report.iaa, report.counts.annotations, report.counts.shared) == (1.0, 3, 1)
    assert report_record(report)["counts"]["partly_read"] == 1
    assert "left out           1 annotation of which a part could not be read" in report_text(report)
    assert "Annotations left out because a part of them could not be read: 1." in methods(report)


def test_whole_work_says_nothing_of_it() -> None:
    report = full_report(works()[:3])
    assert report.counts.partly_read == 0
    assert "could not be read" not in report_text(report) + methods(report)


def test_work_that_rejects_a_figure_counts_whatever_was_lost() -> None:
    report = full_report(works(Status.REJECTED))
    assert (report.counts.partly_read, report.counts.annotations) == (0, 4)


def test_files_with_the_flag_are_measured_so(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(annotation_record(each)) + "\n" for each in works()), encoding="utf-8")
    for mode in ("paper", "official-code"):
        done = run_command(group, "agreement", "report", path, "--mode", mode, "--format", "json")
        found = json.loads(done.stdout)
        assert (found["iaa"], found["counts"]["partly_read"]) == (1.0, 1), done.stderr


def test_gold_and_pairs_pass_over_it_by_name() -> None:
    one, whole, two, partial = works()
    gold = [replace(each, annotator="gold") for each in (one, two)]
    found = comparison(gold, [replace(each, annotator="model") for each in (whole, partial)])
    assert (found.score, found.passed) == (1.0, {Passed.PARTLY: ("f2",)})
    pair = pair_scores(works())[0]
    assert (tuple(pair.figures), dict(pair.passed)) == (("f1",), {Passed.PARTLY: ("f2",)})
    assert figure_agreement([replace(each, figure=two.figure) for each in (two, partial)]) is None


def test_a_comparison_of_files_says_so(tmp_path: Path) -> None:
    gold, other = tmp_path / "gold.jsonl", tmp_path / "other.jsonl"
    for path, name in ((gold, "ann1"), (other, "ann2")):
        own = [each for each in works() if each.annotator == name]
        path.write_text("".join(json.dumps(annotation_record(each)) + "\n" for each in own), encoding="utf-8")
    done = run_command(group, "agreement", "compare", gold, other)
    assert "figures left out of a pair: some of the work could not be read: 1" in done.stdout, done.stderr
