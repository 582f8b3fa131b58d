from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders import a_figure, a_prediction, an_annotation
from running import notes

import agreement as package
from agreement.report.csv.report import TABLES
from annotator.cli.agreement.main import main
from panelwise.domain.annotation import Annotation, Prediction
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record, prediction_record

HEAVY = ("numpy", "scipy", "sqlalchemy", "flask", "torch", "label_studio_sdk", "msgspec")


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Done]


@pytest.fixture
def agreement(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command as its console script runs it, but in this process."""

    def run(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["agreement", *map(str, arguments)])
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return Done(int(end.value.code or 0), out, err)

    return run


def written(path: Path, annotations: list[Annotation]) -> Path:
    write_lines(path, map(annotation_record, annotations))
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(
        tmp_path / "annotations.jsonl",
        [an_annotation(a_figure(f"f{n}"), annotator=name) for n in range(3) for name in ("ann1", "ann2")],
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from annotator.cli.agreement.main import group\n"
        "for words in (['--help'], ['report', '--help'], ['compare', '--help'], ['consensus', '--help']):\n"
        "    assert group.main(words, standalone_mode=False) == 0\n"
        "    print(file=sys.stdout)\n"
        f"sys.exit(', '.join(name for name in {HEAVY!r} if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, notes(done.stderr)) == (0, "")
    assert "agreement report annotations.jsonl" in done.stdout


@pytest.mark.slow
def test_a_report_on_files_loads_no_database(source: Path) -> None:
    words = ["report", str(source), "--out", str(source.with_suffix(".txt"))]
    code = (
        "import sys; from annotator.cli.agreement.main import group\n"
        f"group.main({words!r}, standalone_mode=False)\n"
        "sys.exit('sqlalchemy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "IAA" in source.with_suffix(".txt").read_text()


@pytest.mark.slow
def test_importing_the_package_loads_no_numpy_and_its_names_are_all_there() -> None:
    assert not hasattr(package, "nothing")
    assert set(package.__all__) <= set(dir(package))
    assert all(getattr(package, name) for name in package.__all__)
    code = (
        "import sys, agreement; assert 'numpy' not in sys.modules\n"
        "assert set(agreement.__all__) <= set(dir(agreement))\n"
        "assert all(getattr(agreement, name) for name in agreement.__all__)\n"
        "assert not hasattr(agreement, 'nothing')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_real_annotations_score_as_told(shared_data: Path, agreement: Command) -> None:
    done = agreement("report", shared_data / "annotations.jsonl", "--bootstrap", 200)
    assert (done.returncode, notes(done.stderr)) == (0, "")
    for number in ("0.922038", "0.956299", "0.956343", "0.944893"):
        assert number in done.stdout
    done = agreement("report", shared_data / "annotations.jsonl", "--bootstrap", 0, "--format", "json")
    record = json.loads(done.stdout)
    assert round(record["iaa"], 6) == 0.944893
    assert record["interval"] is None
    assert record["interval_reason"]


def test_real_annotators_are_compared_with_the_gold(shared_data: Path, agreement: Command) -> None:
    done = agreement(
        "compare",
        shared_data / "gold_annotations.jsonl",
        shared_data / "annotations.jsonl",
        *("--annotator", "ann2", "--format", "json", "--bootstrap", 50),
    )
    record = json.loads(done.stdout)
    assert 0.8 < record["score"] < 1
    assert (record["counted"], len(record["per_figure"])) == (78, 19)


def test_the_official_mode_is_named_with_its_common_tokens(source: Path, agreement: Command) -> None:
    done = agreement("report", source, "--mode", "official-code", "--bootstrap", 10)
    assert "metric: official-code; common tokens: gold" in done.stdout


def test_a_box_without_area_is_told_by_paper_and_counted_by_official_code(
    source: Path, tmp_path: Path, agreement: Command
) -> None:
    record = annotation_record(an_annotation(a_figure("f0"), annotator="gold"))
    record["subfigures"][1]["box"] = [400, 0, 400, 600]
    gold = tmp_path / "gold.jsonl"
    write_lines(gold, [record])
    options = ("--annotator", "ann1", "--bootstrap", 0, "--format", "json")
    done = agreement("compare", gold, source, *options, "--mode", "official-code")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr, found["score"], found["counted"]) == (0, "", 0.5, 2)
    done = agreement("compare", gold, source, *options)
    found = json.loads(done.stdout)
    assert (done.returncode, found["score"], found["counted"]) == (1, 1, 1)
    assert "zero area; left this subfigure out" in done.stderr


def test_a_report_can_be_written_to_a_file(source: Path, tmp_path: Path, agreement: Command) -> None:
    out = tmp_path / "report.json"
    done = agreement("report", source, "--format", "json", "--out", out, "--bootstrap", 10)
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads(out.read_text("utf-8"))["iaa"] == 1


def test_a_bad_line_is_named_and_the_rest_is_scored_with_exit_status_1(source: Path, agreement: Command) -> None:
    with source.open("a") as file:
        file.write("{cut off\n")
    done = agreement("report", source, "--bootstrap", 10)
    assert done.returncode == 1
    assert f"{source}:7: not valid JSON" in done.stderr
    assert "1.000000" in done.stdout
    done = agreement("compare", source, source, "--gold-annotator", "ann1", "--annotator", "ann2")
    assert done.returncode == 1


def test_a_superseded_annotation_is_told(source: Path, tmp_path: Path, agreement: Command) -> None:
    more = written(tmp_path / "more.jsonl", [an_annotation(a_figure("f0"), annotator="ann2", minutes=9)])
    done = agreement("report", source, more, "--bootstrap", 10)
    assert done.returncode == 0
    assert notes(done.stderr) == "1 annotation left out: replaced by later ones (first: f0 by ann2)\n"


def test_predictions_are_compared_with_gold(tmp_path: Path, source: Path, agreement: Command) -> None:
    predictions: list[Prediction] = [a_prediction(a_figure(f"f{n}")) for n in range(2)]
    path = tmp_path / "predictions.jsonl"
    write_lines(path, map(prediction_record, predictions))
    done = agreement("compare", source, path, "--gold-annotator", "ann1", "--bootstrap", 10, "--format", "json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["score"], record["counted"]) == (0, 1, 4)
    assert record["counts"]["gold_without_prediction"] == ["f2"]


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("report", "absent.jsonl"), 1, "error: absent.jsonl: no such file"),
        (("report",), 1, "no campaign here"),
        (("report", "."), 1, "no campaign here"),
        (("report", "{source}", "--min-iou", "nan"), 2, "nan is not a finite number"),
        (("report", "{source}", "--min-iou", "1.5"), 2, "not in the range"),
        (("report", "{source}", "--mode", "other"), 2, "is not one of"),
        (("report", "{source}", "--out", "{source}/report.txt"), 1, "report.txt: Not a directory"),
        (("report", "{source}", "--out", "."), 2, "names a folder; name a file in it"),
        (("report", "{source}", "--format", "csv"), 2, "name a folder for them with --out"),
        (("report", "{source}", "--format", "csv", "--out", "{source}"), 2, "name a folder for them with --out"),
        (("report", "{source}", "--drift", "month"), 2, "month is not week, batch, none"),
        (("report", "{source}", "--drift", "1"), 2, "a number of parts from 2 to 1000"),
        (("report", "{source}", "--batches", "figures.jsonl"), 2, "--batches needs --drift batch"),
        (("report", "{source}", "--drift", "batch", "--batches", "absent"), 1, "absent: no such file"),
        (("report", "{source}", "--against", "2"), 1, 'has no phase "2"; choose 1 with --against'),
        (("report", "{source}", "--against", "1"), 1, 'phase "1" against itself differs by nothing'),
        (("compare", "{source}"), 2, "Missing argument 'PREDICTED"),
        (("compare", "{source}", "{source}"), 1, "gold by ann1, ann2; choose one with --gold-annotator"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    arguments: tuple[str, ...],
    status: int,
    message: str,
    source: Path,
    tmp_path: Path,
    agreement: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    done = agreement(*(word.format(source=source) for word in arguments))
    assert done.returncode == status
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if status == 1:
        assert done.stderr.count("\n") == 1


def test_tables_are_written_into_a_folder(source: Path, agreement: Command, tmp_path: Path) -> None:
    done = agreement("report", source, "--bootstrap", 10, "--format", "csv", "--out", tmp_path / "tables")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(each.name for each in (tmp_path / "tables").iterdir()) == sorted(TABLES)


def test_a_report_over_time_and_against_another_phase(agreement: Command, tmp_path: Path) -> None:
    work = [
        an_annotation(a_figure(f"f{number}"), annotator=name, phase=phase, minutes=number * 3 * 24 * 60)
        for phase in "12"
        for number in range(8)
        for name in ("ann1", "ann2")
    ]
    file = written(tmp_path / "work.jsonl", work)
    done = agreement("report", file, "--phase", 1, "--against", 2, "--drift", 4, "--bootstrap", 10)
    assert (done.returncode, notes(done.stderr)) == (0, "")
    for line in ("in order of work", "  4 of 4", "phase 1 beside 2", "the same figures and annotators:"):
        assert f"\n{line}" in done.stdout
    assert "\nself-agreement   phases" in done.stdout
    one, other = (
        agreement("report", file, "--phase", 1, "--against", 2, "--format", "json", "--bootstrap", 50).stdout
        for _ in range(2)
    )
    assert one == other
    found = json.loads(one)
    assert (found["drift"]["by"], len(found["drift"]["periods"])) == ("week", 4)
    assert found["other_phase"]["comparisons"][2]["difference"] == 0
    done = agreement("report", file, "--phase", 1, "--drift", "none", "--format", "json", "--bootstrap", 0)
    assert json.loads(done.stdout)["drift"] is None


def test_a_pipe_is_refused_and_nothing_of_it_is_used_up(agreement: Command, source: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in (("report", pipe), ("consensus", pipe), ("compare", source, pipe), ("compare", pipe, source)):
        done = agreement(*command)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"error: {pipe}: no plain file; write what it gives into one, and name that\n"


@pytest.mark.slow
def test_without_a_standard_output_there_is_no_traceback(source: Path) -> None:
    script = "from annotator.cli.agreement.main import main; main()"
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" report "$2" >&-', sys.executable, script, str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr


def test_a_page_is_never_written_over_what_its_images_come_from(
    agreement: Command, source: Path, tmp_path: Path
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    for name in ("figures.jsonl", "f1.png", "report.html"):
        (images / name).write_bytes(b"kept")
    page = ("report", source, "--format", "html")
    for where, out in (
        (images, images / "figures.jsonl"),
        (images, images / "f1.png"),
        (images / "figures.jsonl", images / "figures.jsonl"),
        (images / "figures.jsonl", images / "f1.png"),
    ):
        for command in (page, ("compare", source, source, "--annotator", "ann1", "--gold-annotator", "ann2")):
            done = agreement(*command, *("--format", "html", "--images", where, "--out", out))
            assert done.returncode == 1
            assert done.stderr == f"error: {out}: is among the files of --images; name another file for --out\n"
            assert out.read_bytes() == b"kept"
    # A page of before is written anew, also where the images lie.
    (images / "figures.jsonl").unlink()
    assert agreement(*page, "--images", images, "--out", images / "report.html").returncode == 0
    assert (images / "report.html").read_bytes().startswith(b"<!doctype html>")
