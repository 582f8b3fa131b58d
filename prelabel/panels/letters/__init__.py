"""Panel letters printed in an image: found, and used to cut it."""
