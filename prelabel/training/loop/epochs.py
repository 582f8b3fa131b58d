"""One plain training loop for every model: early stopping, mixed precision, several GPUs, resumable after a kill.

A training writes into one folder: `last.pt` (all that is needed to go on after the last whole epoch), `log.jsonl`
(a line an epoch), `curves.png`, and `best/`, the checkpoint of the best epoch. Every file appears whole or not at
all. Each epoch begins with seeds of its own, so a run that was killed and resumed ends with the same weights, bit
for bit on a CPU, as one that was not.
"""

from __future__ import annotations

import gc
import io
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch

from panelwise.domain import AnnotatorError
from panelwise.runtime import counted, write_whole
from prelabel.models.checkpoints import BEST, About, read_about, save_checkpoint, write_about
from prelabel.models.devices import amp_of, choose_device, out_of_memory
from prelabel.training.data.splits import Split
from prelabel.training.loop.checkpoints import State, read_state, write_log, write_state
from prelabel.training.loop.optimisers import BertAdam, parameter_groups, staged_groups
from prelabel.training.loop.options import Staged, Task
from prelabel.training.loop.processes import Processes

#: The paper's patience: epochs without a better validation score (appendix C).
PATIENCE = 5
LAST, LOG, CURVES = "last.pt", "log.jsonl", "curves.png"

#: Wraps the batches of an epoch, as a progress bar does: called with them, what they are, and how many, if known.
Watch = Callable[[Iterable[Any], str, int | None], Iterator[Any]]
#: Asked after an epoch with its number and the best score so far.
Stop = Callable[[int, float], bool]
#: Seconds between two drawings of the curves.
_REDRAW = 10.0
#: Of a training by stages: the second one's part of the learning rate, the part of a stage at full rate, the least
#: part of it at the end, and how much of the average a step leaves.
_SECOND, _LEVEL, _LOWEST, _AVERAGED = 0.4, 0.4, 0.03, 0.998
#: This many steps in a row without a finite loss and gradient end a training: it has diverged.
MOST_SKIPPED = 50


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of the loop. epochs: at most. patience: epochs without a better score before it stops; the first
    `grace` steps do not count.

    weight_decay: decoupled (AdamW); which parameters have it the task says. warmup: steps in which the learning
    rate grows to `lr`. clip: largest norm of a gradient, 0 for no limit. minutes: stop after so many, None for no
    limit. amp: mixed precision on CUDA. other: settings of the task's own (batch, dropout, ...), for the record.
    frozen_epochs: 0 for a training of one piece; else of a `Staged` task the epochs of its first stage. In each
    stage the learning rate warms up and falls, and a moving average of the weights is validated and saved.
    bert_adam: see `BertAdam`, in place of AdamW.
    """

    lr: float
    weight_decay: float = 0.0
    epochs: int = 100
    patience: int = PATIENCE
    grace: int = 0
    seed: int = 0
    device: str = "auto"
    amp: bool = True
    warmup: int = 0
    clip: float = 0.0
    minutes: float | None = None
    other: Mapping[str, Any] = field(default_factory=dict)
    frozen_epochs: int = 0
    bert_adam: bool = False

    def fixed(self) -> dict[str, Any]:
        """Those that a training cannot change half-way; the rates of stages hang on the number of epochs."""
        free = {"patience", "grace", "device", "minutes"}
        free |= set() if self.frozen_epochs else {"epochs"}
        return {key: value for key, value in asdict(self).items() if key not in free}

    def stage(self, epoch: int) -> tuple[int, int]:
        """Return the first and the last epoch, from 1, of the stage that this one belongs to."""
        frozen = min(self.frozen_epochs, self.epochs)
        return (1, frozen) if epoch <= frozen else (frozen + 1, self.epochs)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A finished training. best: the epoch, from 1, of the checkpoint. better: the score that was watched.

    why: what ended it, in words. doubt: why its checkpoint may be useless, in words; "" where nothing says so.
    """

    about: About
    epochs: int
    best: int
    scores: Mapping[str, float]
    better: str
    why: str
    seconds: float
    doubt: str = ""


