"""Optimisers: which parameters learn at which rate and decay, and BERT's own Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

#: Of BERT's Adam: how much of the averages a step leaves, the least divisor, and the largest norm of a gradient.
_AVERAGED, _LEAST, _NORM = (0.9, 0.999), 1e-6, 1.0


def parameter_groups(module: Any, lr: float, weight_decay: float) -> list[dict[str, Any]]:
    """Return the optimiser's groups: weights decay, biases and norms (the vectors, appendix C) do not."""
    return _groups([each for each in module.parameters() if each.requires_grad], lr, weight_decay)


def staged_groups(module: Any, lr: float, weight_decay: float) -> list[dict[str, Any]]:
    """Return the same of a module with a `backbone`, which learns more slowly by its `backbone_rate`."""
    named = list(module.named_parameters())
    backbone = [each for name, each in named if name.startswith("backbone.")]
    others = [each for name, each in named if not name.startswith("backbone.")]
    return _groups(others, lr, weight_decay) + _groups(backbone, lr * module.backbone_rate, weight_decay)


def _groups(parameters: Sequence[Any], lr: float, weight_decay: float) -> list[dict[str, Any]]:
    return [
        {"params": [each for each in parameters if each.ndim > 1], "lr": lr, "weight_decay": weight_decay},
        {"params": [each for each in parameters if each.ndim <= 1], "lr": lr, "weight_decay": 0.0},
    ]


class BertAdam(torch.optim.Optimizer):
    """Adam as BERT and MedICaT's taggers were trained with.

    Averages are not corrected for their start at zero, each parameter's gradient is cut at norm 1, and weights
    decay apart from the gradient.
    """

    def __init__(self, groups: Any, *, lr: float, weight_decay: float) -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": weight_decay})

    def step(self, closure: Any = None) -> None:
        """Take a step along the gradients. closure: not used."""
        with torch.no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        self._move(parameter, group["lr"], group["weight_decay"])

    def _move(self, parameter: Any, rate: float, decay: float) -> None:
        torch.nn.utils.clip_grad_norm_([parameter], _NORM)
        state = self.state[parameter]
        if not state:
            state["mean"], state["square"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        first, second = _AVERAGED
        state["mean"].lerp_(parameter.grad, 1.0 - first)
        state["square"].mul_(second).addcmul_(parameter.grad, parameter.grad, value=1.0 - second)
        change = state["mean"] / (state["square"].sqrt() + _LEAST)
        parameter.sub_(rate * (change + decay * parameter))
