"""Errors that a user can put right; the command line prints them in one line."""

from __future__ import annotations

from collections.abc import Sequence


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


class MissingPlugin(DgmpError):
    """Code of another package that is needed, and is not installed or was not asked for."""


class CorpusError(DgmpError):
    """A collection of pages that cannot be opened as it is, or leaves open what it is."""


class MissingLabels(CorpusError):
    """Pages without the writer or script that is needed; the message says where one is found."""

    def __init__(self, label: str, missing: Sequence[str], pages: int, where: object = "") -> None:
        place = f"{where}: " if where else ""
        folders = f"; where each {label} has a folder, --kind {label}s takes its name"
        super().__init__(
            f"{place}{len(missing)} of {pages} pages have no {label}, the first is {missing[0]!r}: "
            f"a label file gives it{folders if label in ('writer', 'script') else ''}"
        )


class CatalogueError(DgmpError):
    """A catalogue of described pages that cannot be opened, or does not go with what is asked."""


class DecisionConflict(CatalogueError):
    """A decision that another one, ``other``, has overtaken."""

    def __init__(self, message: str, other: object) -> None:
        super().__init__(message)
        self.other = other

    def __reduce__(self) -> tuple[type[DecisionConflict], tuple[str, object]]:
        """Errors come back from worker processes, which needs both arguments."""
        return type(self), (str(self), self.other)


class StorageError(DgmpError):
    """Object storage that cannot be used: unknown, refused, or gone for longer than is waited."""


class ImageError(DgmpError):
    """A file whose picture cannot be used; the message is ``file: reason``."""

    def __init__(self, file: object, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason

    def __reduce__(self) -> tuple[type[ImageError], tuple[object, str]]:
        """Errors come back from worker processes, which needs both arguments."""
        return type(self), (self.file, self.reason)


class Unreachable(ImageError):
    """A picture that cannot be had now and perhaps later: it is being written, its service down."""


class NoWriting(ImageError):
    """A picture that can be read and shows no writing: an empty page, a table, a ruler."""
