"""`annotator assign` and `annotator status` as a user runs them."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from builders import NOON, a_figure, an_annotation
from running import Done, next_command, notes, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from panelwise.domain.campaign import Campaign, Phase
from panelwise.settings.campaign_toml import campaign_text

PHASE = Phase(
    "week",
    annotators=("ann", "ben"),
    figures=9,
    batch=4,
    overlap=1,
    batch_deadlines=(NOON - timedelta(days=1),),
    deadline=NOON + timedelta(days=36500),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Twelve figures; nine of them in three batches for two people, the first of them late."""
    campaign = Campaign("c", (PHASE, Phase("rest")), ("A", "B"))
    home = Home.create(tmp_path / "home", settings=campaign_text(campaign))
    store = home.open_store()
    with store.transaction() as tx:
        for number in range(12):
            tx.figures.add(a_figure(f"f{number:02}"))
    store.close()
    return home.path


def annotator(home: Path, *arguments: object) -> Done:
    return run_command(group, "annotator", *arguments, "--home", str(home))


def lines(done: Done) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def submit(home: Path, name: str, *, batch: int) -> int:
    """Hand in all tasks of somebody's in a batch; returns how many those are."""
    store = Home.find(home).open_store()
    with store.transaction() as tx:
        own = [task for task in tx.tasks.all(annotator=name) if task.batch == batch]
        for task in own:
            tx.annotations.add(
                an_annotation(tx.figures.get(task.figure), annotator=name, phase="week", seconds=90)
            )
    store.close()
    return len(own)


def test_a_dry_run_prints_the_table_and_changes_nothing(home: Path) -> None:
    head, columns, ann, ben, together = lines(annotator(home, "assign", "--dry-run"))
    assert head == "dry run: 9 figures to assign in phase week"
    assert columns.split() == [
        "annotator",
        "tasks",
        "shared",
        "hours",
        *("batch", "1", "batch", "2", "batch", "3"),
        "knows",
    ]
    assert ann.endswith("  0 of 5")
    assert together.endswith("  0 of 10")
    assert ann.split()[:4] == ["ann", "5", "1", "0.0"]
    assert ben.split()[:4] == ["ben", "5", "1", "0.0"]
    assert together.split()[0:3] == ["total", "10", "2"]
    assert "nothing assigned yet" in annotator(home, "status").stdout
    assert lines(annotator(home, "assign")) == [
        "ann: 5 new tasks in phase week",
        "ben: 5 new tasks in phase week",
        "6 tasks in later batches; release them with annotator assign --phase week --release",
    ]


def test_what_is_given_goes_before_campaign_toml(home: Path) -> None:
    options = ["--figures", "6", "--overlap", "2", "--batch", "6", "--annotators", "ann,ben,cho"]
    _, columns, *rows, together = lines(annotator(home, "assign", *options, "--dry-run"))
    assert [row.split()[0] for row in rows] == ["ann", "ben", "cho"]
    assert together.split()[1:3] == ["10", "6"]
    assert "batch 2" not in columns
    sharing = [*options, "--overlap-annotators", "ann,cho"]
    assert lines(annotator(home, "assign", *sharing, "--dry-run"))[-1].split()[1:3] == ["8", "4"]
    assert lines(annotator(home, "assign", "--phase", "rest", "--annotators", "ann", "--by-document"))


def test_status_tells_who_is_late_and_which_batch_comes_next(home: Path) -> None:
    annotator(home, "assign")
    first = submit(home, "ann", batch=1)
    shown = annotator(home, "status")
    text = lines(shown)
    assert text[0].startswith("c: status of 12 figures: ")
    assert sum(map(int, re.findall(r"[0-9]+ ", text[0].split(": ")[2]))) == 12
    ann, ben = text[1:3]
    assert ann.split()[:5] == ["phase", "week", "ann", str(first), "done"]
    assert "median 1 min 30 s  findings: " in ann
    assert " late " in ben
    late = int(ben.split(" late")[0].split()[-1])
    assert late == int(ben.split(" open")[0].split()[-1]) > 0
    batch = next(line for line in text if "batch 1" in line)
    assert f"{late} late; due 2026-11-20 12:00 UTC" in batch
    assert any("batch 2 of phase week is due for release" in line and "--release" in line for line in text)
    record = json.loads(annotator(home, "status", "--json").stdout)
    assert [each["number"] for each in record["batches"]] == [1, 2, 3]
    assert record["batches"][0]["deadline"] == "2026-11-20T12:00:00Z"
    assert (record["batches"][0]["late"], record["batches"][1]["later"] > 0) == (late, True)
    (following,) = record["next"]
    assert (following["number"], following["early"], following["due"]) == (2, ["ann"], True)


