"""The commands that leads start as jobs: a function for each kind gives its title and its command from a form."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from annotator.campaign.choices import newest_measured, phases_in_order
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Names
from annotator.consensus.gold_rule import GoldTally, gold_in
from annotator.consensus.items import is_adjudicated
from annotator.gold.exports import registry
from annotator.gold.release import check_release_name
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import ONCE, WORKER, Attempt, Job, job_of_attempt, start_job
from annotator.jobs.models import model_folder, trained_models
from annotator.store.store import Store
from panelwise.domain import TYPES, Campaign, FormatError, InvalidAnnotation
from panelwise.formats import Contents, Layout, looks_of

_ANNOTATOR = "annotator.cli.campaign.main"
_PRELABEL = "annotator.cli.prelabel"
_AGREEMENT = "annotator.cli.agreement.main"

#: What a form asks for, by the names of its fields.
Requested = Mapping[str, str]
#: The title, and the commands, each a module and its words.
Work = tuple[str, list[tuple[str, ...]]]


class JobKind(StrEnum):
    """One job of a kind runs at a time."""

    IMPORT = "import"
    PRELABEL = "prelabel"
    PUSH = "push"
    PULL = "pull"
    TRAIN = "train"
    EXPORT = "export"
    RELEASE = "release"
    CHECK = "check"
    REPORT = "report"
    BACKUP = "backup"


#: What can be exported -> the file's name.
EXPORTS = {export.name: export.file for export in registry.EXPORTS}
#: The file of an import job that says what was imported and what refused.
REPORT = "report.csv"
_NO_FIGURES = "there are no figures yet"
NO_GOLD = "there is no gold yet: no figure is adjudicated or unanimous"
_NEVER_GOLD = (
    "there is no gold in a campaign of human evaluation alone: its answers are measured against given ones"
)
DEVICES = ("auto", "cpu", "cuda")
#: Kind of model -> the option of `prelabel run` that takes it.
_USES = {"detector": "--detector", "text-crf": "--tagger", "box-crf": "--tagger", "classifier": "--classifier"}
MODEL_KINDS = tuple(_USES)
#: The kind of model that learns figure types; the others learn subfigures.
_OF_TYPES = "classifier"


@dataclass(frozen=True, slots=True)
class Possible:
    """The jobs that can be started at present. refused: kind of job -> why it can't be started.

    phases: those with annotations, in the campaign's order. phase: of them the one that a report is on unless the
    lead chooses another; see `newest_measured`. models: kinds of model that can learn what the phases ask for.
    """

    refused: Mapping[JobKind, str]
    phases: tuple[str, ...]
    phase: str
    models: tuple[str, ...]


def possible_jobs(home: Home, store: Store) -> Possible:
    """Return what the forms of jobs can offer. Gold is not computed, so a release may still be refused."""
    with store.read() as tx:
        names, worked = phases_in_order(tx, home.campaign)
        phases = tuple(name for name in names if name in worked)
        newest = newest_measured(tx, home.campaign)
        tasks = any(
            group.released and home.campaign.phase(group.phase).in_label_studio for group in tx.tasks.groups()
        )
        decided = tx.decisions.count() > 0
        figures = tx.figures.count()
    refused: dict[JobKind, str] = {}
    if not figures:
        refused |= dict.fromkeys((JobKind.PRELABEL, JobKind.EXPORT), _NO_FIGURES)
    if all(phase.kind.answered for phase in home.campaign.phases):
        refused[JobKind.PRELABEL] = "there is nothing to pre-label: people answer the questions themselves"
    if not tasks:
        refused |= dict.fromkeys((JobKind.PUSH, JobKind.PULL), "no tasks for Label Studio are assigned yet")
    if not decided and not any(is_adjudicated(home.campaign.phase(name)) for name in phases):
        makes_gold = any(is_adjudicated(phase) for phase in home.campaign.phases)
        refused |= dict.fromkeys((JobKind.TRAIN, JobKind.RELEASE), NO_GOLD if makes_gold else _NEVER_GOLD)
    if not os.environ.get(WORKER) and find_spec("torch") is None:
        refused[JobKind.TRAIN] = "there is no extra panelwise[models] installed on the server"
    if not phases:
        refused[JobKind.REPORT] = "there are no annotations yet"
    return Possible(refused, phases, newest, _models(home.campaign))


def _models(campaign: Campaign) -> tuple[str, ...]:
    """Return the kinds of model for which the campaign's phases make gold."""
    typed = any(TYPES in phase.kinds for phase in campaign.phases)
    return tuple(kind for kind in MODEL_KINDS if (typed if kind == _OF_TYPES else campaign.drawn))


