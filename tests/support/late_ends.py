"""A line on which the end of an answer takes long."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class LateEnds:
    """ASGI middleware: the end of a stream of answers is on its way for a while, as it is through a proxy."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def late(message: Message) -> None:
            if b"close_stream" in message.get("body", b""):
                await asyncio.sleep(0.3)
            await send(message)

        await self.app(scope, receive, late)
