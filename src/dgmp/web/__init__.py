"""The page in the browser: hands, evidence, decisions."""

from .app import create_app
from .serving import serve

__all__ = ["create_app", "serve"]
