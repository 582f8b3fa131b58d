"""`annotator up`: one command for a campaign, from an empty folder; parts that die come back, all stop with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from free_ports import free_port
from reliability.commands import Visitor
from web.asking import PASSWORD, token_of

from annotator.campaign.home import Home
from annotator.demo.figures import FIGURES, write_sample
from annotator.label_studio.embedded import server as embedded
from annotator.operations.running_parts import RunningParts, read_parts
from panelwise.runtime.sockets import listen
from panelwise.runtime.supervisor import PartReport, PartState

pytestmark = pytest.mark.live

ANNOTATOR = str(Path(sys.executable).with_name("annotator"))
#: Longer than any machine takes.
LIMIT = 600.0


def until(holds: Callable[[], bool], what: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, what()
        time.sleep(0.2)


class Up:
    """`annotator up` in a folder that was empty."""

    def __init__(self, home: Path) -> None:
        self.home, self.log, self.port = home, home.with_suffix(".log"), free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self, *options: str) -> None:
        command = [ANNOTATOR, "up", str(self.home), "--port", str(self.port), "--lead", "boss", *options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"}
            )
        until(lambda: "Ctrl-C" in self.said or self.process.poll() is not None, lambda: self.said)
        assert self.process.poll() is None, self.said

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def running(self) -> RunningParts:
        found = read_parts(self.home)
        assert found is not None, self.said
        return found

    def part(self, name: str) -> PartReport:
        return next(each for each in self.running.parts if each.name == name)

    def annotator(self, *arguments: str) -> str:
        done = subprocess.run(
            [ANNOTATOR, *arguments, "--home", str(self.home)], capture_output=True, text=True, timeout=LIMIT
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def processes(self, word: str = "") -> list[int]:
        """The processes with the campaign, and a word, in their command line, without `annotator up` itself."""
        found = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):  # it ended meanwhile
                words = file.read_bytes().decode(errors="replace").split("\0")
                if str(self.home) in words and (not word or word in words):
                    found.append(int(file.parent.name))
        return sorted({*found} - {self.process.pid})


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    made = Up(tmp_path_factory.mktemp("up") / "campaign")
    yield made
    made.process.kill()
    made.process.wait()
    until(lambda: not made.processes(), made.processes)


def test_an_empty_folder_becomes_a_campaign_whose_lead_signs_in_by_a_link(up: Up) -> None:
    link = re.search(r"^ +(http\S+/welcome/\S+)$", up.said, re.MULTILINE)
    assert link is not None
    # Whether it needs Label Studio is not known before it is set up.
    assert up.part("Label Studio").state is PartState.IDLE
    assert "next: " not in up.said, "what follows is on the pages"
    page = link[1].removeprefix(up.url)
    guest = Visitor(up.url, "boss")
    assert guest.get("/dashboard")[0] == 200, "the page that asks to sign in"
    guest.post_form(page, csrf_token=token_of(guest.get(page)[1]), new=PASSWORD, again=PASSWORD)
    status, dashboard = Visitor(up.url, "boss").get("/dashboard")
    assert (status, "<h1>Dashboard</h1>" in dashboard) == (200, True)
    # Used once; a second start prints no link.
    assert "/welcome/" not in again(up)


def again(up: Up) -> str:
    """What a second `annotator up` for the same campaign prints: it ends at once."""
    done = subprocess.run([ANNOTATOR, "up", str(up.home)], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout) == (1, "")
    assert "annotator up runs already" in done.stderr
    assert str(up.process.pid) in done.stderr
    return done.stderr


def test_tasks_that_are_assigned_come_to_label_studio_by_themselves(up: Up, tmp_path: Path) -> None:
    write_sample(FIGURES, tmp_path)
    up.annotator("import", "figures", str(tmp_path / "figures.jsonl"))
    assert up.part("synchronization").state is PartState.IDLE
    up.annotator("assign", "--annotators", "ann")

    def pushed() -> bool:
        with Home.find(up.home).open_store() as store, store.read() as tx:
            return tx.tasks.count_unpushed("1") == 0 and bool(tx.links.projects())

    until(pushed, lambda: up.said)
    assert up.part("synchronization").state is PartState.READY


def test_parts_that_are_killed_are_started_again_at_the_same_address(up: Up) -> None:
    before = embedded.running(up.home)
    assert before is not None
    (view,) = up.processes("serve")
    os.kill(view, signal.SIGKILL)
    os.kill(before.pid, signal.SIGKILL)
    for name in ("adjudication view", "Label Studio"):
        until(
            lambda name=name: up.part(name).restarts == 1 and up.part(name).state is PartState.READY,
            lambda: (up.running, up.said),
        )
    after = embedded.running(up.home)
    assert after is not None
    assert (after.url, after.pid != before.pid) == (before.url, True)
    assert up.part("adjudication view").exit == -signal.SIGKILL
    assert "Label Studio ended (killed by SIGKILL)" in up.part("Label Studio").error
    _, shown = Visitor(up.url, "boss").get("/dashboard")
    assert "adjudication view ended at" in shown
    assert "It was started again." in shown


def test_ctrl_c_stops_everything_and_it_can_be_killed_too(up: Up) -> None:
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(LIMIT) == 0
    assert up.processes() == []
    assert read_parts(up.home) is None
    assert up.said.splitlines()[-1] == "stopped"
    up.start()
    up.process.kill()
    up.process.wait(LIMIT)
    until(lambda: not up.processes(), up.processes)
    found = read_parts(up.home)
    assert found is not None
    assert not found.alive


def test_a_folder_with_other_files_and_a_taken_port_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = subprocess.run([ANNOTATOR, "up", str(tmp_path)], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "no campaign here, and not empty" in done.stderr
    with listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        command = [ANNOTATOR, "up", str(tmp_path / "new"), "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 1
    assert f"port {port} of 127.0.0.1 is taken" in done.stderr
