"""`annotator user rename`, `pseudonym` and `join`: replace a person's name everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.commandline import campaign_at, warn
from annotator.cli.parameters import Option, SignatureCommand
from annotator.cli.shared_options import HomeOption
from panelwise.domain import AnnotatorError
from panelwise.runtime import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store


@click.command(
    short_help="Replace a person's name everywhere.",
    epilog="Example: annotator user rename ruth ruth.miller",
    cls=SignatureCommand,
)
def rename(old: str, new: str, home: HomeOption) -> int:
    """Rename a person everywhere: in accounts, tasks, annotations, decisions and Label Studio.

    First stop `annotator serve` and other commands. The pseudonym in releases stays. Remaining uses of the old
    name are listed; exit status 1 if a part failed.
    """

    return _rename(campaign_at(home), old, new, forget=False)


@click.command(
    short_help="Replace a person's name by a pseudonym everywhere.",
    epilog="Example: annotator user pseudonym ruth --forget",
    cls=SignatureCommand,
)
def pseudonym(
    name: str,
    pseudonym: str | None,
    forget: Annotated[bool, Option("Also remove e-mail and password.")],
    show: Annotated[bool, Option("Only print the pseudonym.")],
    home: HomeOption,
) -> int:
    """Replace a person's name by PSEUDONYM [default: their pseudonym in releases].

    First stop `annotator serve` and other commands. What can't be changed from here (releases with real names,
    exports, backups, Label Studio's records) is listed; exit status 1 if a part failed.
    """
    from annotator.operations.rename_person import pseudonym_of

    if show and (pseudonym or forget):
        raise click.UsageError("--show can't be combined with PSEUDONYM or --forget; leave them out")
    where = campaign_at(home)
    with where.open_store() as store:
        _finish_earlier(store)
        new = pseudonym or pseudonym_of(where, store, name)
    if show:
        click.echo(new)
        return 0
    if new == name and not forget:
        raise AnnotatorError(f'"{name}" is already a pseudonym; add another one, or --forget')
    return _rename(where, name, new, forget=forget)


@click.command(
    short_help="Merge two spellings of a person's name.",
    epilog="Example: annotator user join Ruth ruth",
    cls=SignatureCommand,
)
def join(old: str, name: str, home: HomeOption) -> int:
    """Merge OLD into NAME, two spellings that differ only in case, spaces or Unicode form.

    First run `annotator pull`, then stop `annotator serve` and other commands.
    """
    from annotator.operations.rename_person import join as join_spellings
    from annotator.sync.project_access import withdraw_access

    where = campaign_at(home)
    with where.open_store() as store:
        done = join_spellings(where, store, old, name)
        withdraw_access(where, store)
    click.echo(f"{old} is now {name} ({done.counted()}); agreement recomputed")
    for line in done.left:
        warn(f"note: {line}")
    if done.projects:
        warn("next: annotator push, which renames the projects in Label Studio")
    return 0


def _rename(where: Home, old: str, new: str, *, forget: bool) -> int:
    """Rename in the store and in Label Studio, and list what remains; returns 1 if a part failed."""
    from annotator.operations.rename_person import rename as rename_everywhere
    from annotator.sync.project_access import withdraw_access

    with where.open_store() as store:
        _finish_earlier(store)
        done = rename_everywhere(where, store, old, new, forget=forget)
        withdraw_access(where, store)
        if done.projects and old != new:
            line = _rename_projects(where, store, old, new)
            done.failed += [line] if line else []
    if old != new:
        click.echo(f"{old} is now {new} ({done.counted()})")
    elif not forget:
        click.echo(f"{old} already has that name; nothing changed")
    if forget:
        click.echo(f"removed the e-mail and password of {new}, who can no longer sign in")
    for line in (*done.failed, *done.left):
        warn(line)
    if old != new:
        warn("note: exported files, backups and copies of releases with real names still have the old name")
    if done.projects and forget:
        warn("note: the person's account in Label Studio remains; remove it there (Organization)")
    return 1 if done.failed else 0


def _finish_earlier(store: Store) -> None:
    """Finish an earlier, interrupted renaming."""
    from annotator.operations.rename_person import finish_scrubbing
    from panelwise.domain import StoreError

    try:
        if finish_scrubbing(store):
            warn("note: finished an earlier renaming; the old name is removed from the store's files")
    except StoreError as error:
        warn(f"an earlier renaming is unfinished: {error}")


def _rename_projects(where: Home, store: Store, old: str, new: str) -> str:
    """Rename the person's projects on the server; returns an instruction if that failed, else ""."""
    from annotator.campaign.connect import own_server, running_studio
    from annotator.operations.rename_person import rename_projects
    from panelwise.domain import SyncError

    later = "run `annotator push` once it runs to rename them"
    if not where.label_studio.url and own_server(where) is None:
        return f"projects not renamed: the campaign's own Label Studio is not running; {later}"
    try:
        with running_studio(where) as server:
            server.check()
            count = rename_projects(store, server, old, new)
    except SyncError as error:
        return f"projects in Label Studio not renamed ({error}); {later}"
    click.echo(f"renamed {counted(count, 'project')} in Label Studio")
    return ""
