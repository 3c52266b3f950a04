"""A visitor is told from others by an address, of which a proxy's lines are believed and a visitor's own are not."""

from starlette.datastructures import Headers

from support.together import together
from vizapp.ui.server.visitor import address_of


@together(
    ("host", "said", "who"),
    [
        ("9.9.9.9", "", "9.9.9.9"),
        ("9.9.9.9", "8.8.8.8", "9.9.9.9"),  # nobody's proxy: what it says is not believed
        ("10.0.0.1", "8.8.8.8", "8.8.8.8"),
        ("10.0.0.1", "1.1.1.1, 8.8.8.8, 10.0.0.7", "8.8.8.8"),  # the first was written by the visitor
        ("10.0.0.1", "nonsense, ,", "10.0.0.1"),
        ("10.0.0.1", "8.8.8.8, nonsense", "10.0.0.1"),  # what stands before it may be a visitor's
        ("10.0.0.1", "1.1.1.1, 8.8.8.8:5555", "8.8.8.8"),  # as some proxies write it
        ("10.0.0.1", "1.1.1.1, [2a00:1450:4001::7]:5555", "2a00:1450:4001::/64"),
        ("10.0.0.1", "1.1.1.1, ::ffff:8.8.8.8", "8.8.8.8"),
        ("::ffff:9.9.9.9", "8.8.8.8", "9.9.9.9"),
        ("::ffff:10.0.0.1", "8.8.8.8", "8.8.8.8"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("2a00:1450:4001::7", "", "2a00:1450:4001::/64"),
        ("unix", "", "unix"),
    ],
)
def test_a_visitor_is_an_address(host: str, said: str, who: str) -> None:
    assert address_of(host, {"x-forwarded-for": said}) == who


def test_a_proxy_may_write_a_line_of_its_own() -> None:
    """As HAProxy does: the line before it is the visitor's."""
    lines = Headers(raw=[(b"x-forwarded-for", b"1.1.1.1"), (b"x-forwarded-for", b"8.8.8.8")])
    assert address_of("10.0.0.1", lines) == "8.8.8.8"
