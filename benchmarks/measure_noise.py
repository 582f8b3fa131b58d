"""Measure agreement under known mistakes, and print the table of docs/reference/agreement.md.

python benchmarks/measure_noise.py [--figures 400] [--seed 3] [--plot docs/images/noise.svg]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from agreement.primitives.settings import Settings
from agreement.report.summary import Report, report_on
from panelwise_simulator.captioned import captioned_figures
from panelwise_simulator.noise import STRENGTHS, Noise, noisy

#: Size of each kind's plot, and the room around it, in pixels.
SIDE, ROOM = 150, 34
LINES = {"IAA": "#b45309", "joint alpha": "#1d4ed8"}


def values(report: Report) -> dict[str, float | None]:
    """Return the measures of the plot and its table."""
    return {
        "IAA": report.iaa,
        "joint alpha": report.joint.alpha.value,
        "joint alpha within figures": report.joint.within.value,
        "alpha on tokens": report.tokens.nominal,
        "alpha on spans": report.spans.alpha.value,
        "alpha on panels": report.panels.detection,
    }


def main() -> None:
    """Print the table, and write the plot."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--figures", type=int, default=400)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    truth = list(captioned_figures(options.figures, seed=options.seed))
    grid: dict[Noise, list[dict[str, float | None]]] = {}
    for noise in Noise:
        for strength in (0.0, *STRENGTHS):
            work = truth + [noisy(each, noise, strength, annotator="ben") for each in truth]
            grid.setdefault(noise, []).append(values(report_on(work, Settings(resamples=1))))
    print("| noise | measure | " + " | ".join(f"{strength:g}" for strength in (0.0, *STRENGTHS)) + " |")
    print("|---|---|" + "---:|" * (len(STRENGTHS) + 1))
    for noise, steps in grid.items():
        for name in steps[0]:
            cells = ["–" if step[name] is None else f"{step[name]:.2f}" for step in steps]
            print(f"| {noise} | {name} | {' | '.join(cells)} |")
    if options.plot:
        options.plot.write_text(plot(grid), encoding="utf-8")


def plot(grid: dict[Noise, list[dict[str, float | None]]]) -> str:
    """Return an SVG of one small plot for each kind of noise: score upright, strength across."""
    parts = []
    for place, (noise, steps) in enumerate(grid.items()):
        left = ROOM + place * (SIDE + ROOM)
        parts.append(f'<text x="{left}" y="20">{noise}</text>')
        parts.append(f'<rect x="{left}" y="{ROOM}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>')
        for tick in (0, 0.5, 1):
            height = ROOM + SIDE * (1 - tick)
            parts.append(f'<text x="{left - 4}" y="{height + 4}" text-anchor="end">{tick:g}</text>')
        for name, colour in LINES.items():
            points = " ".join(
                f"{left + SIDE * strength:.1f},{ROOM + SIDE * (1 - max(0.0, step[name] or 0.0)):.1f}"
                for strength, step in zip((0.0, *STRENGTHS), steps, strict=True)
            )
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    bottom = 2 * ROOM + SIDE
    for place, (name, colour) in enumerate(LINES.items()):
        left = ROOM + 160 * place
        parts.append(f'<path d="M{left} {bottom - 4}h24" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{left + 30}" y="{bottom}">{name}</text>')
    width = ROOM + len(grid) * (SIDE + ROOM)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 12}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    main()
