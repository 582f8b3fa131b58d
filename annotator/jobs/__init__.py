"""Background jobs: commands that a lead starts in the browser, which outlive the server that started them."""
