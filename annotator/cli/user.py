"""`annotator user`: who may sign in, and as what."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

import click

from annotator.commandline import home_option
from annotator.domain.campaign import Role
from annotator.domain.errors import AnnotatorError

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
@home_option
def add(
    name: str, roles: tuple[str, ...], email: str, password_stdin: bool, generate: bool, home: Path | None
) -> None:
    """Add a person who can sign in to the adjudication view.

    \b
    Example: annotator user add ruth --role reviewer --generate
    """
    from annotator.services import accounts
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        with store.read() as tx:
            if tx.password_hash(name):
                # Told before a password is asked for.
                raise AnnotatorError(f'"{name}" has an account; see `annotator user --help` for how to change it')
        password = _password(name, password_stdin, generate)
        person = accounts.add_person(store, name, roles=map(Role, roles), password=password, email=email)
    finally:
        store.close()
    click.echo(f"added {person.name} ({', '.join(sorted(person.roles))})")
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

    A line each: name, roles, whether they can sign in, e-mail.

    \b
    Example: annotator user list
    """
    from annotator.services import accounts
    from annotator.services.home import Home

    store = Home.find(home).open_store()
    try:
        everyone = accounts.people(store)
    finally:
        store.close()
    if not everyone:
        click.echo("nobody yet; add someone with `annotator user add NAME --role reviewer`", err=True)
    width = max((len(person.name) for person, _ in everyone), default=0)
    for person, has_password in everyone:
        signs_in = "signs in" if has_password and person.active else "no password" if person.active else "inactive"
        line = f"{person.name:<{width}}  {','.join(sorted(person.roles)):<26}  {signs_in:<11}  {person.email}"
        click.echo(line.rstrip())


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
