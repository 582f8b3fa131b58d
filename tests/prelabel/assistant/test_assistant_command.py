"""`prelabel run --assistant` and `prelabel evaluate --assistant`, in a campaign and without one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from assistant_cases import GOOD, KEY, TEXT, quoted, replied
from click.testing import CliRunner, Result
from PIL import Image

from annotator.cli.prelabel import group


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def test_the_command_asks_resumes_and_keeps_to_the_campaign(
    served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panels = Image.new("L", (400, 200), 255)
    for left in (10, 210):
        panels.paste(90, (left, 10, left + 180, 190))
    panels.save(tmp_path / "f.png")
    record = {"figure_id": "f1", "image": "f.png", "caption": TEXT}
    (tmp_path / "figures.jsonl").write_text(json.dumps(record), "utf-8")
    app, url = served(replied(quoted(A=["Left lung"], B=["Right lung", "none of these words"])))
    monkeypatch.setenv("PANELWISE_ASSISTANT_KEY", KEY)
    asked = ("--assistant", url, "--assistant-model", "tiny", "--assistant-below", "1")
    figures, out = tmp_path / "figures.jsonl", tmp_path / "predictions.jsonl"
    done = invoke("run", figures, "--out", out, *asked)
    assert done.exit_code == 0, done.output
    assert "asked about 1 of 1 figure (1 quote refused that the caption does not hold)" in done.stdout
    assert KEY not in done.output
    (made,) = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert made["annotator"].startswith("classic-8+tiny-")
    again = invoke("run", figures, "--out", out, "--again", *asked)
    assert "1 answer from earlier runs" in again.stdout
    assert len(app.asked) == 1
    assert (tmp_path / "predictions.jsonl.answers").is_dir()
    assert "needs --assistant-model" in invoke("run", figures, "--out", out, "--assistant", url).output
    assert "needs --assistant URL" in invoke("run", figures, "--out", out, "--assistant-model", "x").output


def test_evaluate_scores_what_the_model_reads_with_instructions_from_a_file(served, tmp_path: Path) -> None:
    panels = Image.new("L", (400, 200), 255)
    for left in (10, 210):
        panels.paste(90, (left, 10, left + 180, 190))
    panels.save(tmp_path / "f.png")
    record = {"figure_id": "f1", "image": "f.png", "caption": "Oak in May, ash in June."}
    (tmp_path / "figures.jsonl").write_text(json.dumps(record), "utf-8")
    boxes = {"1": [10, 10, 190, 190], "2": [210, 10, 390, 190]}
    spans = {"1": [[0, 10]], "2": [[12, 23]]}
    panels_of_gold = [{"label": each, "box": boxes[each], "subcaption": spans[each]} for each in boxes]
    gold = {
        **record,
        "annotator": "gold",
        "phase": "1",
        "status": "accepted",
        "width": 400,
        "height": 200,
        "subfigures": panels_of_gold,
        "saved_at": "2026-01-01T00:00:00Z",
    }
    del gold["image"]
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), "utf-8")
    (tmp_path / "prompt.txt").write_text("Quote trees.", "utf-8")
    app, url = served(replied(json.dumps({"panels": [{"label": "1", "quotes": ["Oak in May"]},
                                                     {"label": "2", "quotes": ["ash in June"]}]})))  # fmt: skip
    plain = ("evaluate", tmp_path / "gold.jsonl", "--figures", tmp_path / "figures.jsonl", "--format", "json")
    out = ("--out", tmp_path / "scores.json")
    asked = ("--assistant", url, "--assistant-model", "tiny", "--assistant-prompt", tmp_path / "prompt.txt")
    before = json.loads(invoke(*plain).stdout)["measures"]["end_to_end"]["all"]["value"]
    done = invoke(*plain, *out, *asked)
    assert done.exit_code == 0, done.output
    assert "assistant: asked about 1 of 1 figure" in done.stderr
    found = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    assert found["model"].startswith("classic-8+tiny-")
    assert found["measures"]["end_to_end"]["all"]["value"] == 1.0 > before > 0.0
    assert app.asked[0]["messages"][0]["content"] == "Quote trees."
    missing = invoke(*plain, *asked[:-1], tmp_path / "none.txt")
    assert "none.txt: No such file" in str(missing.exception)
    assert "can't be combined" in invoke(*plain, *asked, "--predictions", tmp_path / "gold.jsonl").output


def test_a_campaign_may_forbid_language_models_and_brings_its_own_prompt(
    served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.campaign.home import Home
    from annotator.campaign.templates import TEMPLATES

    assert not TEMPLATES["figure-qa"].campaign("x", ("A",)).language_models
    assert TEMPLATES["subfigures"].campaign("x", ("A",)).language_models
    app, url = served(replied(GOOD))
    asked = ("--assistant", url, "--assistant-model", "tiny")
    home = Home.create(tmp_path / "campaign")
    monkeypatch.setenv("PANELWISE_HOME", str(home.path))
    settings = home.path / "campaign.toml"
    before = settings.read_text("utf-8")
    settings.write_text(f"language_models = false\n{before}", "utf-8")
    refused = invoke("run", *asked)
    assert refused.exit_code != 0
    assert "the guidelines forbid language models" in str(refused.exception)
    settings.write_text(f'{before}\n[assistant]\nprompt = "Quote."\n', "utf-8")
    done = invoke("run", *asked)
    assert done.exit_code == 0, done.output
    assert Home.find(home.path).settings.assistant.prompt == "Quote."
    assert app.asked == []
