"""Two reviewers saved one figure: how their decisions differ, and a merge of both."""
