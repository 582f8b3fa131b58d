"""Searching for settings as the paper did: at random, a training each; or by a Parzen estimator.

Everything of a search is in one folder: `search.json` (what is searched), `trials.jsonl` (a line a trial that is
done), `trial-001/` and so on (each trial's log and curves), `best.json` and `best/` (the best trial's settings and
its checkpoint). A search that was killed goes on with the trial that it was at, where that was.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from panelwise.domain import AnnotatorError, FormatError
from panelwise.files import Fields, Problems, read_lines, write_lines
from panelwise.runtime import write_whole

if TYPE_CHECKING:
    from prelabel.training.loop.epochs import Fitted, Stop

SEARCH, TRIALS, CHOSEN = "search.json", "trials.jsonl", "best.json"
RANDOM, TPE = "random", "tpe"
#: What is heavy in a trial's folder, and goes when the trial is done.
_HEAVY = ("best", "last.pt")
#: No trial is ended before this many others have come as far.
_FEWEST = 4


@dataclass(frozen=True, slots=True)
class Range:
    """The range of a setting: uniform, or uniform in its logarithm."""

    low: float
    high: float
    log: bool = False

    def at(self, share: float) -> float:
        """The value at a share in [0, 1] of the range."""
        if self.log:
            return math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        return self.low + share * (self.high - self.low)


_TAGGER = MappingProxyType(
    {"lr": Range(5e-6, 1e-4, log=True), "weight_decay": Range(0.0, 1.0), "dropout": Range(0.0, 0.5)}
)
#: The paper's ranges (appendix C); the classifier's and the matcher's are ours.
SPACES: Mapping[str, Mapping[str, Range]] = MappingProxyType(
    {
        "detector": MappingProxyType({"lr": Range(1e-5, 1e-3, log=True)}),
        "text-crf": _TAGGER,
        "box-crf": _TAGGER,
        "classifier": MappingProxyType({"lr": Range(1e-5, 1e-3, log=True), "weight_decay": Range(0.0, 0.1)}),
        "matcher": MappingProxyType({"lr": Range(1e-6, 1e-4, log=True), "dropout": Range(0.0, 0.5)}),
    }
)
#: A tiny random encoder learns at higher rates than a large trained one.
_TINY = MappingProxyType({**_TAGGER, "lr": Range(2e-4, 5e-3, log=True)})
#: The paper's numbers of trials.
COUNTS: Mapping[str, int] = MappingProxyType(
    {"detector": 10, "text-crf": 30, "box-crf": 30, "classifier": 10, "matcher": 10}
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One training. number: from 1. score: of the best epoch; None if the training failed, which `why` tells.

    running: the best score so far after each epoch.
    """

    number: int
    settings: Mapping[str, float]
    score: float | None
    epochs: int = 0
    best: int = 0
    seconds: float = 0.0
    why: str = ""
    running: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """The fixed values of a search. fixed: options of the trainings, and the data's hash."""

    kind: str
    seed: int = 0
    sampler: str = RANDOM
    prune: bool = False
    tiny: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def space(self) -> Mapping[str, Range]:
        """Return the range of each setting."""
        return _TINY if self.tiny else SPACES[self.kind]


#: Trains with some settings into a folder; `stop` may end it early.
Train = Callable[[Mapping[str, float], Path, "Stop | None"], "Fitted"]


def search(
    what: Search,
    out: Path,
    trials: int,
    train: Train,
    *,
    writes: bool = True,
    warn: Callable[[str], None] = lambda _text: None,
) -> list[Trial]:
    """Do what is left of `trials` trials; returns all, best first, failed ones last.

    writes: whether this process is the one of several that writes. Raises AnnotatorError if `out` holds another
    search, or every trial failed.
    """
    _begin(what, out, writes)
    done = _read(out)
    for number in range(len(done) + 1, trials + 1):
        settings = draw(what, number, done)
        shown = ", ".join(f"{key} {value:.3g}" for key, value in settings.items())
        warn(f"trial {number} of {trials}: {shown}")
        folder = out / f"trial-{number:03d}"
        try:
            found = train(settings, folder, _stopping(done) if what.prune else None)
        except FormatError:
            raise  # The gold or a file is at fault, not the settings.
        except AnnotatorError as error:
            trial = Trial(number, settings, None, why=str(error))
        else:
            score = found.about.scores[found.better]
            trial = Trial(
                *(number, settings, score if math.isfinite(score) else None, found.epochs, found.best),
                *(round(found.seconds, 3), found.why, _running(folder, found.better)),
            )
        done.append(trial)
        if writes:
            _keep(what, out, done, folder)
        warn(f"trial {number}: " + ("failed, " + trial.why if trial.score is None else f"{trial.score:.4f}"))
    ranked = sorted(done, key=lambda trial: (trial.score is None, -(trial.score or 0.0), trial.number))
    if ranked and ranked[0].score is None:
        raise AnnotatorError(f"{out}: every trial failed; the last: {done[-1].why}")
    return ranked


