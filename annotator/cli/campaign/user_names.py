"""`annotator user rename` and `pseudonym`: replace a person's name wherever it stands."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.cli.commandline import home_option, warn
from panelwise.domain.errors import AnnotatorError
from panelwise.runtime.plurals import counted

if TYPE_CHECKING:
    from annotator.campaign.home import Home
    from annotator.store.store import Store


@click.command(short_help="Replace a person's name everywhere.")
@click.argument("old")
@click.argument("new")
@home_option
def rename(old: str, new: str, home: Path | None) -> int:
    """Replace a person's name by another one: in accounts, tasks, annotations, decisions and Label Studio.

    The person must sign in again, under the new name. In releases they keep their pseudonym. Stop `annotator
    serve` and the like first. What still bears the old name is told on stderr; exit status 1 says that a part
    could not be done.

    \b
    Example: annotator user rename ruth ruth.miller
    """
    from annotator.campaign.home import Home

    return _rename(Home.find(home), old, new, forget=False)


@click.command(short_help="Replace a person's name by a pseudonym everywhere.")
@click.argument("name")
@click.argument("pseudonym", required=False)
@click.option("--forget", is_flag=True, help="Remove e-mail and password too; the person can sign in no more.")
@click.option("--show", is_flag=True, help="Only print the pseudonym under which the person stands in releases.")
@home_option
def pseudonym(name: str, pseudonym: str | None, forget: bool, show: bool, home: Path | None) -> int:
    """Replace a person's name by PSEUDONYM, or by the one under which they stand in releases.

    The name is then in no byte of the store. Their work stays. What cannot be changed from here (releases with
    real names, exported files, backups, Label Studio's own records) is told on stderr; exit status 1 says that a
    part could not be done. Stop `annotator serve` and the like first.

    \b
    Example: annotator user pseudonym ruth --forget
    """
    from annotator.campaign.home import Home
    from annotator.operations.rename_person import pseudonym_of

    if show and (pseudonym or forget):
        raise click.UsageError("--show changes nothing; give it with NAME alone")
    where = Home.find(home)
    store = where.open_store()
    try:
        _finish_earlier(store)
        new = pseudonym or pseudonym_of(where, store, name)
    finally:
        store.close()
    if show:
        click.echo(new)
        return 0
    if new == name and not forget:
        raise AnnotatorError(f'"{name}" is a pseudonym already; give another, or --forget')
    return _rename(where, name, new, forget=forget)


@click.command(short_help="Make two spellings of a person's name one.")
@click.argument("old")
@click.argument("name")
@home_option
def join(old: str, name: str, home: Path | None) -> int:
    """Make one person of OLD and NAME, which differ only by case, blanks or the Unicode form of letters.

    All tasks, work and decisions of OLD become those of NAME, and agreement is scored anew: one person under two
    spellings counted as two annotators. Run `annotator pull` first; stop `annotator serve` and the like.

    \b
    Example: annotator user join Ruth ruth
    """
    from annotator.campaign.home import Home
    from annotator.operations.rename_person import join as join_spellings

    where = Home.find(home)
    store = where.open_store()
    try:
        done = join_spellings(where, store, old, name)
    finally:
        store.close()
    click.echo(f"{old} is now {name} ({done.counted()}); agreement is scored anew")
    for line in done.left:
        warn(f"note: {line}")
    if done.projects:
        warn("next: annotator push, which names the projects in Label Studio")
    return 0


def _rename(where: Home, old: str, new: str, *, forget: bool) -> int:
    """Rename in the store and in Label Studio, and tell what is left; 1 where a part could not be done."""
    from annotator.operations.rename_person import rename as rename_everywhere

    store = where.open_store()
    try:
        _finish_earlier(store)
        done = rename_everywhere(where, store, old, new, forget=forget)
        if done.projects and old != new:
            line = _rename_projects(where, store, old, new)
            done.failed += [line] if line else []
    finally:
        store.close()
    if old != new:
        click.echo(f"{old} is now {new} ({done.counted()})")
    elif not forget:
        click.echo(f"{old} has that name already; nothing changed")
    if forget:
        click.echo(f"removed the e-mail and password of {new}, who can sign in no more")
    for line in (*done.failed, *done.left):
        warn(line)
    if old != new:
        warn("note: exported files, backups and copies of releases with real names keep the old name; see to them")
    if done.projects and forget:
        warn("note: the person's account in Label Studio is its own; remove it there (Organization)")
    return 1 if done.failed else 0


def _finish_earlier(store: Store) -> None:
    """Bring an earlier renaming to its end that did not come to it, and tell."""
    from annotator.operations.rename_person import finish_scrubbing
    from panelwise.domain.errors import StoreError

    try:
        if finish_scrubbing(store):
            warn("note: finished an earlier renaming: the store's files hold nothing of that name any more")
    except StoreError as error:
        warn(f"an earlier renaming is unfinished: {error}")


def _rename_projects(where: Home, store: Store, old: str, new: str) -> str:
    """Rename the person's projects where the server runs; else one line that says what to do, "" where done."""
    from annotator.label_studio.client import LabelStudioServer
    from annotator.label_studio.embedded import server as embedded
    from annotator.operations.rename_person import rename_projects
    from panelwise.domain.errors import SyncError

    later = "run `annotator push` when it is there: that renames them, and pulls work meanwhile"
    url, token = where.label_studio.url, where.label_studio.token
    own = embedded.running(where.path)
    if own is not None and url in ("", own.url):
        url, token = own.url, token if url and token else own.token
    if not url:
        return f"the projects in the campaign's own Label Studio, which is not running, bear the old name; {later}"
    try:
        with LabelStudioServer(url, token) as server:
            server.check()
            count = rename_projects(store, server, old, new)
    except SyncError as error:
        return f"the projects in Label Studio bear the old name ({error}); {later}"
    click.echo(f"renamed {counted(count, 'project')} in Label Studio")
    return ""
