"""Pre-labels, training and evaluation over a campaign's figures."""
