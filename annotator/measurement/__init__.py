"""Agreement, comparison and consensus of the work in a campaign or in files."""