def start(home: Home, store: Store, kind: JobKind, by: str, requested: Requested, attempt: Attempt = ONCE) -> Job:
    """Start a job of a kind as its form asks.

    Raises InvalidAnnotation for what cannot be done, JobUnderWay if one of the kind runs. An attempt that is
    repeated gets the job of the first, whatever has changed since.
    """
    if (before := job_of_attempt(home, by, attempt)) is not None:
        return before
    possible = possible_jobs(home, store)
    if kind in possible.refused:
        raise InvalidAnnotation(possible.refused[kind])
    # Checked before there is a folder for it.
    title, _ = _WORK[kind](home, possible, requested, home.path)
    if kind in (JobKind.RELEASE, JobKind.TRAIN) and not _has_gold(home, store):
        raise InvalidAnnotation(NO_GOLD)

    def commands(files: Path) -> list[list[str]]:
        _, steps = _WORK[kind](home, possible, requested, files)
        return [
            [sys.executable, "-c", f"from {module} import main; main()", *words, *_home(home, module, words)]
            for module, *words in steps
        ]

    return start_job(home, kind, title, commands, by, attempt)


def describe_state(job: Job) -> str:
    """The state of a job in words; an import that refused something has failed only if it read nothing else."""
    refused = job.request.kind == JobKind.IMPORT and job.state is JobState.FAILED and REPORT in job.files
    return "ended with refusals" if refused else job.state.value


def _has_gold(home: Home, store: Store) -> bool:
    with store.read() as tx:
        return next(gold_in(tx, home.campaign, GoldTally()), None) is not None


def _home(home: Home, module: str, words: list[str]) -> list[str]:
    """The option that names the campaign; `prelabel train` takes it as what to learn from."""
    return [] if (module, words[0]) == (_PRELABEL, "train") else ["--home", str(home.path)]


def _import(_home: Home, _possible: Possible, requested: Requested, files: Path) -> Work:
    """Figures, and the work on them that the file holds. source: a folder or file.

    revise. annotator: for COCO. licence, document: of figures that state none.
    """
    source, report = Path(requested["source"]), ("--report", str(files / REPORT))
    revise = ["--revise"] if requested.get("revise") else []
    origin = [
        f"--{key}={requested[key].strip()}" for key in ("licence", "document") if requested.get(key, "").strip()
    ]
    figures = (_ANNOTATOR, "import", "figures", str(source), *revise, *origin, *report)
    layouts = _layouts_of(source)
    if len(layouts) != 1:
        return "Import of figures", [figures]
    (layout,) = layouts
    figures_too = [figures] if Contents.FIGURES in layout.contents else []
    named = ["--annotator", requested.get("annotator") or "imported"] if layout.nameless else []
    if Contents.ANNOTATIONS in layout.contents:
        work = (_ANNOTATOR, "import", "annotations", str(source), "--from", layout.name, *report, *named)
        return f"Import of {layout.title}", [*figures_too, work]
    if Contents.PREDICTIONS in layout.contents:
        return f"Import of {layout.title}", [(_ANNOTATOR, "import", "predictions", str(source), *report)]
    return "Import of figures", [figures]


def _layouts_of(source: Path) -> frozenset[Layout]:
    """Return the layouts that a file looks like; none of one that the import of figures will refuse."""
    if not source.is_file() or source.suffix.lower() not in (".json", ".jsonl"):
        return frozenset()
    try:
        return looks_of(source).layouts
    except FormatError:
        return frozenset()


def _prelabel(home: Home, _possible: Possible, requested: Requested, _files: Path) -> Work:
    """models: names of trained ones, apart by commas; none for the built-in pre-labeller. device, again."""
    options = ["--again"] if requested.get("again") else []
    known = {model.name: model for model in trained_models(home)}
    chosen = [name for name in requested.get("models", "").split(",") if name]
    for name in chosen:
        if name not in known:
            raise InvalidAnnotation(f'no model "{name[:60]}" was trained here')
        options += [_USES[known[name].kind], str(model_folder(home, name))]
    if chosen:
        options += ["--device", _one_of(requested.get("device", "auto"), DEVICES)]
    return f"Pre-labelling{' with ' if chosen else ''}{', '.join(chosen)}", [(_PRELABEL, "run", *options)]


