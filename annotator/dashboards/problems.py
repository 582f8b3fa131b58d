"""The campaign's current problems for its lead: a sentence each, with the form or page that solves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from annotator.campaign.connect import own_server, why_unreachable
from annotator.campaign.home import Home
from annotator.dashboards.lead import DashboardPage, PhaseRows
from annotator.jobs.commands import JobKind, describe_state
from annotator.jobs.folders import JobState
from annotator.jobs.jobs import Job, jobs_of
from annotator.operations.running_parts import problems_of, read_parts
from annotator.store.rows.records import Hidden
from annotator.store.store import Transaction
from panelwise.runtime import counted

#: A backup older than this is stale.
STALE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem. button: what it says. page: the endpoint behind it.

    fields: of the form that it sends; None if it only opens the page, with these values.
    """

    text: str
    button: str
    page: str
    fields: Mapping[str, str] | None = None
    values: Mapping[str, object] = field(default_factory=dict)


def problems_now(
    home: Home, tx: Transaction, page: DashboardPage, now: datetime, hidden: Hidden | None = None
) -> list[Problem]:
    """Return the problems, the most urgent first. hidden: figures without which `page` was counted."""
    jobs = jobs_of(home)
    return [
        *_unreachable(home),
        *(Problem(text, "Check again", "dashboard.show") for text in problems_of(read_parts(home.path), now)),
        *_label_studio(home, tx, page, hidden),
        *(problem for phase in page.phases if not phase.releases_hidden for problem in _phase(phase)),
        *_failed(jobs, now),
        *_backup(page, jobs, now),
    ]


def _unreachable(home: Home) -> Iterator[Problem]:
    """A Label Studio that somebody else runs does not answer; the campaign's own is one of its parts."""
    url = home.label_studio.url
    if not url or not any(phase.in_label_studio for phase in home.campaign.phases):
        return
    why = why_unreachable(url)
    if why:
        yield Problem(
            f"Label Studio at {url} cannot be reached ({why}). Start it, or correct its address.",
            "Open the settings",
            "settings.show",
        )


def _label_studio(home: Home, tx: Transaction, page: DashboardPage, hidden: Hidden | None) -> Iterator[Problem]:
    unknown = {each.phase for each in page.phases if each.releases_hidden}
    phases = [phase.name for phase in home.campaign.phases if phase.in_label_studio and phase.name not in unknown]
    unpushed = sum(tx.tasks.count_unpushed(name, hidden) for name in phases)
    if not unpushed:
        return
    tasks = f"{counted(unpushed, 'task')} {'is' if unpushed == 1 else 'are'} not in Label Studio yet"
    if home.label_studio.url or own_server(home) is not None:
        yield Problem(f"{tasks}.", "Push tasks", "jobs.start", {"kind": JobKind.PUSH.value})
    else:
        text = f"{tasks}, which does not run. Start the campaign with annotator up."
        yield Problem(text, "Check again", "dashboard.show")


def _phase(phase: PhaseRows) -> Iterator[Problem]:
    late = [row for row in phase.rows if row.late]
    if late:
        people = ", ".join(f"{row.annotator} ({row.late})" for row in late)
        tasks = f"{counted(phase.late, 'task')} of phase {phase.phase} {'is' if phase.late == 1 else 'are'} late"
        yield Problem(f"{tasks}: {people}.", "Reassign", "assignment.show")
    following = phase.following
    if following is not None and following.due:
        yield Problem(
            f"Batch {following.number} of phase {phase.phase} is due for release.",
            "Release it",
            "assignment.change",
            {"what": "release", "phase": phase.phase},
        )
    elif following is not None and following.early:
        yield Problem(
            f"{', '.join(following.early)} finished early in phase {phase.phase}.",
            "Give them more",
            "assignment.change",
            {"what": "top-up", "phase": phase.phase},
        )


def _failed(jobs: list[Job], now: datetime) -> Iterator[Problem]:
    """The last job of a kind, if it failed within a week."""
    latest: dict[str, Job] = {}
    for job in jobs:
        latest.setdefault(job.request.kind, job)
    for job in latest.values():
        recent = now - job.request.started_at < STALE
        if recent and job.state in (JobState.FAILED, JobState.INTERRUPTED):
            text = f"Job {job.number} ({job.request.title}): {describe_state(job)}."
            yield Problem(text, "Open it", "jobs.job", values={"number": job.number})


def _backup(page: DashboardPage, jobs: list[Job], now: datetime) -> Iterator[Problem]:
    """No recent backup though there is work. Those that a command made elsewhere are not known."""
    if not page.adjudicated and not any(phase.done for phase in page.phases):
        return
    made = [job for job in jobs if job.request.kind == JobKind.BACKUP and job.state is JobState.DONE]
    if not made:
        text = "No backup was made here yet."
    elif now - made[0].request.started_at > STALE:
        text = f"The last backup made here is of {made[0].request.started_at:%Y-%m-%d}."
    else:
        return
    yield Problem(text, "Back up", "jobs.start", {"kind": JobKind.BACKUP.value})
