"""The commands as a user runs them: exit codes, one clear line for each fault, and what was good kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from PIL import Image
from running import Done, notes, run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record


def annotator(*arguments: object, home: Path | None = None) -> Done:
    return run_command(group, "annotator", *arguments, *(["--home", str(home)] if home else []))


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """A folder with two figures and a home beside it."""
    for name in ("f1", "f2"):
        Image.new("RGB", (800, 600), "white").save(tmp_path / f"{name}.png")
    caption = an_annotation().figure.caption.text
    write_lines(
        tmp_path / "figures.jsonl",
        [{"figure_id": name, "image": f"{name}.png", "caption": caption} for name in ("f1", "f2")],
    )
    done = annotator("init", tmp_path / "home")
    assert done.returncode == 0, done.stderr
    return tmp_path


def assert_one_line(done: Done, *parts: str) -> None:
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]


@pytest.mark.slow
def test_from_figures_to_gold_without_a_server(given: Path) -> None:
    home = given / "home"
    assert "imported 2 figures" in annotator("import", "figures", given / "figures.jsonl", home=home).stdout
    write_lines(given / "a.jsonl", [annotation_record(an_annotation(annotator=name)) for name in ("a", "b")])
    done = annotator("import", "annotations", given / "a.jsonl", home=home)
    assert (done.returncode, done.stdout) == (0, "imported 2 annotations\n"), done.stderr
    assert annotator("import", "annotations", given / "a.jsonl", home=home).stdout == (
        "imported 0 annotations, 2 unchanged\n"
    )
    done = annotator("assign", "--annotators", "a,b", home=home)
    assert "a: 2 new tasks in phase 1" in done.stdout
    status = json.loads(annotator("status", "--json", home=home).stdout)
    assert status["annotators"] == [
        {
            **{"phase": "1", "annotator": name, "done": 1, "open": 1, "redo": 0, "late": 0, "later": 0},
            **{"seconds": None, "findings": {"error": 0, "warning": 1, "note": 0}, "blind": None},
        }
        for name in ("a", "b")
    ]
    done = annotator("export", "gold", "--out", given / "gold.jsonl", home=home)
    assert done.returncode == 0
    assert "wrote 1 figure" in done.stdout
    assert "1 unanimous" in done.stdout
    assert "left out 1 not annotated" in done.stderr
    done = annotator("import", "annotations", given / "gold.jsonl", "--from", "medicat", home=home)
    assert done.stdout == "imported 1 annotation\n"
    done = annotator("export", "annotations", "--annotator", "gold", "--out", given / "b.jsonl", home=home)
    assert done.stdout == f"wrote 1 annotation to {given / 'b.jsonl'}\n"


def test_export_tells_what_waits_and_what_changed_since_it_was_settled(given: Path) -> None:
    home = given / "home"
    annotator("import", "figures", given / "figures.jsonl", home=home)
    work = [an_annotation(a_figure(name), annotator="a", minutes=1) for name in ("f1", "f2")]
    write_lines(given / "a.jsonl", [annotation_record(each) for each in work])
    annotator("import", "annotations", given / "a.jsonl", home=home)
    annotator("assign", "--annotators", "a,b", home=home)
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.decisions.add(a_decision(tx.figures.get("f2"), decided_at=NOON))
    done = annotator("export", "gold", "--out", given / "gold.jsonl", home=home)
    assert "(1 adjudicated, 0 unanimous, 0 single)" in done.stdout
    waiting, changed = notes(done.stderr).strip().splitlines()[-2:]
    assert waiting.startswith("left out 1 waiting for open tasks")
    assert waiting.endswith(": f1")
    assert changed.startswith("1 changed after adjudication")
    assert changed.endswith(": f2")


def test_what_is_bad_is_named_and_what_is_good_comes_in(given: Path) -> None:
    file = given / "figures.jsonl"
    file.write_bytes(file.read_bytes() + b'{"figure_id": "f3", "ima\n{"figure_id": "f4", "image": "none.png"}\n')
    done = annotator("import", "figures", file, home=given / "home")
    assert done.returncode == 1
    assert done.stdout == "imported 2 figures; see the 2 errors above\n"
    first, _without_a_caption, second = done.stderr.strip().splitlines()
    assert first.startswith(f"{file}:3: ")
    assert second.startswith(f"{file}:4: ")
    assert "no such image" in second
    again = annotator("import", "figures", file, home=given / "home")
    assert again.stdout == "imported 0 figures, 2 unchanged; see the 2 errors above\n"


def test_a_folder_without_a_campaign_is_told(tmp_path: Path) -> None:
    for arguments in (["status"], ["import", "figures", "x.jsonl"], ["export", "gold", "--out", "x"]):
        assert_one_line(annotator(*arguments, home=tmp_path), "no campaign here", "annotator init DIR")


def test_a_missing_file_and_a_broken_store_are_told(given: Path) -> None:
    home = given / "home"
    assert_one_line(annotator("import", "figures", given / "nothing.jsonl", home=home), "no such file")
    (home / "store.sqlite").write_bytes(b"this is no database" * 100)
    for extra in ("store.sqlite-wal", "store.sqlite-shm"):
        (home / extra).unlink(missing_ok=True)
    assert_one_line(annotator("status", home=home), "store.sqlite")


def test_an_output_that_cannot_be_written_is_told(given: Path) -> None:
    (given / "a-file").write_text("")
    done = annotator("export", "gold", "--out", given / "a-file" / "gold.jsonl", home=given / "home")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr


def test_wrong_usage_is_exit_2(given: Path) -> None:
    for arguments in (
        ["assign", "--overlap", "-1"],
        ["import", "annotations", "x", "--from", "nothing"],
        ["export", "gold"],
    ):
        assert annotator(*arguments, home=given / "home").returncode == 2


def test_an_overlap_beyond_the_figures_means_all_of_them(given: Path) -> None:
    home = given / "home"
    annotator("import", "figures", given / "figures.jsonl", home=home)
    done = annotator("assign", "--annotators", "a,b", "--overlap", "100", home=home)
    assert done.returncode == 0
    assert notes(done.stderr) == "an overlap of 100 is more than there is: all 2 figures are shared\n"
    assert done.stdout == "a: 2 new tasks in phase 1\nb: 2 new tasks in phase 1\n"
