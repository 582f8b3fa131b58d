"""Run Label Studio inside its own environment, and end it when the process that started it has ended.

A script, run by the other environment's interpreter. From this project it imports only the isolation rules, which
need Label Studio's packages only. The first argument is the reading end of a pipe that is never written to:
reading returns once the other end is closed by the end of its process.
"""

import importlib.util
import os
import signal
import sys
import threading
import time
from pathlib import Path

_ISOLATION = Path(__file__).resolve().parents[1] / "isolation"
#: What the rules are called in Label Studio's process, where our package is not installed.
_NAME = "panelwise_isolation"


def _leave_with_parent(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(5)
    os.kill(os.getpid(), signal.SIGKILL)


def _isolate_annotators() -> None:
    """Install the rules before Label Studio's apps are loaded (it adds its own folder to the path later)."""
    import label_studio  # type: ignore[import-not-found]

    sys.path.insert(0, str(Path(label_studio.__file__).parent))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "label_studio.core.settings.label_studio")
    spec = importlib.util.spec_from_file_location(
        _NAME, _ISOLATION / "__init__.py", submodule_search_locations=[str(_ISOLATION)]
    )
    assert spec is not None
    assert spec.loader is not None
    sys.modules[_NAME] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    from django.conf import settings  # type: ignore[import-not-found]

    importlib.import_module(f"{_NAME}.install").install(settings)


def _main() -> None:
    pipe = int(sys.argv.pop(1))
    threading.Thread(target=_leave_with_parent, args=(pipe,), daemon=True).start()
    _isolate_annotators()
    from label_studio.server import main  # type: ignore[import-not-found]

    main()


if __name__ == "__main__":
    _main()
