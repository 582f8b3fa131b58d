"""The lead's dashboard, feedback to annotators, the agreement page and a campaign's status."""
