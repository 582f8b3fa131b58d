"""The many-boxes attack on a real server: thousands of boxes on one figure must not stop a campaign.

Before boxes were limited the attack never ended; `make test` ends a test that hangs.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from reliability.conftest import make_campaign
from reliability.saving import Log, Reviewer, Server
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group
from panelwise.domain.annotation import MAX_BOXES, Annotation, Subfigure
from panelwise.domain.box import Box
from panelwise.files.jsonl import write_lines
from panelwise.formats.annotations import annotation_record


def crowded(name: str, number: int) -> Annotation:
    """Boxes that all lie on one another under one label, which is the most work there is."""
    boxes = tuple(Subfigure("A", Box(place / number, 0, 400, 600), frozenset({4})) for place in range(number))
    return an_annotation(a_figure("f1"), annotator=name, subfigures=boxes)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return make_campaign(tmp_path / "campaign", monkeypatch)


@pytest.mark.slow
def test_thousands_of_boxes_stop_neither_the_import_nor_the_server(home: Path, tmp_path: Path) -> None:
    # In the store by an earlier version, and as many as the campaign allows by three more.
    with Home.find(home).open_store() as store, store.transaction() as tx:
        tx.annotations.add(crowded("earlier", 6 * MAX_BOXES))
        for number in range(3):
            tx.annotations.add(crowded(f"full{number}", MAX_BOXES))
    server = Server(home)
    server.start()
    try:
        work = tmp_path / "work.jsonl"
        write_lines(work, map(annotation_record, [crowded("mallory", 6 * MAX_BOXES), crowded("full3", 2)]))
        done = run_command(group, "annotator", "import", "annotations", work, "--home", home)
        assert (done.returncode, done.stdout) == (1, "imported 1 annotation; see the 1 error above\n")
        assert f'{work}:1: figure "f1" by "mallory" has 3000 boxes, more than the 500' in done.stderr
        reviewer = Reviewer(server, "rev0", Log(), threading.Lock(), 0)
        reviewer.sign_in()
        said = reviewer.state("f1")
        assert len(said["candidates"]) >= MAX_BOXES
        assert any("an annotation is left out: it has 3000 boxes" in reason for reason in said["reasons"])
        assert reviewer.state("f2")["candidates"]
    finally:
        server.kill()
