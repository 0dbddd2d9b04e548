"""Where files lie: paths on this machine, and objects of S3 and other stores named alike."""

from .lease import leased
from .object_path import CHANGED, AnyPath, ObjectPath, Tag
from .paths import (
    as_path,
    folder_stamp,
    is_object_address,
    reachable_path,
    real_name,
    relative,
    stamp,
)
from .stores import explained, lance_options

__all__ = [
    "CHANGED",
    "AnyPath",
    "ObjectPath",
    "Tag",
    "as_path",
    "explained",
    "folder_stamp",
    "is_object_address",
    "lance_options",
    "leased",
    "reachable_path",
    "real_name",
    "relative",
    "stamp",
]
