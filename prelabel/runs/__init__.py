"""Running a pre-labeller over many figures: on all cores, in shards, on Ray, resumable."""
