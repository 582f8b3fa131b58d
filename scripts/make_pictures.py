"""Take the pictures of the README and the documentation, and the tour, from the demos as they are now.

    make pictures

Runs both demos in a temporary folder, with their real Label Studio, drives them in Chromium, and writes
docs/images. The tour is an animated WebP: the queue, a figure adjudicated by keyboard, agreement, dashboard.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from browsing import Pages, chromium, log_in_to_studio, open_items, open_task

from annotator.accounts.people import set_password
from annotator.campaign.home import Home
from annotator.demo import figures as demo_figures
from annotator.demo import questions as demo_questions
from annotator.demo.figures import NEWCOMER
from annotator.web.server import AdjudicationServer
from panelwise.settings.campaign_toml import FILE_NAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parent.parent / "docs" / "images"
BIN = Path(sys.executable).parent
PASSWORD = "only-for-this-picture"
#: Width of the tour, pixels, and how long its frames last, ms.
TOUR_WIDTH, TOUR_FRAME = 960, 2200
#: Every picture in the window has been loaded; those below it may wait until somebody scrolls there.
PICTURES_THERE = """() => [...document.images].every(
    (each) => each.complete || each.getBoundingClientRect().top > window.innerHeight)"""
#: Bytes of the tour at most.
TOUR_MOST = 2_000_000


@dataclass(frozen=True, slots=True)
class Demo:
    """A running demo: its home, and where its two parts are, with who signs in there."""

    home: Path
    studio: str
    studio_login: tuple[str, str]
    view: str
    login: tuple[str, str]


@contextmanager
def demo(home: Path, *options: str) -> Iterator[Demo]:
    """Run a demo until the block ends."""
    command = [str(BIN / "annotator"), "demo", "--home", str(home), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        said = ""
        assert process.stdout is not None
        for line in process.stdout:
            said += line
            if line.startswith("Ctrl-C"):
                break
        found = re.search(
            r"Label Studio +(\S+)\s+(\S+) +(\S+).*Adjudication view +(\S+)\s+(\S+) +(\S+)", said, re.DOTALL
        )
        try:
            if found is None:
                raise SystemExit(f"the demo did not come up: {said}")
            yield Demo(home, found[1], (found[2], found[3]), found[4], (found[5], found[6]))
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def sign_in(page: Page, view: str, login: tuple[str, str]) -> None:
    """Sign in at the adjudication view."""
    page.goto(f"{view}login")
    page.fill("input[name=name]", login[0])
    page.fill("input[name=password]", login[1])
    page.keyboard.press("Enter")


def signed_in(page: Page, running: Demo) -> Page:
    """Sign in as the demo's reviewer, and wait for the queue."""
    sign_in(page, running.view, running.login)
    page.get_by_role("heading", name="Queue").wait_for()
    page.wait_for_load_state()  # Only then the keys work.
    return page


