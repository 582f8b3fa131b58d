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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert json.loads(done.stderr) == {"exit": 0, "loaded": []}
    assert "Usage:" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_subcommand_is_wrong_usage(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"from {COMMANDS[command]} import main; main()", "frobnicate"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "No such command" in done.stderr
    assert "Traceback" not in done.stderr
