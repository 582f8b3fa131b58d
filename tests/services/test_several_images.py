"""Figures of several images: put together at import, with the publisher's panels as pre-labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from builders import a_subfigure, an_annotation
from PIL import Image
from running import run_command

from annotator.campaign.home import Home
from annotator.cli.campaign.main import group as annotator
from annotator.prelabels.run import to_prelabel
from panelwise.domain.annotation import PUBLISHER
from panelwise.formats.several_images import arranged

CAPTION = "Two rats. (A) A young rat. (B) An old rat in a maze."
COLOURS = {"a.png": ("red", (100, 80)), "b.png": ("blue", (60, 80)), "c.png": ("green", (500, 40))}


def a_record(*images: object, **more: Any) -> dict[str, Any]:
    return {"figure_id": "rats", "images": list(images), "caption": CAPTION, **more}


def a_home(folder: Path, *records: dict[str, Any], options: Sequence[str] = ()) -> tuple[Home, str, int]:
    if not (folder / "home").exists():
        settings = 'name = "L"\nlabels = ["A", "B"]\n[[phases]]\nname = "1"\n'
        Home.create(folder / "home", settings=settings)
        for name, (colour, size) in COLOURS.items():
            Image.new("RGB", size, colour).save(folder / name)
    path = folder / "figures.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = run_command(annotator, "annotator", "import", "figures", path, "--home", folder / "home", *options)
    return Home.find(folder / "home"), done.stdout + done.stderr, done.returncode


def panels(home: Home) -> list[tuple[str, list[float], str]]:
    with home.open_store() as store, store.read() as tx:
        (prediction,) = tx.predictions.all(model_version=PUBLISHER)
        caption = prediction.figure.caption
        return [
            (part.label, part.box.as_list(), caption.text_of(part.subcaption)) for part in prediction.subfigures
        ]


def canvas(home: Home) -> Image.Image:
    with home.open_store() as store, store.read() as tx:
        return Image.open(home.image_path(tx.figures.get("rats"))).convert("RGB")


def test_images_without_places_stand_in_rows_and_are_panels(tmp_path: Path) -> None:
    parts = [
        {"image": "a.png", "label": "A", "caption": "A young rat."},
        {"image": "b.png", "caption": "(B) An old rat in a maze."},
    ]
    home, text, status = a_home(tmp_path, a_record(*parts, "c.png"))
    assert status == 0, text
    assert panels(home) == [
        ("A", [0, 0, 100, 80], "A young rat."),
        ("B", [108, 0, 168, 80], "(B) An old rat in a maze."),
        ("C", [0, 88, 500, 128], ""),
    ]
    image = canvas(home)
    assert image.size == (500, 128)
    assert [image.getpixel(place) for place in ((50, 40), (130, 40), (50, 110), (104, 40))] == [
        (255, 0, 0),
        (0, 0, 255),
        (0, 128, 0),
        (255, 255, 255),
    ]


def test_images_with_places_stand_as_on_the_page_at_the_finest_scale(tmp_path: Path) -> None:
    parts = [
        {"image": "b.png", "place": [310, 120, 340, 160]},
        {"image": "a.png", "place": [300, 100, 400, 110]},
    ]
    home, text, status = a_home(tmp_path, a_record(*parts))
    assert status == 0, text
    assert [box for _, box, _ in panels(home)] == [[20, 40, 80, 120], [0, 0, 200, 20]]
    assert canvas(home).size == (200, 120)


def test_places_that_cover_each_other_are_not_believed() -> None:
    size, boxes = arranged([(50, 50), (50, 50)], [(0, 0, 10, 10), (5, 0, 15, 10)])
    assert boxes == ((0, 0, 50, 50), (58, 0, 108, 50))
    assert size == (108, 50)


def test_a_small_image_on_a_large_place_does_not_blow_the_figure_up() -> None:
    (width, height), _ = arranged([(1000, 1000), (10, 10)], [(0, 0, 1, 1), (2, 0, 900, 900)])
    assert width * height <= 4.1 * (1000 * 1000 + 10 * 10)


def test_importing_again_changes_nothing_and_revising_follows_the_images(tmp_path: Path) -> None:
    a_home(tmp_path, a_record("a.png", "b.png"))
    home, text, status = a_home(tmp_path, a_record("a.png", "b.png"))
    assert (status, "1 unchanged" in text) == (0, True)
    home, text, status = a_home(tmp_path, a_record("a.png", "c.png"), options=["--revise"])
    assert status == 0, text
    assert [box for _, box, _ in panels(home)] == [[0, 0, 100, 80], [0, 88, 500, 128]]


def test_panels_of_the_publisher_are_not_pre_labelled_over(tmp_path: Path) -> None:
    home, _, _ = a_home(tmp_path, a_record("a.png", "b.png"), a_record(figure_id="one", image="c.png"))
    with home.open_store() as store:
        assert to_prelabel(store, "classic-1") == ["one"]
        assert sorted(to_prelabel(store, "classic-1", again=True)) == ["one", "rats"]


def test_one_image_in_the_list_is_the_figures_own(tmp_path: Path) -> None:
    home, text, status = a_home(tmp_path, a_record("a.png"))
    assert status == 0, text
    assert canvas(home).size == (100, 80)
    with home.open_store() as store, store.read() as tx:
        assert list(tx.predictions.all(model_version=PUBLISHER)) == []


def test_an_image_wins_over_a_list_of_images(tmp_path: Path) -> None:
    home, _, status = a_home(tmp_path, a_record("b.png", {"other": 1}, image="a.png"))
    assert status == 0
    assert canvas(home).size == (100, 80)


@pytest.mark.parametrize(
    ("images", "complaint"),
    [
        (["a.png", "missing.png"], "missing.png"),
        (["a.png", 7], '"images[1]" holds a number, not an object'),
        (["a.png", {"label": "B"}], '"images[1].image" is missing'),
        (["a.png", {"image": "b.png", "place": [1, 2, 3]}], '"images[1].place"'),
        (["a.png", {"image": "b.png", "place": [5, 2, 3, 9]}], "has no area"),
        (["a.png", "https://example.org/b.png"], "several are not downloaded"),
        ("a.png", '"images" holds a text'),
    ],
)
def test_a_bad_list_of_images_is_named_and_costs_no_other_figure(
    tmp_path: Path, images: Any, complaint: str
) -> None:
    bad = {"figure_id": "bad", "images": images, "caption": ""}
    home, text, status = a_home(tmp_path, a_record("a.png", "b.png"), bad)
    assert status == 1
    assert complaint in text
    assert "imported 1 figure" in text
    assert len(panels(home)) == 2


def test_panels_go_out_with_their_box_in_their_own_image(tmp_path: Path) -> None:
    parts = [{"image": "a.png", "place": [0, 0, 50, 40]}, {"image": "b.png", "place": [50, 0, 110, 80]}]
    home, _, _ = a_home(tmp_path, a_record(*parts))
    with home.open_store() as store, store.transaction() as tx:
        figure = tx.figures.get("rats")
        boxes = ((0, 0, 100, 80), (100, 0, 220, 160), (50, 10, 150, 60))
        subfigures = [a_subfigure(label, box=box, tokens=()) for label, box in zip("ABC", boxes, strict=True)]
        tx.annotations.add(an_annotation(figure, subfigures=tuple(subfigures)))
    out = tmp_path / "p.jsonl"
    done = run_command(
        *(annotator, "annotator", "export", "panels", "--include", "single", "--out", out, "--home", home.path)
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line).get("image_part") for line in out.read_text().splitlines()]
    assert found == [
        {"image": "a.png", "box": [0, 0, 100, 80]},
        {"image": "b.png", "box": [0, 0, 60, 80]},
        None,
    ]


JATS = """<article xmlns:xlink="http://www.w3.org/1999/xlink"><body>
<p>See <xref ref-type="fig" rid="f1">Figure 1</xref> and <xref ref-type="fig" rid="g2b">Figure 2b</xref>.</p>
<fig id="f1"><label>Figure 1</label><caption>Two rats.</caption>
  <graphic xlink:href="a.png"/><graphic xlink:href="b"/><graphic xlink:href="gone.png"/></fig>
