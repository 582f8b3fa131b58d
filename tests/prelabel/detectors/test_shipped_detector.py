"""The detector that ships: run by onnxruntime in any environment, alone and with the splitter."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image, ImageDraw

from annotator.cli.prelabel import group
from panelwise.domain.caption import Caption
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.figure import Figure
from prelabel.classic.prelabeller import VERSION, ClassicPrelabeller
from prelabel.detectors import onnx_panel_net
from prelabel.detectors.onnx_panel_net import OnnxPanelNet, read_safetensors
from prelabel.detectors.panel_maps import PANEL_NET
from prelabel.joint.evidence import FEATURES
from prelabel.joint.prelabeller import CALIBRATION, COEFFICIENTS, JointPrelabeller
from prelabel.runs import opening
from prelabel.runs.engines import ClassicEngine, PlainEngine, engine_of
from prelabel.runs.figure_model import FigureModel
from prelabel.runs.opening import BOTH, BOTH_VERSION, SHIPPED, Recipe, open_detector, open_splitter, parts_of

FOLDER = SHIPPED[PANEL_NET]
CAPTION = "Lungs. (A) The left lung. (B) The right lung."


def halves(size: tuple[int, int] = (400, 200)) -> Image.Image:
    """Two framed panels side by side."""
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    width, height = size
    for left in (0, width // 2 + 10):
        pen.rectangle((left + 5, 5, left + width // 2 - 20, height - 6), fill="navy", outline="black")
    return image


def figure_of(image: Image.Image, caption: str = CAPTION) -> Figure:
    return Figure("f", "f.png", *image.size, Caption.cut(caption))


@pytest.fixture(scope="module")
def detector() -> OnnxPanelNet:
    found = open_detector(PANEL_NET, threshold=0.1)
    assert isinstance(found, OnnxPanelNet)
    return found


@pytest.fixture
def without_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a machine for which there is no wheel."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    onnx_panel_net.why_no_onnxruntime.cache_clear()
    yield
    onnx_panel_net.why_no_onnxruntime.cache_clear()


def run(folder: Path, *options: str) -> Result:
    """Pre-label a figure of two panels by the command; predictions lie in out.jsonl."""
    halves().save(folder / "f.png")
    record = {"figure_id": "f", "image": "f.png", "caption": CAPTION}
    (folder / "figures.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    arguments = ["run", str(folder / "figures.jsonl"), "--out", str(folder / "out.jsonl"), *options]
    return CliRunner().invoke(group, arguments)


def version_in(folder: Path) -> str:
    (line,) = (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
    version: str = json.loads(line)["annotator"]
    return version


def test_the_shipped_weights_are_those_of_the_card() -> None:
    digest = hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest()
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert digest == json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))["weights_hash"]
    assert digest in card
    size = (FOLDER / "model.safetensors").stat().st_size
    assert f"{size:,} bytes" in card
    assert size + onnx_panel_net.GRAPH.stat().st_size < 15e6


def test_every_picture_of_its_training_has_source_licence_and_creator() -> None:
    with (FOLDER / "CREDITS.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["picture"] for row in rows}) == 1507
    assert all(row["source"] and row["licence"] and row["creator"] and row["changes"] for row in rows)
    assert not [row for row in rows if "NC" in row["licence"] or "ND" in row["licence"] or "SA" in row["licence"]]


def test_both_gets_a_new_version_with_anything_that_it_decides_by() -> None:
    weights = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))["weights_hash"]
    parts = (VERSION, weights, FEATURES, COEFFICIENTS, CALIBRATION)
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:8]
    assert (BOTH_VERSION, digest) == ("both-1", "eb8fd59b"), "give BOTH_VERSION the next number"


def test_both_finds_two_panels_and_gives_them_their_text() -> None:
    image = halves()
    found = open_splitter(Recipe(BOTH)).predict(figure_of(image), image)
    assert found.model_version == BOTH_VERSION
    assert [part.label for part in found.subfigures] == ["A", "B"]
    assert np.allclose(
        [part.box.as_list() for part in found.subfigures], [[5, 5, 181, 195], [215, 5, 391, 195]], atol=6
    )


def test_boxes_do_not_depend_on_the_batch(detector: OnnxPanelNet) -> None:
    images = [halves(), halves((200, 400)), halves((900, 80)), halves()]
    together = detector.detect(images)
    for image, found in zip(images, together, strict=True):
        (alone,) = detector.detect([image])
        assert np.array_equal(found.boxes, alone.boxes)
        assert np.array_equal(found.scores, alone.scores)


def test_several_numbers_of_panels_in_one_run_change_nothing(detector: OnnxPanelNet) -> None:
    item = detector.prepare(halves())
    together = detector.with_counts(item, [0, 2, 900])
    for count, found in zip((0, 2, 900), together, strict=True):
        (alone,) = detector.with_counts(item, [count])
        assert np.array_equal(found.boxes, alone.boxes)
    assert not np.array_equal(together[0].scores, together[1].scores)
    informed = detector.with_caption(item, Caption.cut(CAPTION))
    assert np.array_equal(detector.predict([informed])[0].boxes, together[1].boxes)


def test_each_process_runs_on_one_thread(detector: OnnxPanelNet) -> None:
    options = onnx_panel_net._session(*detector._opened).get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)


def test_it_is_sent_to_other_processes_without_its_weights() -> None:
    model = open_splitter(Recipe(BOTH))
    sent = pickle.dumps(model)
    assert len(sent) < 2000
    image = halves()
    assert pickle.loads(sent).predict(figure_of(image), image) == model.predict(figure_of(image), image)


@pytest.mark.parametrize(
    "size", [(1, 1), (1, 300), (30_000, 40), (40, 30_000)], ids=lambda size: f"{size[0]}x{size[1]}"
)
@pytest.mark.parametrize("name", [BOTH, PANEL_NET])
def test_odd_images_get_boxes_within_them(name: str, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for image in (
        Image.new("RGB", size, "black"),
        Image.fromarray(rng.integers(0, 256, (size[1], size[0]), "uint8")),
    ):
        found = FigureModel(Recipe(name)).predict(figure_of(image), image)
        assert found.subfigures
        for part in found.subfigures:
            assert 0 <= part.box.x0 < part.box.x1 <= size[0]
            assert 0 <= part.box.y0 < part.box.y1 <= size[1]


def test_images_of_any_mode_are_looked_at(detector: OnnxPanelNet) -> None:
    for mode in ("1", "L", "P", "RGB", "CMYK", "I;16"):
        assert len(detector.detect([halves().convert(mode)])[0]) > 0


def test_an_image_that_cannot_be_read_is_named_and_the_others_are_done(tmp_path: Path) -> None:
    for name in (BOTH, PANEL_NET):
        (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
        halves().save(tmp_path / "good.png")
        lines = [{"figure_id": each, "image": f"{each}.png", "caption": ""} for each in ("bad", "good")]
        (tmp_path / "figures.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8"
        )
        out = tmp_path / f"{name}.jsonl"
        arguments = ["run", str(tmp_path / "figures.jsonl"), "--out", str(out), "--detector", name]
        done = CliRunner().invoke(group, arguments)
        assert done.exit_code == 1
        assert "bad.png" in done.stderr
        assert "Traceback" not in done.output
        assert [json.loads(line)["figure_id"] for line in out.read_text(encoding="utf-8").splitlines()] == ["good"]


@pytest.mark.parametrize(
    ("name", "version"),
    [("both", "both-1"), ("panel-net", "panel-net-c57eca7d+"), ("classic", VERSION), ("both:panel-net", "both-1")],
)
def test_one_option_names_the_detector(tmp_path: Path, name: str, version: str) -> None:
    done = run(tmp_path, "--detector", name)
    assert done.exit_code == 0, done.output
    assert version_in(tmp_path).startswith(version)


def test_the_default_is_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(opening.DETECTOR_VARIABLE)
    assert run(tmp_path).exit_code == 0
    assert version_in(tmp_path) == BOTH_VERSION
    (tmp_path / "out.jsonl").unlink()
    monkeypatch.setenv(opening.DETECTOR_VARIABLE, "classic")
    assert run(tmp_path).exit_code == 0
    assert version_in(tmp_path) == VERSION


@pytest.mark.parametrize(
    ("detector", "parts"),
    [
        (None, (True, None)),
        ("classic", (True, None)),
        ("both", (True, "panel-net")),
        ("both:models/own", (True, "models/own")),
        ("panel-net", (False, "panel-net")),
        ("bothfolder", (False, "bothfolder")),
        ("C:\\models\\own", (False, "C:\\models\\own")),
    ],
)
def test_the_values_of_the_option(detector: str | None, parts: tuple[bool, str | None]) -> None:
    assert parts_of(detector) == parts


def test_both_of_nothing_is_refused() -> None:
    with pytest.raises(AnnotatorError, match="needs a detector after it"):
        parts_of("both:")


@pytest.mark.usefixtures("without_onnxruntime")
def test_without_onnxruntime_the_splitter_runs_and_one_line_says_so(tmp_path: Path) -> None:
    done = run(tmp_path, "--detector", "both")
    assert done.exit_code == 0, done.output
    assert version_in(tmp_path) == VERSION
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("panel-net cannot run")]
    assert "boxes are from the splitter alone" in line
    assert line.endswith("; pip install onnxruntime")
    assert type(open_splitter(Recipe(BOTH))) is ClassicPrelabeller


def test_the_network_alone_and_both_run_on_all_cores() -> None:
    both, alone = FigureModel(Recipe(BOTH)), FigureModel(Recipe(PANEL_NET))
    assert isinstance(engine_of(both, 1), ClassicEngine)
    assert isinstance(both.single, JointPrelabeller)
    assert isinstance(engine_of(alone), PlainEngine)
    assert alone.in_threads


def test_processes_are_refused_where_there_are_threads(tmp_path: Path) -> None:
    done = run(tmp_path, "--detector", "panel-net", "--processes", "2")
    assert done.exit_code == 2
    assert "--processes needs --engine plain and --detector classic or both" in done.stderr


def copied(folder: Path) -> Path:
    shutil.copytree(FOLDER, folder)
    return folder


def test_weights_that_are_replaced_are_read_again(tmp_path: Path) -> None:
    folder, image = copied(tmp_path / "net"), halves()
    before = open_detector(folder, threshold=0.1).detect([image])[0]
    file = folder / "model.safetensors"
    data = bytearray(file.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    first, last = json.loads(data[8:begin])["head.maps.bias"]["data_offsets"]
    data[begin + first : begin + last] = bytes(last - first)
    file.write_bytes(data)
    os.utime(file, ns=(1, 1))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["weights_hash"] = hashlib.sha256(data).hexdigest()
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    after = open_detector(folder, threshold=0.1).detect([image])[0]
    assert after.scores.tolist() != before.scores.tolist()


def test_damaged_weights_are_one_line(tmp_path: Path) -> None:
    folder = copied(tmp_path / "net")
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:-4] + b"abcd")
    with pytest.raises(FormatError, match="differs from the weights"):
        open_detector(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[: len(data) // 2], "is damaged"),
        (lambda _: b"", "is damaged"),
        (lambda _: (9).to_bytes(8, "little") + b'{"a": 1}}', "is damaged"),
        (lambda _: (2).to_bytes(8, "little") + b"{}", "does not fit panel-net"),
        (lambda data: data.replace(b"head.norm.bias", b"head.norm.bios"), "does not fit panel-net"),
    ],
)
def test_weights_of_no_panel_net_are_one_line(tmp_path: Path, change: object, said: str) -> None:
    folder = copied(tmp_path / "net")
    assert callable(change)
    (folder / "model.safetensors").write_bytes(change((folder / "model.safetensors").read_bytes()))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["weights_hash"] = ""
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(FormatError, match=said) as raised:
        open_detector(folder)
    assert "\n" not in str(raised.value)
    assert str(folder) in str(raised.value)


def test_weights_are_read_by_name() -> None:
    weights = read_safetensors(FOLDER / "model.safetensors")
    assert weights["head.maps.weight"].shape == (8, 112, 1, 1)
    assert weights["head.maps.weight"].dtype == np.float32
    assert not [name for name in weights if name.endswith("num_batches_tracked")]


def test_help_opens_neither_onnxruntime_nor_torch_and_a_run_no_torch() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from annotator.cli.prelabel import group\n"
        "assert CliRunner().invoke(group, ['run', '--help']).exit_code == 0\n"
        "print(sorted({'onnxruntime', 'torch'} & set(sys.modules)))\n"
        "from prelabel.runs import FigureModel, Recipe\n"
        "FigureModel(Recipe('both'))\n"
        "print(sorted({'onnxruntime', 'torch'} & set(sys.modules)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n['onnxruntime']\n"
    assert done.stderr == ""
