from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from toy_task import ABOUT, Toy

from panelwise.domain.errors import AnnotatorError, FormatError
from prelabel.models.checkpoints import read_about
from prelabel.training.loop import epochs as loop
from prelabel.training.loop.epochs import Fitted, Settings, Stop, fit
from prelabel.training.tuning import COUNTS, SPACES, Range, Search, Trial, draw, read_chosen, search

BOX = Search("box-crf", seed=3)


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these trainings; how it looks is tested elsewhere."""
    monkeypatch.setattr(loop, "draw_curves", lambda path, history, **_: path.write_bytes(b"curves"))


def score_of(settings: Mapping[str, float]) -> float:
    """The best at a learning rate of 3e-5 and no weight decay."""
    return 1.0 - abs(math.log10(settings["lr"] / 3e-5)) - 0.1 * settings["weight_decay"]


class Trainer:
    """Trains a toy whose score hangs on the settings. failing: numbers of trials that do not work."""

    def __init__(self, *, failing: tuple[int, ...] = (), epochs: int = 2) -> None:
        self.failing, self.epochs = failing, epochs
        self.folders: list[str] = []

    def __call__(self, settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        self.folders.append(folder.name)
        if int(folder.name.split("-")[1]) in self.failing:
            raise AnnotatorError("the loss of epoch 1 is no number any more")
        score = score_of(settings)
        task = Toy(scores=[score - 0.1, score])
        return fit(
            task, Settings(lr=settings["lr"], epochs=self.epochs, device="cpu"), folder, about=ABOUT, stop=stop
        )


def test_settings_are_drawn_as_in_the_paper() -> None:
    drawn = [draw(BOX, number) for number in range(1, 2001)]
    rates = np.log([each["lr"] for each in drawn])
    assert (math.exp(rates.min()), math.exp(rates.max())) == pytest.approx((5e-6, 1e-4), rel=0.02)
    # Uniform in the logarithm: half below the geometric mean.
    assert np.mean(rates < (math.log(5e-6) + math.log(1e-4)) / 2) == pytest.approx(0.5, abs=0.05)
    for name, high in (("weight_decay", 1.0), ("dropout", 0.5)):
        values = [each[name] for each in drawn]
        assert min(values) >= 0.0
        assert high * 0.99 < max(values) <= high
    assert (COUNTS["detector"], COUNTS["text-crf"], COUNTS["box-crf"]) == (10, 30, 30)
    assert dict(SPACES["detector"]) == {"lr": Range(1e-5, 1e-3, log=True)}


def test_a_draw_hangs_on_seed_and_number_only() -> None:
    assert draw(BOX, 7) == draw(BOX, 7) != draw(BOX, 8)
    assert draw(replace(BOX, seed=4), 7) != draw(BOX, 7)


def test_a_search_keeps_the_best_and_its_checkpoint_only(tmp_path: Path) -> None:
    ranked = search(BOX, tmp_path / "s", 5, Trainer())
    scores = [each.score for each in ranked if each.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(score_of(ranked[0].settings))
    chosen = json.loads((tmp_path / "s" / "best.json").read_text())
    assert (chosen["kind"], chosen["trial"], chosen["settings"]) == (
        "box-crf",
        ranked[0].number,
        dict(ranked[0].settings),
    )
    assert read_about(tmp_path / "s").scores["accuracy"] == pytest.approx(scores[0])
    assert read_chosen(tmp_path / "s" / "best.json", "box-crf") == chosen["settings"]
    assert len((tmp_path / "s" / "trials.jsonl").read_text().splitlines()) == 5
    for number in range(1, 6):
        names = {path.name for path in (tmp_path / "s" / f"trial-{number:03d}").iterdir()}
        assert names == {"log.jsonl", "curves.png"}


def test_a_search_that_was_killed_ends_as_one_that_was_not(tmp_path: Path) -> None:
    whole = search(BOX, tmp_path / "whole", 4, Trainer())

    class Killed(Trainer):
        def __call__(self, settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
            if folder.name == "trial-003":
                # Half a trial is done when the process ends.
                Trainer(epochs=1)(settings, folder, stop)
                raise KeyboardInterrupt
            return super().__call__(settings, folder, stop)

    with pytest.raises(KeyboardInterrupt):
        search(BOX, tmp_path / "killed", 4, Killed())
    trainer = Trainer()
    resumed = search(BOX, tmp_path / "killed", 4, trainer)
    assert trainer.folders == ["trial-003", "trial-004"]
    assert [(each.number, each.settings, each.epochs) for each in resumed] == [
        (each.number, each.settings, each.epochs) for each in whole
    ]
    assert (tmp_path / "whole" / "best.json").read_text() == (tmp_path / "killed" / "best.json").read_text()


def test_more_trials_go_further_and_repeat_none(tmp_path: Path) -> None:
    search(BOX, tmp_path, 2, Trainer())
    trainer = Trainer()
    assert len(search(BOX, tmp_path, 3, trainer)) == 3
    assert trainer.folders == ["trial-003"]


def test_a_trial_that_fails_is_told_and_the_search_goes_on(tmp_path: Path) -> None:
    told: list[str] = []
    ranked = search(BOX, tmp_path, 3, Trainer(failing=(1,)), warn=told.append)
    assert (ranked[-1].number, ranked[-1].score) == (1, None)
    assert "trial 1: failed, the loss of epoch 1 is no number any more" in told
    with pytest.raises(AnnotatorError, match="every trial failed; the last: the loss of epoch 1"):
        search(BOX, tmp_path / "all", 2, Trainer(failing=(1, 2)))


def test_gold_that_is_at_fault_ends_the_search_at_once(tmp_path: Path) -> None:
    def train(settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        raise FormatError("gold.jsonl: no figure")

    with pytest.raises(FormatError, match=r"gold\.jsonl: no figure"):
        search(BOX, tmp_path, 2, train)


def test_another_search_or_other_files_are_not_mixed_in(tmp_path: Path) -> None:
    search(BOX, tmp_path / "s", 1, Trainer())
    with pytest.raises(FormatError, match=r"holds a search with other settings \(seed\)"):
        search(replace(BOX, seed=4), tmp_path / "s", 1, Trainer())
    with pytest.raises(FormatError, match=r"other settings \(data\)"):
        search(replace(BOX, fixed={"data": "x"}), tmp_path / "s", 1, Trainer())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    with pytest.raises(FormatError, match="holds something else; name a new folder"):
        search(BOX, tmp_path / "other", 1, Trainer())


@pytest.mark.parametrize("content", ["{", '{"number": "one"}'])
def test_damaged_trials_are_one_line(tmp_path: Path, content: str) -> None:
    search(BOX, tmp_path, 1, Trainer())
    (tmp_path / "trials.jsonl").write_text(content + "\n")
    with pytest.raises(FormatError, match=r"trials\.jsonl"):
        search(BOX, tmp_path, 2, Trainer())


def test_hopeless_trials_are_pruned_and_others_are_not(tmp_path: Path) -> None:
    scores = {1: 0.5, 2: 0.6, 3: 0.7, 4: 0.8, 5: 0.1, 6: 0.9}

    def train(settings: Mapping[str, float], folder: Path, stop: Stop | None) -> Fitted:
        score = scores[int(folder.name.split("-")[1])]
        task = Toy(scores=[score] * 3)
        return fit(task, Settings(lr=1e-3, epochs=3, device="cpu"), folder, about=ABOUT, stop=stop)

    ranked = search(replace(BOX, prune=True), tmp_path, 6, train)
    assert {each.number: each.epochs for each in ranked} == {1: 3, 2: 3, 3: 3, 4: 3, 5: 1, 6: 3}
    assert {each.number: each.why for each in ranked}[5] == "others do better"


def test_a_parzen_estimator_finds_more_than_chance_and_is_the_same_again(tmp_path: Path) -> None:
    what = replace(BOX, sampler="tpe")
    done: list[Trial] = []
    for number in range(1, 31):
        settings = draw(what, number, done)
        assert settings == draw(what, number, done)
        done.append(Trial(number, settings, score_of(settings)))
    late = [each.score or 0.0 for each in done[20:]]
    chance = [score_of(draw(BOX, number)) for number in range(1, 200)]
    assert np.mean(late) > np.mean(chance) + 0.1


def test_without_optuna_the_estimator_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(
        AnnotatorError, match=r'--sampler tpe needs panelwise\[tune\]; pip install "panelwise\[tune\]"'
    ):
        draw(replace(BOX, sampler="tpe"), 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no such file"),
        ("{", "cannot be read"),
        ("[]", "holds no settings"),
        ('{"kind": "detector", "settings": {}}', 'holds settings for a "detector", not for a "box-crf"'),
        ('{"kind": "box-crf", "settings": {"lr": "high"}}', '"settings.lr" holds a text, not a number'),
    ],
)
def test_bad_settings_of_a_search_are_one_line(tmp_path: Path, content: str | None, said: str) -> None:
    file = tmp_path / "best.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(FormatError) as caught:
        read_chosen(file, "box-crf")
    assert said in str(caught.value)
