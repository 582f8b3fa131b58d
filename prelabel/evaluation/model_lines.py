"""Size and training time of a trained model, as a table of results shows them."""

from __future__ import annotations

from typing import Any

from prelabel.models.checkpoints import About


def model_record(about: About) -> dict[str, Any]:
    """Return size and training of a model as JSON values; null where its checkpoint doesn't say."""
    return {
        "model": about.version,
        "kind": about.kind,
        "parameters": about.parameters,
        "training_seconds": about.seconds,
        "device": about.device or None,
        "processes": about.processes,
        "gpu_hours": about.gpu_hours,
        "random_weights": about.random_weights,
    }


def model_text(about: About) -> str:
    """Return the same as a line."""
    if about.parameters is None or about.seconds is None or about.gpu_hours is None:
        return f"{about.version}: parameters and training time unknown (trained by an earlier version)"
    began = ", from random weights" if about.random_weights else ""
    return (
        f"{about.version}: {about.parameters / 1e6:.1f} M parameters{began}; trained {about.seconds:,.0f} s on "
        f"{about.device} ({about.gpu_hours:.2f} GPU hours)"
    )