def draw(what: Search, number: int, done: Sequence[Trial] = ()) -> dict[str, float]:
    """The settings of trial `number`. At random they hang on the seed and the number only."""
    if what.sampler == TPE:
        return _estimated(what, number, done)
    shares = np.random.default_rng([what.seed, number]).random(len(what.space))
    return {name: each.at(float(share)) for (name, each), share in zip(what.space.items(), shares, strict=True)}


def read_chosen(path: Path, kind: str) -> dict[str, float]:
    """The settings in a search's `best.json`. Raises FormatError if it is none, or of another kind."""
    try:
        record = msgspec.json.decode(path.read_bytes())
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; name the {CHOSEN} of a search") from None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise FormatError(f"{path}: cannot be read ({error}); name the {CHOSEN} of a search") from None
    if not isinstance(record, dict) or "settings" not in record:
        raise FormatError(f"{path}: holds no settings; name the {CHOSEN} of a search")
    fields = Fields(str(path), record)
    if fields.text("kind") != kind:
        raise FormatError(f'{path}: holds settings for a "{record["kind"]}", not for a "{kind}"')
    values = Fields(str(path), fields.mapping("settings"), "settings.")
    found = {name: values.optional_number(name) for name in SPACES[kind]}
    return {name: value for name, value in found.items() if value is not None}


def _estimated(what: Search, number: int, done: Sequence[Trial]) -> dict[str, float]:
    """Draw settings by optuna's tree-structured Parzen estimator, from the finished trials."""
    try:
        import optuna
    except ImportError:
        raise AnnotatorError('--sampler tpe needs panelwise[tune]; pip install "panelwise[tune]"') from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    ranges = {
        name: optuna.distributions.FloatDistribution(each.low, each.high, log=each.log)
        for name, each in what.space.items()
    }
    seed = int(np.random.SeedSequence([what.seed, number]).generate_state(1)[0])
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    for trial in done:
        if trial.score is not None:
            study.add_trial(
                optuna.trial.create_trial(params=dict(trial.settings), distributions=ranges, value=trial.score)
            )
    return {name: float(value) for name, value in study.ask(ranges).params.items()}


def _stopping(done: Sequence[Trial]) -> Stop:
    """Ends a trial that lies below the median of those before it, after as many epochs."""

    def stop(epoch: int, score: float) -> bool:
        others = [trial.running[epoch - 1] for trial in done if len(trial.running) >= epoch]
        return len(others) >= _FEWEST and score < median(others)

    return stop


def _running(folder: Path, better: str) -> tuple[float, ...]:
    """The best score so far after each epoch, by a trial's log."""
    lines = read_lines(folder / "log.jsonl", Problems())
    scores = [line.record["scores"].get(better) for line in lines]
    return tuple(accumulate((float("-inf") if score is None else float(score) for score in scores), max))


def _begin(what: Search, out: Path, writes: bool) -> None:
    file, wanted = out / SEARCH, msgspec.to_builtins(asdict(what))
    if file.is_file():
        try:
            found = msgspec.json.decode(file.read_bytes())
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(f"{file}: not valid JSON ({error}); name another folder") from None
        if found != wanted:
            flat = [_flat(each) if isinstance(each, dict) else {} for each in (found, wanted)]
            differing = sorted(
                key for key in flat[0].keys() | flat[1].keys() if flat[0].get(key) != flat[1].get(key)
            )
            raise FormatError(
                f"{out}: holds a search with other settings ({', '.join(differing[:4])}); give the same, or name "
                "another folder"
            )
    elif writes:
        if out.is_dir() and any(out.iterdir()):
            raise FormatError(f"{out}: holds something else; name a new folder for the search")
        write_whole(file, msgspec.json.format(msgspec.json.encode(wanted), indent=2) + b"\n")


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    fixed = record.get("fixed")
    return {
        **{key: value for key, value in record.items() if key != "fixed"},
        **(fixed if isinstance(fixed, dict) else {}),
    }


def _read(out: Path) -> list[Trial]:
    if not (out / TRIALS).is_file():
        return []
    problems = Problems()
    try:
        found = [msgspec.convert(dict(line.record), Trial) for line in read_lines(out / TRIALS, problems)]
    except msgspec.ValidationError as error:
        raise FormatError(f"{out / TRIALS}: is damaged ({error}); name another folder") from None
    if problems.count:
        raise FormatError(problems.lines[0])
    return found


def _keep(what: Search, out: Path, done: Sequence[Trial], folder: Path) -> None:
    """Record the last trial; moves the best one's checkpoint up and deletes other large files."""
    last = done[-1]
    best = max(
        (trial for trial in done if trial.score is not None), key=lambda each: each.score or 0.0, default=None
    )
    if best is last:
        shutil.rmtree(out / "best", ignore_errors=True)
        shutil.copytree(folder / "best", out / "best")
        record = {"kind": what.kind, "trial": last.number, "score": last.score, "settings": dict(last.settings)}
        write_whole(out / CHOSEN, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
    write_lines(out / TRIALS, (asdict(trial) for trial in done))
    for name in _HEAVY:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
