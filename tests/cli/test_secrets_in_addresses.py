"""Logins and signatures in addresses stay in the store: no output of the product has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from running import Done

from annotator.campaign.home import Home
from annotator.gold.dataset.check import faults
from annotator.gold.releases import releases
from annotator.label_studio.payload.figures import task_data
from annotator.operations.doctor import exposed_secrets
from annotator.operations.findings import State
from annotator.web.api.v1.views import FigureView
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure
from tests.cli.test_commands import annotator

HIDDEN = "hush-77"
SIGNED = f"https://ann:{HIDDEN}@a.example/f.png?size=2&X-Amz-Signature={HIDDEN}"
FIGURE: dict[str, Any] = {
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


def command(home: Path, *words: object) -> Done:
    done = annotator(*words, home=home)
    assert HIDDEN not in done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("secrets")
    home = folder / "home"
    assert annotator("init", home, "--labels", "A,B").returncode == 0
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
    with Home.find(home).open_store() as store, store.read() as tx:
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
        ("scivqa",),
    ],
)
def test_no_export_has_a_secret(home: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    out = tmp_path / "out.json"
    assert command(home, "export", words[0], "--out", out, *words[1:]).returncode == 0
    assert out.read_bytes()
    assert HIDDEN not in out.read_text(encoding="utf-8")


def test_a_release_of_an_earlier_version_that_has_a_secret_is_named_by_check_and_doctor(home: Path) -> None:
    assert command(home, "release", "old").returncode == 0
    found = Home.find(home)
    assert [each.state for each in exposed_secrets(found)] == [State.GOOD]
    release = next(each for each in releases(found) if each.name == "old")
    file = release.path / "gold.jsonl"
    file.chmod(0o600)
    file.write_text(file.read_text(encoding="utf-8") + json.dumps({"image": SIGNED}) + "\n", encoding="utf-8")
    expected = f"{file}:2: an address carries a login, a key or a signature"
    assert any(line.startswith(expected) for line in faults(release))
    findings = list(exposed_secrets(found))
    assert [(each.state, each.message) for each in findings] == [(State.WRONG, expected)]
    assert HIDDEN not in repr(findings)


def test_a_list_that_cannot_be_imported_is_reported_without_its_secrets(home: Path, tmp_path: Path) -> None:
    figures = tmp_path / "figures.jsonl"
    figures.write_text(
        "".join(
            json.dumps({**FIGURE, "figure_id": f"g{number}", "image": image}) + "\n"
            for number, image in enumerate(
                (
                    SIGNED,
                    f"ftp://ann:{HIDDEN}@a.example/f.png",
                    f"https://127.0.0.1/f.png?token={HIDDEN}",
                    f"f.png?sig={HIDDEN}",
                )
            )
        ),
        encoding="utf-8",
    )
    for more in ((), ("--allow-urls",)):
        done = command(home, "import", "figures", figures, *more)
        assert done.returncode == 1
        assert "a.example/f.png" in done.stderr


def test_a_task_for_annotators_has_no_secret() -> None:
    figure = Figure("f1", "images/f.png", 4, 3, Caption.cut("One."), (f"Shown at {SIGNED} too.",))
    assert HIDDEN not in repr(task_data(figure))
    assert "https://a.example/f.png?size=2 too." in task_data(figure)["references"]


def test_addresses_without_secrets_survive_export_and_import(tmp_path: Path) -> None:
    plain = {**FIGURE, "figure_id": "g", "image": "g.png", "source": {"document": "d"}}
    plain["references"] = ["See https://a.example/?page=2."]
    for key in ("pdf_url", "oa_info", "licence", "fig_uri"):
        plain[key] = "https://a.example:8080/x@2.png?key=figures/a.png&v=1#top"
    Image.new("RGB", (40, 30), "white").save(tmp_path / "g.png")
    (tmp_path / "given.jsonl").write_text(json.dumps(plain) + "\n", encoding="utf-8")
    exported = []
    for name, source in (("one", tmp_path / "given.jsonl"), ("two", tmp_path / "one.jsonl")):
        home = tmp_path / name
        assert annotator("init", home, "--labels", "A").returncode == 0
        assert command(home, "import", "figures", source, "--images", tmp_path).returncode == 0
        (tmp_path / "images").mkdir(exist_ok=True)
        out = tmp_path / f"{name}.jsonl"
        assert command(home, "export", "figures", "--out", out).returncode == 0
        for image in (home / "images").iterdir():
            (tmp_path / "images" / image.name).write_bytes(image.read_bytes())
        exported.append(json.loads(out.read_text(encoding="utf-8")))
    assert {**exported[0], "image": "g.png"} == {**exported[0], **plain}
    assert {**exported[0], "image": ""} == {**exported[1], "image": ""}
