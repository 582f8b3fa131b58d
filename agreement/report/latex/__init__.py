"""Reports as LaTeX: tables and a Methods paragraph for a paper."""
