from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from builders import a_figure, a_subfigure
from click.testing import CliRunner, Result
from PIL import Image

from annotator.campaign.home import Home
from annotator.cli.prelabel import group
from annotator.imports.figures import import_figures
from annotator.sync.push import push
from label_config import names
from panelwise.domain.campaign import Task
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.domain.items import NO_ITEMS, FigureKind, Items
from panelwise.files.jsonl import Problems
from prelabel.models.classifier import Answers, Kinds, TrainedClassifier
from prelabel.runs.opening import open_classifier
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.options import Options
from prelabel.training.tasks.classifier import ClassifierTask, labelled_kind, make_task, scores_of
from tests.label_studio.fake import FakeServer

SIDE = 64


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def drawn(path: Path, rng: np.random.Generator, *, compound: bool, bars: bool) -> None:
    """Dark panels on white, four or one; striped, or red."""
    image = np.full((160, 200, 3), 255, dtype=np.uint8)
    cells = [(0, 0, 95, 75), (105, 0, 200, 75), (0, 85, 95, 160), (105, 85, 200, 160)]
    for x0, y0, x1, y1 in cells if compound else [(0, 0, 200, 160)]:
        panel = image[y0:y1, x0:x1]
        panel[:] = rng.integers(60, 120)
        if bars:
            panel[:, :: int(rng.integers(6, 9))] = 255
        else:
            panel[:, :, 0] = 255
    Image.fromarray(image).save(path)


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 figures of a campaign of figure types, compound or not, bar charts and line charts in turn."""
    folder = tmp_path_factory.mktemp("kinds")
    rng = np.random.default_rng(0)
    figures, work = [], []
    for number in range(24):
        compound, bars = number % 2 == 0, number % 4 < 2
        drawn(folder / f"f{number}.png", rng, compound=compound, bars=bars)
        split = ("train", "train", "train", "train", "val", "test")[number // 4]
        figures.append(
            {"figure_id": f"f{number}", "image": f"f{number}.png", "caption": "", "width": 200, "height": 160,
             "source": {"document": f"d{number}"}, "split": split}
        )  # fmt: skip
        work.append(
            {"figure_id": f"f{number}", "annotator": "gold", "phase": "1", "status": "accepted", "width": 200,
             "height": 160, "caption": "", "tokens": [], "subfigures": [], "saved_at": "2026-11-22T00:00:00Z",
             "kind": {"compound": compound, "count": 4 if compound else 1,
                      "types": ["bar chart" if bars else "line chart"]}}
        )  # fmt: skip
    for name, records in (("figures.jsonl", figures), ("annotations.jsonl", work)):
        (folder / name).write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    return folder


def train(gold: Path, out: Path, *more: object) -> Result:
    return invoke("train", "classifier", gold / "annotations.jsonl", "--figures", gold / "figures.jsonl",
                  "--out", out, "--random-weights", "--side", SIDE, "--device", "cpu",
                  "--workers", 0, *more)  # fmt: skip


@pytest.fixture(scope="module")
def trained(gold: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of one epoch: what it answers is chance, and differs from one processor to the next."""
    out = tmp_path_factory.mktemp("classifier") / "both"
    done = train(gold, out, "--target", "both", "--epochs", 1, "--lr", 0.001, "--batch", 8)
    assert done.exit_code == 0, done.output
    return out


def seen(image: Image.Image) -> Kinds:
    """What the figures of `drawn` show: the strip between panels is white, and what is no bar is red."""
    pixels = np.asarray(image.convert("RGB"))
    compound, line = bool((pixels[:, 100] == 255).all()), bool((pixels[10, :90, 0] == 255).all())
    types = (("line chart", 0.9), ("bar chart", 0.1)) if line else (("bar chart", 0.9), ("line chart", 0.1))
    return Kinds(0.9 if compound else 0.1, types)


