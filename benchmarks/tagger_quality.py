"""The quality of both taggers on simulated captions and on real figures, trained without a network.

Trained on simulated captions (a quarter each: with letters and without, medium and hard), from the random tiny
encoder or from an encoder in a folder, and scored by word F1 given the gold boxes. On simulated captions the
promise is: where captions name places or share words between panels, the Text+Box tagger beats the text-only one
with reading order. Two ceilings stand beside: reading order given the spans that the latter learns, and the
longest run of each subcaption. On real figures (--data, the folder with gold_annotations.jsonl) the caption
grammar stands beside, and both together: the grammar where it is sure and names as many panels as there are boxes.
Only figures that the grammar was worked with are scored: those of the articles kept apart were scored as often as
docs/quality.md allows.

    python benchmarks/tagger_quality.py [--encoder FOLDER ...] [--seeds 3] [--epochs 15] [--data DIR]

With the defaults a quarter of an hour on a free core.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agreement.primitives.token_f1 import token_f1
from annotator.prelabels.evaluate import unwatched
from panelwise.domain.annotation import Subfigure
from panelwise.files.jsonl import Problems
from panelwise_simulator.captioned import captioned_figures
from prelabel.captions.parser import parse_caption
from prelabel.evaluation.paper_table.systems import NamedTagger, captioned, on_gold, single_spans_by_heuristic
from prelabel.taggers.spans import runs
from prelabel.training.data.examples import Example, read_examples
from prelabel.training.data.splits import Split
from prelabel.training.loop.epochs import seed_all
from prelabel.training.loop.optimisers import parameter_groups
from prelabel.training.loop.options import Task
from prelabel.training.tasks import box_crf, text_crf
from prelabel.training.tasks.registry import Options

LONGEST, WARMUP, CLIP = 80, 100, 1.0
#: Learning rate from random weights and from trained ones.
RATES = {True: 2e-3, False: 2e-4}
#: At least that of what is on top of the encoder: the joint layer of the boxes begins from random weights.
FRESH = {"text-crf": 0.0, "box-crf": 2e-3}
#: Captions in a batch of the text tagger, boxes in one of the box tagger.
BATCH = 8
DECAY, DROPOUT = 0.01, 0.1
MODULES: Mapping[str, Any] = {"text-crf": text_crf, "box-crf": box_crf}
STYLES = ((True, "medium"), (True, "hard"), (False, "medium"), (False, "hard"))
#: From this confidence on the grammar is sure.
SURE = 0.5

#: Figure id -> its subfigures with words.
Answers = Mapping[str, Sequence[Subfigure]]


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


def learn(task: Task, epochs: int, rate: float, fresh: float, name: str) -> None:
    """As `prelabel train` does, but for rates that fall and no look at the test; fresh: of all but the encoder."""
    trained = set(task.module.encoder.parameters())
    groups = [
        {**group, "params": [each for each in group["params"] if (each in trained) == old], "most": most}
        for group in parameter_groups(task.module, rate, DECAY)
        for old, most in ((True, rate), (False, fresh))
    ]
    optimiser = torch.optim.AdamW(groups)
    total, step = epochs * sum(1 for _ in task.batches("train", 0, 0)), 0
    began, losses = time.process_time(), []
    for epoch in range(1, epochs + 1):
        task.module.train()
        for batch in task.batches("train", epoch, 0):
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = group["most"] * min(1.0, step / WARMUP, 2 * (1 - step / (total + 1)))
            optimiser.zero_grad()
            loss = task.loss(batch)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(task.module.parameters(), CLIP)
            optimiser.step()
            losses.append(float(loss.detach()))
        seconds = time.process_time() - began
        shown = f"loss {np.mean(losses[-total // epochs :]):.2f}, {step} steps, {seconds:.0f} s of processor time"
        print(f"  {name} epoch {epoch}: {shown}", file=sys.stderr, flush=True)
    task.module.eval()


def word_f1(asked: Sequence[Example], answers: Answers) -> float:
    """The mean over the subfigures that have words."""
    values = []
    for example in asked:
        words = example.figure.caption.counted
        for gold, found in zip(captioned(example.subfigures), answers[example.figure.id], strict=True):
            value = token_f1(gold.subcaption & words, found.subcaption & words)
            if value is not None:
                values.append(value)
    return float(np.mean(values))


def longest(subfigures: Sequence[Subfigure]) -> list[Subfigure]:
    """Each with the longest run of its words."""
    return [
        Subfigure(
            each.label,
            each.box,
            frozenset(range(*max(runs(each.subcaption), key=lambda span: span[1] - span[0]))),
        )
        for each in subfigures
    ]


def sure(example: Example) -> bool:
    """Return whether the caption grammar is sure of the caption, and names as many panels as there are boxes."""
    parsed = parse_caption(example.figure.caption)
    return parsed.confidence >= SURE and len(parsed.labels) == len(captioned(example.subfigures))


def together(asked: Sequence[Example], grammar: Answers, tagger: Answers) -> Answers:
    return {each.figure.id: (grammar if sure(each) else tagger)[each.figure.id] for each in asked}


class Scores:
    """Word F1 of each system on each set of figures, by seed."""

    def __init__(self, sets: Mapping[str, Sequence[Example]]) -> None:
        self.sets = {name: asked for name, asked in sets.items() if asked}
        self.rows: dict[str, list[list[float]]] = {}

    def add(self, name: str, answers: Answers) -> None:
        scored = [word_f1(asked, answers) for asked in self.sets.values()]
        self.rows.setdefault(name, []).append(scored)

    def mean(self, name: str) -> dict[str, float]:
        return dict(zip(self.sets, np.mean(self.rows[name], axis=0).tolist(), strict=True))

    def last(self, name: str) -> str:
        """Those added last, in one line."""
        return ", ".join(
            f"{subset} {value:.3f}" for subset, value in zip(self.sets, self.rows[name][-1], strict=True)
        )

    def show(self, title: str) -> None:
        print(title)
        print(f"  {'':34}" + "".join(f"{name:>26}" for name in self.sets))
        print(f"  {'figures':34}" + "".join(f"{len(asked):26}" for asked in self.sets.values()))
        for name, seeds in self.rows.items():
            cells = [f"{np.mean(own):.3f}" + _each(own) for own in zip(*seeds, strict=True)]
            print(f"  {name:34}" + "".join(f"{cell:>26}" for cell in cells), flush=True)


def _each(seeds: Sequence[float]) -> str:
    return f" ({', '.join(f'{each:.3f}' for each in seeds)})" if len(seeds) > 1 else ""


def real_figures(folder: Path) -> dict[str, list[Example]]:
    """Those that the grammar was worked with: of articles whose name has an even SHA-256. Figures need words."""
    problems = Problems()
    figures = folder / "figures.jsonl"
    found = [each for each in read_examples(folder / "gold_annotations.jsonl", problems, figures=figures)]
    return {"real, worked with": [each for each in found if each.texted and not _kept_apart(each.figure.document)]}


def _kept_apart(document: str) -> bool:
    return bool(int(sha256(document.encode()).hexdigest(), 16) % 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", action="append", help="a folder, or tiny (repeatable)")
    parser.add_argument("--kind", action="append", choices=MODULES, help="default: both (repeatable)")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--train", type=int, default=2000)
    parser.add_argument("--test", type=int, default=300)
    parser.add_argument("--data", type=Path)
    given = parser.parse_args()
    encoders, kinds = given.encoder or ["tiny"], given.kind or list(MODULES)
    torch.set_num_threads(1)
    learnt, unseen = examples(given.train, Split.TRAIN, 100), examples(given.test, Split.TEST, 200)
    real = {} if given.data is None else real_figures(given.data)
    everything = [*unseen, *(each for found in real.values() for each in found)]
    scores = Scores({**{name: [each for each in unseen if has(each)] for name, has in SUBSETS.items()}, **real})
    boxes = {each.figure.id: captioned(each.subfigures) for each in everything}
    scores.add(
        "spans to learn, reading order", {name: single_spans_by_heuristic(own) for name, own in boxes.items()}
    )
    scores.add("longest single spans", {name: longest(own) for name, own in boxes.items()})
    (grammar,) = on_gold(everything, [], unwatched)
    scores.add("caption grammar", grammar.answers)
    for encoder in encoders:
        rate = RATES[encoder == "tiny"]
        for seed in range(given.first_seed, given.first_seed + given.seeds):
            for kind in kinds:
                name = f"{kind}, {Path(encoder).name}"
                seed_all(seed)
                options = Options(encoder=encoder, batch=BATCH, dropout=DROPOUT)
                task = MODULES[kind].make_task(learnt, options, Problems())
                learn(task, given.epochs, rate, max(rate, FRESH[kind]), f"{name}, seed {seed}")
                found, _ = on_gold(everything, [NamedTagger(kind, task.tagger)], unwatched)
                scores.add(name, found.answers)
                scores.add(
                    f"  grammar where sure, else {name}", together(everything, grammar.answers, found.answers)
                )
                print(f"  {name}, seed {seed}: {scores.last(name)}", file=sys.stderr, flush=True)
    scores.show(
        f"word F1, {len(learnt)} simulated captions to train, epochs: {given.epochs}, seeds: {given.seeds}"
    )
    for encoder in encoders if len(kinds) > 1 else ():
        text, box = (scores.mean(f"{kind}, {Path(encoder).name}")["either"] for kind in MODULES)
        if box <= text:
            sys.exit(
                f"{encoder}: the Text+Box tagger does not beat the text-only one where places are named or "
                "words shared"
            )


if __name__ == "__main__":
    main()
