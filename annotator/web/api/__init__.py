"""JSON endpoints of the screens, images, and the health and metrics endpoints."""
