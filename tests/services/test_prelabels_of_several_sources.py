"""A campaign pre-labelled by three models, a third of its figures each: every prediction names its model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from assistant_cases import quoted, replied, serving
from builders import a_decision, a_figure, an_annotation
from PIL import Image, ImageDraw
from services.pushed_and_pulled import pushed

from annotator.campaign.home import Home
from annotator.gold.release import make_release
from annotator.prelabels.run import prelabel_home
from annotator.queue.pages import Show, queue_page
from annotator.queue.ranking import score_disagreement
from annotator.store.store import Store
from label_config import names
from panelwise.domain.campaign import Person, Role, Task
from panelwise.files.jsonl import Problems
from prelabel.assistant.assisted import AssistedEngine, packaged_prompt
from prelabel.assistant.server import ChatServer
from prelabel.classic.prelabeller import CLASSIC, VERSION, ClassicPrelabeller
from prelabel.panels.letters.ocr import Word
from prelabel.runs.engines import ClassicEngine, Engine
from prelabel.runs.journal import Shard
from tests.label_studio.fake import FakeServer

pytestmark = pytest.mark.slow

CAPTION = "Lungs. (A) Left lung. (B) Right lung."
FIGURES = tuple(f"f{number}" for number in range(9))


class Reader:
    """A recogniser that reads nothing."""

    version = "ocr"

    def words(self, _image: Image.Image) -> Sequence[Word]:
        return ()


@pytest.fixture
def campaign(home: Home, store: Store) -> Store:
    """Nine figures of two panels, given to two annotators."""
    with store.transaction() as tx:
        for number, name in enumerate(FIGURES):
            image = Image.new("RGB", (400, 200), "white")
            for left in (10, 210):
                ImageDraw.Draw(image).rectangle((left, 10, left + 170, 190), fill=(20 * number, 90, 90))
            path = home.images / f"{name}.png"
            image.save(path)
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            more = {"image": f"images/{name}.png", "image_sha256": digest, "extra": {"licence": "CC0"}}
            tx.figures.add(a_figure(name, caption=CAPTION, width=400, height=200, **more))
        for annotator in ("ann1", "ann2"):
            tx.people.put(Person(annotator, frozenset({Role.ANNOTATOR})))
            tx.tasks.add([Task(name, annotator, "1") for name in FIGURES])
    return store


def test_label_studio_the_queue_and_the_release_name_each_figure_s_model(
    home: Home, campaign: Store, server: FakeServer, tmp_path: Path
) -> None:
    classic = ClassicEngine(CLASSIC, 1)
    with serving(replied(quoted(A=["Left lung"], B=["Right lung"]))) as (asked, url):
        chat = ChatServer(url, "tiny")
        assisted = AssistedEngine(classic, chat, tmp_path / "answers", prompt=packaged_prompt(), below=1.0)
        engines: list[Engine] = [classic, ClassicEngine(ClassicPrelabeller(Reader()), 1), assisted]
        made = {
            prediction.figure.id: prediction.model_version
            for number, engine in enumerate(engines, start=1)
            for prediction in prelabel_home(
                home, campaign, Problems(), engine=engine, shard=Shard.read(f"{number}/3")
            )
        }
        chat.close()
    versions = [VERSION, f"{VERSION}-ocr", assisted.version]
    assert assisted.version.startswith(f"{VERSION}+tiny-")
    assert sorted(made) == list(FIGURES)
    assert sorted({*made.values()}) == sorted(versions)
    assert len(asked.asked) == list(made.values()).count(assisted.version)

    project = pushed(home, campaign, server, phase="1")["ann1"].project_id
    seeds = {task["data"][names.DATA_SOURCE]: task["data"][names.DATA_SEED] for task in server.tasks(project)}
    assert seeds == made

    with campaign.transaction() as tx:
        for name in FIGURES:
            figure = tx.figures.get(name)
            for annotator in ("ann1", "ann2"):
                tx.annotations.add(an_annotation(figure, annotator=annotator, seeded_by=made[name], subfigures=()))
            tx.decisions.add(a_decision(figure, subfigures=(), based_on=("ann1",)))
    score_disagreement(campaign, home.campaign)
    rows = queue_page(campaign, home.campaign, show=Show.ALL).rows
    assert {row.figure_id: row.model for row in rows} == made

    folder = make_release(home, campaign, "pilot").release.path
    lines = [json.loads(line) for line in (folder / "predictions.jsonl").read_text("utf-8").splitlines()]
    assert {line["figure_id"]: line["annotator"] for line in lines} == made
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    assert manifest["models"] == {each: list(made.values()).count(each) for each in sorted(versions)}