def _silent(_text: str) -> None:
    """Nobody listens."""


def _unwatched(items: Iterable[Any], _label: str, _total: int | None) -> Iterator[Any]:
    yield from items


def fit(
    task: Task,
    settings: Settings,
    out: Path,
    *,
    about: About,
    resume: bool = True,
    warn: Callable[[str], None] = _silent,
    watch: Watch = _unwatched,
    stop: Stop | None = None,
) -> Fitted:
    """Train until nothing gets better, and keep the best epoch's checkpoint in `out`/best.

    about: kind, name and data hash; the rest is filled in. resume: go on where an earlier run of the same settings
    and data was killed or ended too soon; else start over. warn: called with a line an epoch. watch: wraps the
    batches, as a progress bar does. stop: asked after each epoch with its number and best score so far; True ends
    it. Under torchrun each process takes its part of the batches, and the first one writes. A step whose loss or
    gradient is not finite is skipped and counted. Raises AnnotatorError if `out` holds a training of other
    settings (but for the learning rate), memory runs out, or too many steps were skipped: then the last whole
    epoch and the best checkpoint stay, and the training can go on with a lower learning rate.
    """
    with Processes.join(settings.device) as processes:
        training = _Training(task, settings, out, about, processes, warn, watch)
        return training.run(resume=resume, stop=stop)


def seed_all(seed: int, *more: int) -> None:
    """Seed Python, NumPy and torch; more: an epoch, a process, so that each has numbers of its own."""
    import random

    import numpy as np

    words = np.random.SeedSequence([seed, *more]).generate_state(2)
    random.seed(int(words[0]))
    np.random.seed(int(words[1]))
    torch.manual_seed((int(words[0]) << 31) ^ int(words[1]))


