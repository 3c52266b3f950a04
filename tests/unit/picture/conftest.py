"""A picture that is large and cheap."""

from support.picture_formats import wide  # noqa: F401  a fixture