def save(page: Page, name: str, *, whole: bool = False) -> None:
    """Write what a page shows. whole: all of it, not only the window."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(400)
    page.wait_for_function(PICTURES_THERE)
    shot = Image.open(BytesIO(page.screenshot(full_page=whole)))
    # 256 colours are enough for a screen, and a third of the bytes.
    shot.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)
    print(f"{name}.png: {(FOLDER / f'{name}.png').stat().st_size // 1000} kB")


def figures(running: Demo, lend: Callable[..., Page]) -> None:
    """Pictures of the demo of subfigures, and the tour through it."""
    with Home.find(running.home).open_store() as store, store.read() as tx:
        project = next(iter(tx.links.projects(annotator=NEWCOMER))).project_id
    page = lend()
    log_in_to_studio(page, running.studio, *running.studio_login)
    open_task(page, f"{running.studio}/projects/{project}/data?labeling=1")
    save(page, "label-studio-task")
    page = signed_in(lend(), running)
    save(page, "adjudication-queue")
    frames = [page.screenshot()]
    page.keyboard.press("s")
    page.locator(".aj-row").first.wait_for()
    page.wait_for_timeout(800)
    save(page, "adjudication-figure")
    frames.append(page.screenshot())
    # The first annotator's text for each conflict, until the figure is saved and the next one is there.
    address = page.url
    for key in ("1", "Enter", "1", "Enter", "Enter"):
        if page.url != address:
            break
        page.keyboard.press(key)
        page.wait_for_timeout(700)
        frames.append(page.screenshot())
    for place in ("agreement", "dashboard"):
        page.goto(f"{running.view}{place}")
        page.wait_for_load_state("networkidle")
        if place == "agreement":
            save(page, "adjudication-agreement", whole=True)
        frames.append(page.screenshot())
    write_tour(frames)
    report = running.home / "report.html"
    subprocess.run(
        [str(BIN / "agreement"), "report", "--home", str(running.home), "--format", "html", "--out", str(report)],
        check=True,
    )
    page = lend(width=1090, height=840)
    page.goto(report.as_uri())
    page.get_by_role("heading", name="Worst figures").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#worst')?.scrollIntoView()")
    save(page, "agreement-report")


def questions(running: Demo, lend: Callable[..., Page]) -> None:
    """Pictures of the demo of question-answer pairs."""
    with Home.find(running.home).open_store() as store, store.read() as tx:
        project = next(iter(tx.links.projects(annotator=NEWCOMER))).project_id
    page = lend()
    log_in_to_studio(page, running.studio, *running.studio_login)
    open_items(page, f"{running.studio}/projects/{project}/data?labeling=1")
    save(page, "label-studio-qa")
    page = signed_in(lend(), running)
    page.keyboard.press("s")
    page.locator(".aj-panels").first.wait_for()
    page.wait_for_timeout(800)
    save(page, "adjudication-questions")


def own_tasks(path: Path, lend: Callable[..., Page]) -> None:
    """Pictures of an annotator's own tasks, in both demos without Label Studio."""
    for prepare, name in ((demo_figures.prepare, "own-subfigures"), (demo_questions.prepare, "own-questions")):
        home = prepare(path / name, print)
        file = home.path / FILE_NAME
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("[[phases]]", '[[phases]]\nannotate_in = "panelwise"'), encoding="utf-8")
        home = Home.find(home.path)
        with home.open_store() as store, AdjudicationServer(home, store) as view:
            set_password(store, NEWCOMER, PASSWORD)
            page = lend()
            sign_in(page, view.url, (NEWCOMER, PASSWORD))
            page.get_by_role("heading", name="Tasks").wait_for()
            page.wait_for_load_state()  # Only then the keys work.
            page.keyboard.press("s")
            page.locator(".aj-panels").first.wait_for()
            if name == "own-questions":
                for key in ("Enter", "a", "i"):
                    page.keyboard.press(key)
                page.wait_for_timeout(400)
                page.get_by_role("textbox", name="Answer").fill("No")
            else:
                page.locator(".host svg.a9s-annotationlayer").wait_for(state="attached")
                page.wait_for_timeout(800)
            save(page, name)


def write_tour(frames: list[bytes]) -> None:
    """Write the frames as an animated WebP, each as long as it takes to look at."""
    pictures = [Image.open(BytesIO(each)).convert("RGB") for each in frames]
    height = round(pictures[0].height * TOUR_WIDTH / pictures[0].width)
    small = [each.resize((TOUR_WIDTH, height), Image.Resampling.LANCZOS) for each in pictures]
    file = FOLDER / "tour.webp"
    small[0].save(file, save_all=True, append_images=small[1:], duration=TOUR_FRAME, loop=0, quality=70, method=6)
    size = file.stat().st_size
    print(f"tour.webp: {len(small)} frames, {size // 1000} kB")
    if size > TOUR_MOST:
        raise SystemExit(f"{file}: {size} bytes, more than {TOUR_MOST}; lower its quality or width")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        pages = Pages(browser)
        with demo(Path(folder) / "demo") as running:
            figures(running, pages.lend)
        with demo(Path(folder) / "questions", "--campaign", "figure-qa") as running:
            questions(running, pages.lend)
        own_tasks(Path(folder) / "own", pages.lend)


if __name__ == "__main__":
    main()
