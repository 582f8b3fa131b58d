"""The paper's searches for settings, on a campaign's gold or on files of gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.prelabels.train import Material, Training, train_on
from prelabel.runs import need_models
from prelabel.training import COUNTS, PICTURED, RANDOM, TINY, Search, Trial, data_hash, search

if TYPE_CHECKING:
    from prelabel.training import Fitted, Stop


def tune(
    training: Training,
    material: Material,
    out: Path,
    *,
    trials: int | None = None,
    sampler: str = RANDOM,
    prune: bool = False,
    writes: bool = True,
) -> list[Trial]:
    """Search for settings of a kind in the folder `out`; returns all trials, best first. See `search`.

    training: what all trials have in common. trials: default as many as the paper did. writes: see `search`.
    Raises AnnotatorError, one line, if packages are missing, the gold does not suffice, or every trial failed.
    """
    kind, wishes = training.kind, training.wishes
    need_models(f"tuning a {kind}")
    examples = training.examples(material)
    fixed = training.options.fixed(kind)
    what = Search(
        kind=kind,
        seed=training.options.seed,
        sampler=sampler,
        prune=prune,
        tiny=training.options.encoder == TINY,
        fixed={
            **{key: value for key, value in fixed.items() if key not in ("batch", "dropout")},
            "data": data_hash(examples, images=kind in PICTURED, references=training.options.references),
            "batch": wishes.batch,
            "epochs": wishes.epochs,
            "patience": wishes.patience,
            "minutes": wishes.minutes,
        },
    )

    def train(settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        tried = replace(
            wishes,
            lr=settings["lr"],
            weight_decay=settings.get("weight_decay", wishes.weight_decay),
            dropout=settings.get("dropout", wishes.dropout),
        )
        return train_on(replace(training, wishes=tried), examples, material.split_source, folder, stop=stop)

    return search(what, out, trials or COUNTS[kind], train, writes=writes, warn=training.warn)
