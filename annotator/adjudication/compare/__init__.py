"""Two versions of a field or of subfigures: how they differ, and a merge of both."""