class _Training:
    """One run of the loop."""

    def __init__(
        self,
        task: Task,
        settings: Settings,
        out: Path,
        about: About,
        processes: Processes,
        warn: Callable[[str], None],
        watch: Watch,
    ) -> None:
        self.task, self.settings, self.out, self.processes = task, settings, out, processes
        self.device = processes.device(choose_device(settings.device))
        self.about = replace(
            about,
            architecture=task.architecture,
            settings=settings.fixed(),
            parameters=sum(each.numel() for each in task.module.parameters()),
            device=torch.cuda.get_device_name(self.device) if self.device.type == "cuda" else self.device.type,
            processes=processes.count,
        )
        self.warn = warn if processes.first else _silent
        self.watch = watch if processes.first else _unwatched
        self.state = State(fixed={**settings.fixed(), "kind": about.kind, "data": about.data_hash})
        task.module.to(self.device)
        if settings.frozen_epochs and not isinstance(task, Staged):
            raise AnnotatorError(f"a {about.kind} of this architecture has no stages; leave out --frozen-epochs")
        grouped = staged_groups if settings.frozen_epochs else parameter_groups
        groups = grouped(task.module, settings.lr, settings.weight_decay)
        kind = BertAdam if settings.bert_adam else torch.optim.AdamW
        self.optimiser: Any = kind(groups, lr=settings.lr, weight_decay=settings.weight_decay)
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        # Half precision needs its gradients scaled; bfloat16, which newer GPUs have, does not.
        halved = settings.amp and self.device.type == "cuda" and not torch.cuda.is_bf16_supported()
        self.scaler: Any = torch.amp.GradScaler("cuda", enabled=halved)
        #: Moving average of the weights of a training by stages, by name; saved with the weights that learn.
        self.average: dict[str, Any] = {}
        if settings.frozen_epochs:
            self.average = {name: each.detach().clone() for name, each in task.module.named_parameters()}
        self.drawn = time.monotonic()

    def run(self, *, resume: bool, stop: Stop | None) -> Fitted:
        """See `fit`."""
        self._begin(resume)
        model, stage = None, (0, 0)
        while not self._ended(stop):
            began = time.monotonic()
            entered = self.settings.stage(len(self.state.history) + 1)
            if model is None or entered != stage:
                model, stage = None, entered
                model = self._wrapped(frozen=stage == (1, self.settings.frozen_epochs))
            self._epoch(model, began)
            self._keep()
        self._finish()
        best = self.state.history[self.state.best - 1]
        return Fitted(
            about=replace(self.about, scores=best["scores"], weights_hash=self.state.weights_hash),
            epochs=len(self.state.history),
            best=self.state.best,
            scores=best["scores"],
            better=self.task.better,
            why=self.state.why,
            seconds=self.state.seconds,
            doubt=self._doubt(best["scores"][self.task.better]),
        )

    def _begin(self, resume: bool) -> None:
        """Take up an earlier run, where there is one to go on with."""
        last = self.out / LAST
        there = last.is_file() and resume
        if there:
            self.state = read_state(
                last, self.state, self.task.module, self.optimiser, self.scaler, self.device, self.average
            )
            done = counted(len(self.state.history), "epoch")
            before, self.state.fixed["lr"] = self.state.fixed["lr"], self.settings.lr
            rate = "" if before == self.settings.lr else f", with --lr {self.settings.lr:g} ({before:g} before)"
            self.warn(
                f"{self.out}: resuming after {done}{rate}" if self.state.whole else f"{self.out}: was done before"
            )
        elif resume and self.processes.first and (self.out / BEST).exists():
            raise AnnotatorError(
                f"{self.out}: contains a trained model but no {LAST} to resume from; name another folder, or "
                "start again with --fresh"
            )
        # Nobody writes before all have looked.
        self.processes.agreed(there)
        if self.processes.first:
            self.out.mkdir(parents=True, exist_ok=True)
            if not there:
                # Before any checkpoint is there: a kill right after the first must not look like an old model.
                write_state(last, self.state, self.task.module, self.optimiser, self.scaler, self.average)

    def _doubt(self, score: float) -> str:
        """Return the reason why the best epoch's checkpoint may be useless."""
        if not score > self.task.trivial:
            return (
                f"{self.task.better} {score:.3f} is no better than {self.task.trivial:.3f}, the score of "
                "guessing without looking at the figure; train longer, on more gold, or with another --lr"
            )
        if self.state.best == 1 and len(self.state.history) > 1:
            return (
                f"the first of {len(self.state.history)} epochs was the best, so little was learnt; train with a "
                "lower --lr, or on more gold"
            )
        return ""

    def _ended(self, stop: Stop | None) -> bool:
        """Return whether there is nothing more to do; `state.why` then says why."""
        state, settings = self.state, self.settings
        done = len(state.history)
        if state.history and not state.whole:
            return True
        why = ""
        if self._tired():
            why = f"no better {self.task.better} for {counted(settings.patience, 'epoch')}"
        elif done >= settings.epochs:
            why = f"{counted(done, 'epoch')} done"
        elif done and self._late(0.0):
            why = f"{settings.minutes:g} minutes are over"
        elif done and stop is not None and self.processes.agreed(stop(done, state.score)):
            why = "others do better"
        state.why = why
        return bool(why)

    def _tired(self) -> bool:
        """Return whether there were as many epochs without a better score as patience has."""
        steps = accumulate(entry["batches"] for entry in self.state.history)
        late = [number for number, done in enumerate(steps, 1) if done > self.settings.grace]
        return sum(number > self.state.best for number in late) >= self.settings.patience

    def _late(self, since: float) -> bool:
        """Return whether the time is over, `since` seconds after the last epoch; equal in all processes."""
        if self.settings.minutes is None:
            return False
        return bool(self.processes.agreed(self.state.seconds + since >= 60 * self.settings.minutes))

    def _epoch(self, model: Any, began: float) -> None:
        """Train for one epoch, validate, and take note of both."""
        epoch = len(self.state.history) + 1
        seed_all(self.settings.seed, epoch, self.processes.rank)
        self.task.module.train()
        losses: list[Any] = []
        skipped = in_a_row = 0
        batches = self.processes.dealt(self.task.batches(Split.TRAIN, epoch, self.settings.seed))
        total = self.state.history[-1]["batches"] if self.state.history else None
        for place, batch in enumerate(self.watch(batches, f"epoch {epoch}", total)):
            self._set_rate(epoch, place, total)
            loss, stepped = self._step(model, batch)
            losses.append(loss)
            skipped, in_a_row = skipped + (not stepped), 0 if stepped else in_a_row + 1
            if in_a_row >= MOST_SKIPPED:
                raise self._diverged(epoch)
            if self._late(time.monotonic() - began):
                break
        if not losses:
            raise AnnotatorError("there is no batch to train on; give more gold, or a smaller --batch")
        if 2 * skipped >= len(losses):
            raise self._diverged(epoch)
        values = torch.stack(losses).float()
        loss = float(values[torch.isfinite(values)].mean())
        self.task.module.eval()
        scores: dict[str, float] = {}
        if self.processes.first:
            with torch.no_grad(), self._averaged():
                scores = {key: float(value) for key, value in self.task.validate().items()}
        scores = self.processes.agreed(scores)
        seconds = time.monotonic() - began
        self.state.seconds += seconds
        self.state.add(
            {
                "epoch": epoch,
                "loss": loss,
                "lr": self.optimiser.param_groups[0]["lr"],
                "batches": len(losses),
                "skipped": skipped,
                "seconds": round(seconds, 3),
                "scores": scores,
            },
            scores[self.task.better],
        )

    def _wrapped(self, *, frozen: bool) -> Any:
        """Return the function from a batch to its loss, in the stage that begins."""
        if isinstance(self.task, Staged) and self.settings.frozen_epochs:
            self.task.begin_stage(frozen=frozen)
        gc.collect()  # what averaged the gradients of an earlier stage still listens for them
        return self.processes.wrapped(self.task)

    def _set_rate(self, epoch: int, place: int, total: int | None) -> None:
        """Set the learning rate of a step. place: of the batch in the epoch, from 0. total: batches expected."""
        self.state.steps += 1
        steps, share = self.state.steps, 1.0
        if self.settings.frozen_epochs:
            first, last = self.settings.stage(epoch)
            steps -= sum(entry["batches"] for entry in self.state.history[: first - 1])
            within = min(1.0, place / total) if total else 0.0
            done = (epoch - first + within) / (last - first + 1)
            share = max(_LOWEST, min(1.0, (1.0 - done) / (1.0 - _LEVEL))) * (1.0 if first == 1 else _SECOND)
        if self.settings.warmup:
            share *= min(1.0, steps / self.settings.warmup)
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * share

    def _add_to_average(self) -> None:
        """Move the average of the weights, faster in the first steps."""
        left = min(_AVERAGED, (1 + self.state.steps) / (10 + self.state.steps))
        with torch.no_grad():
            for name, each in self.task.module.named_parameters() if self.average else ():
                self.average[name].lerp_(each, 1.0 - left)

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Let the module have the average of its weights for a while, where there is one."""
        module = self.task.module
        learnt = {name: each.detach().clone() for name, each in module.named_parameters()} if self.average else {}
        if learnt:
            module.load_state_dict(self.average, strict=False)
        try:
            yield
        finally:
            module.load_state_dict(learnt, strict=False)

    def _step(self, model: Any, batch: Any) -> tuple[Any, bool]:
        """Learn from one batch; returns its loss, without its graph, and whether a step was taken."""
        self.optimiser.zero_grad(set_to_none=True)
        try:
            with amp_of(self.device, enabled=self.settings.amp):
                loss = model(batch)
            self.scaler.scale(loss).backward()
        except (RuntimeError, MemoryError) as error:
            if out_of_memory(error):
                raise AnnotatorError("out of memory in training; give a smaller --batch") from None
            raise
        self.scaler.unscale_(self.optimiser)
        # Of gradients averaged over processes, all see the same norm and skip the same steps.
        norm = torch.nn.utils.clip_grad_norm_(self.task.module.parameters(), self.settings.clip or float("inf"))
        sound = bool(torch.isfinite(norm))
        if sound:
            self.scaler.step(self.optimiser)
            self._add_to_average()
        # In half precision the first gradients overflow until their scale is found: no fault of the training.
        searching = self.scaler.is_enabled() and bool(torch.isfinite(loss))
        self.scaler.update()
        return loss.detach(), sound or searching

    def _diverged(self, epoch: int) -> AnnotatorError:
        return AnnotatorError(
            f"the loss of epoch {epoch} is no number any more; run again with a lower --lr than "
            f"{self.settings.lr:g} to go on from the last whole epoch, or with --fresh"
        )

    def _keep(self) -> None:
        """Write the checkpoint, if it is the best, then what is needed to go on from here."""
        state, entry = self.state, self.state.history[-1]
        if self.processes.first:
            if entry["best"]:
                about = replace(self.about, scores=entry["scores"], seconds=round(state.seconds, 3))
                with self._averaged():
                    saved = save_checkpoint(
                        self.out / BEST, self.task.module, about, write_extra=self.task.write_extra
                    )
                state.weights_hash = saved.weights_hash
            write_state(self.out / LAST, state, self.task.module, self.optimiser, self.scaler, self.average)
            write_log(self.out / LOG, state.history)
            if time.monotonic() - self.drawn > _REDRAW:
                self._draw()
        shown = ", ".join(f"{key} {value:.4f}" for key, value in entry["scores"].items())
        skipped = f", {counted(entry['skipped'], 'step')} skipped" if entry["skipped"] else ""
        self.warn(
            f"epoch {entry['epoch']}: loss {entry['loss']:.4f}, {shown}, {entry['seconds']:.1f} s{skipped}"
            f"{' (the best so far)' if entry['best'] else ''}"
        )

    def _finish(self) -> None:
        """Drop the optimiser's state of a finished training, which is twice the size of the model."""
        self.state.weights_hash = self.processes.agreed(self.state.weights_hash)
        if self.processes.first:
            # The best epoch's checkpoint was written before the training ended.
            place = self.out / BEST
            write_about(place, replace(read_about(place), seconds=round(self.state.seconds, 3)))
            if self._tired() and self.state.whole:
                self.state.whole = False
                write_state(self.out / LAST, self.state, None, None, None)
            self._draw()

    def _draw(self) -> None:
        self.drawn = time.monotonic()
        draw_curves(self.out / CURVES, self.state.history, better=self.task.better, best=self.state.best)


