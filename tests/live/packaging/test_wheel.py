"""The wheel as a user gets it: built, installed in a fresh environment, run from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY

pytestmark = pytest.mark.live


def run(*command: object, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=600, check=False, **more
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def uv() -> str:
    found = os.environ.get("PANELWISE_UV", "")
    path = found if Path(found).exists() else shutil.which("uv")
    if not path:
        pytest.fail("no uv; run the tests with `make test`, which brings it")
    return str(path)


@pytest.fixture(scope="module")
def wheels(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Only what git knows: what lies about in the working tree must not mend a wheel that lacks it.
    source = folder / "source"
    files = run("git", "ls-files", "-co", "--exclude-standard", cwd=REPOSITORY).stdout.splitlines()
    for name in files:
        if (REPOSITORY / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, source / name)
    for project in (source, source / "simulator"):
        # The sdist, and the wheel from it: what the sdist lacks is then missing in the wheel.
        run(uv, "build", "--quiet", "--out-dir", folder / "dist", project)
    return folder / "dist"


@pytest.fixture(scope="module")
def wheel(wheels: Path) -> Path:
    (built,) = wheels.glob("panelwise-*.whl")
    return built


@pytest.fixture(scope="module")
def simulator(wheels: Path) -> Path:
    (built,) = wheels.glob("panelwise_simulator-*.whl")
    return built


def test_the_wheel_carries_templates_assets_migrations_demo_data_and_the_servers_lock(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "annotator/web/templates/figure.html",
        "annotator/web/templates/lead_figures.html",
        "annotator/web/static/lead.css",
        "annotator/web/static/copy.js",
        "annotator/web/static/names.js",
        "annotator/web/static/times.js",
        "annotator/web/static/upload.js",
        "prelabel/assistant/prompt.txt",
        "annotator/web/static/pages.css",
        "annotator/web/static/lists.css",
        "annotator/web/static/filters.css",
        "annotator/web/static/dist/adjudication.js",
        "annotator/web/static/dist/adjudication.css",
        "annotator/web/help/documentation/annotator.md",
        "annotator/web/help/documentation/images/adjudication-figure.png",
        "annotator/label_studio/embedded/requirements.txt",
        "annotator/demo/data/figures/figures.jsonl",
        "annotator/demo/data/figures/annotations.jsonl",
        "annotator/demo/data/figures/sim-001.webp",
        "annotator/demo/data/questions/figures.jsonl",
        "annotator/demo/data/questions/annotations.jsonl",
        "annotator/demo/data/questions/qa.jsonl",
        "annotator/demo/data/questions/chart-001.webp",
        "agreement/report/html/templates/report.html",
        "agreement/report/templates/methods.jinja",
        "annotator/gold/dataset/templates/README.md.jinja",
        "agreement/report/html/templates/report.css",
        "agreement/report/__init__.pyi",
        "panelwise/domain/__init__.pyi",
        "prelabel/training/__init__.pyi",
        "label_config/py.typed",
    ):
        assert name in names
    assert any(name.startswith("annotator/store/migrations/versions/") for name in names)
    assert not [
        name
        for name in names
        if name.startswith(("tests/", "benchmarks/", "simulator/")) or "node_modules" in name
    ]
    assert not [name for name in names if name.startswith("annotator/web/frontend")]


def test_the_simulators_wheel_carries_its_package_and_phrases_alone(simulator: Path) -> None:
    names = zipfile.ZipFile(simulator).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"panelwise_simulator"}
    for name in ("py.typed", "captions/phrases/data/frames.toml", "captions/phrases/data/panels/radiology.toml"):
        assert f"panelwise_simulator/{name}" in names


def test_the_three_commands_run_from_a_fresh_environment(
    wheel: Path, simulator: Path, uv: str, tmp_path: Path
) -> None:
    environment = tmp_path / "venv"
    run(uv, "venv", "--quiet", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    run(
        *(uv, "pip", "sync", "--quiet", "--python", python, "--require-hashes"),
        REPOSITORY / "requirements" / "base.txt",
    )
    run(uv, "pip", "install", "--quiet", "--no-deps", "--python", python, wheel)
    scripts = environment / "bin"
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for command in ("annotator", "agreement", "prelabel", "panelwise"):
        assert "Usage:" in run(scripts / command, "--help", cwd=tmp_path, env=clean).stdout
    home = tmp_path / "home"
    # The demos need no simulator, which is not installed yet.
    for kind in ("figures", "questions"):
        prepare = (
            f"import pathlib; from annotator.demo import {kind}; {kind}.prepare(pathlib.Path('{kind}'), print)"
        )
        run(python, "-c", prepare, cwd=tmp_path, env=clean)
    run(uv, "pip", "install", "--quiet", "--no-deps", "--python", python, simulator)
    run(scripts / "prelabel", "synth", "--out", tmp_path / "sim", "--figures", "2", cwd=tmp_path, env=clean)
    run(scripts / "annotator", "init", home, cwd=tmp_path, env=clean)
    done = run(
        *(scripts / "annotator", "import", "figures", tmp_path / "sim" / "figures.jsonl", "--home", home),
        cwd=tmp_path,
        env=clean,
    )
    assert "imported 2 figures" in done.stdout
    run(scripts / "prelabel", "run", "--home", home, cwd=tmp_path, env=clean)
    run(
        *(scripts / "annotator", "import", "annotations", tmp_path / "sim" / "annotations.jsonl", "--home", home),
        cwd=tmp_path,
        env=clean,
    )
    assert (
        "wrote 2 figures"
        in run(
            *(scripts / "annotator", "export", "gold", "--include", "single"),
            *("--out", tmp_path / "gold.jsonl", "--home", home),
            cwd=tmp_path,
            env=clean,
        ).stdout
    )
    pages = run(
        python,
        "-c",
        "import sys\n"
        "from pathlib import Path\n"
        "from annotator.campaign.home import Home\n"
        "from annotator.web.factory import create_app\n"
        f"home = Home.find(Path({str(home)!r}))\n"
        "client = create_app(home, home.open_store()).test_client()\n"
        "print(client.get('/login').status_code, client.get('/help/annotator.md').status_code)\n"
        "print(client.get('/static/dist/adjudication.js').status_code)\n",
        cwd=tmp_path,
        env=clean,
    )
    assert pages.stdout.split() == ["200", "200", "200"]
