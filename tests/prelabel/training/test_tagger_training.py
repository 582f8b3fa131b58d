from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from builders import a_figure, a_subfigure
from hypothesis import given
from hypothesis import strategies as st
from tagger_cases import captioned, shared

from agreement.primitives.rules import Common
from panelwise.domain.errors import AnnotatorError, FormatError
from panelwise.files.jsonl import Problems
from prelabel.models.checkpoints import About
from prelabel.models.protocols import CaptionedBoxes, Tagged
from prelabel.runs.opening import open_tagger
from prelabel.taggers import encoders
from prelabel.taggers.encoders import TINY, tiny_encoder
from prelabel.taggers.spans import longest_spans, runs
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import Settings, fit, seed_all
from prelabel.training.loop.optimisers import parameter_groups
from prelabel.training.tasks import box_crf, text_crf
from prelabel.training.tasks.registry import Options
from prelabel.training.tasks.shared import TaggerTask, learning_targets, with_true_boxes, word_f1

OPTIONS = Options(encoder=TINY, batch=4, dropout=0.0, common="none")
BOTH = pytest.mark.parametrize("kind", [text_crf, box_crf], ids=["text-crf", "box-crf"])


def learn(task: TaggerTask, *, epochs: int, lr: float = 3e-3) -> float:
    """The last epoch's mean loss, after plain Adam over the batches."""
    optimiser = torch.optim.AdamW(parameter_groups(task.module, lr, 0.0))
    losses: list[float] = []
    for epoch in range(1, epochs + 1):
        task.module.train()
        losses = []
        for group in optimiser.param_groups:
            group["lr"] = lr * min(1.0, 2.0 * (1 - (epoch - 1) / epochs))
        for batch in task.batches("train", epoch, 0):
            optimiser.zero_grad()
            loss = task.loss(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(task.module.parameters(), 1.0)
            optimiser.step()
            losses.append(float(loss.detach()))
    return float(np.mean(losses))


def validated(examples: list[Example]) -> list[Example]:
    """Examples to learn from and to validate with: the same."""
    return [*examples, *(replace(each, split=Split.VAL) for each in examples)]


# ---- what is learnt -------------------------------------------------------------------------------


def test_the_longest_run_is_taken_and_of_equal_ones_the_first() -> None:
    assert longest_spans([{1, 4, 5, 8, 9}]) == [(4, 6)]


def test_a_run_that_overlaps_an_earlier_span_is_left_out_as_a_whole() -> None:
    assert longest_spans([{0, 1, 2, 3}, {2, 3, 4}, {3, 6}, set()]) == [(0, 4), None, (6, 7), None]


@given(st.lists(st.frozensets(st.integers(0, 20)), max_size=6))
def test_spans_to_learn_are_runs_of_their_subcaption_and_never_overlap(subcaptions: list[frozenset[int]]) -> None:
    used: set[int] = set()
    for tokens, span in zip(subcaptions, longest_spans(subcaptions), strict=True):
        if span is None:
            assert all(used & set(range(*run)) for run in runs(tokens))
            continue
        own = set(range(*span))
        assert span in runs(tokens)
        assert not own & used
        used |= own


def test_a_box_learns_all_its_words_shared_ones_too() -> None:
    figure = a_figure(caption="(A, B) Mice. (A) Left. (B) Right.")
    parts = (a_subfigure("A", tokens=(5, 6, 10)), a_subfigure("B", box=(400, 0, 800, 600), tokens=(5, 6, 15)))
    example = Example(figure, Path("none.png"), parts, Split.TRAIN)
    task = box_crf.make_task([example], OPTIONS, Problems())
    [batch] = task.batches("train", 1, 0)
    assert batch.tags.tolist() == [
        [{5: 1, 6: 3}.get(place, 4 if place == own else 0) for place in range(17)] for own in (10, 15)
    ]
    assert batch.boxes.tolist() == [[0, 0, 0.5, 1], [0.5, 0, 1, 1]]
    task = text_crf.make_task([example], OPTIONS, Problems())
    [texts] = task.batches("train", 1, 0)
    assert texts.tags.tolist() == [[{5: 1, 6: 3, 15: 4}.get(place, 0) for place in range(17)]]


@BOTH
def test_an_epoch_has_every_instance_once_in_an_order_that_can_be_had_again(kind: ModuleType) -> None:
    """Of the text tagger an instance is a caption, of the box tagger a caption with one of its boxes."""
    examples = captioned(30)
    task = kind.make_task(examples, OPTIONS, Problems())

    def seen(epoch: int, seed: int) -> list[list[int]]:
        """The captions' lengths, each as often as the batch has instances of it."""
        return [
            np.repeat(batch.captions.lengths, getattr(batch, "counts", [1] * len(batch.captions.lengths))).tolist()
            for batch in task.batches("train", epoch, seed)
        ]

    lengths = [
        len(each.figure.caption.ranges)
        for each in examples
        for _ in (each.subfigures if kind is box_crf else [each])
    ]
    texted = [each for each in examples if each.texted]
    assert len(texted) == len(examples)
    assert sorted(chain.from_iterable(seen(1, 0))) == sorted(lengths)
    assert {len(batch) for batch in seen(1, 0)[:-1]} | {OPTIONS.batch} <= set(range(1, OPTIONS.batch + 1))
    assert seen(1, 0) == seen(1, 0)
    assert seen(1, 0) != seen(2, 0)
    assert seen(1, 0) != seen(1, 1)
    assert list(task.batches("val", 1, 0)) == []


def test_a_batch_of_the_box_tagger_is_so_many_boxes_and_a_caption_is_encoded_once_for_its_own() -> None:
    examples = captioned(30)
    task = box_crf.make_task(examples, replace(OPTIONS, batch=8), Problems())
    sizes, captions = [], 0
    for batch in task.batches("train", 1, 0):
        assert sum(batch.counts) == len(batch.boxes) == len(batch.tags)
        assert len(batch.counts) == len(batch.captions.lengths)
        sizes.append(len(batch.boxes))
        captions += len(batch.counts)
    boxes = sum(1 for each in examples for part in each.subfigures if part.subcaption)
    assert (sum(sizes), max(sizes)) == (boxes, 8)
    assert len(sizes) <= -(-boxes // 8) + 1
    assert captions < boxes


def test_the_loss_of_boxes_does_not_depend_on_which_share_a_batch() -> None:
    examples = captioned(6)
    task = box_crf.make_task(examples, replace(OPTIONS, batch=5), Problems())
    task.module.eval()
    with torch.no_grad():
        batches = list(task.batches("train", 1, 0))
        together = sum(float(task.loss(batch)) * len(batch.boxes) for batch in batches)
        alone = box_crf.make_task(examples, replace(OPTIONS, batch=1), Problems())
        alone.module.load_state_dict(task.module.state_dict())
        alone.module.eval()
        each = sum(float(alone.loss(batch)) for batch in alone.batches("train", 1, 0))
    assert together == pytest.approx(each, rel=1e-3)


def test_targets_are_those_of_the_papers_readers() -> None:
    """Common tokens go, boxes without a subcaption, and figures with one subcaption only."""
    figure = a_figure(caption="(A, B) Mice. (A) Left. (B) Right.")
    parts = (
        a_subfigure("A", tokens=(5, 6, 10)),
        a_subfigure("B", box=(400, 0, 800, 600), tokens=(5, 6, 15)),
        a_subfigure("C", box=(0, 0, 90, 90), tokens=()),
    )
    both = Example(figure, Path("none.png"), parts, Split.TRAIN)
    single = replace(both, subfigures=parts[:1])

    def learnt(example: Example, common: Common) -> list[list[tuple[str, list[int]]]]:
        found = learning_targets([example], common)
        return [[(part.label, sorted(part.subcaption)) for part in each.subfigures] for each in found]

    assert learnt(both, Common.GOLD) == [[("A", [10]), ("B", [15])]]
    assert learnt(both, Common.NONE) == [[("A", [5, 6, 10]), ("B", [5, 6, 15])]]
    assert learnt(single, Common.GOLD) == []
    assert learnt(single, Common.NONE) == [[("A", [5, 6, 10])]]


@BOTH
def test_where_common_tokens_are_all_that_there_is_nothing_can_be_learnt(kind: ModuleType) -> None:
    example = Example(a_figure(), Path("none.png"), (a_subfigure("A", tokens=(0,)),), Split.TRAIN)
    with pytest.raises(FormatError, match="--common none"):
        kind.make_task([example], replace(OPTIONS, common="gold"), Problems())


def test_an_empty_gold_box_is_left_out_of_word_f1() -> None:
    class Everything:
        def tag(self, items: list[CaptionedBoxes]) -> list[Tagged]:
            return [Tagged((frozenset({10}),) * len(each.boxes), (1.0,) * len(each.boxes)) for each in items]

    figure = a_figure(caption="(A, B) Mice. (A) Left. (B) Right.")
    parts = (a_subfigure("A", tokens=(10,)), a_subfigure("B", box=(0, 0, 90, 90), tokens=()))
    assert word_f1(Everything(), [Example(figure, Path("none.png"), parts, Split.VAL)]) == 1.0


@BOTH
def test_biases_and_norms_have_no_weight_decay(kind: ModuleType) -> None:
    task = kind.make_task(captioned(4), OPTIONS, Problems())
    decaying, others = parameter_groups(task.module, 0.1, 0.7)
    assert (decaying["weight_decay"], others["weight_decay"]) == (0.7, 0.0)
    names = {id(weights): name for name, weights in task.module.named_parameters()}
    still = {names[id(weights)] for weights in others["params"]}
    assert len(decaying["params"]) + len(still) == len(names)
    assert {name for name in names.values() if name.endswith("bias") or "LayerNorm" in name} <= still


@BOTH
def test_the_same_seed_gives_the_same_weights(kind: ModuleType) -> None:
    examples = captioned(12)
    weights = []
    for _ in range(2):
        seed_all(3)
        task = kind.make_task(examples, OPTIONS, Problems())
        learn(task, epochs=1)
        weights.append(task.module.state_dict())
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_an_encoder_by_its_folder_begins_with_its_weights_or_without(tmp_path: Path) -> None:
    examples = captioned(4)
    made = tiny_encoder([each.figure.caption.text for each in examples])
    made.save(tmp_path)
    made.model.save_pretrained(tmp_path)
    for fresh in (False, True):
        options = replace(OPTIONS, encoder=str(tmp_path), random_weights=fresh)
        task = box_crf.make_task(examples, options, Problems())
        same = torch.equal(
            task.module.encoder.model.embeddings.word_embeddings.weight,
            made.model.embeddings.word_embeddings.weight,
        )
        assert same is not fresh


@BOTH
def test_without_a_network_the_papers_encoder_is_missed_in_one_line(kind: ModuleType) -> None:
    with pytest.raises(AnnotatorError, match="scibert"):
        kind.make_task(captioned(4), replace(OPTIONS, encoder=""), Problems())


@BOTH
def test_random_weights_need_no_network(kind: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration and tokenizer are made here, of BERT's base size; but for a test of eleven fewer layers."""
    monkeypatch.setitem(encoders.MADE, "base", ({"num_hidden_layers": 1}, 31_116))
    task = kind.make_task(captioned(4), replace(OPTIONS, encoder="", random_weights=True), Problems())
    assert task.module.encoder.width == 768
    assert task.architecture["encoder"] == "base"
    (batch, *_) = task.batches("train", 1, 0)
    assert torch.isfinite(task.loss(batch))


# ---- that it is learnt ----------------------------------------------------------------------------


@BOTH
def test_a_dozen_epochs_halve_the_loss_of_what_is_shown(kind: ModuleType) -> None:
    """The short form of the next test; without dropout, and on the same captions."""
    seed_all(0)
    task = kind.make_task(validated(captioned(4, longest=60)), OPTIONS, Problems())
    (batch, *_) = task.batches("train", 1, 0)

    def loss() -> float:
        task.module.eval()
        with torch.no_grad():
            return float(task.loss(batch))

    before = loss()
    learn(task, epochs=12)
    assert loss() < before / 2


@pytest.mark.soak
@BOTH
def test_twenty_figures_are_learnt_by_heart(kind: ModuleType) -> None:
    """The training is right: what it is shown often enough, it gives back (F1 .99)."""
    seed_all(0)
    task = kind.make_task(validated(captioned(20, longest=60)), OPTIONS, Problems())
    learn(task, epochs=40)
    assert task.validate()[task.better] >= 0.99


@pytest.mark.soak
def test_words_that_panels_share_are_learnt_by_seeing_the_boxes_and_lost_by_reading_order() -> None:
    """As well as each can learn them; `benchmarks/tagger_quality.py` has unseen captions."""
    found = captioned(120, seed=5, difficulty="hard", lettered=False, longest=50)
    examples = validated([each for each in found if shared(each)][:12])
    scores = {}
    for kind in (text_crf, box_crf):
        seed_all(0)
        task = kind.make_task(examples, OPTIONS, Problems())
        learn(task, epochs=40)
        scores[kind] = task.validate()["word_f1"]
    assert scores[box_crf] > scores[text_crf] + 0.2


@BOTH
def test_a_trained_tagger_is_opened_by_its_folder(kind: ModuleType, tmp_path: Path) -> None:
    seed_all(0)
    examples = validated(captioned(8, longest=60))
    task = kind.make_task(examples, OPTIONS, Problems())
    about = About("box-crf" if kind is box_crf else "text-crf", "mine", {})
    fitted = fit(task, Settings(lr=3e-3, epochs=2, device="cpu"), tmp_path, about=about)
    assert set(fitted.scores) >= {"word_f1"}
    opened = open_tagger(tmp_path, device="cpu")
    found = opened.tag([with_true_boxes(each) for each in examples[:8]])
    assert word_f1(opened, examples[:8]) == pytest.approx(fitted.scores["word_f1"], abs=1e-6)
    assert len(found) == 8
