"""Lines and files that cannot be read: one line that says where, and the rest is scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agreement_commands import (
    CAPTION,
    GOOD,
    agreement,
    compare,
    consensus,
    record,
    report,
    with_part,
    written,
)

#: Lines that cannot be read, and what is said of each.
FAULTS: dict[str, tuple[Any, str]] = {
    "a box with NaN": (with_part(box=[float("nan"), 0, 1, 1]), "is not a list of 4 numbers"),
    "a box with Infinity": (with_part(box=[0, 0, float("inf"), 1]), "is not a list of 4 numbers"),
    "a box with -Infinity": (with_part(box=[float("-inf"), 0, 1, 1]), "is not a list of 4 numbers"),
    "a box with a text": (with_part(box=["NaN", 0, 1, 1]), '"subfigures[0].box" is not a list of 4 numbers'),
    "a box with null": (with_part(box=[None, 0, 1, 1]), "is not a list of 4 numbers"),
    "a box of three numbers": (with_part(box=[0, 0, 1]), "is not a list of 4 numbers"),
    "a box outside": (with_part(box=[-50, 0, 100, 100]), "leaves the image (800 x 600 pixels)"),
    "a huge box": (with_part(box=[0, 0, 1e308, 100]), "is not a list of 4 numbers"),
    "a box beyond any float": (with_part(box=[0, 0, 10**400, 100]), "is not a list of 4 numbers"),
    "a span beyond the caption": (with_part(subcaption=[[7, 9999]]), f"beyond the caption's {len(CAPTION)} char"),
    "a huge span": (with_part(subcaption=[[0, 10**30]]), "ends beyond the caption"),
    "a negative span": (with_part(subcaption=[[-4, 3]]), "span [-4, 3) is empty or inverted"),
    "an empty span": (with_part(subcaption=[[9, 9]]), "span [9, 9) is empty or inverted"),
    "a span of fractions": (with_part(subcaption=[[0.5, 3]]), "is not a pair of whole numbers [start, end]"),
    "a number as label": (with_part(label=3), '"subfigures[0].label" holds a number, not a text'),
    "a text as subfigures": (record(subfigures="none"), '"subfigures" holds a text, not a list'),
    "no subfigures": ({**record(), "subfigures": None}, '"subfigures" is missing'),
    "a list as record": (b"[1, 2]\n", "holds a list, not an object"),
    "a line cut off": (b'{"figure_id": "f1", "annota\n', "not valid JSON"),
    "a line that opens brackets": (b"[" * 200_000 + b"\n", "not valid JSON"),
    "another record": ({"hello": 1}, '"figure_id" is missing'),
    "a width without a height": ({**record(), "height": None}, '"height" is missing; give both sides, or neither'),
    "tokens beyond any caption": (
        {**record(), "caption": None, "tokens": [[0, 10**12]]},
        '"tokens" end at 1000000000000, beyond any caption',
    ),
    "a text as width": (record(width="wide"), '"width" holds a text, not a number'),
    "no width": (record(width=0), '"width" holds 0.0, not a whole number from 1 up'),
    "a huge width": (record(width=10**18), '"width" holds 1e+18, more than can be'),
    "a huge revision": (record(revision=10**18), '"revision" holds 1e+18, more than can be'),
    "a negative revision": (record(revision=-1), '"revision" holds -1.0, not a whole number from 1 up'),
    "an unknown status": (record(status="done"), '"status" is "done"; give accepted, rejected or ignored'),
    "a time that is none": (record(saved_at="yesterday"), '"saved_at" holds "yesterday", not a time'),
    "a time without a zone": (record(saved_at="2026-11-21T10:00:00"), "without a zone; end it in Z"),
    "tokens beyond the caption": (record(tokens=[[0, 9999]]), "token 0 ends at 9999, beyond the caption's"),
    "nobody's work": ({**record(), "annotator": ""}, '"annotator" is empty'),
    "Latin-1": (
        (json.dumps(record(caption="Fig")).replace("Fig", "Fig\xe9") + "\n").encode("latin-1"),
        "not UTF-8",
    ),
    "half a surrogate": (json.dumps(record("\ud800")).encode() + b"\n", "holds half a character"),
}


def without_notes(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("note: ")]


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_line_is_named_once_and_the_rest_is_scored(
    fault: str, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    line, complaint = FAULTS[fault]
    path = written(tmp_path / "work.jsonl", *good, line)
    gold = written(tmp_path / "gold.jsonl", *good[::2])
    for mode in ("paper", "official-code"):
        reported, one = report(path, "--mode", mode, "--common", "none")
        compared, other = compare(gold, path, "--mode", mode, "--common", "none")
        assert (one["iaa"], other["score"]) == (1, 1)
        for done in (reported, compared):
            assert done.returncode == 1
            [told] = without_notes(done.stderr)
            assert told.startswith(f"{path}:{GOOD + 1}: ")
            assert complaint in told
    done, merged = consensus(path)
    assert (done.returncode, [each["figure_id"] for each in merged]) == (1, ["f2", "f3"])
    told, summary = without_notes(done.stderr)
    assert told.startswith(f"{path}:{GOOD + 1}: ")
    assert summary == "merged the work of 2 annotators, quorum 2: 2 figures with 4 subfigures, by consensus"


#: Files that hold nothing that can be read at all: bytes, None for what is not there; what is said.
HOPELESS: dict[str, tuple[bytes, str]] = {
    "UTF-16": (json.dumps(record()).encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    "binary": (bytes(range(256)) * 50, "is no text file; give a file of JSON"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "is no text file (PNG)"),
    "gzip": (b"\x1f\x8b\x08\x00\x00", "is gzip-compressed; decompress it first"),
    "another kind of JSON": (b'{"hello": 1}\n', "no record has subfigures"),
    "a JSON array of others": (b'[{"hello": 1}]', "a JSON array, but not of Label Studio's tasks"),
}


@pytest.mark.parametrize("kind", [*HOPELESS, "a directory", "no file"])
@pytest.mark.parametrize("command", ["report", "compare", "compare gold", "consensus"])
def test_what_cannot_be_read_at_all_is_one_error(
    kind: str, command: str, good: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "work.jsonl"
    if kind == "a directory":
        path.mkdir()
        complaint = "no campaign here (campaign.toml is missing); name a file or a campaign's home"
    elif kind == "no file":
        complaint = "no such file"
    else:
        content, complaint = HOPELESS[kind]
        path.write_bytes(content)
    other = written(tmp_path / "other.jsonl", *good[::2])
    pairs = {"compare": (other, path), "compare gold": (path, other)}
    done = agreement(command.split()[0], *pairs.get(command, (path,)))
    assert (done.returncode, done.stdout) == (1, "")
    [told] = done.stderr.splitlines()
    assert told.startswith(f"error: {path}: ")
    assert complaint in told
