"""Reports as tables for spreadsheets."""
