"""`--like-the-authors`: all settings of MedICaT's code at once, written anew from what it is known to do."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result
from PIL import Image
from torch import nn

from annotator.cli.prelabel import group
from annotator.prelabels.train import Material, Training, examples_of
from panelwise.domain.errors import AnnotatorError
from panelwise.files.jsonl import Problems
from panelwise_simulator.figures import simulated_figures, write_figures
from prelabel.models.checkpoints import read_about
from prelabel.models.classifier import Answers, FigureClassifier
from prelabel.training.loop.optimisers import BertAdam
from prelabel.training.loop.options import AUTHORS_LENGTHS, Options, recipe_for, resolve_options
from prelabel.training.tasks import box_crf, matcher, text_crf


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def gold(drawn: Path) -> tuple[object, ...]:
    return (drawn / "annotations.jsonl", "--figures", drawn / "figures.jsonl", "--device", "cpu")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen simulated figures, of two types in turn, 12 of them to train."""
    folder = tmp_path_factory.mktemp("drawn")
    write_figures(simulated_figures(16, seed=2, difficulty="easy"), folder)
    path = folder / "figures.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        row |= {"split": "val" if number > 11 else "train", "figure_type": ("bar", "pie")[number % 2]}
        row["references"] = [f"See figure {number}.", "It is shown."] if number < 6 else []
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder


