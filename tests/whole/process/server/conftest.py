"""The server's folder of files."""

from support.folder_of_files import base, opened  # noqa: F401  fixtures
