from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from running import Done, run_command
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from annotator.cli.prelabel import group
from annotator.prelabels.train import Material, examples_of
from panelwise.domain.errors import FormatError
from panelwise.files.jsonl import Problems
from prelabel.evaluation.matching import Matching, Run, matching_record, matching_text, recall_at
from prelabel.matchers.matcher import Matcher, Text, matcher_of, score_matrix
from prelabel.taggers.encoders import TokenEncoder, tiny_encoder
from prelabel.training.loop.options import Options
from prelabel.training.tasks.matcher import LONGEST, make_task

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


def images(number: int) -> list[np.ndarray]:
    return list(np.random.default_rng(0).integers(0, 256, (number, 32, 32, 3), np.uint8))


TEXTS = [Text("A red square."), Text("It is blue (Fig. 1), and so are others of it.", reference=True)]


def test_lower_layers_see_the_text_alone_and_are_not_needed_again() -> None:
    module = matcher()
    features = torch.rand(2, 3, 512)
    with torch.no_grad():
        together = module(module.read(TEXTS), features)
        again = list(score_matrix(module, TEXTS, features[0], batch=2))
    assert together.shape == (2, 3)
    assert torch.allclose(again[0], together[0], atol=1e-5)
    # Other images, other scores; the text's layers below are the same.
    assert not torch.allclose(together[0, 0], together[0, 1], atol=1e-7)
    assert len(module.encoder.model.encoder.layer) == 3


def official_scores(module: Matcher, texts: list[Text], pixels: list[np.ndarray], layer: int) -> torch.Tensor:
    """Scores as MedICaT's code computes them, layer by layer: each text beside each image, all of it anew.

    BERT's segments are the kind of text. Before `layer` the image's state, a linear layer on a ResNet's feature
    and an embedding of its own, is put behind the text's padding, and may be attended to; the score is a linear
    layer on BERT's pooled state.
    """
    bert, tokenizer = module.encoder.model, module.encoder.tokenizer
    rows = [[tokenizer.cls_token_id, *tokenizer(text.words, add_special_tokens=False)["input_ids"],
             tokenizer.sep_token_id] for text in texts]  # fmt: skip
    length = max(map(len, rows))
    net = module.image_net.net
    colours = torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2) / 255
    normal = (colours - torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)) / torch.tensor(
        [0.229, 0.224, 0.225]
    ).view(3, 1, 1)
    visual = module.project(net(normal)) + module.image_type
    found = []
    for text, row in zip(texts, rows, strict=True):
        scores = []
        for image in visual:
            ids = torch.tensor([row + [0] * (length - len(row))])
            mask = torch.tensor([[1.0] * len(row) + [0.0] * (length - len(row))])
            hidden = bert.embeddings(input_ids=ids, token_type_ids=torch.full_like(ids, int(text.reference)))
            for number, each in enumerate(bert.encoder.layer):
                if number == layer:
                    hidden = torch.cat((hidden, image.view(1, 1, -1)), dim=1)
                    mask = torch.cat((mask, torch.ones(1, 1)), dim=1)
                hidden = each(hidden, attention_mask=(1 - mask)[:, None, None, :] * -10000.0)
                hidden = hidden[0] if isinstance(hidden, tuple) else hidden
            scores.append(module.score(torch.tanh(module.summary(hidden[:, 0])))[0, 0])
        found.append(torch.stack(scores))
    return torch.stack(found)


@pytest.mark.parametrize(("layers", "layer"), [(3, 1), (8, 6)])
def test_the_image_enters_where_and_how_it_does_in_the_official_code(layers: int, layer: int) -> None:
    torch.manual_seed(0)
    encoder = tiny_encoder(["A red square.", "It is blue (Fig. 1)."], num_hidden_layers=layers)
    module = Matcher(encoder, "resnet18", side=32, references=True).eval()
    pixels = images(3)
    with torch.no_grad():
        module.image_type.normal_()
        ours = module(module.read(TEXTS), module.features(pixels).expand(2, 3, -1))
        theirs = official_scores(module, TEXTS, pixels, layer)
        elsewhere = official_scores(module, TEXTS, pixels, layer - 1)
    assert torch.allclose(ours, theirs, atol=1e-5)
    assert not torch.allclose(ours, elsewhere, atol=1e-5)


