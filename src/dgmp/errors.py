"""Errors that a user can put right; the command line prints them in one line."""

from __future__ import annotations


class DgmpError(Exception):
    """Something a user asked for cannot be had; the message says what would be right."""


class UnknownName(DgmpError):
    """A name that is not in the table it was looked up in."""


class WeightsError(DgmpError):
    """A weight file that cannot be read or does not fit the network."""


class SurgeryError(DgmpError):
    """A model whose global pooling cannot be found or cannot be replaced."""


class MissingExtra(DgmpError):
    """A part of the package that needs packages the bare install does not have."""


class CorpusError(DgmpError):
    """A collection of pages that cannot be opened as it is, or leaves open what it is."""


class CatalogueError(DgmpError):
    """A catalogue of described pages that cannot be opened, or does not go with what is asked."""


class ImageError(DgmpError):
    """A file whose picture cannot be used; the message is ``file: reason``."""

    def __init__(self, file: object, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason

    def __reduce__(self) -> tuple[type[ImageError], tuple[object, str]]:
        """Errors come back from worker processes, which needs both arguments."""
        return type(self), (self.file, self.reason)


class NoWriting(ImageError):
    """A picture that can be read and shows no writing: an empty page, a table, a ruler."""
