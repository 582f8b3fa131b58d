"""A figure for the browser: three annotators, four panels, one of them missed, differing texts, odd characters."""

from __future__ import annotations

import io
import itertools
import re
from typing import Any

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 900, 640
CAPTION = (
    "Figure 3. Effect of the drug on lung tissue 🫁 after 14 days. (A) Left lung, control. (B) Right lung, "
    "treated with 0.5 mg (arrows: lesions).\n(C) Dose and response; bars show the mean of n = 12. "
    "(D) שלום עולם, the same in the archive of Haifa. Scale bars in A and B: 20 µm."
)
#: A caption of two panels, which have boxes in these tests; it begins as the one of `a_figure`.
TWO_PANELS = "Fig 1: (A) left lung. (B) right lung. Seen from above."
PANELS = {"A": (20, 20, 430, 300), "B": (470, 20, 880, 300), "C": (20, 340, 430, 620), "D": (470, 340, 880, 620)}
PALETTE = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"]
LABELS = list("ABCDEFGH")
#: A phase for campaign.toml whose first batch is overdue.
LATE_BATCH = '\n[[phases]]\nname = "weekly"\nbatch = 1\nbatch_deadlines = [2020-01-01T00:00:00Z]\n'


def tokens_of(text: str) -> list[dict[str, Any]]:
    """Tokens as the server cuts them: runs of word characters, or one other character."""
    found: list[dict[str, Any]] = []
    for match in re.finditer(r"\w+|[^\w\s]", text):
        gap = text[match.end() : match.end() + 1]
        token = {"id": len(found), "start": match.start(), "end": match.end(), "text": match[0]}
        found.append(token | {"space": gap.isspace(), "newline": gap == "\n"})
    return found


def ids(text: str, phrase: str) -> list[int]:
    """Ids of the tokens that the first occurrence of `phrase` covers."""
    start = text.index(phrase)
    inside = range(start, start + len(phrase))
    return [token["id"] for token in tokens_of(text) if token["start"] in inside]


def picture(width: int = WIDTH, height: int = HEIGHT) -> bytes:
    """A PNG of four panels on white; a square of known place in each."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for (name, box), shade in zip(
        PANELS.items(), ((40, 44, 52), (70, 60, 58), (250, 250, 250), (226, 220, 212)), strict=True
    ):
        draw.rectangle(box, fill=shade, outline=(120, 120, 120))
        x0, y0, x1, y1 = box
        if name == "C":
            for k, tall in enumerate((60, 110, 150, 200, 170)):
                draw.rectangle((x0 + 50 + k * 65, y1 - 30 - tall, x0 + 90 + k * 65, y1 - 30), fill=(110, 120, 140))
        else:
            for k in range(60):
                x, y = x0 + (k * 97) % (x1 - x0 - 40), y0 + (k * 61) % (y1 - y0 - 40)
                tone = 60 + (k * 37) % 150
                draw.ellipse((x, y, x + 18 + k % 22, y + 14 + k % 18), fill=(tone, tone, min(255, tone + 18)))
        draw.text((x0 + 6, y0 + 4), name, fill=(255, 255, 255) if name in "AB" else (0, 0, 0))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _candidate(label: str, sets: dict[str, list[int]], reasons: list[str]) -> dict[str, Any]:
    votes: dict[str, list[str]] = {}
    for key, chosen in sets.items():
        for token in chosen:
            votes.setdefault(str(token), []).append(key)
    need = 2 if len(sets) > 1 else 1
    return {
        "label": label,
        "box": list(map(float, PANELS[label])),
        "tokens": sorted(int(token) for token, keys in votes.items() if len(keys) >= need),
        "votes": votes,
        "supporters": list(sets),
        "preselected": len(list(sets)) >= 2,
        "conflict": bool(reasons),
        "reasons": reasons,
    }


def a_state(
    figure_id: str = "f1", *, agreed: bool = False, next_url: str | None = "/figures/f2"
) -> dict[str, Any]:
    """The JSON of GET /api/figures/<id>. agreed: all three annotators say the same."""
    shared = ids(CAPTION, "Scale bars in A and B: 20 µm.")
    a = ids(CAPTION, "Left lung, control") + shared
    b = ids(CAPTION, "Right lung, treated with 0.5 mg") + shared
    c = ids(CAPTION, "Dose and response")
    d = ids(CAPTION, "שלום עולם, the same in the archive of Haifa")
    keys = ["k1", "k2", "k3"]
    text_b = {"k1": b, "k2": b, "k3": [*b, *ids(CAPTION, "(arrows: lesions)")]}
    text_c = {"k1": [*c, *ids(CAPTION, "mean")], "k2": c, "k3": [*c, *ids(CAPTION, "mean")]}
    candidates = [
        _candidate("A", dict.fromkeys(keys, a), []),
        _candidate("B", dict.fromkeys(keys, b) if agreed else text_b, [] if agreed else ["text differs"]),
        _candidate("C", dict.fromkeys(keys, c) if agreed else text_c, [] if agreed else ["text differs"]),
        _candidate(
            "D",
            dict.fromkeys(keys, d) if agreed else {"k2": d},
            [] if agreed else ["only 1 of 3 drew it"],
        ),
    ]
    annotations = []
    for at, key in enumerate(keys):
        subfigures = []
        for candidate in candidates:
            if key in candidate["supporters"]:
                box = [
                    edge + shift
                    for edge, shift in zip(candidate["box"], itertools.cycle((at * 5, at * -4)), strict=False)
                ]
                text = sorted(int(token) for token, voters in candidate["votes"].items() if key in voters)
                subfigures.append({"label": candidate["label"], "box": box, "tokens": text})
        annotations.append({"annotator": key, "status": "accepted", "subfigures": subfigures})
    return {
        "figure_id": figure_id,
        "image_url": f"/figures/{figure_id}/image",
        "width": WIDTH,
        "height": HEIGHT,
        "caption": {"text": CAPTION, "tokens": tokens_of(CAPTION)},
        "references": ["As Figure 3B shows, lesions were rarer at 0.5 mg than in the control (Figure 3A)."],
        "labels": LABELS,
        "palette": [{"label": label, "color": colour} for label, colour in zip(LABELS, PALETTE, strict=True)],
        "revision": 1,
        "reference_panels": [[]],
        "version": 0,
        "decision": None,
        "starts_from": None,
        "quorum": 2,
        "reasons": [],
        "annotators": [{"key": key, "name": f"Annotator {n}"} for n, key in enumerate(keys, 1)],
        "annotations": annotations,
        "candidates": candidates,
        "agreement": 1.0 if agreed else 0.61,
        "progress": {"decided": 2, "total": 6},
        "phase": "1",
        "next_url": next_url,
        "csrf": "token-of-the-form",
        "reviewer": "rev1",
        "error_kinds": ["ambiguous text", "guideline gap", "slip", "edge case"],
        "history_url": f"/figures/{figure_id}/history",
        "review": {"needs": None, "may": True, "told": ""},
        "others": [],
        "lease_url": f"/api/figures/{figure_id}/lease",
        "skip_url": f"/api/figures/{figure_id}/skip",
    }


def one_token_state() -> dict[str, Any]:
    """Everything is agreed but for one token of C, which a minority of one left out."""
    state = a_state(agreed=True)
    conflict = a_state()["candidates"][2]
    word = str(ids(CAPTION, "mean")[0])
    conflict["votes"][word] = ["k1", "k3"]
    state["candidates"][2] = conflict
    return state
