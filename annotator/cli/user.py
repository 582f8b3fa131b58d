"""`annotator user`: who may sign in, and as what."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from annotator.commandline import home_option, warn
from annotator.domain.campaign import Role
from annotator.domain.counting import counted
from annotator.domain.errors import AnnotatorError

if TYPE_CHECKING:
    from datetime import datetime

    from annotator.services.home import Home
    from annotator.store.store import Store

#: Bytes of chance in a generated password (16 characters).
GENERATED_BYTES = 12

role_option = click.option(
    "--role",
    "roles",
    type=click.Choice([role.value for role in Role]),
    multiple=True,
    required=True,
    help="What the person may do; repeat it to give several.",
)
stdin_option = click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of stdin."
)
url_option = click.option(
    "--url",
    default="http://127.0.0.1:8090/",
    show_default=True,
    help="Address of the adjudication view, as the person reaches it.",
)
generate_option = click.option("--generate", is_flag=True, help="Make a password up and print it.")


@click.group()
def command() -> None:
    """Give people accounts, passwords and roles.

    \b
    Example: annotator user add ruth --role reviewer
    """


@command.command()
@click.argument("name")
@role_option
@click.option("--email", default="", help="Ties the account to the person's account in Label Studio.")
@stdin_option
@generate_option
@click.option("--link", "by_link", is_flag=True, help="Print a link by which the person sets the password.")
@url_option
@home_option
def add(
    name: str,
    roles: tuple[str, ...],
    email: str,
    password_stdin: bool,
    generate: bool,
    by_link: bool,
    url: str,
    home: Path | None,
) -> None:
    """Add a person who can sign in to the adjudication view.

    The password is asked for unless an option says where it comes from; there is no default one.

    \b
    Example: annotator user add ruth --role reviewer --link
    """
    from annotator.services import accounts
    from annotator.services.home import Home
    from annotator.services.invitations import invite

    if by_link and (password_stdin or generate):
        raise click.UsageError("give --link or a password, not both")
    where = Home.find(home)
    store = where.open_store()
    try:
        with store.read() as tx:
            if tx.password_hash(name):
                # Told before a password is asked for.
                raise AnnotatorError(f'"{name}" has an account; see `annotator user --help` for how to change it')
        password = None if by_link else _password(name, password_stdin, generate)
        person = accounts.add_person(store, name, roles=map(Role, roles), password=password, email=email)
        token = invite(where, store, name) if by_link else ""
    finally:
        store.close()
    click.echo(f"added {person.name} ({', '.join(sorted(person.roles))})")
    if by_link:
        _print_link(url, token)
    if generate:
        click.echo(f"password: {password}")


@command.command()
@click.argument("name")
@stdin_option
@generate_option
@home_option
def password(name: str, password_stdin: bool, generate: bool, home: Path | None) -> None:
    """Set a person's password.

    Whoever is signed in with the old one is signed out.

    \b
    Example: annotator user password ruth
    """
    from annotator.services import accounts
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        new = _password(name, password_stdin, generate)
        accounts.set_password(store, name, new)
    finally:
        store.close()
    click.echo(f"set the password of {name}")
    if generate:
        click.echo(f"password: {new}")


@command.command("link")
@click.argument("name")
@click.option(
    "--hours",
    default=48,
    show_default=True,
    type=click.IntRange(1, 14 * 24),
    help="How long the link holds, unless it is used before.",
)
@url_option
@home_option
def link(name: str, hours: int, url: str, home: Path | None) -> None:
    """Print a link by which a person sets their own password.

    It holds once: the password that it sets makes it void, and so does another password. The one that the person
    has goes on to hold until then.

    \b
    Example: annotator user link ruth --url https://figures.example.org/
    """
    from annotator.services.home import Home
    from annotator.services.invitations import invite

    where = Home.find(home)
    store = where.open_store()
    try:
        token = invite(where, store, name, hours=hours)
    finally:
        store.close()
    _print_link(url, token)


def _print_link(url: str, token: str) -> None:
    click.echo(f"{url.rstrip('/')}/welcome/{token}")


@command.command("roles")
@click.argument("name")
@role_option
@home_option
def set_roles(name: str, roles: tuple[str, ...], home: Path | None) -> None:
    """Replace a person's roles.

    \b
    Example: annotator user roles ruth --role reviewer --role lead
    """
    from annotator.services import accounts
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        person = accounts.set_roles(store, name, map(Role, roles))
    finally:
        store.close()
    click.echo(f"{person.name} is now {', '.join(sorted(person.roles))}")


@command.command("list")
@home_option
def list_people(home: Path | None) -> None:
    """List everyone and their roles.

    A line each: name, roles, whether they can sign in, the day on which they last did, e-mail.

    \b
    Example: annotator user list
    """
    from annotator.services import accounts
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        everyone = accounts.people(store)
        with store.read() as tx:
            last = {name: f"{moment:%Y-%m-%d}" for name, moment in tx.last_sign_ins().items()}
    finally:
        store.close()
    if not everyone:
        click.echo("nobody yet; add someone with `annotator user add NAME --role reviewer`", err=True)
    width = max((len(person.name) for person, _ in everyone), default=0)
    for person, has_password in everyone:
        signs_in = "signs in" if has_password and person.active else "no password" if person.active else "inactive"
        roles, day = ",".join(sorted(person.roles)), last.get(person.name, "never")
        line = f"{person.name:<{width}}  {roles:<26}  {signs_in:<11}  {day:<10}  {person.email}"
        click.echo(line.rstrip())


@command.command("log")
@click.argument("name", required=False)
@click.option("--failed", is_flag=True, help="Only attempts that did not get in.")
@click.option("--last", default=50, show_default=True, type=click.IntRange(1), help="How many entries.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: at, name, outcome, address.")
@home_option
def log(name: str | None, failed: bool, last: int, as_json: bool, home: Path | None) -> None:
    """Print who signed in to the adjudication view, and who could not: the newest first.

    A line each: time (UTC), name, what came of it, address. Names that nobody here has are not kept: people type
    passwords there.

    \b
    Example: annotator user log ruth --failed
    """
    from annotator.services.home import Home
    from annotator.services.signing_in import sign_in_log

    store = Home.find(home).open_store()
    try:
        with store.read() as tx:
            if name is not None and name not in tx.names():
                raise AnnotatorError(f'nobody here is called "{name}"; see `annotator user list`')
        entries = sign_in_log(store, name=name, failed=failed, limit=last)
    finally:
        store.close()
    if not entries:
        click.echo("nothing of that kind yet", err=True)
    if as_json:
        import json

        for each in entries:
            record = {"at": _time(each.at), "name": each.name, "outcome": each.outcome, "address": each.address}
            click.echo(json.dumps(record, ensure_ascii=False))
        return
    width = max((len(each.name) for each in entries), default=0)
    for each in entries:
        line = f"{_time(each.at)}  {each.name or '-':<{max(1, width)}}  {each.outcome.value:<28}  {each.address}"
        click.echo(line.rstrip())


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


@command.command(short_help="Replace a person's name everywhere.")
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
    from annotator.services.home import Home

    return _rename(Home.find(home), old, new, forget=False)


@command.command(short_help="Replace a person's name by a pseudonym everywhere.")
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
    from annotator.services.home import Home
    from annotator.services.renaming import pseudonym_of

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


def _rename(where: Home, old: str, new: str, *, forget: bool) -> int:
    """Rename in the store and in Label Studio, and tell what is left; 1 where a part could not be done."""
    from annotator.services.renaming import rename as rename_everywhere

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
    from annotator.domain.errors import StoreError
    from annotator.services.renaming import finish_scrubbing

    try:
        if finish_scrubbing(store):
            warn("note: finished an earlier renaming: the store's files hold nothing of that name any more")
    except StoreError as error:
        warn(f"an earlier renaming is unfinished: {error}")


def _rename_projects(where: Home, store: Store, old: str, new: str) -> str:
    """Rename the person's projects where the server runs; else one line that says what to do, "" where done."""
    from annotator.domain.errors import SyncError
    from annotator.label_studio import embedded
    from annotator.label_studio.client import LabelStudioServer
    from annotator.services.renaming import rename_projects

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


def _password(name: str, from_stdin: bool, generate: bool) -> str:
    """The password that was given, made up or asked for (hidden, twice)."""
    if from_stdin and generate:
        raise click.UsageError("give --password-stdin or --generate, not both")
    if generate:
        return secrets.token_urlsafe(GENERATED_BYTES)
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise AnnotatorError(
            f"cannot ask for the password of {name} without a terminal; give --password-stdin or --generate"
        )
    answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer
