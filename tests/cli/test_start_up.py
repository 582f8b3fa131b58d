from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "sqlalchemy", "flask", "label_studio_sdk", "numpy", "scipy", "PIL", "pandas")
COMMANDS = {
    "annotator": "annotator.cli.campaign.main",
    "agreement": "annotator.cli.agreement.main",
    "prelabel": "annotator.cli.prelabel",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_help_answers_without_loading_anything_heavy(command: str) -> None:
    code = f"""
import json, sys
from {COMMANDS[command]} import main
sys.argv = ["{command}", "--help"]
try:
    main()
except SystemExit as done:
    print(json.dumps({{"exit": done.code, "loaded": sorted(set(sys.modules) & set({HEAVY!r}))}}), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert json.loads(done.stderr) == {"exit": 0, "loaded": []}
    assert "Usage:" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_subcommand_is_wrong_usage(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"from {COMMANDS[command]} import main; main()", "frobnicate"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert "No such command" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_way_in_lists_the_three_commands_and_starts_the_demo() -> None:
    from click.testing import CliRunner

    from annotator.cli.campaign.demo import command as demo
    from annotator.cli.panelwise import group

    said = CliRunner().invoke(group, ["--help"])
    assert said.exit_code == 0
    for name in ("annotator", "prelabel", "agreement", "demo", "up"):
        assert f"  {name} " in said.output
    found = CliRunner().invoke(group, ["demo", "--help"])
    assert found.exit_code == 0
    assert demo.help is not None
    assert " ".join(demo.help.split()) in " ".join(found.output.split())
