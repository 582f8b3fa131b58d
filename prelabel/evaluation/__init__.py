"""Score pre-labels against gold, and produce the paper's table of results."""
