"""Feed the work of a campaign, or of files, to the `agreement` package: reports, comparisons, consensus."""
