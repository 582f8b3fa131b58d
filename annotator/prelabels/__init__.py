"""Run, train and evaluate the models of `prelabel` over a campaign's figures."""
