"""What can be looked at: one file per view, listed in ``urls.py``."""
