"""The page where others host it: behind nginx with a prefix and TLS, and in a visitor's language."""

import getpass
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from bench.server import unused_port
from support.one_file import rows_by, rows_of, visited
from support.serving import Server
from support.viz import hash_of
from support.waiting import until
from vizapp.ui.words import words_for

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
# What is on its way is kept in the folder of the test, by the user of the test: Debian's folders belong to root.
CONFIG = """
user {user};
pid nginx.pid;
error_log stderr crit;
daemon off;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_max_body_size 41m;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/own.crt;
    ssl_certificate_key {folder}/own.key;
    location /deep/in/ {{
      proxy_pass {behind};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Prefix /deep/in;
      proxy_buffering off;
    }}
  }}
}}
"""
SIGN = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout own.key -out own.crt"


@pytest.fixture
def proxied(server: Server, tmp_path: Path) -> Iterator[str]:
    """The server's address behind nginx, which ends TLS and takes a prefix away."""
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("no nginx or no openssl here (apt-get install nginx-light openssl)")
    folder, port = tmp_path / "nginx", unused_port()
    folder.mkdir()
    tmp_path.chmod(0o755)
    subprocess.run(SIGN.split(), cwd=folder, check=True, capture_output=True)
    (folder / "nginx.conf").write_text(
        CONFIG.format(user=getpass.getuser(), folder=folder, port=port, behind=server.url), "utf-8"
    )
    with subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]) as process:
        url = f"https://127.0.0.1:{port}/deep/in/"
        try:
            until(lambda: process.poll() is not None or _answers(url), pause=lambda: time.sleep(0.1))
            assert process.poll() is None, "nginx does not start"
            yield url
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}health", verify=False).status_code == 200  # a certificate of this test
    except httpx.TransportError:
        return False


def test_behind_nginx_with_a_prefix_and_tls(browser: Any, proxied: str, own: np.ndarray, tmp_path: Path) -> None:
    """First map, own picture, a comparison, another language: every request goes to the address that the visitor has."""
    import vizapp

    viz = visited(browser, f"{proxied}page/", ignore_https_errors=True)
    page = viz.page
    assert page.evaluate("document.querySelector('meta[property=\"og:image\"]').content") == f"{proxied}card.png"
    page.set_input_files("#choose input[type=file]", tmp_path / "own.png")
    page.wait_for_function("document.querySelector('.viz').desk.shown?.picture.startsWith('upload')")
    model = page.evaluate("document.querySelector('.viz').desk.shown.model")
    np.testing.assert_allclose(
        rows_of(viz), rows_by(vizapp.analyse(vizapp.load(model, "cpu"), tmp_path / "own.png")), atol=2e-3
    )
    page.get_by_role("tab").nth(1).click()
    page.wait_for_function("document.querySelectorAll('#methods-table tr[data-method]').length > 1")
    page.get_by_role("tab").first.click()
    link = hash_of(viz)
    page.get_by_role("link", name="中文").click()
    page.wait_for_url(re.compile(r"/deep/in/page/zh\?lang=zh#"), wait_until="commit")
    page.wait_for_function("document.querySelector('.viz')?.viewer?.payload")
    assert hash_of(viz) == link
    assert page.evaluate("document.documentElement.lang") == words_for("zh")["page"].get("tag", "zh")
    strange = [one for one in viz.requests if not one.startswith((proxied, "blob:", "data:"))]
    assert strange == []
    assert viz.errors == []
    page.context.close()


def test_a_language_that_was_chosen_is_that_of_the_next_visit(browser: Any, server: Server) -> None:
    """By the switch; a link with a language is none, and the view goes along."""
    visitor = browser.new_context(locale="en", viewport={"width": 1280, "height": 800}, bypass_csp=True)
    page = visitor.new_page()

    def opens(address: str) -> str:
        page.goto("about:blank")
        page.goto(f"{server.url}page/{address}")
        page.wait_for_function("document.querySelector('.viz')?.viewer?.payload")
        return str(page.evaluate("document.documentElement.lang"))

    assert opens("?lang=zh#layer=1") == "zh"
    assert opens("") == "en", "a link is not remembered"
    assert opens("#layer=2") == "en"
    page.get_by_role("link", name="中文").click()
    page.wait_for_url(re.compile(r"/page/zh\?lang=zh#.*layer=2"), wait_until="commit")
    page.wait_for_function("document.querySelector('.viz')?.viewer?.payload")
    assert page.evaluate("document.querySelector('.viz').viewer.state.get('layer')") == 2
    assert opens("") == "zh"
    assert opens("#layer=1") == "zh"
    assert opens("?lang=en#layer=1") == "en", "a link wins"
    visitor.close()
