import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems
from panelwise_simulator.composer import composing
from panelwise_simulator.composer.arrangements import ARRANGEMENTS, arrange
from panelwise_simulator.composer.figures import composed_figure, composed_files
from panelwise_simulator.composer.pictures import Part, Picture, load, read_pictures
from panelwise_simulator.composition.layouts import Leaf
from panelwise_simulator.composition.lettering import Scheme, labels_of
from panelwise_simulator.simulated import SimulatedFigure

# Figures are composed, and composed again in processes of their own.
pytestmark = pytest.mark.slow

KINDS = ("photograph", "micrograph", "radiology", "plot")


def a_record(number: int, **changes: object) -> dict[str, object]:
    return {
        "picture_id": f"p{number}",
        "image": f"p{number}.png",
        "kind": KINDS[number % len(KINDS)],
        "single": True,
        "source": f"lab/set-{number}@1f2e:p{number}.png",
        "licence": "CC-BY-4.0",
    } | changes


def write_folder(folder: Path, records: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "pictures.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pictures: magenta with grain, and for plots a frame on white with a wide margin."""
    folder = tmp_path_factory.mktemp("pictures")
    for number in range(12):
        rng = np.random.default_rng(number)
        pixels = rng.integers(0, 60, (120 + 10 * number, 200, 3), dtype=np.uint8)
        pixels[:, :, [0, 2]] += 190
        if KINDS[number % len(KINDS)] == "plot":
            pixels[:] = 255
            pixels[30:80, 40:43] = pixels[78:81, 40:150] = pixels[30:33, 40:150] = pixels[30:80, 148:150] = 0
        Image.fromarray(pixels).save(folder / f"p{number}.png")
    return write_folder(folder, [a_record(number) for number in range(12)])


@pytest.fixture(scope="module")
def pictures(folder: Path) -> tuple[Picture, ...]:
    return tuple(read_pictures(folder, Problems()))


@pytest.fixture(scope="module")
def composed(pictures: tuple[Picture, ...]) -> list[SimulatedFigure]:
    return [composed_figure(pictures, 3, position) for position in range(150)]


def test_boxes_lie_in_the_image_and_apart(composed: list[SimulatedFigure]) -> None:
    for figure in composed:
        boxes = [panel.box for panel in figure.subfigures]
        for number, box in enumerate(boxes):
            assert 0 <= box.x0 < box.x1 <= figure.image.width, figure.figure_id
            assert 0 <= box.y0 < box.y1 <= figure.image.height, figure.figure_id
            for other in boxes[:number]:
                width = min(box.x1, other.x1) - max(box.x0, other.x0)
                height = min(box.y1, other.y1) - max(box.y0, other.y0)
                assert width <= 0 or height <= 0, figure.figure_id


def test_what_is_drawn_beyond_the_boxes_is_no_picture(composed: list[SimulatedFigure]) -> None:
    coloured = [each for each in composed if set(each.made["kinds"]) - {"plot"} and len(each.subfigures) > 1]
    assert len(coloured) > 20
    for figure in coloured:
        pixels = np.asarray(figure.image).astype(int)
        outside = np.ones(pixels.shape[:2], bool)
        for panel in figure.subfigures:
            x0, y0, x1, y1 = (round(side) for side in panel.box.as_list())
            outside[y0:y1, x0:x1] = False
        # Magenta is the colour of this test's pictures, and of nothing else that is drawn.
        red, green, blue = pixels[outside].T
        assert not (np.minimum(red, blue) - green > 120).any(), figure.figure_id


def test_every_arrangement_is_met_and_a_third_has_groups(composed: list[SimulatedFigure]) -> None:
    met = Counter(figure.made["arrangement"] for figure in composed)
    assert set(met) >= set(ARRANGEMENTS) - {"bricks"}
    assert 0.2 < sum(figure.made["grouped"] > 0 for figure in composed) / len(composed) < 0.5
    assert max(len(figure.subfigures) for figure in composed) > 20


@pytest.mark.parametrize(
    ("name", "count"),
    [
        (name, count)
        for name, bounds in ARRANGEMENTS.items()
        for count in sorted({bounds.least, (bounds.least + bounds.most) // 2, bounds.most})
    ],
)
def test_an_arrangement_places_every_panel_once(name: str, count: int) -> None:
    leaves = [Leaf(number, 0.7 + 0.1 * (number % 9)) for number in range(count)]
    made = arrange(np.random.default_rng(count), name, leaves, 700, (8, 8))
    cells = [place.cell for place in made.places]
    assert len(cells) == len(set(cells)) == count
    assert all(x0 < x1 <= made.width and y0 < y1 <= made.height for x0, y0, x1, y1 in cells)


def test_a_single_picture_is_left_whole(composed: list[SimulatedFigure]) -> None:
    singles = [figure for figure in composed if figure.made["arrangement"] == "single"]
    assert singles
    for figure in singles:
        (panel,) = figure.subfigures
        assert panel.box.as_list() == [0, 0, figure.image.width, figure.image.height]


def test_a_lettered_group_is_one_panel(pictures: tuple[Picture, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composing, "GROUPED", 1.0)
    monkeypatch.setattr(composing, "an_arrangement", lambda rng: ("row", 3))
    for position in range(10):
        made = composing.compose_pictures((8, position), pictures)
        assert made.grouped >= 1
        assert made.lettering.value != "none"
        assert len(made.boxes) == len(made.labels) == 3


def test_a_figure_names_its_pictures_and_their_terms(composed: list[SimulatedFigure]) -> None:
    for figure in composed:
        source = figure.figure().source
        assert all(set(each) == {"picture_id", "source", "licence"} for each in source["pictures"])
        assert source["licence"] in ("CC-BY-4.0", "Apache-2.0")
        assert (source["licence"] == "CC-BY-4.0") == bool(source["pictures"])


def test_the_same_seed_gives_the_same_bytes_in_any_number_of_processes(pictures: tuple[Picture, ...]) -> None:
    alone = [each.image for each in composed_files(pictures, 8, seed=4, processes=1)]
    assert alone == [each.image for each in composed_files(pictures, 8, seed=4, processes=2)]
    assert alone != [each.image for each in composed_files(pictures, 8, seed=5, processes=1)]


def test_parts_share_no_source(folder: Path) -> None:
    train, apart = (read_pictures(folder, Problems(), part) for part in (Part.TRAIN, Part.APART))
    assert not {each.origin for each in train} & {each.origin for each in apart}
    assert len(train) + len(apart) == 12


@pytest.mark.parametrize(
    ("changes", "opened"),
    [
        ({}, True),
        ({"caption": "A frog. (credit: work by Ann Bee, CC BY 2.0)"}, True),
        ({"caption": "Seen with the permission of nobody."}, True),
        ({"caption": "A frog. (credit: Ann Bee, CC BY-SA 3.0)"}, False),
        ({"caption": "A frog. (credit: used by permission of the zoo)"}, False),
        ({"licence": "CC-BY-NC-4.0"}, False),
        ({"licence": "CC_BY_ND_4.0"}, False),
    ],
)
def test_closed_terms_leave_a_picture_out(tmp_path: Path, changes: dict[str, object], opened: bool) -> None:
    problems = Problems()
    write_folder(tmp_path, [a_record(0), a_record(1, **changes)])
    for number in range(2):
        Image.new("RGB", (60, 60)).save(tmp_path / f"p{number}.png")
    assert len(read_pictures(tmp_path, problems)) == 1 + opened
    assert not problems.count
    assert bool(problems.notes) != opened


def test_a_bad_line_is_named_and_the_others_are_used(tmp_path: Path) -> None:
    Image.new("RGB", (60, 60)).save(tmp_path / "p0.png")
    bad = [
        a_record(1),
        a_record(2, licence=" "),
        a_record(3, image="../p0.png"),
        a_record(4, single="yes"),
    ]
    (tmp_path / "set").mkdir()
    Image.new("RGB", (60, 60)).save(tmp_path / "set" / "p0.png")
    whole = (tmp_path / "p0.png").read_bytes()
    for number, damaged in ((5, whole[: len(whole) // 2]), (6, b"\x89PNG\r\n\x1a\n broken")):
        (tmp_path / "set" / f"p{number}.png").write_bytes(damaged)
        bad.append(a_record(number))
    problems = Problems()
    found = read_pictures(write_folder(tmp_path / "set", [a_record(0), *bad]), problems)
    assert [each.picture_id for each in found] == ["p0"]
    assert [line.split("pictures.jsonl:")[1][:2] for line in problems.lines[:4]] == ["2:", "3:", "4:", "5:"]
    assert ["cannot be decoded" in line for line in problems.lines] == [False] * 4 + [True] * 2
    assert "does not exist" in problems.lines[0]
    assert "no licence" in problems.lines[1]
    assert "outside" in problems.lines[2]


def test_a_folder_without_usable_pictures_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        read_pictures(tmp_path, Problems())
    Image.new("RGB", (60, 60)).save(tmp_path / "p0.png")
    write_folder(tmp_path, [a_record(0, single=None)])
    with pytest.raises(FormatError, match="no usable picture"):
        read_pictures(tmp_path, Problems())


def test_a_picture_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    (tmp_path / "p0.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    with pytest.raises(AnnotatorError, match=r"p0\.png: cannot be decoded"):
        load(str(tmp_path / "p0.png"), False)


def test_margins_of_a_plot_are_cut_and_transparency_is_white(tmp_path: Path) -> None:
    plot = Image.new("RGBA", (200, 120), (0, 0, 0, 0))
    plot.paste((0, 0, 0, 255), (50, 30, 150, 100))
    plot.save(tmp_path / "plot.png")
    assert load(str(tmp_path / "plot.png"), True).size == (100, 70)
    whole = load(str(tmp_path / "plot.png"), False)
    assert whole.size == (200, 120)
    assert whole.getpixel((0, 0)) == (255, 255, 255)


def test_labels_go_on_after_z() -> None:
    leaves = [Leaf(number, 1.0) for number in range(40)]
    places = arrange(np.random.default_rng(0), "table", leaves, 900, (2, 2)).places
    labels = labels_of(Scheme.UPPER, places)
    assert labels[25:29] == ["Z", "AA", "AB", "AC"]
    assert len(set(labels)) == 40
