"""The lead's pages: figures, people, assignment, background jobs, settings; each over its command's service."""