<fig-group id="g2"><label>Figure 2</label><caption>Rats at work.</caption>
  <fig id="g2a"><label>(a)</label><caption>In a <italic>maze</italic>.</caption><graphic xlink:href="a.png"/></fig>
  <fig id="g2b"><label>(b)</label><caption>At rest.</caption><graphic xlink:href="c.png"/></fig></fig-group>
<fig-group>
  <fig id="f3"><label>Figure 3.</label><caption>Old.</caption><graphic xlink:href="a.png"/></fig>
  <fig id="f3s"><label>Figure 3—figure supplement 1.</label><caption>X.</caption>
    <graphic xlink:href="c.png"/></fig>
</fig-group></body></article>"""


def extracted(folder: Path, *options: str) -> tuple[dict[str, dict[str, Any]], str]:
    (folder / "articles").mkdir(exist_ok=True)
    (folder / "articles" / "rats.xml").write_text(JATS)
    for name, (colour, size) in COLOURS.items():
        Image.new("RGB", size, colour).save(folder / "articles" / name)
    out = folder / "extracted.jsonl"
    done = run_command(annotator, "annotator", "corpus", "extract", folder / "articles", "--out", out, *options)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    return {record["figure_id"]: record for record in records}, done.stdout + done.stderr


def test_an_article_s_groups_of_panels_and_several_graphics_are_one_figure_each(tmp_path: Path) -> None:
    figures, text = extracted(tmp_path)
    assert set(figures) == {"rats_f1", "rats_g2", "rats_f3", "rats_f3s"}
    assert [each["image"] for each in figures["rats_f1"]["images"]] == ["a.png", "b.png"]
    assert "1 of its 3 images are not beside the article, the first gone.png" in text
    group = figures["rats_g2"]
    assert (group["label"], group["caption"]) == ("Figure 2", "Rats at work. (a) In a maze. (b) At rest.")
    assert group["group"]["caption"] == "Rats at work."
    assert [(part["fig_id"], part["caption"]) for part in group["parts"]] == [
        ("g2a", "(a) In a maze."),
        ("g2b", "(b) At rest."),
    ]
    ((start, end, _),) = group["caption_markup"]
    assert group["caption"][start:end] == "maze"
    assert group["references"]
    assert figures["rats_f3"]["image"] == "a.png"


def test_joined_figures_of_an_article_come_in_with_their_panels(tmp_path: Path) -> None:
    extracted(tmp_path)
    home = Home.create(tmp_path / "home", settings='name = "L"\nlabels = ["A"]\n[[phases]]\nname = "1"\n')
    path = tmp_path / "extracted.jsonl"
    done = run_command(
        *(annotator, "annotator", "import", "figures", path, "--images", tmp_path / "articles"),
        *("--home", home.path),
    )
    assert done.returncode == 0, done.stderr
    with home.open_store() as store, store.read() as tx:
        found = {each.figure.id: each for each in tx.predictions.all(model_version=PUBLISHER)}
    assert set(found) == {"rats_f1", "rats_g2"}
    caption = found["rats_g2"].figure.caption
    assert [(part.label, caption.text_of(part.subcaption)) for part in found["rats_g2"].subfigures] == [
        ("a", "(a) In a maze."),
        ("b", "(b) At rest."),
    ]


def test_as_is_leaves_the_figures_of_the_article(tmp_path: Path) -> None:
    figures, _ = extracted(tmp_path, "--as-is")
    assert set(figures) == {"rats_f1", "rats_g2a", "rats_g2b", "rats_f3", "rats_f3s"}
    assert figures["rats_f1"]["image"] == "a.png"
    assert all("images" not in figure for figure in figures.values())


def test_several_files_in_a_cell_of_a_table_are_one_figure(tmp_path: Path) -> None:
    home, _, _ = a_home(tmp_path, a_record("a.png"))
    table = tmp_path / "figures.csv"
    table.write_text("image,caption\na.png; b.png,Two rats.\nc.png,One rat.\n")
    done = run_command(annotator, "annotator", "import", "figures", table, "--home", home.path)
    assert done.returncode == 0, done.stderr
    with home.open_store() as store, store.read() as tx:
        (prediction,) = tx.predictions.all(model_version=PUBLISHER)
        assert prediction.figure.id == "a"
        assert [part.box.as_list() for part in prediction.subfigures] == [[0, 0, 100, 80], [108, 0, 168, 80]]


def a_picture(number: int, box: tuple[int, int, int, int], *captions: int, page: int = 1) -> dict[str, Any]:
    left, top, right, bottom = box
    place = {"l": left, "t": top, "r": right, "b": bottom, "coord_origin": "BOTTOMLEFT"}
    return {
        "self_ref": f"#/pictures/{number}",
        "captions": [{"$ref": f"#/texts/{caption}"} for caption in captions],
        "prov": [{"page_no": page, "bbox": place}],
        "image": {"uri": "abc"[number] + ".png"},
    }


def of_docling(folder: Path, pictures: Sequence[dict[str, Any]], *children: str) -> dict[str, dict[str, Any]]:
    texts = [
        {"self_ref": f"#/texts/{number}", "label": "caption", "text": text}
        for number, text in enumerate(("Figure 1. Two rats.", "Figure 2. A maze."))
    ]
    body = {"children": [{"$ref": f"#/{child}"} for child in children]}
    record = {"schema_name": "DoclingDocument", "texts": texts, "pictures": pictures, "body": body}
    (folder / "articles").mkdir()
    (folder / "articles" / "paper.json").write_text(json.dumps(record))
    for name, (colour, size) in COLOURS.items():
        Image.new("RGB", size, colour).save(folder / "articles" / name)
    out = folder / "out.jsonl"
    run_command(annotator, "annotator", "corpus", "extract", folder / "articles", "--out", out)
    return {record["label"]: record for record in map(json.loads, out.read_text().splitlines())}


LEFT, RIGHT, FAR = (50, 700, 150, 620), (160, 700, 220, 620), (50, 200, 550, 160)


def test_pictures_of_a_pdf_that_share_a_caption_are_one_figure_as_on_the_page(tmp_path: Path) -> None:
    found = of_docling(tmp_path, [a_picture(0, LEFT, 0), a_picture(1, RIGHT, 0), a_picture(2, FAR, 1)])
    assert [(each["image"], each["place"]) for each in found["Figure 1"]["images"]] == [
        ("a.png", [50, -700, 150, -620]),
        ("b.png", [160, -700, 220, -620]),
    ]
    assert found["Figure 2"]["image"] == "c.png"


@pytest.mark.parametrize(
    ("second", "order", "joined"),
    [
        (RIGHT, ("pictures/0", "texts/0", "pictures/1"), True),
        (RIGHT, ("pictures/1", "pictures/0", "texts/0"), True),
        (FAR, ("pictures/0", "texts/0", "pictures/1"), False),
        (RIGHT, ("pictures/0", "texts/0", "pictures/1", "texts/1"), False),
        (RIGHT, ("pictures/0", "texts/0", "groups/0", "pictures/1"), False),
    ],
)
def test_a_picture_without_a_caption_joins_the_one_that_it_touches(
    tmp_path: Path, second: tuple[int, int, int, int], order: Sequence[str], joined: bool
) -> None:
    found = of_docling(tmp_path, [a_picture(0, LEFT, 0), a_picture(1, second)], *order)
    assert [("images" in each) for each in found.values()] == [joined]
