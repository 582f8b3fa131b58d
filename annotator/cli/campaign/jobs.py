"""`annotator jobs`: list background jobs, or run those that wait for a worker."""

from __future__ import annotations

import queue
from typing import Annotated

import click

from annotator.cli.commandline import campaign_at, stop_requests, warn
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption

#: Seconds between two looks for jobs that wait.
EVERY = 1.0


@click.command(epilog="Example: annotator jobs", cls=SignatureCommand)
def command(work: Annotated[bool, Option("Run waiting jobs until Ctrl-C.")], home: HomeOption) -> None:
    """List the background jobs that leads started in the browser, the newest first.

    --work is for a server with PANELWISE_JOBS_WORKER set; any other runs its jobs itself.
    """
    from annotator.jobs.jobs import jobs_of, run_waiting

    where = campaign_at(home)
    if not work:
        for job in jobs_of(where):
            began = f"{job.request.started_at:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{job.number:6}  {job.state.value:11}  {began}  {job.request.by}  {job.request.title}")
        return
    warn("running jobs as they come; Ctrl-C stops")
    wait_for_stop = stop_requests()
    while True:
        for job in run_waiting(where):
            warn(f"job {job.number}: {job.request.title}")
        try:
            wait_for_stop(timeout=EVERY)
        except queue.Empty:
            continue
        return
