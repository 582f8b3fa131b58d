"""What came with an address, a login or a signature, stays in the store: nothing that leaves it has them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.campaign.home import Home
from annotator.gold.dataset.check import faults
from annotator.gold.releases import exposures, releases
from annotator.label_studio.payload.figures import task_data
from annotator.operations.doctor import exposed_secrets
from annotator.operations.findings import State
from annotator.store.store import Store
from annotator.web.api.v1.views import FigureView

HIDDEN = "hush-77"
SIGNED = f"https://ann:{HIDDEN}@a.example/f.png?size=2&X-Amz-Signature={HIDDEN}"
FIGURE = {
    "figure_id": "f1",
    "image": SIGNED,
    "width": 40,
    "height": 30,
    "caption": "(A) One. (B) Two.",
    "references": [f"Shown at {SIGNED} too."],
    "source": {"document": f"https://a.example/p?token={HIDDEN}", "url": SIGNED},
    "pdf_url": SIGNED,
    "oa_info": {"where": [SIGNED]},
    "licence": f"https://a.example/cc?sig={HIDDEN}",
    "fig_uri": f"https://a.example/f?token={HIDDEN}",
}


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "annotator", *words, "--home", str(home)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert HIDDEN not in done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    home = folder / "home"
    assert command(home, "init", "--labels", "A,B").returncode == 0
    (folder / "figures.jsonl").write_text(json.dumps(FIGURE) + "\n", encoding="utf-8")
    work = [
        {
            "figure_id": "f1",
            "annotator": name,
            "phase": "1",
            "width": 40,
            "height": 30,
            "caption": FIGURE["caption"],
            "subfigures": [{"label": "A", "box": [0, 0, 20, 30], "subcaption": [[0, 8]]}],
        }
        for name in ("ann1", "ann2")
    ]
    (folder / "work.jsonl").write_text("".join(json.dumps(each) + "\n" for each in work), encoding="utf-8")
    assert command(home, "import", "figures", str(folder / "figures.jsonl"), "--no-images").returncode == 0
    assert command(home, "import", "annotations", str(folder / "work.jsonl")).returncode == 0
    return home


def everything_below(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_a_release_has_no_secret_and_the_store_keeps_the_address(home: Path) -> None:
    assert command(home, "release", "clean", "--note", f"see {SIGNED}").returncode == 0
    written = everything_below(home / "releases")
    assert HIDDEN.encode() not in written
    assert b"https://a.example/f.png?size=2" in written
    assert "clean: unchanged" in command(home, "release", "--check").stdout
    with Store.open(Home.find(home).store_url) as store, store.read() as tx:
        figure = next(iter(tx.figures.all()))
    assert figure.extra["given_image"] == figure.source["url"] == SIGNED
    assert HIDDEN not in repr(FigureView.of(figure))


@pytest.mark.parametrize(
    "words",
    [
        ("gold",),
        ("coco",),
        ("figures",),
        ("figures", "--layout", "medicat"),
        ("annotations",),
        ("decisions",),
        ("scivqa",),
        ("types",),
        ("qa",),
    ],
)
def test_no_export_has_a_secret(home: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    out = tmp_path / "out.json"
    command(home, "export", words[0], "--out", str(out), *words[1:])
    assert not out.exists() or HIDDEN not in out.read_text(encoding="utf-8")
