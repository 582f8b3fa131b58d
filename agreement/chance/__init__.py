"""Chance-corrected agreement: kappas and alphas."""
