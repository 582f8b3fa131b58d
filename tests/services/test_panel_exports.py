"""`annotator export panels` and `export web-annotation`: subfigures for models and for knowledge graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders import CAPTION, a_figure, a_subfigure, an_annotation
from PIL import Image
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group as annotator
from panelwise.domain.caption import Caption

MENTIONS = [
    {"sentence": "Both lungs (Fig. 1).", "kind": "link", "panels": []},
    {"sentence": "The left one (Fig. 1a).", "kind": "link", "panels": ["A"]},
]
LEFT = (10.25, 0, 400.5, 600)


def a_campaign(path: Path, *, image: bool = True) -> Home:
    """Return a campaign with one figure of two subfigures that one annotator boxed, and one without any."""
    home = Home.create(
        path, settings='name = "Lungs {1}"\nlabels = ["A"]\ninclude = ["single"]\n[[phases]]\nname = "1"\n'
    )
    if image:
        Image.new("RGB", (800, 600), "white").save(home.images / "f1.png")
    figure = a_figure(
        "f 1",
        image="images/f1.png",
        references=("Both lungs (Fig. 1).",),
        document="PMC1",
        source={"document": "PMC1", "licence": "CC BY 4.0"},
        extra={"mentions": MENTIONS},
    )
    parts = (a_subfigure("A", box=LEFT, tokens=(4, 5, 13)), a_subfigure("B", box=(400, 0, 800, 600), tokens=()))
    with home.open_store() as store, store.transaction() as tx:
        for each, subfigures in ((figure, parts), (a_figure("f2", image=""), ())):
            tx.figures.add(each)
            tx.annotations.add(an_annotation(each, subfigures=subfigures))
    return home


def exported(home: Home, what: str, out: Path, *options: object) -> tuple[str, int]:
    done = run_command(annotator, "annotator", "export", what, "--home", home.path, "--out", out, *options)
    return done.stdout + done.stderr, done.returncode


def panels(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def test_a_subfigure_has_its_text_and_the_references_that_name_it(tmp_path: Path) -> None:
    text, status = exported(a_campaign(tmp_path / "home"), "panels", tmp_path / "p.jsonl")
    assert status == 0, text
    left, right = panels(tmp_path / "p.jsonl")
    caption = Caption.cut(CAPTION)
    assert left == {
        "figure_id": "f 1",
        "label": "A",
        "image": "images/f1.png",
        "width": 800,
        "height": 600,
        "box": list(LEFT),
        "text": caption.text_of((4, 5, 13)),
        "caption": CAPTION,
        "references": ["Both lungs (Fig. 1)."],
        "panel_references": ["The left one (Fig. 1a)."],
        "document": "PMC1",
        "licence": "CC-BY-4.0",
        "source": "single",
    }
    assert (right["label"], right["text"], right["panel_references"]) == ("B", "", [])
    assert f"wrote 2 subfigures of 1 figure to {tmp_path / 'p.jsonl'}" in text


def test_crops_have_the_pixels_that_a_box_touches(tmp_path: Path) -> None:
    crops = tmp_path / "crops"
    text, status = exported(a_campaign(tmp_path / "home"), "panels", tmp_path / "p.jsonl", "--crops", crops)
    assert (status, "and 2 crops" in text) == (0, True)
    sizes = {}
    for record in panels(tmp_path / "p.jsonl"):
        with Image.open(crops / record["crop"]) as image:
            sizes[record["crop"]] = image.size
    assert sizes == {"f1-01.png": (391, 600), "f1-02.png": (400, 600)}


@pytest.mark.parametrize("content", [None, b"\x89PNG\r\n\x1a\n"])
def test_an_image_that_is_missing_or_damaged_costs_its_crops_only(content: bytes | None, tmp_path: Path) -> None:
    home = a_campaign(tmp_path / "home", image=False)
    if content is not None:
        (home.images / "f1.png").write_bytes(content)
    text, status = exported(home, "panels", tmp_path / "p.jsonl", "--crops", tmp_path / "crops")
    assert status == 1
    assert [(record["label"], record["crop"]) for record in panels(tmp_path / "p.jsonl")] == [
        ("A", None),
        ("B", None),
    ]
    assert 'figure "f 1": ' in text
    assert "Traceback" not in text


def test_a_web_annotation_selects_a_region_and_the_words_of_the_caption(tmp_path: Path) -> None:
    home = a_campaign(tmp_path / "home")
    text, status = exported(home, "web-annotation", tmp_path / "g.jsonld")
    assert status == 0, text
    collection = json.loads((tmp_path / "g.jsonld").read_text("utf-8"))
    assert collection["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (collection["type"], collection["label"], collection["total"]) == (
        "AnnotationCollection",
        "Lungs {1}",
        2,
    )
    left, right = collection["first"]["items"]
    image, *words = left["target"]
    assert image["source"] == {"id": "images/f1.png", "type": "Image"}
    assert image["selector"]["value"] == "xywh=10,0,391,600"
    assert [each["value"] for each in left["body"]] == ["A", Caption.cut(CAPTION).text_of((4, 5, 13))]
    for target in words:
        quote, place = target["selector"]
        start, end = place["start"], place["end"]
        assert quote["exact"] == CAPTION[start:end] == target["source"]["value"][start:end]
        assert CAPTION.startswith(quote["prefix"] + quote["exact"] + quote["suffix"], start - len(quote["prefix"]))
    assert len(words) == 2
    assert (len(right["target"]), [each["purpose"] for each in right["body"]]) == (1, ["tagging"])
    assert "cannot represent boxes' fractions of pixels: 1 left out" in text
    assert "cannot represent figures without subfigures: 1 left out" in text


def test_identifiers_of_web_annotations_stay_the_same(tmp_path: Path) -> None:
    home = a_campaign(tmp_path / "home")
    texts = []
    for name in ("one.jsonld", "two.jsonld"):
        exported(home, "web-annotation", tmp_path / name)
        texts.append((tmp_path / name).read_text("utf-8"))
    assert texts[0] == texts[1]
    ids = [each["id"] for each in json.loads(texts[0])["first"]["items"]]
    assert len(set(ids)) == 2


def test_a_campaign_without_gold_writes_valid_empty_files(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", settings='name = "c"\nlabels = ["A"]\n[[phases]]\nname = "1"\n')
    home.open_store().close()
    assert exported(home, "web-annotation", tmp_path / "g.jsonld")[1] == 0
    collection = json.loads((tmp_path / "g.jsonld").read_text("utf-8"))
    assert (collection["total"], collection["first"]["items"]) == (0, [])
    assert exported(home, "panels", tmp_path / "p.jsonl")[1] == 0
    assert panels(tmp_path / "p.jsonl") == []
