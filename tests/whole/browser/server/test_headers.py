"""What every answer carries, that the page does all it does under it, and that what visitors send is text in a toast."""

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.english import PAGE
from support.hub import answering
from support.serving import Server
from support.together import together
from support.viz import Viz
from support.waiting import until
from vizapp.ui.server.headers import policy

LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));
"""


@together(
    "path",
    ["", "config", "health", "gradio_api/nonsense", "gradio_api/file=/etc/passwd", "theme.css", "gradio_api/proxy=x"],
)
def test_every_answer_carries_them(server: Server, path: str) -> None:
    headers = server.http.get(server.url + path).headers
    assert headers["content-security-policy"] == policy(False)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_refusals_and_questions_before_a_request_carry_them(server: Server) -> None:
    """Those that Gradio's own middleware answers, too."""
    asked = {"Origin": "http://localhost", "Access-Control-Request-Method": "POST"}
    for answer in (
        server.http.get(server.url, headers={"Host": "evil.example"}),
        server.http.options(f"{server.url}gradio_api/upload", headers=asked),
        server.http.post(f"{server.url}gradio_api/call/analyse", content=b"x" * (5 * 2**20)),
    ):
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors *" in policy(True)


def test_the_page_works_under_its_policy(browser: Any, server: Server, pictures: SimpleNamespace) -> None:
    """Maps, an upload, the other tab and a run of it, whose sign of life is a worker made of a blob."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(LISTEN)
    viz = Viz(page, server.url)
    try:
        page.goto(server.url)
        viz.wait_for_maps()
        viz.upload(pictures.landscape)
        page.get_by_role("tab", name=PAGE["tab_methods"]).click()
        page.get_by_role("button", name=PAGE["compare"], exact=True).click()
        page.get_by_text(PAGE["scale_own"]).first.wait_for()
        assert page.evaluate("window.violations") == []
        assert viz.errors == []
        # The listener does hear: another server may not be asked, whatever runs here.
        elsewhere = server.url.replace("127.0.0.1", "localhost")
        assert page.evaluate("(url) => fetch(url).then(() => 'sent', () => 'refused')", elsewhere) == "refused"
        assert page.evaluate("window.violations") == [elsewhere]
    finally:
        page.close()


class Frames(BaseHTTPRequestHandler):
    """A page of another server that frames the address after its own `?`."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<iframe src="{self.path.partition("?")[2]}"></iframe>'.encode())


@pytest.mark.parametrize(("query", "is_shown"), [("", False), ("?embed=1", True)])
def test_only_an_embed_is_framed_by_others(browser: Any, server: Server, query: str, is_shown: bool) -> None:
    page = browser.new_page()
    with answering(Frames) as other:
        page.goto(f"{other.replace('127.0.0.1', 'localhost')}/?{server.url}{query}")
        heading = page.frame_locator("iframe").locator("#heading h1")
        if is_shown:
            heading.wait_for(state="attached")  # hidden in a frame
        else:
            page.wait_for_function("() => window.frames.length === 1")
            until(
                lambda: page.frames[1].url.startswith("chrome-error:"),
                lambda: page.frames[1].url,
                lambda: page.wait_for_timeout(50),
            )
        page.close()


HOSTILE = '<img src="x" onerror="window.ran = 1"><b id="bold">bold</b>'


def test_names_of_models_and_files_stay_text_in_a_toast(viz: Viz, tmp_path: Path) -> None:
    (tmp_path / "<img src=x onerror=window.ran=1>.png").write_bytes(b"no picture")
    viz.choose_model(HOSTILE, wait=False)
    toast = viz.page.locator(".toast-body").first
    toast.wait_for()
    assert HOSTILE in toast.inner_text()
    viz.upload(tmp_path / "<img src=x onerror=window.ran=1>.png", wait=False)
    viz.page.locator(
        ".toast-body", has_text="is not a picture"
    ).wait_for()  # in the same one, where Gradio counts errors
    # A picture that is not there takes a moment to say so: what is asked for later has been answered.
    viz.page.evaluate("fetch('/health?later').then(() => 0)")
    viz.idle()
    assert viz.page.locator(".toast-body").locator("img[src=x], #bold").count() == 0
    assert viz.page.evaluate("window.ran") is None