#: Distinguishable by people of any colour vision (Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")


def draw_curves(path: Path, history: Sequence[Mapping[str, Any]], *, better: str, best: int) -> None:
    """Write a PNG. history: a record an epoch, as in the log. better: the score watched. best: its best epoch."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9, 3.6), dpi=110)
    canvas = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.07, right=0.985, bottom=0.14, top=0.91, wspace=0.16)
    epochs = [entry["epoch"] for entry in history]
    left.plot(epochs, [entry["loss"] for entry in history], marker=".", color=_COLOURS[0])
    left.set_title("loss (training)")
    names = sorted(
        {name for entry in history for name in entry["scores"]}, key=lambda name: (name != better, name)
    )
    for name, colour in zip(names, _COLOURS, strict=False):
        values = [entry["scores"].get(name, float("nan")) for entry in history]
        right.plot(epochs, values, marker=".", color=colour, label=name, linewidth=2 if name == better else 1)
    right.set_title(f"validation (best {better}: epoch {best})")
    if best:
        right.axvline(best, color="#888888", linestyle=":", linewidth=1)
    if names:
        right.legend(fontsize=8)
    for axes in (left, right):
        axes.set_xlabel("epoch")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
    out = io.BytesIO()
    canvas.print_png(out)
    write_whole(path, out.getvalue())