@pytest.fixture
def knowing(trained: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The checkpoint, which answers what its figures show, on every machine."""
    monkeypatch.setattr(TrainedClassifier, "kinds", lambda _, images: [seen(each) for each in images])
    return trained


@pytest.mark.slow
def test_a_training_of_one_epoch_leaves_a_classifier_that_opens(gold: Path, trained: Path) -> None:
    (epoch,) = [json.loads(line) for line in (trained / "log.jsonl").read_text("utf-8").splitlines()]
    assert 0.0 <= epoch["scores"]["score"] <= 1.0
    found = open_classifier(trained, device="cpu").kinds(
        [Image.open(gold / "f0.png"), Image.open(gold / "f1.png")]
    )
    assert len(found) == 2
    for each in found:
        assert each.compound is not None
        assert {name for name, _ in each.types} == {"bar chart", "line chart"}
        assert all(0.0 <= likely <= 1.0 for likely in (each.compound, *dict(each.types).values()))


@pytest.mark.soak
def test_a_network_of_random_weights_learns_what_is_plain_to_see(gold: Path, tmp_path: Path) -> None:
    done = train(gold, tmp_path / "m", "--target", "both", "--epochs", 30, "--patience", 30, "--lr", 0.001,
                 "--batch", 8)  # fmt: skip
    assert done.exit_code == 0, done.output
    log = [json.loads(line) for line in (tmp_path / "m" / "log.jsonl").read_text("utf-8").splitlines()]
    assert max(each["scores"]["score"] for each in log) == 1.0
    model = open_classifier(tmp_path / "m", device="cpu")
    images = [Image.open(gold / f"f{number}.png") for number in range(24)]
    wanted = [seen(each) for each in images]
    right = [
        found.kind() is not None and found.types[0][0] == known.types[0][0]
        for found, known in zip(model.kinds(images), wanted, strict=True)
    ]
    assert sum(right) >= 22


@pytest.mark.slow
def test_run_fills_in_kinds_in_predictions(gold: Path, knowing: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.jsonl"
    done = invoke("run", gold / "figures.jsonl", "--classifier", knowing, "--device", "cpu", "--out", out)
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all("classifier-" in each["annotator"] for each in records)
    assert [each["kind"]["compound"] for each in records[20:]] == [True, False, True, False]


def example(
    number: int, kind: FigureKind | None, *, split: Split = Split.TRAIN, image: Path = Path("x.png")
) -> Example:
    figure = a_figure(f"f{number}")
    whole = a_subfigure("A", box=(0, 0, 800, 600), tokens=())
    return Example(figure, image, (whole,), split, items=NO_ITEMS if kind is None else Items(kind=kind))


def test_what_annotators_say_holds_before_boxes_and_before_what_a_figure_came_with() -> None:
    said = example(1, FigureKind(compound=True, types=frozenset({"Bar Charts"})))
    assert labelled_kind(said) == FigureKind(compound=True, types=frozenset({"bar chart"}))
    assert labelled_kind(example(1, FigureKind(count=3))).compound is True
    # Asked for types only, nobody said; of a campaign of subfigures the boxes tell.
    assert labelled_kind(example(1, FigureKind(types=frozenset({"tree"})))).compound is None
    assert labelled_kind(example(1, None)).compound is False
    boxed = Example(
        a_figure(), Path("x"), (a_subfigure("A"), a_subfigure("B", box=(400, 0, 800, 600))), Split.TRAIN
    )
    assert labelled_kind(boxed).compound is True
    came = Example(a_figure(extra={"figure_type": "Line Chart"}), Path("x"), boxed.subfigures, Split.TRAIN)
    assert labelled_kind(came).types == given_types(came)


def given_types(example: Example) -> frozenset[str]:
    from panelwise.domain.items import type_name

    given = example.figure.imported.kind
    return frozenset() if given is None else frozenset(map(type_name, given.types))


def test_scores_count_what_is_known_only() -> None:
    answers = Answers(True, ("a", "b", "c", "d", "e"))
    order = (("a", 0.9), ("b", 0.8), ("c", 0.3), ("d", 0.2), ("e", 0.1))
    known = [
        FigureKind(compound=True, types=frozenset({"a"})),
        FigureKind(compound=True, types=frozenset({"b"})),
        FigureKind(compound=False, types=frozenset({"e"})),
        FigureKind(),
    ]
    found = [Kinds(0.9, order), Kinds(0.2, order), Kinds(0.1, order), Kinds(0.9, order)]
    scores = scores_of(answers, known, found)
    assert scores["compound_accuracy"] == pytest.approx(2 / 3)
    assert scores["compound_balanced"] == pytest.approx(3 / 4)
    assert scores["types_top1"] == pytest.approx(1 / 3)
    assert scores["types_top4"] == pytest.approx(2 / 3)
    assert scores["score"] == pytest.approx((3 / 4 + 1 / 3) / 2)
    assert scores_of(answers, [FigureKind()], found[:1]) == {"score": 0.0}


def task(gold: Path, **options: object) -> ClassifierTask:
    from prelabel.training.data.examples import read_examples

    examples = read_examples(gold / "annotations.jsonl", Problems(), figures=gold / "figures.jsonl")
    chosen = {"random_weights": True, "side": 32, "batch": 5, "target": "both", **options}
    return make_task(examples, Options(**chosen), Problems())


def test_batches_are_the_same_for_a_seed_and_none_is_of_one_figure(gold: Path) -> None:
    built = task(gold)
    first, again, other = (list(built.batches("train", epoch, 0)) for epoch in (1, 1, 2))
    # 16 figures by 5: the last one joins those before it.
    assert [len(each.pixels) for each in first] == [5, 5, 6]
    assert all(torch.equal(one.pixels, two.pixels) for one, two in zip(first, again, strict=True))
    assert not all(torch.equal(one.pixels, two.pixels) for one, two in zip(first, other, strict=True))
    assert first[0].targets.shape == first[0].mask.shape == (5, 3)


def test_unknown_answers_add_nothing_to_the_loss(gold: Path) -> None:
    built = task(gold)
    (batch, *_) = built.batches("val", 1, 0)
    built.module.eval()
    whole = built.loss(batch)
    batch.targets[:, 1] = 1 - batch.targets[:, 1]
    batch.mask[:, 1] = 0
    assert not torch.equal(whole, built.loss(batch))
    before = built.loss(batch)
    batch.targets[:, 1] = 1 - batch.targets[:, 1]
    assert torch.equal(before, built.loss(batch))


def test_the_loss_of_types_that_exclude_each_other_is_the_cross_entropy(gold: Path) -> None:
    built = task(gold, softmax=True, target="type")
    (batch, *_) = built.batches("val", 1, 0)
    built.module.eval()
    logits = built.module(batch.pixels)
    one = torch.nn.functional.cross_entropy(logits, batch.targets.argmax(dim=1))
    assert torch.allclose(built.loss(batch), one)
    # A figure of both types shares alike; one of none known does not count.
    batch.targets[0], batch.mask[1] = 1, 0
    rows = -logits.log_softmax(dim=1)
    others = [rows[place, batch.targets[place].argmax()] for place in range(2, len(rows))]
    assert torch.allclose(built.loss(batch), torch.stack([rows[0].mean(), *others]).mean())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"side": 16}, "give 32 or more"),
        ({"architecture": "alexnet"}, 'no classifier "alexnet"; give resnet18, resnet50, resnet101'),
        ({"random_weights": False, "weights": "nowhere.pth"}, "nowhere.pth: no such file"),
    ],
)
def test_options_that_cannot_be_are_told_in_one_line(gold: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(AnnotatorError, match=told):
        task(gold, **options)


def test_figures_of_one_kind_only_have_nothing_to_teach() -> None:
    alike = [example(n, FigureKind(compound=True, types=frozenset({"tree"}))) for n in range(3)]
    for target, told in (("compound", "are compound, or none is"), ("type", "of 1 type, and two are needed")):
        with pytest.raises(AnnotatorError, match=told):
            make_task(alike, Options(random_weights=True, target=target), Problems())


def test_figures_of_unknown_kind_and_unreadable_images_are_told_and_left_out(gold: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.png"
    bad.write_bytes(b"no image")
    problems = Problems()
    examples = [
        example(n, FigureKind(compound=n % 2 == 0), split=split, image=gold / f"f{n}.png")
        for n, split in enumerate((Split.TRAIN, Split.TRAIN, Split.VAL, Split.VAL))
    ]
    examples.append(example(8, FigureKind(types=frozenset({"tree"}))))
    examples.append(example(9, FigureKind(compound=True), image=bad))
    make_task(examples, Options(random_weights=True, side=32), problems)
    assert problems.notes == ["1 figure of unknown kind left out"]
    assert problems.count == 1
    assert 'figure "f9"' in problems.lines[0]
    with pytest.raises(FormatError, match="no figure of known kind"):
        make_task(examples[:2], Options(random_weights=True, side=32), problems)


def test_weights_of_the_same_network_are_taken_over_but_for_the_last_layer(gold: Path, tmp_path: Path) -> None:
    from torchvision.models import resnet18

    net = resnet18(weights=None)
    torch.save(net.state_dict(), tmp_path / "own.pth")
    built = task(gold, random_weights=False, weights=str(tmp_path / "own.pth"))
    assert torch.equal(built.module.net.conv1.weight, net.conv1.weight)
    assert built.module.net.fc.weight.shape == (3, 512)
    torch.save({"other": torch.zeros(3)}, tmp_path / "other.pth")
    with pytest.raises(FormatError, match="none of the weights fit resnet18"):
        task(gold, random_weights=False, weights=str(tmp_path / "other.pth"))


@pytest.mark.slow
def test_classify_keeps_figures_whose_type_is_among_the_likeliest(
    gold: Path, knowing: Path, tmp_path: Path
) -> None:
    kept, out = tmp_path / "kept.jsonl", tmp_path / "kinds.jsonl"
    done = invoke("classify", gold / "figures.jsonl", "--classifier", knowing, "--keep", "Line charts", "--top", 1,
                  "--compound", "--kept", kept, "--out", out, "--device", "cpu")  # fmt: skip
    assert done.exit_code == 0, done.output
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    stayed = [json.loads(line)["figure_id"] for line in kept.read_text("utf-8").splitlines()]
    assert stayed == [each["figure_id"] for each in records if each["kept"]]
    assert f"classified 24 figures, selected {len(stayed)}" in done.stdout
    assert stayed == ["f2", "f6", "f10", "f14", "f18", "f22"]
    # What is kept can be classified, or imported, again.
    again = invoke("classify", kept, "--images", gold, "--classifier", knowing, "--out", out, "--device", "cpu")
    assert f"classified {len(stayed)} figures" in again.stdout


@pytest.mark.slow
def test_an_image_that_cannot_be_read_costs_no_other_figure(gold: Path, trained: Path, tmp_path: Path) -> None:
    lines = (gold / "figures.jsonl").read_text("utf-8").splitlines()[:3]
    lines[1] = lines[1].replace("f1.png", "nowhere.png")
    (tmp_path / "figures.jsonl").write_text("\n".join(lines), "utf-8")
    out = tmp_path / "kinds.jsonl"
    done = invoke("classify", tmp_path / "figures.jsonl", "--images", gold, "--classifier", trained, "--out", out,
                  "--device", "cpu")  # fmt: skip
    assert done.exit_code == 1
    assert "nowhere.png" in done.stderr
    assert [json.loads(line)["figure_id"] for line in out.read_text("utf-8").splitlines()] == ["f0", "f2"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "no output; add --out"),
        (("--out", "x", "--top", "2"), "--top needs --keep TYPE"),
        (("--out", "x", "--kept", "x"), "name two"),
    ],
)
def test_classify_says_what_is_missing(gold: Path, tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    done = invoke("classify", gold / "figures.jsonl", "--classifier", tmp_path, *more)
    assert done.exit_code == 2
    assert told in done.stderr


@pytest.mark.slow
def test_annotators_of_a_figure_types_campaign_find_the_kinds_filled_in(
    gold: Path, knowing: Path, tmp_path: Path
) -> None:
    home = Home.create(
        tmp_path / "home",
        settings='name = "kinds"\nlabels = ["A"]\n[[phases]]\nname = "1"\ntask_type = "figure-types"\n',
    )
    with home.open_store() as store:
        last = (gold / "figures.jsonl").read_text("utf-8").splitlines()[20:]
        (tmp_path / "last.jsonl").write_text("\n".join(last), "utf-8")
        *_, brought = import_figures(home, store, tmp_path / "last.jsonl", Problems(), images=gold)
        assert brought.added == 4
        done = invoke("run", "--home", home.path, "--classifier", knowing, "--device", "cpu")
        assert done.exit_code == 0, done.output
        with store.transaction() as tx:
            tx.tasks.add([Task(f"f{number}", "ann1", "1") for number in range(20, 24)])
        server = FakeServer()
        (pushed,) = push(home, store, server)
        assert (pushed.added, pushed.seeded, pushed.problems) == (4, 4, [])
        shown = {task["data"][names.DATA_SOURCE]: task["predictions"] for task in server.tasks(pushed.project_id)}
    choices = {
        figure: {each["from_name"]: each["value"] for each in predictions[0]["result"]}
        for figure, predictions in shown.items()
    }
    assert [choices[f"f{n}"][names.COMPOUND]["choices"] for n in (20, 21)] == [
        [names.COMPOUND_YES],
        [names.COMPOUND_NO],
    ]
    assert choices["f20"][names.TYPES]["choices"] == ["bar chart"]


@pytest.mark.slow
def test_the_table_scores_a_classifier_on_the_test_split_too(gold: Path, knowing: Path) -> None:
    common = ("evaluate", "--table", gold / "annotations.jsonl", "--figures", gold / "figures.jsonl",
              "--classifier", knowing, "--device", "cpu")  # fmt: skip
    done = invoke(*common, "--format", "json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    # No subfigure has words in this campaign: nothing but kinds is scored.
    assert record["rows"] == record["boxes"] == []
    (kinds,) = record["kinds"]
    assert kinds["scores"]["val"]["score"] == kinds["scores"]["test"]["compound_accuracy"] == 1.0
    text, markdown = (invoke(*common, "--format", layout).stdout for layout in ("text", "markdown"))
    assert f"figure kinds, percent ({kinds['model']})" in text
    assert "compound or not: right" in text
    assert f"| {kinds['model']} | type: the likeliest | 100.0 | 100.0 |" in markdown
    assert "MedICaT (Subramanian" not in text + markdown
    refused = invoke(*common, "--column", "all")
    assert f"{kinds['model']} was trained or validated on" in str(refused.exception)
    forced = invoke(*common, "--column", "all", "--force")
    assert f"note: * {kinds['model']}" in forced.stdout