def test_a_text_is_cut_as_in_the_official_code() -> None:
    """All pieces of a reference are of its type; what is beyond 256 pieces is cut off, the ending mark with it."""
    module = matcher(references=True)
    long = Text("A " * 300, reference=True)
    batch = module.read([TEXTS[0], long], longest=LONGEST)
    mark = module.encoder.tokenizer.sep_token_id
    assert batch.ids.shape == (2, 256)
    assert batch.types[1].tolist() == [1] * 256
    assert not batch.types[0].any()
    assert mark in batch.ids[0].tolist()
    assert mark not in batch.ids[1].tolist()
    assert module.read([long]).ids.shape[1] == 302
    assert module.read([Text("A " * 900)]).ids.shape[1] == 511  # and the image's place


def test_each_caption_and_each_reference_is_an_example_of_its_own(corpus: Path) -> None:
    """MedICaT's reader yields an instance a text, of which 16 make a batch; each gets its image and two others."""
    examples = examples_of(Material(corpus / "figures.jsonl"), Problems(), plain=True)
    examples = [
        replace(each, figure=replace(each.figure, references=(f"It is {each.figure.id}.", " ", "See Fig. 1.")))
        for each in examples
        if each.figure.id != "lost"
    ]
    options = Options(encoder="tiny", architecture="resnet18", random_weights=True, side=32, batch=16, workers=1,
                      device="cpu")  # fmt: skip
    for references, kinds in ((False, {0: 24}), (True, {0: 24, 1: 48})):
        task = make_task(examples, replace(options, references=references), Problems())
        found: Counter[tuple[int, ...]] = Counter()
        types: Counter[int] = Counter()
        sizes = []
        for batch in task.batches("train", 1, 0):
            sizes.append(len(batch.texts.ids))
            assert batch.pixels.shape[1:] == (3, 3, 32, 32)
            types.update(batch.texts.types[:, 0].tolist())
            for ids, seen in zip(batch.texts.ids.tolist(), batch.texts.seen.sum(dim=1).tolist(), strict=True):
                found[tuple(ids[:seen])] += 1
        assert types == kinds
        theirs = Counter(
            tuple(task.module.encoder.tokenizer(text)["input_ids"])
            for each in examples
            if each.split == "train"
            for text in [each.figure.caption.text, *(each.figure.references if references else ())]
            if text.strip()
        )
        assert found == theirs
        whole, rest = divmod(theirs.total(), 16)
        assert sizes == [16] * whole + [rest] * (rest > 0)


def test_the_right_image_is_the_figures_own_and_the_others_are_of_other_figures(corpus: Path) -> None:
    examples = examples_of(Material(corpus / "figures.jsonl"), Problems(), plain=True)
    task = make_task(
        [each for each in examples if each.figure.id != "lost"],
        Options(encoder="tiny", architecture="resnet18", random_weights=True, side=32, batch=8, device="cpu"),
        Problems(),
    )
    tokenizer = task.module.encoder.tokenizer
    for batch in task.batches("train", 1, 0):
        for ids, pixels in zip(batch.texts.ids, batch.pixels, strict=True):
            name = next(name for name in WORDS if name in tokenizer.decode(ids))
            assert tuple(pixels[0, :, 16, 16].tolist()) == WORDS[name]


def test_the_middle_of_an_image_is_seen() -> None:
    wide = Image.new("RGB", (96, 32), "white")
    wide.paste("black", (32, 0, 64, 32))
    assert not matcher().prepare(wide)[:, 1:31].any()
    assert matcher().prepare(wide).shape == (32, 32, 3)


def test_any_encoder_with_layers_takes_the_image() -> None:
    torch.manual_seed(0)
    tokenizer = tiny_encoder(["A red square."]).tokenizer
    model = DistilBertModel(
        DistilBertConfig(vocab_size=len(tokenizer), dim=32, n_heads=2, n_layers=2, hidden_dim=32)
    )
    module = Matcher(TokenEncoder(model, tokenizer, name="d"), "resnet18", side=32, references=True).eval()
    features = torch.rand(1, 2, 512)
    caption, reference = Text("A red square."), Text("A red square.", reference=True)
    scores = module(module.read([caption]), features)
    assert scores.shape == (1, 2)
    assert not torch.allclose(scores, module(module.read([reference]), features), atol=1e-6)


