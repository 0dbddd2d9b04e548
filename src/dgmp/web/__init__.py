"""The page in the browser: hands, evidence, decisions."""

from .app import create_app

__all__ = ["create_app"]
