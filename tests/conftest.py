"""What every test may use. `CI` in the environment turns a missing piece from a skip into a failure."""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from panelwise_simulator.figures import SimulatedFigure

#: However slow the machine is.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# The same cases each time: what passes once does not fail by chance later. `make soak` draws new ones.
settings.register_profile("default", max_examples=20, derandomize=True, **PATIENT)
settings.register_profile("quick", max_examples=10, derandomize=True, **PATIENT)
settings.register_profile("soak", max_examples=5000, derandomize=False, **PATIENT)

#: Read by numpy and torch as they load, and handed on to processes: tests that run side by side have a core each,
#: and sums come out the same on every machine.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

REPOSITORY = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="the long runs: many more generated cases")
    parser.addoption("--quick", action="store_true", help="the inner loop: fewer generated cases")
    parser.addoption("--write-golden", action="store_true", help="accept the outputs of the sample campaigns")
    parser.addoption("--write-golden-homes", action="store_true", help="make the sample campaigns anew")


def pytest_configure(config: pytest.Config) -> None:
    soak, quick = config.getoption("--soak"), config.getoption("--quick")
    settings.load_profile("soak" if soak else "quick" if quick else "default")
    # A second for each figure whose letters are not all found: tests of OCR turn it on.
    os.environ["PANELWISE_OCR"] = "off"
    # A network's boxes may differ by a rounding from processor to processor: tests of the network name it.
    os.environ["PANELWISE_DETECTOR"] = "classic"
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # So it is below a shell's `&`, and what tests start would inherit it and never hear Ctrl-C.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests faster: they stay, so looking for garbage among them is in vain, time after time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long forms to `make soak`."""
    if not config.getoption("--soak"):
        long_forms = [item for item in items if item.get_closest_marker("soak")]
        config.hook.pytest_deselected(items=long_forms)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


def missing(what: str, mend: str) -> NoReturn:
    """Skip, telling how to mend it; fail in CI, where nothing may be missing."""
    if os.environ.get("CI"):
        pytest.fail(f"{what}; {mend}")
    pytest.skip(f"{what}; {mend}")


@pytest.fixture(scope="session", autouse=True)
def _stores_from_a_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every SQLite store that a test makes begins as a copy of one that was migrated once; see there."""
    from store_template import copy_template

    with pytest.MonkeyPatch.context() as patch:
        copy_template(tmp_path_factory.mktemp("template") / "store.sqlite", patch)
        yield


@pytest.fixture
def every_migration(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of how stores are made: as the program does it, not from the template."""
    from store_template import run_migrations

    run_migrations(monkeypatch)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real figures and annotations, which the project does not carry: beside it, or where the variable says."""
    folder = Path(os.environ.get("PANELWISE_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; name its folder with PANELWISE_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def six() -> list[SimulatedFigure]:
    """The demo's six figures; drawing them takes seconds, so all tests share them."""
    from panelwise_simulator.demo.figures import demo_figures

    return demo_figures()


#: A dashboard that took long to count is shown again for a while, and pages wait for so many seconds only until an
#: agreement is measured or another server has answered: no test is to hang on how long that takes.
AS_ON_A_FAST_MACHINE = (
    ("annotator.dashboards.lead", "SLOW", math.inf),
    ("annotator.dashboards.live_agreement", "PATIENCE", 600.0),
    ("annotator.web.app.queue_part", "_PATIENCE", 600.0),
    ("annotator.web.screens.dashboard", "_PATIENCE", 600.0),
    ("annotator.label_studio.reachable", "TIMEOUT", 60.0),
    ("prelabel.models.hub", "SECONDS", 60.0),
    ("panelwise.runtime.sockets", "GRACE", 60.0),
)


@pytest.fixture(autouse=True)
def _as_on_a_fast_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in AS_ON_A_FAST_MACHINE:
        if module in sys.modules:
            monkeypatch.setattr(sys.modules[module], name, value)


@pytest.fixture(autouse=True)
def _no_stray_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the developer has set must not reach the tests."""
    for name in (
        "PANELWISE_HOME",
        "LABEL_STUDIO_URL",
        "LABEL_STUDIO_API_KEY",
        "PANELWISE_COLUMNS",
    ):
        monkeypatch.delenv(name, raising=False)
