"""Deep generalized max pooling, and what it does for manuscripts."""

__version__ = "0.1.0"
