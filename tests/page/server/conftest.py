"""A public page for strangers, and plain sockets."""

from support.methods_tab import gate  # noqa: F401  a fixture
from support.sockets import dial, public, small  # noqa: F401  fixtures
