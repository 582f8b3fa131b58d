"""`annotator user`: manage accounts, passwords and roles."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from annotator.cli.campaign import user_names
from annotator.cli.commandline import campaign_at, warn
from annotator.cli.parameters import Argument, Option, SignatureGroup
from annotator.cli.shared_options import HomeOption, StudioToken, StudioUrl
from panelwise.domain import AnnotatorError, Role
from panelwise.runtime import is_loopback

if TYPE_CHECKING:
    from datetime import datetime

    from annotator.campaign.home import Home
    from annotator.store.store import Store

#: Random bytes in a generated password (16 characters).
GENERATED_BYTES = 12

Roles = Annotated[
    tuple[str, ...],
    Option("Role (repeatable).", "--role", type=click.Choice([role.value for role in Role]), required=True),
]
PasswordStdin = Annotated[bool, Option("Read the password from the first line of stdin.")]
LinkUrl = Annotated[
    str,
    Option(
        "Address of the adjudication view in the link [default: PANELWISE_PUBLIC_URL, or the last of `annotator "
        "serve`].",
        default="",
    ),
]
Generate = Annotated[bool, Option("Generate a password and print it.")]


@click.group(epilog="Example: annotator user add ruth --role reviewer", cls=SignatureGroup)
def command() -> None:
    """Manage people's accounts, passwords and roles."""


command.add_command(user_names.rename)
command.add_command(user_names.pseudonym)
command.add_command(user_names.join)


@command.command(epilog="Example: annotator user add ruth --role reviewer --link")
def add(
    name: str,
    roles: Roles,
    email: Annotated[str, Option("E-mail in Label Studio.", default="")],
    password_stdin: PasswordStdin,
    generate: Generate,
    by_link: Annotated[bool, Option("Print a link to set a password.", "--link")],
    url: LinkUrl,
    home: HomeOption,
) -> None:
    """Add a person who can sign in to the adjudication view.

    Prompts for a password unless an option provides one.
    """
    from annotator.accounts import people as accounts
    from annotator.accounts.invitations import invite

    if by_link and (password_stdin or generate):
        raise click.UsageError("--link can't be combined with a password option; use one of them")
    where = campaign_at(home)
    with where.open_store() as store:
        with store.read() as tx:
            if tx.people.password_hash(name):
                # Fails before the prompt for a password.
                raise AnnotatorError(f'"{name}" already has an account; to change it, see `annotator user --help`')
        password = None if by_link else _password(name, password_stdin, generate)
        person = accounts.add_person(store, name, roles=map(Role, roles), password=password, email=email)
        token = invite(where, store, name) if by_link else ""
        url = url or (_address(where, store) if by_link else "")
    click.echo(f"added {person.name} ({', '.join(sorted(person.roles))})")
    if by_link:
        _print_link(url, token)
    if generate:
        click.echo(f"password: {password}")


@command.command(epilog="Example: annotator user password ruth")
def password(name: str, password_stdin: PasswordStdin, generate: Generate, home: HomeOption) -> None:
    """Set a person's password, which ends current sessions."""
    from annotator.accounts import people as accounts

    with campaign_at(home).open_store() as store:
        new = _password(name, password_stdin, generate)
        accounts.set_password(store, name, new)
    click.echo(f"set the password of {name}")
    if generate:
        click.echo(f"password: {new}")


@command.command("link", epilog="Example: annotator user link ruth --url https://figures.example.org/")
def link(
    name: str,
    hours: Annotated[int, Option("Hours until the link expires.", type=click.IntRange(1, 14 * 24), default=48)],
    url: LinkUrl,
    home: HomeOption,
) -> None:
    """Print a link where a person sets their own password.

    It works once, and expires with a new password, name or role, or when the person is disabled.
    """
    from annotator.accounts.invitations import invite

    where = campaign_at(home)
    with where.open_store() as store:
        token = invite(where, store, name, hours=hours)
        url = url or _address(where, store)
    _print_link(url, token)


def _address(home: Home, store: Store) -> str:
    """Return the address of the adjudication view as far as this machine knows it."""
    from annotator.accounts.invitations import noted_address

    found = home.view_url or noted_address(store)
    if not found:
        found = "http://127.0.0.1:8090/"
        warn(
            "address of the adjudication view unknown; if this one is wrong, add --url or set PANELWISE_PUBLIC_URL"
        )
    return found


def _print_link(url: str, token: str) -> None:
    if is_loopback(url):
        warn(
            "warning: this link opens on this computer only; for people elsewhere, add --url or set "
            "PANELWISE_PUBLIC_URL"
        )
    click.echo(f"{url.rstrip('/')}/welcome/{token}")


@command.command("roles", epilog="Example: annotator user roles ruth --role reviewer --role lead")
def set_roles(name: str, roles: Roles, home: HomeOption) -> None:
    """Replace a person's roles, which ends their unused links."""
    from annotator.accounts import people as accounts
    from annotator.sync.project_access import withdraw_access

    where = campaign_at(home)
    with where.open_store() as store:
        person = accounts.set_roles(store, name, map(Role, roles))
        withdraw_access(where, store)
    click.echo(f"{person.name} is now {', '.join(sorted(person.roles))}")


@command.command(epilog="Example: annotator user disable ruth")
def disable(name: str, home: HomeOption) -> None:
    """Disable a person at once, here and in Label Studio; work, name and password remain.

    Sessions, unused links and API tokens end for good.
    """
    _set_active(name, home, active=False)


@command.command(epilog="Example: annotator user enable ruth")
def enable(name: str, home: HomeOption) -> None:
    """Enable a person's sign-in again, with the same password."""
    _set_active(name, home, active=True)


