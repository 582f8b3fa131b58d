"""The main job as a newcomer does it: the demo, Label Studio in a browser, pull, adjudication view, gold."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import drag, log_in_to_studio, mark, open_task, submit

from annotator.campaign.home import Home
from panelwise.domain.caption import Span
from panelwise.domain.decision import GoldSource
from panelwise.files.jsonl import Problems
from panelwise.formats.medicat import gold_record, read_gold

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.live

ANNOTATOR = Path(sys.executable).with_name("annotator")
#: The demo's figure whose caption has characters beyond the BMP and a newline.
FIGURE = "sim-004"


@dataclass(frozen=True, slots=True)
class Demo:
    home: Path
    studio: str
    email: str
    password: str
    view: str
    reviewer: str
    reviewer_password: str
    process: subprocess.Popen[str]
    commands: list[str]


def start(home: Path, *options: str) -> tuple[subprocess.Popen[str], Path]:
    log = home.with_suffix(".log")
    with log.open("w") as out:
        process = subprocess.Popen(
            [str(ANNOTATOR), "demo", "--home", str(home), *options],
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    return process, log


def until(holds: object, seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.2)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    home = tmp_path_factory.mktemp("demo") / "campaign"
    process, log = start(home)
    until(lambda: "Ctrl-C stops" in log.read_text() or process.poll() is not None, 600, log.read_text())
    said = log.read_text()
    assert process.poll() is None, said
    studio = re.search(r"Label Studio +(\S+)\n +(\S+)  (\S+)", said)
    view = re.search(r"Adjudication view +(\S+)\n +(\S+)  (\S+)", said)
    assert studio is not None
    assert view is not None
    commands = re.findall(r"^  (\S*(?:annotator|agreement) .*)$", said, re.MULTILINE)
    yield Demo(home, *studio.groups(), *view.groups(), process, commands)
    if process.poll() is None:
        process.kill()
        process.wait()


def run(*arguments: object) -> str:
    done = subprocess.run(
        [str(ANNOTATOR), *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_that_the_demo_prints_report_agreement_and_write_gold_at_once(
    demo: Demo, tmp_path: Path
) -> None:
    environment = {**os.environ, "PATH": f"{ANNOTATOR.parent}{os.pathsep}{os.environ['PATH']}"}
    printed = []
    for command in demo.commands:
        done = subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, (command, done.stderr)
        printed.append(done.stdout)
    report, export = printed
    assert "IAA" in report
    assert export.splitlines() == [
        "wrote 2 figures to gold.jsonl (0 adjudicated, 2 unanimous, 0 single)",
        "status of 6 figures: 2 unanimous, 4 waiting",
    ]
    assert len((tmp_path / "gold.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_a_figure_goes_through_label_studio_and_adjudication_to_a_gold_line(
    demo: Demo, browser: Browser, tmp_path: Path
) -> None:
    store = Home.find(demo.home).open_store()
    with store.read() as tx:
        (project,) = tx.links.projects(annotator="guest", phase="1")
        (link,) = [each for each in tx.links.all(annotator="guest", phase="1") if each.figure_id == FIGURE]
        prediction = tx.predictions.of([FIGURE]).get(FIGURE)
    assert prediction is not None
    figure = prediction.figure
    before = {each.label: each for each in prediction.subfigures}
    passage = "Scale bars, 20"
    at = figure.caption.text.index(passage)

    # The annotator: move a pre-drawn box, mark a second span, submit.
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(180_000)
    log_in_to_studio(page, demo.studio, demo.email, demo.password)
    image = open_task(page, f"{demo.studio}/projects/{project.project_id}/data?task={link.task_id}")
    # The canvas is as wide as the page; the figure is as large as fits into it.
    scale = min(image["width"] / figure.width, image["height"] / figure.height)
    box = before["D"].box
    middle = (image["x"] + (box.x0 + box.x1) / 2 * scale, image["y"] + (box.y0 + box.y1) / 2 * scale)
    drag(page, middle, (middle[0] + 18, middle[1] - 27))
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    mark(page, passage)
    submit(page)

    # The demo pulls by itself; the command finds nothing more to do.
    def pulled() -> bool:
        with store.read() as tx:
            return any(True for _ in tx.annotations.all(figure=FIGURE, annotator="guest"))

    until(pulled, 300, "the demo did not pull the submitted annotation")
    assert "0 annotations added" in run("pull", "--home", demo.home, "--annotator", "guest")
    with store.read() as tx:
        (annotation,) = tx.annotations.all(figure=FIGURE, annotator="guest")
    after = {each.label: each for each in annotation.subfigures}
    assert annotation.seeded_by == prediction.model_version
    dx, dy = 18 / scale, -27 / scale
    moved = [box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy]
    assert after["D"].box.as_list() == pytest.approx(moved, abs=0.5)
    assert after["A"].box.as_list() == pytest.approx(before["A"].box.as_list(), abs=0.5)
    assert after["A"].subcaption == before["A"].subcaption
    wanted = figure.caption.tokens_in([Span(at, at + len(passage))])
    assert after["E"].subcaption == before["E"].subcaption | wanted

    # The reviewer: settle that figure, every subfigure accepted or taken from an annotator.
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(180_000)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
    page.goto(f"{demo.view}figures/{FIGURE}")
    page.fill("input[name=name]", demo.reviewer)
    page.fill("input[name=password]", demo.reviewer_password)
    page.keyboard.press("Enter")
    page.wait_for_selector(".host svg.a9s-annotationlayer", state="attached")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: FIGURE not in url)
    assert wrong == []

    with store.read() as tx:
        decision = tx.decisions.get(FIGURE)
    store.close()
    assert decision is not None
    assert decision.reviewer == demo.reviewer
    assert {each.label for each in decision.subfigures} == {"A", "B", "C", "D", "E"}

    # Gold: the line reads back equal.
    out = tmp_path / "gold.jsonl"
    assert "1 adjudicated" in run("export", "gold", "--home", demo.home, "--out", out)
    problems = Problems()
    golds = {each.figure.id: each for each in read_gold(out, problems)}
    assert problems.lines == []
    gold = golds[FIGURE]
    assert gold.figure == figure
    assert gold.subfigures == decision.subfigures
    assert gold.provenance.source is GoldSource.ADJUDICATED
    assert gold.provenance.reviewer == demo.reviewer
    lines = {(record := json.loads(line))["figure_id"]: record for line in out.read_text().splitlines()}
    assert json.loads(json.dumps(gold_record(gold))) == lines[FIGURE]


def test_a_second_demo_of_the_same_home_says_where_the_first_one_runs(demo: Demo) -> None:
    process, log = start(demo.home, "--exit-when-ready")
    assert process.wait(timeout=300) == 1, log.read_text()
    assert "runs already" in log.read_text()
    assert demo.view in log.read_text()
    assert demo.process.poll() is None


def test_ctrl_c_stops_everything(demo: Demo) -> None:
    state = json.loads((demo.home / "label-studio" / "server.json").read_text())
    demo.process.send_signal(signal.SIGINT)
    assert demo.process.wait(timeout=300) == 0
    assert not (demo.home / "label-studio" / "server.json").exists()
    with pytest.raises(ProcessLookupError):
        os.kill(state["pid"], 0)
