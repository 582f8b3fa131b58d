"""What each command says to do next, followed word for word."""

from __future__ import annotations

import importlib
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from builders import a_decision, a_figure, a_subfigure, an_annotation
from PIL import Image
from running import Done, next_command, run_command

from annotator.campaign.home import Home
from annotator.cli.agreement.main import group as agreement
from annotator.cli.campaign.main import group as annotator
from annotator.cli.next_steps import NEXT
from annotator.cli.panelwise import group as panelwise
from annotator.cli.prelabel import group as prelabel
from annotator.label_studio.payload.figures import annotation_payload
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record
from tests.label_studio.fake import FakeServer

GROUPS = {"annotator": annotator, "agreement": agreement, "prelabel": prelabel}


def leaves(command: click.Command, path: str) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, f"{path} {name}")


def run_line(line: str) -> Done:
    """A command line as a user copies it into a shell."""
    program, *words = shlex.split(line, comments=True)
    return run_command(GROUPS[program], program, *words)


def test_every_command_has_its_row_in_the_table_of_next_steps() -> None:
    assert sorted(NEXT) == sorted(path for name, group in GROUPS.items() for path in leaves(group, name))


class Lab:
    """A folder with two figures; Label Studio in memory; and what people do, done for them."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "lungs"
        self.server = FakeServer()
        for name in ("f1", "f2"):
            Image.new("RGB", (800, 600), "white").save(folder / f"{name}.png")
        records = [
            {"figure_id": name, "image": f"{name}.png", "caption": a_figure(name).caption.text}
            for name in ("f1", "f2")
        ]
        write_lines(folder / "figures.jsonl", records)

    @contextmanager
    def connected(self, *_: object) -> Iterator[FakeServer]:
        yield self.server

    def submit_all(self) -> None:
        """What annotators do in Label Studio: one of them draws nothing."""
        with Home.find(self.home).open_store() as store, store.read() as tx:
            for link in tx.links.all():
                drawn = (a_subfigure(),) if link.annotator == "ann" else ()
                work = an_annotation(tx.figures.get(link.figure_id), annotator=link.annotator, subfigures=drawn)
                self.server.add_annotation(link.task_id, annotation_payload(work))

    def adjudicate_all(self) -> None:
        """What a reviewer does in the view."""
        with Home.find(self.home).open_store() as store, store.transaction() as tx:
            for name in ("f1", "f2"):
                tx.decisions.add(a_decision(tx.figures.get(name)))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    made = Lab(tmp_path)
    monkeypatch.setattr("annotator.cli.campaign.server_options.connected", made.connected)
    monkeypatch.setattr("annotator.cli.campaign.user._password", lambda *_: "several unrelated words")
    monkeypatch.chdir(tmp_path)
    return made


def served(line: str) -> Done:
    """`annotator serve` in a process of its own, ended by Ctrl-C once it says where it is."""
    code = "from annotator.cli.campaign.main import main; main()"
    command = [sys.executable, "-c", code, *shlex.split(line, comments=True)[1:], "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    late = threading.Timer(300, process.kill)
    late.start()
    try:
        assert process.stdout is not None
        address = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=300)
    finally:
        late.cancel()
        process.kill()
        process.wait()
    return Done(process.returncode, address + rest, err)


@pytest.mark.slow
def test_following_the_next_steps_leads_from_an_empty_folder_to_a_checked_release(lab: Lab) -> None:
    filled = {"FILE": "figures.jsonl", "NAME": "pilot", "a,b,c": "ann,ben"}
    steps: list[str] = []
    line = "annotator init lungs"
    while line:
        steps.append(re.sub(r" --home lungs| (?:FILE|NAME|pilot)\b", "", line))
        assert len(steps) < 20, steps
        for placeholder, value in filled.items():
            line = line.replace(placeholder, value)
        if steps[-1] == "annotator studio":
            # It runs until the annotators are done; the campaign's next step is then that of its status.
            lab.submit_all()
            line = "annotator pull --home lungs"
            continue
        if steps[-1] == "annotator serve":
            lab.adjudicate_all()
            done = served(line)
        else:
            done = run_line(line)
        assert done.returncode == 0, (line, done.stderr)
        line = next_command(done.stderr)
    assert steps == [
        "annotator init lungs",
        "annotator import figures",
        "prelabel run",
        "annotator assign --annotators a,b,c",
        "annotator push",
        "annotator studio",
        "annotator pull",
        "agreement report",
        "agreement report --format html --out report.html",
        "annotator user add --role reviewer",
        "annotator serve",
        "annotator export gold --out gold.jsonl",
        "annotator release",
        "annotator release --check",
    ]
    assert len(Path("gold.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_the_next_step_goes_to_stderr_and_data_on_stdout_comes_without_one(lab: Lab) -> None:
    run_line("annotator init lungs")
    text, data = run_line("annotator status --home lungs"), run_line("annotator status --json --home lungs")
    assert next_command(text.stderr) == "annotator import figures FILE --home lungs"
    assert "next: " not in text.stdout
    assert data.stderr == ""
    source = Path("work.jsonl")
    write_lines(source, [annotation_record(an_annotation(annotator=name)) for name in ("ann", "ben")])
    assert run_line(f"agreement report {source} --format json").stderr == ""
    step = next_command(run_line(f"agreement report {source} --phase 1").stderr)
    assert step == "agreement report work.jsonl --phase 1 --format html --out report.html"
    # A page made with other options would show other numbers.
    assert "next:" not in run_line(f"agreement report {source} --phase 1 --min-iou 0.3").stderr
    assert run_line(step).returncode == 0


def test_a_home_that_was_not_typed_is_not_in_the_next_step(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    run_line("annotator init 'lungs'")
    monkeypatch.setenv("PANELWISE_HOME", str(lab.home))
    assert next_command(run_line("annotator status").stderr) == "annotator import figures FILE"


def test_a_command_that_left_something_out_says_so_and_no_next_step(lab: Lab) -> None:
    run_line("annotator init lungs")
    with Path("figures.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    done = run_line("annotator import figures figures.jsonl --home lungs")
    assert (done.returncode, next_command(done.stderr)) == (1, "")


def test_a_command_that_is_not_on_the_path_is_named_with_its_folder(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = Path("venv/bin")
    programs.mkdir(parents=True)
    for name in GROUPS:
        (programs / name).touch()
    monkeypatch.setenv("PATH", "")
    done = run_command(annotator, "venv/bin/annotator", "init", "lungs")
    assert next_command(done.stderr) == "venv/bin/annotator import figures FILE --home lungs"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("annotator assign --annotators ann,ben --dry-run --home lungs", ""),
        ("annotator backup all.zip --home lungs", "annotator restore all.zip --check"),
        ("annotator export annotations --out work.jsonl --home lungs", "agreement report work.jsonl"),
        ("annotator export gold --out gold.jsonl --home lungs", "prelabel run --home lungs"),
        ("annotator user add ann --role annotator --home lungs", ""),
        ("annotator user add lea --role lead --home lungs", "annotator serve --home lungs"),
        ("annotator user email ann ann@example.org --home lungs", "annotator user invite ann --home lungs"),
        ("annotator store upgrade --home lungs", "annotator store check --home lungs"),
        ("prelabel synth --out sim --figures 1", "prelabel run sim/figures.jsonl --out predictions.jsonl"),
        ("prelabel run figures.jsonl --out p.jsonl", "annotator import predictions p.jsonl"),
    ],
)
@pytest.mark.slow
def test_commands_beside_the_main_path_name_theirs(lab: Lab, line: str, expected: str) -> None:
    for before in (
        "annotator init lungs",
        "annotator import figures figures.jsonl --home lungs",
        *(["annotator user add ann --role annotator --home lungs"] if " email " in line else []),
    ):
        run_line(before)
    done = run_line(line)
    assert (done.returncode, next_command(done.stderr)) == (0, expected), done.stderr


def test_a_backup_that_is_restored_is_checked_next(lab: Lab) -> None:
    run_line("annotator init lungs")
    run_line("annotator backup all.zip --home lungs")
    step = next_command(run_line("annotator restore all.zip 'lungs again'").stderr)
    assert step == "annotator store check --hashes --home 'lungs again'"
    assert run_line(step).returncode == 0


@pytest.mark.parametrize("name", ["demo", "up"])
def test_a_command_of_panelwise_ends_as_the_same_command_of_annotator(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # Both run until Ctrl-C; here they end at once.
    module = importlib.import_module(f"annotator.cli.campaign.{name}")
    monkeypatch.setattr(module.command, "callback", lambda **options: None)
    words = [name, str(lab.home)] if name == "up" else [name]
    ended = [run_command(group, group.name, *words) for group in (panelwise, annotator)]
    assert ended[0] == ended[1]
    assert ended[0].returncode == 0
