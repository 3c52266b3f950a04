"""A public page for strangers, and plain sockets."""

from support.sockets import dial, public, small  # noqa: F401  fixtures
