"""The next step after each command: one table for `annotator`, `agreement` and `prelabel`.

A command that succeeded prints its row on stderr: `next: annotator push`. If the step depends on the campaign, a
few counts in its store decide. No step is printed after a command that wrote data, such as JSON, to stdout.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.gold.exports.registry import EXPORTS

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store, Transaction
    from panelwise.domain import Campaign

#: Output formats that programs read.
_DATA = ("json", "csv", "html", "annotations", "predictions")


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that succeeded.

    options: its parsed parameters and the values it computed. home: as the user typed it, else None.
    typed: names of the parameters that the user typed.
    """

    options: Mapping[str, Any]
    home: Path | None = None
    typed: frozenset[str] = frozenset()

    @property
    def printed_data(self) -> bool:
        """Return whether the command wrote data for a program to stdout."""
        to_stdout = self.options.get("out") is None
        return to_stdout and (bool(self.options.get("as_json")) or self.options.get("layout") in _DATA)

    def here(self, command: str, remark: str = "") -> str:
        """Return the command line for the same campaign. remark: added as a shell comment."""
        where = "" if self.home is None else f" --home {shlex.quote(str(self.home))}"
        return f"{command}{where}" + (f"  # {remark}" if remark else "")

    def path(self, option: str) -> str:
        """Return a path option, quoted for the shell."""
        return shlex.quote(str(self.options[option]))


Step = Callable[[Ended], str | None]


def _campaign(ended: Ended) -> str:
    """Return the campaign's next step: the first that is not done."""
    from annotator.campaign.home import Home

    home = Home.find(ended.home)
    with home.open_store(reading=True) as store:
        with store.read() as tx:
            command = _before_work(tx, home.campaign) or _tasks(tx, home)
        return ended.here(*(command or _adjudication(store, home.campaign)))


def _measured(ended: Ended) -> str:
    """Return `agreement report` if several annotators have submitted work, else the campaign's next step."""
    from annotator.campaign.home import Home

    home = Home.find(ended.home)
    with home.open_store(reading=True) as store, store.read() as tx:
        phases = [each.name for each in home.campaign.phases if each.name in tx.annotations.phases()]
        if phases and len({each.annotator for each in tx.tasks.groups() if each.done}) > 1:
            several = len(tx.annotations.phases()) > 1
            return ended.here("agreement report" + (f" --phase {shlex.quote(phases[0])}" if several else ""))
    return _campaign(ended)


def _before_work(tx: Transaction, campaign: Campaign) -> tuple[str, ...] | None:
    """Return import, pre-label or assign; None if there are tasks or annotations."""
    from annotator.sync.projects import assign_command

    if not tx.figures.count():
        return ("annotator import figures FILE",)
    if tx.tasks.groups() or tx.annotations.phases():
        return None
    first = campaign.phases[0]
    if first.kind.drawn and first.seeded and next(iter(tx.predictions.all()), None) is None:
        return ("prelabel run",)
    return (assign_command(campaign),)


def _tasks(tx: Transaction, home: Home) -> tuple[str, ...] | None:
    """Return push, pull, or serve for phases whose tasks are done in the view."""
    from annotator.campaign.connect import own_server

    waiting = [each for each in tx.tasks.groups() if each.open]
    pushed = [each for each in waiting if home.campaign.phase(each.phase).in_label_studio]
    if any(tx.tasks.count_unpushed(phase) for phase in {each.phase for each in pushed}):
        return ("annotator push",)
    if pushed and not tx.queue.counts().total:
        if not home.label_studio.url and own_server(home) is None:
            return ("annotator studio", "where annotators work; leave it running")
        return ("annotator pull", "once annotators have submitted work")
    if any(home.campaign.phase(each.phase).own_screen for each in waiting):
        return ("annotator serve", "where annotators do their tasks; leave it running")
    if len(pushed) < len(waiting):
        return ("annotator serve", "where reviewers annotate the blind phase")
    return None


