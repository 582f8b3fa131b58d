from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import NOON, a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from picture_server import Site
from PIL import Image
from services.pushed_and_pulled import EMPTY
from web.blind_campaign import CHEAP

from annotator.accounts import people
from annotator.campaign.home import Home
from annotator.store.store import Store
from panelwise.domain.campaign import Person, Role, Task
from tests.label_studio.fake import FakeServer

FIGURES = ("f_1", "f2", "f3")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "campaign")


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    store = home.open_store()
    yield store
    store.close()


@pytest.fixture
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that cost nothing to check."""
    monkeypatch.setattr(people, "_hasher", CHEAP)


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield site
    site.server.shutdown()
    site.server.server_close()
    thread.join()


@pytest.fixture
def adjudicated(home: Home, store: Store) -> Store:
    """Three figures by two annotators: one settled by a reviewer, one unanimous, one unresolved."""
    with store.transaction() as tx:
        for number, name in enumerate(FIGURES):
            image = home.images / f"{name}.png"
            Image.new("RGB", (800, 600), (number, 0, 0)).save(image)
            figure = a_figure(
                name,
                image=f"images/{name}.png",
                image_sha256=hashlib.sha256(image.read_bytes()).hexdigest(),
                document=f"doi:{number}",
                source={"document": f"doi:{number}"},
                extra={"split": "train" if number else "test", "licence": "CC0"},
            )
            tx.figures.add(figure)
            other = (a_subfigure("A", tokens=[4]), a_subfigure("B", box=(400, 0, 800, 600)))
            same = an_annotation(figure, annotator="ann1", guideline="1.1", seeded_by="classic-1")
            tx.annotations.add(same)
            second = replace(same, annotator="ann2", guideline="1.0")
            tx.annotations.add(second if name == "f2" else replace(second, subfigures=other))
        tx.decisions.add(
            a_decision(tx.figures.get("f_1"), based_on=("ann2", "ann1"), decided_at=NOON + timedelta(hours=1))
        )
    return store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of images that `services.revised` gives to figures."""
    folder = tmp_path / "given"
    folder.mkdir()
    for name, colour in (("a.png", "white"), ("b.png", "white"), ("other.png", "black")):
        Image.new("RGB", (80, 60), colour).save(folder / name)
    Image.new("RGB", (90, 60)).save(folder / "wide.png")
    return folder


@pytest.fixture
def lungs(tmp_path: Path) -> Home:
    """A campaign of three labels."""
    return Home.create(tmp_path / "home", name="lungs", labels=("A", "B", "C"))


@pytest.fixture
def given_out(lungs: Home) -> Iterator[Store]:
    """The store of `lungs`: two figures for two annotators, the one pre-labelled, the other without a caption."""
    with lungs.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1"))
            tx.figures.add(EMPTY)
            tx.predictions.put(a_prediction(a_figure("f1")))
            tx.people.put(Person("ann1", frozenset({Role.ANNOTATOR}), "ann1@example.org"))
            tx.people.put(Person("ann2", frozenset({Role.ANNOTATOR})))
            tx.tasks.add([Task(figure, name, "1") for figure in ("f1", "f2") for name in ("ann1", "ann2")])
        yield store


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()
