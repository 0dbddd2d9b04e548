from sources.iiif_server import cache, server

__all__ = ["cache", "server"]
