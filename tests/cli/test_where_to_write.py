"""Where commands write: never over what a campaign keeps, nor over what they read, nor into what is no file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from builders import a_figure, an_annotation
from running import Done, run_command

from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record
from tests.cli.test_commands import assert_one_line

EXPORTS = ("gold", "annotations", "coco", "label-studio", "figures", "scivqa")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    assert export("init", tmp_path / "home").returncode == 0
    (tmp_path / "home" / "images" / "f1.png").write_bytes(b"image")
    return tmp_path / "home"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    records = [annotation_record(an_annotation(a_figure("f1"), annotator=name)) for name in ("a", "b")]
    write_lines(tmp_path / "work.jsonl", records)
    return tmp_path / "work.jsonl"


def export(*arguments: object) -> Done:
    return run_command(annotator, "annotator", *arguments)


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_wrong_usage(done: Done, *parts: str) -> None:
    """Click tells the usage, and then what is wrong, in one line."""
    assert done.returncode == 2, done.stdout + done.stderr
    [error] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.stderr.endswith(f"{error}\n")
    for part in parts:
        assert part in error


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXPORTS)
def test_no_export_writes_over_its_campaign(home: Path, kind: str) -> None:
    before = contents(home)
    for name in ("store.sqlite", "secret.key", "campaign.toml", "images/f1.png", "releases/new/gold.jsonl"):
        done = export("export", kind, "--home", home, "--out", home / name)
        assert_one_line(done, f"error: {home / name}: would overwrite the campaign's own files")
    assert contents(home) == before
    assert export("export", kind, "--home", home, "--out", home / "fresh.json").returncode == 0


def test_gold_copies_no_images_into_the_campaigns_own(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "gold.jsonl"
    done = export("export", "gold", "--home", home, "--out", out, "--images", home / "images")
    assert_one_line(done, "would overwrite the campaign's own files")
    assert not out.exists()


def test_the_other_commands_do_not_write_over_a_campaign_either(home: Path, work: Path) -> None:
    before = contents(home)
    out = home / "store.sqlite"
    for group, *arguments in (
        (agreement, "report", work, "--out", out),
        (agreement, "compare", work, work, "--out", out),
        (prelabel, "run", work, "--out", out),
        (prelabel, "captions", work, "--out", out),
        (prelabel, "synth", "--out", home / "thumbnails"),
        (prelabel, "synth", "--out", home / "new", "--sheet", home / "images" / "f1.png"),
    ):
        assert_one_line(run_command(group, "panelwise", *arguments), "would overwrite the campaign's own files")
    assert contents(home) == before


def test_no_command_writes_over_what_it_reads(work: Path, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(work)
    other = tmp_path / "other.jsonl"
    other.write_bytes(work.read_bytes())
    before = work.read_bytes()
    for out in (work, tmp_path / "link.jsonl", tmp_path / "no" / ".." / work.name):
        for group, *arguments in (
            (agreement, "report", other, work),
            (agreement, "compare", work, other, "--gold-annotator", "a"),
            (agreement, "compare", other, work, "--gold-annotator", "a"),
            (prelabel, "run", work),
            (prelabel, "captions", work),
        ):
            done = run_command(group, "panelwise", *arguments, "--out", out)
            assert_one_line(done, f"error: {out}: is an input of this command; name another file for --out")
    assert work.read_bytes() == before


def test_agreement_writes_its_report_to_a_file_whole(work: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "report.txt"
    done = run_command(agreement, "agreement", "report", work, "--bootstrap", "0", "--out", out)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    shown = run_command(agreement, "agreement", "report", work, "--bootstrap", "0").stdout
    assert out.read_text(encoding="utf-8") == shown


@pytest.mark.parametrize(
    ("out", "complaint"),
    [
        ("-", "name a file"),
        ("", "is empty"),
        (" ", "is empty"),
        ("new/", "new/ names a folder; name a file in it"),
    ],
)
def test_out_is_the_name_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    commands: list[tuple[click.Command, str]] = [(annotator, f"export {kind}") for kind in EXPORTS]
    commands += [
        (agreement, "report x"),
        (agreement, "compare x y"),
        (prelabel, "run x"),
        (prelabel, "captions x"),
    ]
    for group, arguments in commands:
        done = run_command(group, "panelwise", *arguments.split(), "--out", out)
        assert_wrong_usage(done, "'--out'", complaint)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["-", ""])
def test_folders_to_write_have_names(home: Path, out: str) -> None:
    assert_wrong_usage(run_command(prelabel, "prelabel", "synth", "--out", out), "'--out'", "name a folder")
    done = export("export", "gold", "--home", home, "--out", home / "gold.jsonl", "--images", out)
    assert_wrong_usage(done, "'--images'", "name a folder")


# No test names a device of this machine: where the rule fails, root would replace it for everybody.
def test_what_is_no_plain_file_is_named_and_left(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for out in (tmp_path / "pipe", tmp_path / "link"):
        done = export("export", "figures", "--home", home, "--out", out)
        assert_one_line(done, f"error: {out}: is no plain file; name a file to write")
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system shows no open files")
def test_standard_output_is_refused_also_where_it_is_a_plain_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")  # As /dev/stdout is.
    code = "from annotator.cli.campaign.main import main; main()"
    out = tmp_path / "stdout"
    command = [sys.executable, "-c", code, "export", "figures", "--home", str(home), "--out", str(out)]
    with (tmp_path / "shown").open("wb") as shown:
        done = subprocess.run(command, stdout=shown, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"error: {out}: is no plain file; name a file to write\n")
    assert out.is_symlink()


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="this system has no /proc to be refused by")
def test_a_file_that_cannot_be_made_is_told_by_the_name_that_was_given(home: Path) -> None:
    done = export("export", "figures", "--home", home, "--out", "/proc/x.jsonl")
    assert_one_line(done, "error: /proc/x.jsonl: ")
    assert ".x.jsonl" not in done.stderr


def test_options_that_go_with_others_say_with_which(home: Path, tmp_path: Path) -> None:
    synth = ("synth", "--out", tmp_path / "drawn")
    done = run_command(prelabel, "prelabel", *synth, "--sheet-boxes")
    assert_wrong_usage(done, "--sheet-boxes needs --sheet")
    for more in ((), ("--annotators", "0")):
        done = run_command(prelabel, "prelabel", *synth, "--carelessness", "1", *more)
        assert_wrong_usage(done, "--carelessness needs --annotators")
    assert not (tmp_path / "drawn").exists()
    for instead in ("--list", "--check"):
        for option, *value in (("--note", "x"), ("--names", "pseudonyms"), ("--images",)):
            done = export("release", instead, option, *value, "--home", home)
            assert_wrong_usage(done, f"{option} can't be combined with {instead}")