def test_berts_adam_moves_weights_as_published() -> None:
    """m = .9 m + .1 g, v = .999 v + .001 g^2, w -= lr (m / (sqrt(v) + 1e-6) + decay w), g cut at norm 1 each."""
    torch.manual_seed(0)
    weights = [nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(4))]
    expected = [each.detach().clone() for each in weights]
    means, squares = ([torch.zeros_like(each) for each in weights] for _ in range(2))
    optimiser = BertAdam(
        [{"params": weights[:1], "weight_decay": 0.7}, {"params": weights[1:], "weight_decay": 0.0}],
        lr=0.1,
        weight_decay=0.7,
    )
    for step in range(4):
        for place, decay in enumerate((0.7, 0.0)):
            gradient = torch.randn(expected[place].shape) * (5.0 if step % 2 else 0.01)
            weights[place].grad = gradient.clone()
            cut = gradient * min(1.0, 1.0 / (float(gradient.norm()) + 1e-6))
            means[place] = 0.9 * means[place] + 0.1 * cut
            squares[place] = 0.999 * squares[place] + 0.001 * cut**2
            change = means[place] / (squares[place].sqrt() + 1e-6) + decay * expected[place]
            expected[place] = expected[place] - 0.1 * change
        optimiser.step()
    for ours, theirs in zip(weights, expected, strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("module", [text_crf, box_crf])
def test_the_loss_of_taggers_is_the_sum_over_a_batch(module: object, drawn: Path) -> None:
    examples = examples_of(Material(drawn / "annotations.jsonl", drawn / "figures.jsonl"), Problems())
    losses = []
    for alike in (False, True):
        torch.manual_seed(0)
        options = Options(encoder="tiny", batch=5, dropout=0.0, like_the_authors=alike)
        task = module.make_task(examples, options, Problems())
        task.module.eval()
        batch = next(iter(task.batches("train", 1, 0)))
        with torch.no_grad():
            losses.append(float(task.loss(batch)) / (len(batch.tags) if alike else 1))
        assert len(batch.tags) > 1
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


@pytest.mark.slow
def test_a_tagger_is_trained_with_their_optimiser(drawn: Path, tmp_path: Path) -> None:
    alike = (*gold(drawn), "--encoder", "tiny", "--like-the-authors", "--epochs", 1)
    done = invoke("train", "text-crf", *alike, "--out", tmp_path / "a")
    assert done.exit_code == 0, done.output
    assert read_about(tmp_path / "a").settings["bert_adam"] is True


@pytest.mark.parametrize(
    ("kind", "more", "length"),
    [
        ("text-crf", (), (50, 5)),
        ("box-crf", ("--epochs", 7), (7, 5)),
        ("classifier", ("--patience", 3), (50, 3)),
        ("matcher", (), (100, 5)),
    ],
)
def test_a_training_is_as_long_as_theirs_but_for_what_is_given(
    kind: str,
    more: tuple[object, ...],
    length: tuple[int, int],
    drawn: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Training] = []

    def catch(training: Training, *_rest: object, **_more: object) -> None:
        asked.append(training)
        raise AnnotatorError("caught")

    monkeypatch.setattr("annotator.prelabels.train.train", catch)
    done = invoke("train", kind, *gold(drawn), "--like-the-authors", "--out", tmp_path / "a", *more)
    assert str(done.exception) == "caught"
    assert (asked[0].wishes.epochs, asked[0].wishes.patience) == length


@pytest.mark.slow
def test_a_classifier_is_trained_with_their_settings_but_for_those_that_are_given(
    drawn: Path, tmp_path: Path
) -> None:
    done = invoke("train", "classifier", *gold(drawn), "--out", tmp_path / "a", "--random-weights", "--side", 32,
                  "--like-the-authors", "--architecture", "resnet18", "--epochs", 1)  # fmt: skip
    assert done.exit_code == 0, done.output
    about = read_about(tmp_path / "a")
    other = about.settings["other"]
    assert (about.settings["lr"], about.settings["weight_decay"], other["batch"]) == (1e-3, 0.0, 64)
    assert (other["dropout"], other["target"], other["softmax"], other["crop"]) == (0.1, "type", True, True)
    assert (about.architecture["scale"], about.architecture["types"]) == (1.0, ["bar", "pie"])
    options = Options(like_the_authors=True)
    chosen = resolve_options("classifier", options, recipe_for("classifier", options), batch=None, dropout=None)
    assert chosen.architecture == "resnet101"
    assert AUTHORS_LENGTHS["classifier"] == {"epochs": 50, "patience": 50}


def test_the_image_of_their_classifier_is_scaled_to_the_square_and_that_of_ours_a_little_larger() -> None:
    stripe = Image.new("RGB", (112, 56), "white")
    stripe.paste("black", (28, 0, 84, 56))
    for scale, white in ((1.0, 0), (256 / 224, 0)):
        module = FigureClassifier("resnet18", Answers(True, ()), side=56, crop=True, scale=scale)
        assert int((module.prepare(stripe) > 127).all(axis=2).sum()) == white
    top = Image.new("RGB", (56, 56), "white")
    top.paste("black", (0, 3, 56, 53))
    seen = [
        int(
            (
                FigureClassifier("resnet18", Answers(True, ()), side=56, crop=True, scale=scale).prepare(top) > 127
            ).sum()
        )
        for scale in (1.0, 256 / 224)
    ]
    assert seen[0] > 0
    assert seen[1] == 0


def test_dropout_of_a_classifier_is_before_its_last_layer_and_in_training_only() -> None:
    torch.manual_seed(0)
    module = FigureClassifier("resnet18", Answers(True, ()), side=32, dropout=0.5)
    assert set(module.state_dict()) == set(FigureClassifier("resnet18", Answers(True, ()), side=32).state_dict())
    features = torch.ones(1, 512)
    module.train()
    assert not torch.allclose(module.net.fc(features), module.net.fc(features))
    module.eval()
    assert torch.allclose(module.net.fc(features), module.net.fc(features))


def test_their_matcher_draws_other_images_by_text_its_own_among_them(drawn: Path) -> None:
    examples = examples_of(Material(drawn / "annotations.jsonl", drawn / "figures.jsonl"), Problems())
    again: Counter[bool] = Counter()
    for alike in (False, True):
        options = Options(encoder="tiny", architecture="resnet18", random_weights=True, side=32, batch=8,
                          references=True, device="cpu", like_the_authors=alike)  # fmt: skip
        task = matcher.make_task(examples, options, Problems())
        for epoch in range(1, 6):
            for batch in task.batches("train", epoch, 0):
                own, others = batch.pixels[:, :1], batch.pixels[:, 1:]
                again[alike] += int((own == others).flatten(2).all(dim=2).sum())
    assert again[False] == 0
    assert again[True] > 0


def test_a_detector_has_no_settings_of_theirs_beside_the_defaults(drawn: Path, tmp_path: Path) -> None:
    done = invoke("train", "detector", drawn / "annotations.jsonl", "--out", tmp_path, "--like-the-authors")
    assert done.exit_code == 2
    assert "--like-the-authors is for text-crf, box-crf, classifier and matcher, not for detector" in done.stderr
