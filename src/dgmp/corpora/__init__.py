"""Folders on disk to pages."""