def test_the_layer_on_the_first_state_begins_from_the_encoders_own() -> None:
    torch.manual_seed(0)
    tokenizer = tiny_encoder(["A red square."]).tokenizer
    model = BertModel(BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_attention_heads=2,
                                 num_hidden_layers=2, intermediate_size=32))  # fmt: skip
    pooler = model.pooler.dense.weight.detach().clone()
    module = Matcher(TokenEncoder(model, tokenizer, name="b"), "resnet18", side=32, references=False)
    assert torch.equal(module.summary.weight, pooler)


def test_the_loss_reaches_every_part_and_the_image_network_too() -> None:
    module = matcher().train()
    features = module.features(images(3)).unsqueeze(0)
    module(module.read([TEXTS[0]]), features).sum().backward()
    moved = {name.split(".")[0] for name, each in module.named_parameters() if each.grad is not None}
    assert moved == {"encoder", "image_net", "project", "image_type", "summary", "score"}
    assert module.image_net.training


def test_a_matcher_of_the_papers_size_has_as_many_parameters_as_the_official_code() -> None:
    """135.0 million: the code's 135,004,737 without 3,072 that multiply zeros. The paper says 159.6."""
    vocabulary = 31_090
    tokenizer = tiny_encoder(["A red square."]).tokenizer
    with torch.device("meta"):
        model = BertModel(BertConfig(vocab_size=vocabulary))
        module = Matcher(TokenEncoder(model, tokenizer, name="b"), "resnet50", side=224, references=True)
    assert sum(each.numel() for each in module.parameters()) == 135_004_737 - 4 * 768


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
    # A tiny one of random weights is not the paper's.
    assert [each["paper"] for each in record["groups"]] == [None, None]
    assert [each["random_weights"] for each in record["models"]] == [True, True]


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


def test_a_matcher_goes_on_from_a_checkpoint_and_the_next_step_scores_it(
    corpus: Path, trained: list[Path], tmp_path: Path
) -> None:
    whole = tmp_path / "figures.jsonl"
    lines = (corpus / "figures.jsonl").read_text("utf-8").splitlines(keepends=True)
    whole.write_text("".join(lines[:40]), "utf-8")
    done = invoke("train", "matcher", whole, "--images", corpus, "--start", trained[0], "--out", tmp_path / "next",
                  "--epochs", 1, "--lr", "1e-9", "--device", "cpu", "--batch", 8)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"next: prelabel evaluate {whole} --images {corpus} --matching {tmp_path / 'next'}" in done.stderr
    # At this rate nothing is learnt: the weights are those of the first training.
    first, second = (matcher_of(folder, device="cpu").state_dict() for folder in (trained[0], tmp_path / "next"))
    learnt = [name for name in first if "running" not in name and "num_batches" not in name]
    assert all(torch.allclose(first[name], second[name], atol=1e-6) for name in learnt)


def test_a_matcher_of_an_earlier_kind_is_refused_in_one_line(
    corpus: Path, trained: list[Path], tmp_path: Path
) -> None:
    old = tmp_path / "old"
    shutil.copytree(trained[0] / "best", old)
    about = json.loads((old / "config.json").read_text("utf-8"))
    del about["architecture"]["layer"]
    (old / "config.json").write_text(json.dumps(about), "utf-8")
    for command in (
        ("evaluate", corpus / "figures.jsonl", "--matching", old, "--device", "cpu"),
        ("train", "matcher", corpus / "figures.jsonl", "--start", old, "--out", tmp_path / "next"),
    ):
        done = invoke(*command)
        assert done.returncode == 1
        assert f"{old}: is a matcher of an earlier kind" in done.stderr.splitlines()[-1]


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
    # Runs of another size or other settings have no number of the paper beside them.
    assert group["paper"] is None
    assert "MedICaT paper, 2" not in text
    assert "the paper's numbers stand beside runs of its size and settings only" in text
    alike = Matching(50, tuple(replace(run, follows=True) for run in runs))
    (group,) = matching_record(alike)["groups"]
    assert (group["paper"]["1"], group["paper_standard_error"]["1"]) == (
        pytest.approx(0.076),
        pytest.approx(0.0059),
    )
    assert (group["paper_best"]["20"], group["paper_worst"]["20"]) == (0.61, 0.53)
    text = matching_text(alike)
    assert "| MedICaT paper, 2,000 pairs, 5 runs | 7.6 ± 0.59 | 26 ± 1.6 | 41 ± 1.6 | 58 ± 1.3 |" in text
    assert "| paper's worst run | 5.8 | 21 | 35 | 53 |" in text
    assert "stand beside runs" not in text
    assert "| chance | 2.0 | 10.0 | 20.0 | 40.0 |" in text