def test_status_names_who_finished_before_the_batch_is_due(home: Path) -> None:
    file = home / "campaign.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("2026-11-20T", "2116-11-20T"), encoding="utf-8")
    annotator(home, "assign")
    submit(home, "ann", batch=1)
    text = annotator(home, "status").stdout
    assert "batch 2 of phase week is next" in text
    assert "  ann finished early: annotator assign --phase week --top-up\n" in text
    assert " late " not in text


def test_batches_are_released_and_early_finishers_topped_up(home: Path) -> None:
    annotator(home, "assign")
    assert lines(annotator(home, "assign", "--top-up")) == [
        "no changes: no annotator has finished early, or no tasks are left"
    ]
    submit(home, "ann", batch=1)
    dry = lines(annotator(home, "assign", "--top-up", "--dry-run"))
    assert dry[0] == "dry run; without --dry-run:"
    done = lines(annotator(home, "assign", "--top-up"))
    assert done == dry[1:]
    assert done[0].startswith("ann: ")
    assert "of batch 2 of phase week released" in done[0]
    assert lines(annotator(home, "assign", "--release"))[0].startswith("ben: ")
    assert "of batch 3 of phase week released" in lines(annotator(home, "assign", "--release", "--dry-run"))[1]


def test_open_tasks_are_handed_over_and_what_nobody_can_take_is_told(home: Path) -> None:
    annotator(home, "assign")
    done = annotator(home, "assign", "--from", "ann", "--to", "ben")
    assert lines(done) == ["ben: 4 tasks of phase week taken over from ann"]
    assert next_command(done.stderr) == f"annotator push --home {home}"
    assert "1 task not reassigned from ann: the others already have these figures (f" in done.stderr
    again = annotator(home, "assign", "--from", "cho")
    assert (again.returncode, again.stderr) == (
        1,
        'error: "cho" has no open task of any phase; see annotator status\n',
    )


def test_a_larger_overlap_gives_what_is_assigned_already_to_the_others_too(home: Path) -> None:
    annotator(home, "assign", "--overlap", "2")
    dry = lines(annotator(home, "assign", "--overlap", "6", "--dry-run"))
    assert dry[0] == "dry run: 4 figures to assign in phase week"
    assert [line.split()[:3] for line in dry[-1:]] == [["total", "4", "4"]]
    done = annotator(home, "assign", "--overlap", "6")
    assert (notes(done.stderr), lines(done)[0]) == ("", "overlap of phase week: 4 figures added, 6 in total")
    assert "ann" in lines(done)[1]
    again = annotator(home, "assign", "--overlap", "6")
    assert lines(again) == ["ann: 0 new tasks in phase week", "ben: 0 new tasks in phase week"]
    everything = annotator(home, "assign", "--phase", "rest", "--annotators", "ann,ben", "--overlap", "1")
    assert everything.returncode == 0
    everything = annotator(home, "assign", "--phase", "rest", "--annotators", "ann,ben", "--overlap", "300")
    assert lines(everything)[0] == "overlap of phase rest: 11 figures added, 12 in total"
    assert notes(everything.stderr) == "an overlap of 300 is more than there is: all 12 figures are shared\n"


def test_a_deal_that_was_wrong_is_taken_back(home: Path) -> None:
    annotator(home, "assign", "--overlap", "9")
    dry = lines(annotator(home, "assign", "--withdraw", "--dry-run"))
    assert dry[1:] == ["ann: 9 tasks of phase week withdrawn", "ben: 9 tasks of phase week withdrawn"]
    done = annotator(home, "assign", "--withdraw")
    assert lines(done) == dry[1:]
    assert next_command(done.stderr) == f"annotator assign --home {home}"
    assert lines(annotator(home, "assign"))[0] == "ann: 5 new tasks in phase week"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--release", "--top-up"], "--release and --top-up can't be combined"),
        (["--release", "--overlap", "3"], "--overlap can't be combined with --release; leave it out"),
        (["--release", "--by-figure"], "--by-figure can't be combined with --release; leave it out"),
        (["--to", "ben"], "--to needs --from"),
    ],
)
def test_options_that_contradict_each_other_are_wrong_usage(
    home: Path, options: list[str], complaint: str
) -> None:
    done = annotator(home, "assign", *options)
    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["--phase", "rest"],
            "no annotators; choose some (--annotators a,b,c) or name them in campaign.toml",
        ),
        (["--phase", "typo"], 'has no phase "typo"'),
        (["--overlap", "10"], 'phase "week": an overlap of 10 of 9 figures is invalid; give 9 or less'),
        (["--overlap-annotators", "ann,zoe"], 'overlap_annotators has "zoe", who is not among annotators'),
    ],
)
def test_what_cannot_be_dealt_is_told_in_one_line(home: Path, options: list[str], complaint: str) -> None:
    done = annotator(home, "assign", *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