def _set_active(name: str, home: Path | None, *, active: bool) -> None:
    from annotator.accounts import people as accounts
    from annotator.sync.project_access import withdraw_access

    where = campaign_at(home)
    with where.open_store() as store:
        changed = accounts.set_active(store, name, active=active)
        withdraw_access(where, store)
        has_reviewer = accounts.has_reviewer(store)
    state = "can sign in" if active else "can no longer sign in"
    click.echo(f"{name} {state}{'' if changed else ' (unchanged)'}")
    if not has_reviewer:
        warn("warning: no active reviewer or lead is left to adjudicate figures; see `annotator user list`")


@command.command(epilog="Example: annotator user email ann1 ann1@example.org")
def email(name: str, address: str, home: HomeOption) -> None:
    """Set a person's e-mail, which must match their account in Label Studio."""
    from annotator.accounts import people as accounts
    from annotator.sync.project_access import withdraw_access

    where = campaign_at(home)
    with where.open_store() as store:
        accounts.set_email(store, name, address)
        withdraw_access(where, store)
    click.echo(f"{name}: {address}")


@command.command(epilog="Example: annotator user invite --make")
def invite(
    names: Annotated[tuple[str, ...], Argument(metavar="[NAME]...")],
    make: Annotated[bool, Option("Create the accounts and print their passwords, once.")],
    url: StudioUrl,
    token: StudioToken,
    home: HomeOption,
) -> int:
    """Invite annotators to Label Studio: all of them, or those named.

    Prints who has an account, and the sign-up page for the others, who must use the e-mail set here. Exit status 1
    if one has no e-mail.
    """
    from annotator.cli.campaign.server_options import connected
    from annotator.sync.project_access import guests

    where = campaign_at(home)
    with where.open_store() as store, connected(where, url, token) as server:
        found = guests(store, server, names, make=make)
        waiting = [each for each in found if not each.has_account]
        page = server.invitation() if any(each.email for each in waiting) else ""
    width = max(len(each.name) for each in found)
    for each in found:
        state = "has an account" if each.has_account else "no account"
        if each.password is not None:
            state = f"created, password: {each.password}"
        click.echo(f"{each.name:<{width}}  {each.email or '-'}  {state}")
    if page:
        click.echo(f"sign-up page for annotators without an account: {page}")
    for each in waiting:
        if not each.email:
            warn(f"{each.name} has no e-mail; set it with: annotator user email {each.name} ADDRESS")
    return 1 if any(not each.email for each in waiting) else 0


@command.command(epilog="Example: annotator user token ruth nightly-export")
def token(
    name: str,
    label: str | None,
    revoke: Annotated[bool, Option("Revoke the token of that label.")],
    home: HomeOption,
) -> None:
    """Make a token for the HTTP API and print it, once; without LABEL, list the person's tokens.

    A token has the person's roles; only its hash is stored.
    """
    from annotator.accounts.tokens import make_token, revoke_token, tokens_of

    if revoke and label is None:
        raise click.UsageError("--revoke needs the LABEL of the token")
    with campaign_at(home).open_store() as store:
        if label is None:
            for each in tokens_of(store, name):
                used = f"{each.used_at:%Y-%m-%d}" if each.used_at else "never"
                click.echo(f"{each.created_at:%Y-%m-%d}  {used:<10}  {each.label}")
        elif revoke:
            revoke_token(store, name, label)
            click.echo(f'revoked token "{label}" of {name}')
        else:
            click.echo(make_token(store, name, label))


@command.command("list", epilog="Example: annotator user list")
def list_people(home: HomeOption) -> None:
    """List people: name, roles, whether they can sign in, day of the last sign-in, e-mail."""
    from annotator.accounts import people as accounts

    with campaign_at(home).open_store() as store:
        everyone = accounts.people(store)
        with store.read() as tx:
            last = {name: f"{moment:%Y-%m-%d}" for name, moment in tx.sign_ins.last_by_name().items()}
    if not everyone:
        click.echo("no accounts yet; add one with `annotator user add NAME --role reviewer`", err=True)
    width = max((len(person.name) for person, _ in everyone), default=0)
    for person, has_password in everyone:
        signs_in = "signs in" if has_password and person.active else "no password" if person.active else "inactive"
        roles, day = ",".join(sorted(person.roles)), last.get(person.name, "never")
        line = f"{person.name:<{width}}  {roles:<26}  {signs_in:<11}  {day:<10}  {person.email}"
        click.echo(line.rstrip())


@command.command("log", epilog="Example: annotator user log ruth --failed")
def log(
    name: str | None,
    failed: Annotated[bool, Option("Only failed attempts.")],
    last: Annotated[int, Option("Number of entries.", type=click.IntRange(1, 1_000_000), default=50)],
    as_json: Annotated[bool, Option("Print JSON lines.", "--json")],
    home: HomeOption,
) -> None:
    """Print sign-ins to the adjudication view, newest first: time (UTC), name if known, outcome, address."""
    from annotator.accounts.sign_in import sign_in_log

    with campaign_at(home).open_store() as store:
        with store.read() as tx:
            if name is not None and name not in tx.names.all():
                raise AnnotatorError(f'no person "{name}" in this campaign; see `annotator user list`')
        entries = sign_in_log(store, name=name, failed=failed, limit=last)
    if not entries:
        click.echo("no matching sign-ins", err=True)
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


def _password(name: str, from_stdin: bool, generate: bool) -> str:
    """Read the password from stdin, generate it, or prompt for it (hidden, twice)."""
    if from_stdin and generate:
        raise click.UsageError("--password-stdin and --generate can't be combined; use one of them")
    if generate:
        return secrets.token_urlsafe(GENERATED_BYTES)
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise AnnotatorError(
            f"can't prompt for the password of {name} without a terminal; add --password-stdin or --generate"
        )
    answer: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return answer
