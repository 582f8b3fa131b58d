from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from builders import a_figure
from PIL import Image
from running import Done, run_command
from transformers import DistilBertConfig, DistilBertModel

from annotator.cli.prelabel import group
from panelwise.domain.errors import FormatError
from prelabel.evaluation.matching import Matching, Run, matching_record, matching_text, recall_at
from prelabel.matchers.matcher import Matcher, matcher_of, score_matrix
from prelabel.taggers.encoders import TokenEncoder, tiny_encoder

WORDS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "black": (0, 0, 0)}


def invoke(*arguments: object) -> Done:
    return run_command(group, "prelabel", *arguments)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Figures of one colour whose caption names it: 24 to train, 8 to validate, 8 to test, 1 without an image."""
    folder = tmp_path_factory.mktemp("corpus")
    records = []
    for number in range(40):
        name, colour = list(WORDS.items())[number % 4]
        Image.new("RGB", (40, 40), colour).save(folder / f"f{number}.png")
        split = "train" if number < 24 else "val" if number < 32 else "test"
        records.append(
            {"figure_id": f"f{number}", "image": f"f{number}.png", "caption": f"A {name} square.", "split": split,
             "references": [f"It is {name} (Fig. 1)."], "source": {"document": f"d{number}"}}
        )  # fmt: skip
    records.append({**records[-1], "figure_id": "lost", "image": "lost.png"})
    (folder / "figures.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
    return folder


def train(corpus: Path, out: Path, *more: object) -> Done:
    return invoke("train", "matcher", corpus / "figures.jsonl", "--out", out, "--encoder", "tiny",
                  "--architecture", "resnet18", "--random-weights", "--side", 32, "--device", "cpu", "--batch", 8,
                  "--workers", 1, *more)  # fmt: skip


@pytest.fixture(scope="module")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two checkpoints of one epoch, the second of captions with references."""
    folder = tmp_path_factory.mktemp("matchers")
    for name, more in (("captions", ()), ("both", ("--references",))):
        done = train(corpus, folder / name, "--epochs", 1, *more)
        assert done.returncode == 1, done.stderr  # one image is missing
        assert "lost.png: no such image" in done.stderr
    return [folder / "captions", folder / "both"]


def matcher(references: bool = False) -> Matcher:
    torch.manual_seed(0)
    encoder = tiny_encoder(["A red square.", "It is blue (Fig. 1)."], num_hidden_layers=3)
    return Matcher(encoder, "resnet18", side=32, references=references).eval()


def test_lower_layers_see_the_text_alone_and_are_not_needed_again() -> None:
    module = matcher()
    figures = [a_figure("f1", caption="A red square."), a_figure("f2", caption="A blue one is here.")]
    texts = module.texts(figures, references=False)
    features = torch.rand(2, 3, 512)
    with torch.no_grad():
        together = module(texts, features)
        again = list(score_matrix(module, figures, features[0], references=False, batch=2))
    assert together.shape == (2, 3)
    assert torch.allclose(again[0], together[0], atol=1e-5)
    # Other images, other scores; the text's layers below are the same.
    assert not torch.allclose(together[0, 0], together[0, 1], atol=1e-7)
    assert len(module.encoder.model.encoder.layer) == 3


def test_references_are_tokens_of_a_kind_of_their_own() -> None:
    module = matcher(references=True)
    figure = a_figure("f1", caption="A red square.", references=("It is blue (Fig. 1).",))
    alone = module.texts([figure], references=False)
    both = module.texts([figure], references=True)
    assert both[0].shape[1] > alone[0].shape[1]
    assert set(alone[1].flatten().tolist()) == {0, 1, 2}  # what ends the text counts as after the caption
    assert both[1].flatten().tolist().count(1) > alone[1].flatten().tolist().count(1)


def test_any_encoder_with_layers_takes_the_image() -> None:
    torch.manual_seed(0)
    tokenizer = tiny_encoder(["A red square."]).tokenizer
    model = DistilBertModel(
        DistilBertConfig(vocab_size=len(tokenizer), dim=32, n_heads=2, n_layers=2, hidden_dim=32)
    )
    module = Matcher(TokenEncoder(model, tokenizer, name="d"), "resnet18", side=32, references=False).eval()
    texts = module.texts([a_figure("f1", caption="A red square.")], references=False)
    assert module(texts, torch.rand(1, 2, 512)).shape == (1, 2)


def test_the_loss_reaches_encoder_and_projection_and_not_the_image_network() -> None:
    module = matcher().train()
    texts = module.texts([a_figure("f1", caption="A red square.")], references=False)
    module(texts, torch.rand(1, 3, 512)).sum().backward()
    moved = {name.split(".")[0] for name, each in module.named_parameters() if each.grad is not None}
    assert moved == {"encoder", "project", "kinds", "score"}
    assert not module.image_net.training


def test_a_trained_matcher_is_scored_on_the_test(corpus: Path, trained: list[Path]) -> None:
    options = [part for folder in trained for part in ("--matching", folder)]
    done = invoke("evaluate", corpus / "figures.jsonl", *options, "--device", "cpu", "--format", "json")
    assert done.returncode == 1  # one image is missing
    record = json.loads(done.stdout)
    assert record["pairs"] == 8
    assert [each["references"] for each in record["runs"]] == [False, True]
    for run in record["runs"]:
        recall = list(run["recall"].values())
        assert recall == sorted(recall)
        assert recall[2:] == [1.0, 1.0]  # of eight images the right one is among ten
    assert matcher_of(trained[1], device="cpu").references


def test_a_matcher_is_not_scored_on_figures_that_it_was_trained_on(
    corpus: Path, trained: list[Path], tmp_path: Path
) -> None:
    lines = [json.loads(each) for each in (corpus / "figures.jsonl").read_text("utf-8").splitlines()[:40]]
    figures = tmp_path / "figures.jsonl"
    figures.write_text("".join(json.dumps({**each, "split": "test"}) + "\n" for each in lines), "utf-8")
    command = ("evaluate", figures, "--images", corpus, "--matching", trained[0], "--device", "cpu")
    done = invoke(*command)
    assert done.returncode == 1
    assert "was trained or validated on 32 figures of test" in done.stderr
    done = invoke(*command, "--force")
    assert done.returncode == 0, done.stderr
    assert "was trained or validated on 32 figures of test" in done.stdout


def test_a_matcher_learns_which_image_a_caption_describes(corpus: Path, tmp_path: Path) -> None:
    done = train(corpus, tmp_path / "m", "--epochs", 6, "--patience", 6, "--lr", 0.003)
    losses = [json.loads(line)["loss"] for line in (tmp_path / "m" / "log.jsonl").read_text("utf-8").splitlines()]
    assert done.returncode == 1
    assert min(losses[-3:]) < losses[0]


def test_a_file_that_is_no_matcher_and_options_of_others_are_refused(corpus: Path, tmp_path: Path) -> None:
    done = invoke("evaluate", corpus / "figures.jsonl", "--matching", corpus, "--pairs", 2)
    assert "is no checkpoint" in done.stderr
    done = invoke("evaluate", corpus / "figures.jsonl", "--matching", corpus, "--table")
    assert (done.returncode, "can't be combined with --matching" in done.stderr) == (2, True)
    done = invoke("train", "classifier", corpus / "figures.jsonl", "--out", tmp_path, "--references")
    assert (done.returncode, "--references is for matcher" in done.stderr) == (2, True)
    with pytest.raises(FormatError):
        matcher_of(corpus)


def test_recall_is_the_share_of_right_images_among_the_best() -> None:
    assert recall_at([1, 2, 6, 30]) == (0.25, 0.5, 0.75, 0.75)
    runs = tuple(
        Run(f"m-{n}", False, tuple(np.array([0.1, 0.2, 0.3, 0.4]) * n)) for n in (1, 2)
    )  # fmt: skip
    record = matching_record(Matching(50, runs))
    (group,) = record["groups"]
    assert group["mean"] == {"1": pytest.approx(0.15), "5": pytest.approx(0.3), "10": pytest.approx(0.45),
                             "20": pytest.approx(0.6)}  # fmt: skip
    assert group["standard_error"]["1"] == pytest.approx(0.05)
    assert (group["best"]["1"], group["worst"]["1"]) == (0.2, 0.1)
    text = matching_text(Matching(50, runs))
    assert "| captions, 2 runs | 15.0 ± 5.00 |" in text
    assert "| MedICaT paper, 2,000 pairs | 7.6 | 26 | 41 | 58 |" in text
    assert "| chance | 2.0 | 10.0 | 20.0 | 40.0 |" in text