def _train(home: Home, possible: Possible, requested: Requested, _files: Path) -> Work:
    """kind: of model. name, device; minutes: at most; random: begin from random weights, without a download."""
    kind, name = _one_of(requested.get("model", ""), MODEL_KINDS), _name(requested, "model")
    if kind not in possible.models:
        what = "figure types" if kind == _OF_TYPES else "subfigures"
        raise InvalidAnnotation(
            f"there are no {what} to train a {kind} on: no phase of this campaign asks for them"
        )
    options = ["--name", name, "--device", _one_of(requested.get("device", "auto"), DEVICES)]
    if requested.get("minutes"):
        if not requested["minutes"].isdecimal() or not int(requested["minutes"]):
            raise InvalidAnnotation("minutes are a whole number from 1 on; leave them empty for no limit")
        options += ["--minutes", requested["minutes"]]
    options += ["--random-weights"] if requested.get("random") else []
    out = str(model_folder(home, name))
    return f'Training of "{name}"', [(_PRELABEL, "train", kind, str(home.path), "--out", out, *options)]


def _export(_home: Home, _possible: Possible, requested: Requested, files: Path) -> Work:
    """what: of EXPORTS. single: also unreviewed gold."""
    what = requested.get("what", "")
    if what not in EXPORTS:
        raise InvalidAnnotation(f'"{what}" cannot be exported; choose one of {", ".join(EXPORTS)}')
    more = ["--include", "single"] if requested.get("single") and what == "gold" else []
    return f"Export: {what}", [(_ANNOTATOR, "export", what, "--out", str(files / EXPORTS[what]), *more)]


def _release(home: Home, _possible: Possible, requested: Requested, _files: Path) -> Work:
    """name, note: of a release of the gold as it is now. images: with copies of those that the licence allows."""
    name, note = _name(requested, "release"), requested.get("note", "").strip()
    check_release_name(home, name)
    options = [*(["--note", note] if note else []), *(["--images"] if requested.get("images") else [])]
    return f'Release "{name}"', [(_ANNOTATOR, "release", name, *options)]


def _report(_home: Home, possible: Possible, requested: Requested, files: Path) -> Work:
    """phase: one with annotations; "" for all, one report each; not given, the newest that has agreement.

    names: of annotators, as in the command: one of `Names`; real if not given. latex: also tables for a paper, as
    a ZIP archive, with pseudonyms in any case.
    """
    chosen = requested.get("phase", possible.phase)
    if chosen and chosen not in possible.phases:
        raise InvalidAnnotation(
            f'phase "{chosen[:60]}" has no annotations; choose one of {", ".join(possible.phases)}'
        )
    phases = (chosen,) if chosen else possible.phases
    names = _one_of(requested.get("names", Names.REAL.value), [choice.value for choice in Names])
    latex = bool(requested.get("latex"))
    # Where names are not chosen, they are real in the page and pseudonyms in LaTeX.
    options = [] if latex and names == Names.REAL.value else ["--names", names]
    steps: list[tuple[str, ...]] = []
    for phase, name in zip(phases, _report_names(phases), strict=True):
        outs = ["--out", str(files / f"{name}.html")]
        outs += ["--latex", str(files / f"{name}-latex.zip")] if latex else []
        steps.append((_AGREEMENT, "report", "--phase", phase, *options, "--format", "html", *outs))
    return f"Agreement report: {'phase' if len(phases) == 1 else 'phases'} {', '.join(phases)}", steps


def _report_names(phases: tuple[str, ...]) -> list[str]:
    """Return a file's name, without its ending, for the report of each phase.

    A number tells apart phases whose names become one.
    """
    names: list[str] = []
    for phase in phases:
        name = f"agreement-{re.sub('[^A-Za-z0-9._-]+', '-', phase)[:60]}"
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names


_WORK: Mapping[JobKind, Callable[[Home, Possible, Requested, Path], Work]] = {
    JobKind.IMPORT: _import,
    JobKind.PRELABEL: _prelabel,
    JobKind.TRAIN: _train,
    JobKind.EXPORT: _export,
    JobKind.RELEASE: _release,
    JobKind.CHECK: lambda *_: _plain("Check of the releases", _ANNOTATOR, "release", "--check"),
    JobKind.PUSH: lambda *_: _plain("Tasks to Label Studio", _ANNOTATOR, "push"),
    JobKind.PULL: lambda *_: _plain("Annotations from Label Studio", _ANNOTATOR, "pull"),
    JobKind.REPORT: _report,
    JobKind.BACKUP: lambda *asked: _plain("Backup", _ANNOTATOR, "backup", str(asked[-1] / "backup.zip")),
}


def _plain(title: str, *command: str) -> Work:
    return title, [command]


def _name(requested: Requested, what: str) -> str:
    name = requested.get("name", "").strip()
    if not name or name.startswith("-"):
        raise InvalidAnnotation(f"a {what} needs a name, such as pilot")
    return name


def _one_of(value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise InvalidAnnotation(f'"{value[:60]}" is not one of {", ".join(known)}')
    return value
