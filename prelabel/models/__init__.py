"""Ground that all trained models share: checkpoints, devices, image sizes, downloads."""
