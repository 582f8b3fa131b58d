from __future__ import annotations

import re
import shlex

import yaml
from click.testing import CliRunner
from conftest import REPOSITORY

from annotator.cli.main import group

COMPOSE = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())


def test_the_three_services_wait_for_their_database_and_report_their_health() -> None:
    services = COMPOSE["services"]
    assert set(services) == {"label-studio", "postgres", "adjudication"}
    for name, service in services.items():
        assert "healthcheck" in service, name
    for name in ("label-studio", "adjudication"):
        assert services[name]["depends_on"]["postgres"]["condition"] == "service_healthy"


def test_images_are_pinned_and_ports_are_open_to_this_machine_only() -> None:
    for service in COMPOSE["services"].values():
        if "image" in service:
            assert re.search(r":\d[\w.-]*$", service["image"])
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:")


def test_no_password_has_a_default() -> None:
    text = (REPOSITORY / "docker-compose.yml").read_text()
    for name in ("POSTGRES_PASSWORD", "LABEL_STUDIO_PASSWORD", "LABEL_STUDIO_API_KEY"):
        uses = re.findall(r"\$\{" + name + r"([^}]*)\}", text)
        assert uses
        assert all(use.startswith(":?") for use in uses)
    for line in (REPOSITORY / ".env.example").read_text().splitlines():
        assert line.startswith("#") or line.endswith("=")


def test_volumes_are_declared() -> None:
    declared = set(COMPOSE["volumes"])
    for service in COMPOSE["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source in declared or (REPOSITORY / source).exists()


def test_the_views_command_is_one_that_annotator_knows() -> None:
    program, *arguments = shlex.split(COMPOSE["services"]["adjudication"]["command"])
    assert program == "annotator"
    assert CliRunner().invoke(group, [*arguments, "--help"]).exit_code == 0
