"""What is gold, what is not and why, and what is flagged for the guidelines, as a user writes it out."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, a_subfigure, an_annotation
from click.testing import CliRunner

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from annotator.consensus.gold_rule import from_decision
from panelwise.domain.annotation import Status
from panelwise.domain.decision import Awaits, ErrorKind, Gold, Reopening
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from panelwise.formats.figures import read_figures
from panelwise.formats.medicat import gold_record, read_gold

STATUS = "1 adjudicated, 1 unanimous, 1 single, 1 unresolved, 1 awaiting, 1 rejected, 1 untouched"
DIFFERENT = (a_subfigure(tokens=(4,)),)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A figure of each kind, named for it."""
    home = Home.create(tmp_path / "home")
    names = ("adjudicated", "awaiting", "rejected", "single", "unanimous", "unresolved", "untouched")
    with home.open_store() as store, store.transaction() as tx:
        figures = {name: a_figure(name, source={"document": "doi:10.1/x"}) for name in names}
        for figure in figures.values():
            tx.figures.add(figure)
        for name in names[:-1]:
            tx.annotations.add(an_annotation(figures[name]))
        tx.annotations.add(an_annotation(figures["unanimous"], annotator="ann2"))
        for name in ("unresolved", "awaiting", "adjudicated"):
            tx.annotations.add(an_annotation(figures[name], annotator="ann2", subfigures=DIFFERENT))
        tx.decisions.add(
            a_decision(figures["adjudicated"], error_kind=ErrorKind.SLIP, guideline_flag="insets?", note="seen")
        )
        tx.decisions.add(a_decision(figures["awaiting"], awaits=Awaits.TIE_BREAK))
        tx.decisions.add(a_decision(figures["rejected"], status=Status.REJECTED, subfigures=()))
    return home.path


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(group, [*map(str, arguments)], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return int(done.return_value or 0), done.stdout, done.stderr


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_gold_tells_its_kinds_apart_and_lists_what_has_none(home: Path, tmp_path: Path) -> None:
    gold, rest = tmp_path / "gold.jsonl", tmp_path / "rest.jsonl"
    code, said, warned = run("export", "gold", "--out", gold, "--left-out", rest, "--home", home)
    assert code == 0
    kinds = {each["figure_id"]: each["provenance"]["source"] for each in lines(gold)}
    assert kinds == {name: name for name in ("adjudicated", "unanimous")}
    assert [(each["figure_id"], each["source"], each["why"]) for each in lines(rest)] == [
        (name, "unresolved", name) for name in ("awaiting", "rejected", "single", "unresolved", "untouched")
    ]
    assert f"wrote 5 left-out figures to {rest}" in said
    assert said.endswith(f"status of 7 figures: {STATUS}\n")
    assert "left out 1 awaiting another reviewer; adjudicate them with `annotator serve`: awaiting" in warned
    assert "left out 1 single (unreviewed); adjudicate them with `annotator serve`, or add" in warned


@pytest.mark.slow
def test_single_work_is_gold_where_somebody_asks_for_it_and_is_counted_as_unreviewed(
    home: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"

    def written(*options: str) -> tuple[list[object], str]:
        code, said, warned = run("export", "gold", "--out", gold, *options, "--home", home)
        assert code == 0
        assert said.endswith(f"status of 7 figures: {STATUS}\n")
        return [each["figure_id"] for each in lines(gold)], warned

    reviewed, everything = ["adjudicated", "unanimous"], ["adjudicated", "single", "unanimous"]
    unreviewed = "note: 1 of 3 figures written are single (unreviewed)\n"
    assert written()[0] == reviewed
    found, warned = written("--include", "single")
    assert found == everything
    assert unreviewed in warned
    settings = home / "campaign.toml"
    text = settings.read_text(encoding="utf-8")
    assert "\ninclude = []\n" in text
    settings.write_text(text.replace("include = []", 'include = ["single"]'), encoding="utf-8")
    found, warned = written()
    assert found == everything
    assert unreviewed in warned
    found, warned = written("--include", "none")
    assert found == reviewed
    assert unreviewed not in warned


@pytest.mark.parametrize("layout", ["coco", "scivqa"])
def test_other_layouts_hold_the_same_gold_and_say_the_same_of_it(home: Path, tmp_path: Path, layout: str) -> None:
    for options in ([], ["--include", "single"]):
        out = tmp_path / f"{layout}.json"
        code, said, warned = run("export", layout, "--out", out, *options, "--home", home)
        assert code == 0
        assert f"status of 7 figures: {STATUS}\n" in said
        assert ("add --include single" in warned) is (not options)
        if layout == "coco":
            assert len(json.loads(out.read_text(encoding="utf-8"))["images"]) == (3 if options else 2)


def test_include_takes_nothing_but_single_work(home: Path) -> None:
    settings = home / "campaign.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("include = []", 'include = ["waiting"]'), encoding="utf-8")
    with pytest.raises(FormatError, match=r'"include\[0\]" is "waiting"; give \["single"\], or leave include out'):
        run("status", "--home", home)


def test_gold_says_why_annotators_went_wrong_and_what_is_left_open(home: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    run("export", "gold", "--out", gold, "--include", "single", "--home", home)
    first, second, _ = (each["provenance"] for each in lines(gold))
    assert (first["error_kind"], first["guideline_flag"]) == ("slip", "insets?")
    assert (second["error_kind"], second["guideline_flag"]) == (None, None)


def test_gold_that_was_written_is_read_back_equal(home: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    run("export", "gold", "--out", gold, "--home", home)
    problems = Problems()
    read = list(read_gold(gold, problems))
    assert problems.count == 0
    assert [gold_record(each) for each in read] == lines(gold)
    assert (read[0].provenance.error_kind, read[0].provenance.guideline_flag) == (ErrorKind.SLIP, "insets?")


def test_a_kind_of_error_that_nobody_knows_is_told(tmp_path: Path) -> None:
    made = from_decision(a_decision())
    record = gold_record(Gold(made.figure, made.status, made.subfigures, replace(made.provenance)))
    record["provenance"]["error_kind"] = "sloth"
    file = tmp_path / "gold.jsonl"
    file.write_text(json.dumps(record) + "\n")
    heard: list[str] = []
    assert list(read_gold(file, Problems(report=heard.append))) == []
    assert (
        '"provenance.error_kind" is "sloth"; give ambiguous text, guideline gap, slip, edge case or null'
        in heard[0]
    )


def test_flags_are_written_as_records_or_as_a_table(home: Path, tmp_path: Path) -> None:
    records, table = tmp_path / "flags.jsonl", tmp_path / "flags.csv"
    assert run("export", "flags", "--out", records, "--home", home)[1] == f"wrote 1 flagged figure to {records}\n"
    (flag,) = lines(records)
    assert (flag["figure_id"], flag["guideline_flag"], flag["error_kind"]) == ("adjudicated", "insets?", "slip")
    run("export", "flags", "--out", table, "--home", home)
    with table.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row == {name: str(value) for name, value in flag.items()}


def test_flags_under_pseudonyms_tell_the_lead_that_texts_are_as_they_are(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "flags.jsonl"
    _, _, warned = run("export", "flags", "--out", out, "--names", "pseudonyms", "--home", home)
    assert "note: notes and comments are written as they are" in warned
    assert lines(out)[0]["reviewer"] != "rev1"


def test_every_decision_and_reopening_is_written_in_order(home: Path, tmp_path: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        figure = tx.figures.get("adjudicated")
        tx.decisions.add(Reopening(figure, "rev2", 2, NOON, "look again"))
        tx.decisions.add(a_decision(figure, version=3, restored_from=1, seconds=4.5, based_on=("ann2", "ann1")))
    out = tmp_path / "decisions.jsonl"
    assert run("export", "decisions", "--out", out, "--home", home)[1] == f"wrote 5 entries to {out}\n"
    first, reopened, again, *others = lines(out)
    assert (first["version"], first["error_kind"], first["guideline_flag"]) == (1, "slip", "insets?")
    assert reopened == {
        "figure_id": "adjudicated",
        "revision": 1,
        "version": 2,
        "reviewer": "rev2",
        "status": "reopened",
        "decided_at": "2026-11-21T12:00:00Z",
        "note": "look again",
    }
    assert (again["restored_from"], again["seconds"], again["based_on"]) == (1, 4.5, ["ann2", "ann1"])
    assert again["subfigures"] == first["subfigures"]
    assert again["caption"] == a_figure().caption.text
    assert [(each["figure_id"], each["status"], each["awaits"]) for each in others] == [
        ("awaiting", "accepted", "tie-break"),
        ("rejected", "rejected", None),
    ]


@pytest.mark.parametrize(
    ("layout", "key"),
    [
        (("gold",), "references"),
        (("figures", "--layout", "medicat"), "s2orc_references"),
        (("figures",), "references"),
    ],
)
@pytest.mark.slow
def test_empty_references_are_null_on_request_and_read_again(
    home: Path, tmp_path: Path, layout: tuple[str, ...], key: str
) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        figure = a_figure("cited", references=("See Fig. 1.",))
        tx.figures.add(figure)
        tx.decisions.add(a_decision(figure))
    out, usual = tmp_path / "out.jsonl", tmp_path / "usual.jsonl"
    assert run("export", *layout, "--out", out, "--null-references", "--home", home)[0] == 0
    assert run("export", *layout, "--out", usual, "--home", home)[0] == 0
    written = [each[key] for each in lines(out)]
    assert written.count(None) == len(written) - 1
    assert ["See Fig. 1."] in written
    assert [{**each, key: each[key] or []} for each in lines(out)] == lines(usual)
    problems = Problems()
    assert sorted(each.references for each in read_figures(out, problems)) == [
        *[()] * (len(written) - 1),
        ("See Fig. 1.",),
    ]
    assert problems.lines == []


def test_decisions_under_pseudonyms_name_nobody(home: Path, tmp_path: Path) -> None:
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.decisions.add(Reopening(tx.figures.get("adjudicated"), "rev2", 2, NOON, "as ann1 said"))
    out = tmp_path / "decisions.jsonl"
    _, _, warned = run("export", "decisions", "--out", out, "--names", "pseudonyms", "--home", home)
    assert "names of people stand in those of adjudicated" in warned
    reviewers = {each["reviewer"] for each in lines(out)}
    assert len(reviewers) == 2
    assert reviewers.isdisjoint({"rev1", "rev2"})
    assert all("ann" not in name for each in lines(out) for name in each.get("based_on", ()))
