from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import missing
from PIL import Image, ImageDraw

from annotator.label_studio.client import LabelStudioServer
from annotator.label_studio.embedded.server import EmbeddedServer, label_studio
from panelwise.domain.errors import SyncError

PASSWORD = "a-long-password-1"


def draw_panels(path: Path, width: int = 800, height: int = 600) -> None:
    """A figure of two panels with a frame each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    for left in (20, width // 2 + 20):
        pen.rectangle((left, 20, left + width // 2 - 40, height - 20), outline="black", width=3)
        pen.line((left + 20, height - 60, left + width // 2 - 60, 60), fill="navy", width=4)
    image.save(path)


@pytest.fixture(scope="session")
def studio_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("studio")
    draw_panels(home / "images" / "f1.png")
    return home


@pytest.fixture(scope="session")
def studio(studio_home: Path) -> Iterator[EmbeddedServer]:
    """One real Label Studio for the whole run; only tests marked live may ask for it."""
    running = label_studio(studio_home, password=PASSWORD)
    try:
        server = running.__enter__()
    except SyncError as error:
        missing(f"no Label Studio: {error}", "see what it says of its environment")
    yield server
    running.__exit__(None, None, None)


@pytest.fixture
def real(studio: EmbeddedServer) -> Iterator[LabelStudioServer]:
    with LabelStudioServer(studio.url, studio.token) as server:
        yield server
