"""What the simulator's tests share, also where they run without those in tests/."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from panelwise_simulator.demo.figures import demo_figures
from panelwise_simulator.simulated import SimulatedFigure


def pytest_configure(config: pytest.Config) -> None:
    # tests/conftest.py, where it runs too, has this option and chooses a profile by it.
    if config.getoption("soak", default=None) is None:
        settings.register_profile(
            "simulator",
            deadline=None,
            max_examples=30,
            derandomize=True,
            suppress_health_check=[HealthCheck.too_slow],
        )
        settings.load_profile("simulator")


@pytest.fixture(scope="session")
def six() -> list[SimulatedFigure]:
    """The demo's six figures; drawing them takes seconds, so all tests share them."""
    return demo_figures()
