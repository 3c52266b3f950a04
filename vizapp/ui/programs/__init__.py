"""For programs: what the page does, as functions that take plain values and answer plain JSON and files (docs/api.md).

endpoints.py  an endpoint is one method: its arguments, and in its docstring what a stranger must know of it
given.py      what came as arguments: types, pictures
answers.py    what was found, as JSON and as files of the server's folder
caller.py     who asks, and how they hear how far it is
events.py     the endpoints as named events of the page's server, for gradio_client and curl
named.py      of those calls, the ones with arguments by name
tools.py      the same as MCP tools, with `--mcp`
"""
