"""Errors that a user can put right; the command line prints them in one line."""


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
