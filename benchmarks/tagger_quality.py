"""How well both taggers learn simulated captions from random tiny weights: 2,000 to train, 300 to test.

The promise: on figures whose captions name places or share words between panels, the Text+Box tagger beats the
text-only one with reading order. Two ceilings stand beside: reading order given the spans that the latter learns,
and the longest run of each subcaption. A quarter each: with letters and without, medium and hard.
`tagger_quality.py [EPOCHS [TRAIN TEST]]`; a quarter of an hour on a free core.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from agreement.primitives.token_f1 import token_f1
from panelwise.files.jsonl import Problems
from panelwise.runtime.plurals import counted
from panelwise_simulator.captioned import captioned_figures
from prelabel.models.protocols import Tagged
from prelabel.taggers.bioul import runs
from prelabel.taggers.reading_order import paired
from prelabel.training.data.examples import Example
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import seed_all
from prelabel.training.loop.task import Task
from prelabel.training.tasks import box_crf, text_crf
from prelabel.training.tasks.registry import Options
from prelabel.training.tasks.shared import with_true_boxes

EPOCHS, TRAIN, TEST, LONGEST = 15, 2000, 300, 80
LR, WARMUP, BATCH, CLIP = 2e-3, 100, 8, 1.0
STYLES = ((True, "medium"), (True, "hard"), (False, "medium"), (False, "hard"))

Found = Sequence[Sequence[frozenset[int]]]


def examples(count: int, split: Split, seed: int) -> list[Example]:
    found = []
    for number, (lettered, difficulty) in enumerate(STYLES):
        for truth in captioned_figures(
            count // len(STYLES), seed=seed + number, lettered=lettered, difficulty=difficulty, longest=LONGEST
        ):
            found.append(Example(truth.figure, Path("none.png"), truth.subfigures, split))
    return found


def shared(example: Example) -> bool:
    tokens = [token for each in example.subfigures for token in each.subcaption]
    return len(tokens) > len(set(tokens))


def places(example: Example) -> bool:
    return "places" in str(example.figure.source["markers"])


SUBSETS: dict[str, Callable[[Example], bool]] = {
    "all": lambda _: True,
    "places named": places,
    "words shared": shared,
    "either": lambda each: places(each) or shared(each),
}


def learn(task: Task, epochs: int) -> None:
    """As `prelabel train --encoder tiny` does, but for a rate that falls, and without a look at the test."""
    optimiser = torch.optim.AdamW(task.parameter_groups(LR, 0.01))
    step = 0
    for epoch in range(1, epochs + 1):
        task.module.train()
        began, losses = time.perf_counter(), []
        for batch in task.batches("train", epoch, 0):
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = LR * min(1.0, step / WARMUP, 2 * (1 - (epoch - 1) / epochs))
            optimiser.zero_grad()
            loss = task.loss(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(task.module.parameters(), CLIP)
            optimiser.step()
            losses.append(float(loss.detach()))
        seconds = time.perf_counter() - began
        print(f"  {task.module.kind} epoch {epoch}: loss {np.mean(losses):.2f}, {seconds:.0f} s", file=sys.stderr)
    task.module.eval()


def scores(test: Sequence[Example], found: Found) -> dict[str, float]:
    """Word F1 over the boxes of each subset."""
    result = {}
    for name, chosen in SUBSETS.items():
        values = []
        for example, parts in zip(test, found, strict=True):
            words = example.figure.caption.counted
            for subfigure, tokens in zip(example.subfigures, parts, strict=True):
                value = token_f1(subfigure.subcaption & words, tokens & words)
                if chosen(example) and value is not None:
                    values.append(value)
        result[name] = float(np.mean(values))
    return result


def in_order(example: Example) -> list[frozenset[int]]:
    """What reading order makes of the very spans that the text-only tagger is to learn."""
    spans = [frozenset(range(*span)) for span in sorted(text_crf.spans_to_learn(example))]
    return paired([each.box for each in example.subfigures], spans, frozenset[int]())


def single(example: Example) -> list[frozenset[int]]:
    """The longest run of each subcaption."""
    longest = [
        max(runs(each.subcaption), key=lambda span: span[1] - span[0], default=(0, 0))
        for each in example.subfigures
    ]
    return [frozenset(range(*span)) for span in longest]


def parts(found: Sequence[Tagged]) -> Found:
    return [each.subcaptions for each in found]


def main() -> None:
    given = [int(each) for each in sys.argv[1:]]
    epochs, *sizes = given or [EPOCHS]
    train, test = sizes or (TRAIN, TEST)
    torch.set_num_threads(1)
    learnt, unseen = examples(train, Split.TRAIN, 100), examples(test, Split.TEST, 200)
    rows = {
        "spans to learn, reading order": scores(unseen, [in_order(each) for each in unseen]),
        "longest single spans": scores(unseen, [single(each) for each in unseen]),
    }
    for name, kind in (("text-crf, reading order", text_crf), ("box-crf", box_crf)):
        seed_all(0)
        task = kind.make_task(learnt, Options(encoder="tiny", batch=BATCH, dropout=0.1), Problems())
        learn(task, epochs)
        rows[name] = scores(unseen, parts(task.tagger.tag([with_true_boxes(each) for each in unseen])))
    print(
        f"word F1, {counted(len(learnt), 'caption')} to train, {len(unseen)} to test, {counted(epochs, 'epoch')}"
    )
    print(f"  {'':30}" + "".join(f"{name:>14}" for name in SUBSETS))
    print(f"  {'figures':30}" + "".join(f"{sum(map(chosen, unseen)):14}" for chosen in SUBSETS.values()))
    for name, values in rows.items():
        print(f"  {name:30}" + "".join(f"{value:14.3f}" for value in values.values()))
    if rows["box-crf"]["either"] <= rows["text-crf, reading order"]["either"]:
        sys.exit("the Text+Box tagger does not beat the text-only one where places are named or words shared")


if __name__ == "__main__":
    main()