def _adjudication(store: Store, campaign: Campaign) -> tuple[str, ...]:
    """Return the command that adjudicates; export if no figure is left to adjudicate."""
    from annotator.accounts.people import has_reviewer
    from annotator.queue.pages import stored_states
    from panelwise.domain import FigureState

    with store.read() as tx:
        states = stored_states(tx)
    open_states = {FigureState.UNRESOLVED, FigureState.AWAITING, FigureState.SINGLE}
    left = sum(states[each] for each in open_states - {FigureState(source) for source in campaign.gold_sources})
    if not left:
        return (_export(campaign),)
    if not has_reviewer(store):
        return ("annotator user add NAME --role reviewer",)
    return ("annotator serve", f"{left} to adjudicate")


def _export(campaign: Campaign) -> str:
    """Return the export command for the task type of the campaign's first phase."""

    what = campaign.phases[0].kind.export
    return f"annotator export {what} --out {what}.jsonl"


def _adjudicated(ended: Ended) -> str:
    """Return the export once a figure has a decision, else the campaign's next step."""
    from annotator.campaign.home import Home

    home = Home.find(ended.home)
    with home.open_store(reading=True) as store, store.read() as tx:
        decided = tx.queue.counts().decided
    return ended.here(_export(home.campaign)) if decided else _campaign(ended)


def _init(ended: Ended) -> str:
    return _campaign(Ended({}, Path(ended.options["directory"])))


def _restored(ended: Ended) -> str | None:
    if ended.options["check"]:
        return None
    return Ended({}, ended.options["directory"]).here("annotator store check --hashes")


def _exported(ended: Ended) -> str:
    """Return the release command; the campaign's next step if the export is empty."""
    if ended.options["out"].stat().st_size:
        return ended.here("annotator release NAME")
    return _campaign(ended)


def _released(ended: Ended) -> str | None:
    if any(ended.options[each] for each in ("as_list", "check", "publish")):
        return None
    return ended.here(f"annotator release {shlex.quote(ended.options['name'])} --check")


def _upgraded(ended: Ended) -> str | None:
    return None if ended.options["look"] else ended.here("annotator store check")


def _assigned(ended: Ended) -> str | None:
    from annotator.campaign.home import Home
    from annotator.sync.projects import assign_command

    if ended.options["dry_run"]:
        return None
    if ended.options["withdraw"]:
        return ended.here(assign_command(Home.find(ended.home).campaign, ended.options["phase"]))
    return _campaign(ended)


def _user_added(ended: Ended) -> str | None:
    """Return `annotator serve` for people who may adjudicate; annotators work in Label Studio."""
    return ended.here("annotator serve") if {"reviewer", "lead"} & set(ended.options["roles"]) else None


def _report(ended: Ended) -> str | None:
    """Return the HTML report after the text; the campaign's next step after a campaign's HTML report."""
    if ended.typed - {"sources", "phase", "home", "layout", "out"}:
        return None  # The suggested command would have to repeat these options.
    if ended.options["layout"] == "text":
        sources = "".join(f" {shlex.quote(str(each))}" for each in ended.options["sources"])
        phase = ended.options["phase"]
        chosen = f" --phase {shlex.quote(phase)}" if phase else ""
        return ended.here(f"agreement report{sources}{chosen} --format html --out report.html")
    return None if ended.options["sources"] else _campaign(ended)


def _compared(ended: Ended) -> str | None:
    if ended.options["layout"] != "text" or ended.typed - {"gold", "predicted", "home", "layout", "out"}:
        return None
    files = " ".join(shlex.quote(str(each)) for each in (ended.options["gold"], *ended.options["predicted"]))
    return f"agreement compare {files} --format html --out compared.html"


def _merged(ended: Ended) -> str:
    if ended.options["layout"] == "predictions":
        return ended.here(f"annotator import predictions {ended.path('out')}")
    return f"agreement compare {ended.path('out')} PREDICTED"


def _prelabelled(ended: Ended) -> str:
    if ended.options["figures"] is None:
        return _campaign(ended)
    return f"annotator import predictions {ended.path('out')}  # into a campaign with these figures"


def _models_served(ended: Ended) -> str:
    """Return the push that connects the campaign's projects to the models."""
    return ended.here(f"annotator push --ml-backend {ended.path('address')}")


