"""Asks a server what the page asks it."""

from typing import Any

from support.serving import Server


def asked(public: Server, name: str, *given: Any) -> dict[str, Any]:
    answer = public.http.post(f"{public.url}gradio_api/run/page_{name}", json={"data": list(given)}).json()
    return answer["data"][0] if "data" in answer else answer
