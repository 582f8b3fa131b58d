"""An upload of 10,000 figures in a ZIP of 2 GB: the view still answers, and its memory stays flat.

A lead sends the archive in pieces to a real server, then imports it as a job, while a reviewer saves. The promise:
the 95th percentile of a save meanwhile is under three times that before, and the server's memory grows by less
than 100 MB, whatever the size of the archive.

    python benchmarks/bench_upload_while_saving.py [--figures N] [--kilobytes K] [--saves N]
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import re
import statistics
import sys
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
from bench_saves_8_reviewers import NAMES, PASSWORD, Reviewer, campaign, serve
from PIL import Image

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from panelwise.domain.campaign import Role

FIGURES, KILOBYTES, SAVES = 10_000, 200, 40
PIECE = 512 * 1024
#: Seconds between two saves.
EVERY = 0.5
PROMISED, MOST_GROWTH = 3.0, 100_000
LEAD = "lea"


def archive(path: Path, figures: int, kilobytes: int) -> None:
    """Images of noise, which no compression makes smaller, each with a caption."""
    side = max(16, int((kilobytes * 1024 / 3) ** 0.5))
    held = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (side, side, 3), np.uint8)).save(held, "PNG")
    with zipfile.ZipFile(path, "w") as made:
        for number in range(figures):
            # What follows the image makes each file another one.
            made.writestr(f"new-{number:05}.png", held.getvalue() + str(number).encode())
            made.writestr(f"new-{number:05}.txt", f"Fig {number}: (A) left lung. (B) right lung.")


def p95_of_saves(port: int, saves: int) -> float:
    """The 95th percentile of the seconds of a reviewer's saves."""
    reviewer = Reviewer(port, NAMES[0])
    reviewer.work(saves, EVERY, threading.Barrier(1))
    return statistics.quantiles(reviewer.seconds, n=20)[-1]


def send(port: int, path: Path) -> str:
    """Upload a file in pieces as the page does, and start its import; returns the job's address."""
    lead = Reviewer(port, LEAD)
    page = lead.ask("GET", "/campaign/figures")[1].decode()
    headers = {"X-CSRFToken": page.split('data-csrf="')[1].split('"')[0]}
    address = f"/campaign/uploads/{json.loads(lead.ask('POST', '/campaign/uploads', '', headers)[1])['upload']}"
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            offset = file.tell() - len(piece)
            code, body = lead.ask("POST", f"{address}?name=all.zip&offset={offset}", piece, headers)
            if code != 200:
                raise SystemExit(f"a piece was answered {code}: {body.decode()[:300]}")
    job = str(json.loads(lead.ask("POST", f"{address}/import", "", headers)[1])["url"])
    while 'id="state">running' in lead.ask("GET", job)[1].decode():
        time.sleep(1)
    return re.sub(r"<[^>]+>", "", lead.ask("GET", job)[1].decode().split('<pre class="log"')[1].split("</pre>")[0])


def peak(pid: int) -> int:
    """The most memory that a process had, in kB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--kilobytes", type=int, default=KILOBYTES, help="of an image")
    parser.add_argument("--saves", type=int, default=SAVES)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, warm_up = Path(folder) / "all.zip", Path(folder) / "few.zip"
        archive(warm_up, 10, chosen.kilobytes)
        archive(file, chosen.figures, chosen.kilobytes)
        size = file.stat().st_size
        home = campaign(Path(folder) / "campaign")
        with Home.find(home).open_store() as store:
            accounts.add_person(store, LEAD, roles=[Role.LEAD], password=PASSWORD)
        ours, theirs = multiprocessing.Pipe(duplex=False)
        server = multiprocessing.get_context("spawn").Process(target=serve, args=(home, theirs))
        server.start()
        try:
            port = ours.recv()
            send(port, warm_up)
            idle = p95_of_saves(port, chosen.saves)
            before, begun = peak(server.pid or 0), time.monotonic()
            said: list[str] = []
            sending = threading.Thread(target=lambda: said.append(send(port, file)))
            sending.start()
            busy: list[float] = []
            while sending.is_alive() or not busy:
                busy.append(p95_of_saves(port, chosen.saves))
            sending.join()
            grown = peak(server.pid or 0) - before
            took = time.monotonic() - begun
        finally:
            server.terminate()
            server.join()
    ratio = statistics.median(busy) / idle
    result = said[0].strip().rpartition("\n")[2]
    print(f"  {size / 1e6:.0f} MB in {took:.0f} s: {result}")
    print(f"  p95 of a save: idle {1000 * idle:.1f} ms, meanwhile {1000 * ratio * idle:.1f} ms, ratio {ratio:.2f}")
    print(f"  memory of the server: {before / 1000:.0f} MB, grown by {grown / 1000:.0f} MB at most")
    if ratio >= PROMISED or grown >= MOST_GROWTH:
        sys.exit(f"ratio {ratio:.1f} (promised below {PROMISED:g}), growth {grown} kB (below {MOST_GROWTH})")


if __name__ == "__main__":
    main()
