"""The paper's searches for settings, on a campaign's gold or on files of gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.prelabels.train import AS_THE_PAPER, Material, Wishes, described, examples_of, train_on
from panelwise.files.jsonl import Problems
from prelabel.runs.opening import need_models
from prelabel.training.data.examples import data_hash
from prelabel.training.loop.options import PICTURED, TINY, Options
from prelabel.training.tuning import COUNTS, RANDOM, Search, Trial, search

if TYPE_CHECKING:
    from prelabel.training.loop.epochs import Fitted, Stop, Watch


def tune(
    kind: str,
    material: Material,
    options: Options,
    out: Path,
    problems: Problems,
    *,
    trials: int | None = None,
    sampler: str = RANDOM,
    prune: bool = False,
    wishes: Wishes = AS_THE_PAPER,
    writes: bool = True,
    warn: Callable[[str], None] = lambda _text: None,
    watch: Watch | None = None,
) -> list[Trial]:
    """Search for settings of a kind in the folder `out`; returns all trials, best first. See `search`.

    trials: default as many as the paper did. wishes: what all trainings have in common. writes: see `search`.
    Raises AnnotatorError, one line, where packages are missing, the gold does not suffice, or every trial failed.
    """
    need_models(f"tuning a {kind}")
    from prelabel.training.tasks.registry import examples_for

    examples = examples_for(kind, examples_of(material, problems), problems)
    warn(described(examples))
    what = Search(
        kind=kind,
        seed=options.seed,
        sampler=sampler,
        prune=prune,
        tiny=options.encoder == TINY,
        fixed={
            **{key: value for key, value in options.fixed(kind).items() if key not in ("batch", "dropout")},
            "data": data_hash(examples, images=kind in PICTURED),
            "batch": wishes.batch,
            "epochs": wishes.epochs,
            "patience": wishes.patience,
            "minutes": wishes.minutes,
        },
    )

    def train(settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        given = replace(
            wishes,
            lr=settings["lr"],
            weight_decay=settings.get("weight_decay", wishes.weight_decay),
            dropout=settings.get("dropout", wishes.dropout),
        )
        return train_on(
            *(kind, examples, options, folder, problems), wishes=given, warn=warn, watch=watch, stop=stop
        )

    return search(what, out, trials or COUNTS[kind], train, writes=writes, warn=warn)
