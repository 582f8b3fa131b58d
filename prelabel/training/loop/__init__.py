"""The training loop: epochs, checkpoints, several processes, curves."""
