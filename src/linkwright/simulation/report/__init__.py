"""Metadata of a run, `Result.meta`: how it was computed, how it ended. The HTML report is in `viewer/report.py`."""
