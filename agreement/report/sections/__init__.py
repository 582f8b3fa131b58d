"""The tables of reports and comparisons, by the sections that show them; a statistic is one column."""