def _trained(ended: Ended) -> str:
    """Return the use of the new model, for the campaign it was trained on or for a file."""
    from panelwise.settings import FILE_NAME

    kind, source = ended.options["kind"], Path(ended.options["gold"])
    if kind == "matcher":
        given = {name: ended.options[name] for name in ("figures", "images")}
        more = "".join(f" --{name} {shlex.quote(str(path))}" for name, path in given.items() if path is not None)
        return f"prelabel evaluate {ended.path('gold')}{more} --matching {ended.path('out')}"
    option = {"detector": "--detector", "classifier": "--classifier"}.get(kind, "--tagger")
    use = f"{option} {ended.path('out')}"
    if kind == "classifier":
        return f"prelabel classify FIGURES {use} --out kinds.jsonl"
    if (source / FILE_NAME).is_file():
        return Ended({}, source).here(f"prelabel run {use}")
    return f"prelabel run FIGURES {use} --out predictions.jsonl"


def _tuned(ended: Ended) -> str:
    kind, found = ended.options["kind"], shlex.quote(str(Path(ended.options["out"]) / "best.json"))
    return f"prelabel train {kind} {ended.path('gold')} --trial {found} --out models/{kind}"


def _classified(ended: Ended) -> str | None:
    kept = ended.options["kept"]
    return None if kept is None else f"annotator import figures {shlex.quote(str(kept))}"


def _extracted(ended: Ended) -> str:
    return f"annotator import figures {ended.path('out')} --images {ended.path('articles')}"


#: The step after each command; None: no step, the output says what to do about each finding.
NEXT: dict[str, Step | None] = {
    "annotator assign": _assigned,
    "annotator backup": lambda ended: (
        None if ended.options["every"] else f"annotator restore {ended.path('file')} --check"
    ),
    "annotator check": None,
    "annotator corpus extract": _extracted,
    "annotator corpus filter": lambda ended: (
        f"annotator corpus sample {ended.path('out')} --out sample.jsonl --figures 200"
    ),
    "annotator corpus join": None,
    "annotator corpus statistics": None,
    "annotator corpus sample": lambda ended: f"annotator import figures {ended.path('out')} --images articles",
    "annotator demo": None,
    "annotator doctor": None,
    **dict.fromkeys((f"annotator export {export.name}" for export in EXPORTS), None),
    "annotator export annotations": lambda ended: f"agreement report {ended.path('out')}",
    "annotator export gold": _exported,
    "annotator export qa": _exported,
    "annotator export types": _exported,
    "annotator import annotations": _measured,
    "annotator import figures": _campaign,
    "annotator import predictions": _campaign,
    "annotator init": _init,
    "annotator jobs": None,
    "annotator pull": _measured,
    "annotator push": _campaign,
    "annotator release": _released,
    "annotator restore": _restored,
    "annotator serve": _adjudicated,
    "annotator status": _campaign,
    "annotator store check": None,
    "annotator store copy": lambda _: "annotator store check  # after naming TO under [store] in campaign.toml",
    "annotator store upgrade": _upgraded,
    "annotator studio": _campaign,
    "annotator sync": _measured,
    "annotator up": None,
    "annotator withdraw": _campaign,
    "annotator user add": _user_added,
    "annotator user disable": None,
    "annotator user email": lambda ended: ended.here(f"annotator user invite {ended.path('name')}"),
    "annotator user enable": None,
    "annotator user invite": _campaign,
    "annotator user join": None,
    "annotator user link": None,
    "annotator user list": None,
    "annotator user log": None,
    "annotator user password": None,
    "annotator user pseudonym": None,
    "annotator user rename": None,
    "annotator user roles": None,
    "annotator user token": None,
    "agreement compare": _compared,
    "agreement consensus": _merged,
    "agreement report": _report,
    "prelabel captions": None,
    "prelabel classify": _classified,
    "prelabel compose": lambda ended: f"prelabel run {ended.path('out')}/figures.jsonl --out predictions.jsonl",
    "prelabel effort": None,
    "prelabel evaluate": None,
    "prelabel run": _prelabelled,
    "prelabel serve": _models_served,
    "prelabel statistics": None,
    "prelabel synth": lambda ended: f"prelabel run {ended.path('out')}/figures.jsonl --out predictions.jsonl",
    "prelabel train": _trained,
    "prelabel tune": _tuned,
}


def next_step(name: str, ended: Ended) -> str | None:
    """Return what to run after the command; None if no step follows or the output is for a program."""
    step = None if ended.printed_data else NEXT[name]
    return None if step is None else step(ended)
