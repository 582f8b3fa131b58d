"""Find a Chromium that really starts, for the browser tests; with --install, install one where none is.

Looks at PANELWISE_CHROMIUM, then Playwright's own, then the usual names. As root with apt, --install takes
Debian's packages; otherwise it tries Playwright's download. Prints the path on stdout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

#: The shell, which draws no windows of its own, takes a third of the others' time.
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    *("--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PACKAGES = (SHELL, "fonts-liberation", "libatomic1")


def flags() -> list[str]:
    """Command-line flags for Chromium; the sandbox is given up only for root, for whom it cannot start."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*FLAGS, *(["--no-sandbox"] if root else [])]


def candidates() -> list[str]:
    """Return the places where a browser may be, most wanted first."""
    found = [os.environ.get("PANELWISE_CHROMIUM", "")]
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            found.append(playwright.chromium.executable_path)
    except Exception as error:  # whatever keeps the driver from starting is told, and the search goes on
        print(f"playwright's driver does not start: {error}", file=sys.stderr)
    found += [shutil.which(name) or "" for name in NAMES]
    return [path for path in found if path and Path(path).exists()]


def starts(path: str) -> bool:
    """Return whether this browser renders a page."""
    with tempfile.TemporaryDirectory() as profile:
        command = [path, *flags(), f"--user-data-dir={profile}", "--dump-dom", "data:text/html,<p>alive</p>"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
    return b"alive" in done.stdout


def find() -> str | None:
    """The first browser that starts."""
    return next((path for path in candidates() if starts(path)), None)


def install() -> None:
    """Try the two ways to get one; what they print goes to stderr."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        print(f"installing {' '.join(PACKAGES)} (apt)", file=sys.stderr)
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *PACKAGES]):
            subprocess.run(command, env=environment, stdout=sys.stderr, check=False)
    else:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], stdout=sys.stderr, check=False)


def main() -> int:
    path = find()
    if path is None and "--install" in sys.argv:
        install()
        path = find()
    if path is None:
        print(
            "no Chromium starts here, so the browser tests are skipped; install one "
            "(Debian: sudo apt install chromium fonts-liberation libatomic1) or name one in PANELWISE_CHROMIUM",
            file=sys.stderr,
        )
        return 1 if os.environ.get("CI") else 0
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
