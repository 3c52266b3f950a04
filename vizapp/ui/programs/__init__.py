"""The page's functions for programs: they take plain values, and answer with plain JSON and files (docs/api.md).

endpoints.py      the endpoints, one method each; its docstring tells a stranger all about it
arguments.py      checks arguments: types, pictures
answers.py        results as JSON and as files in the server's folder
caller.py         who asks, and how they learn about progress
events.py         offers the endpoints as named events of the page's server, for gradio_client and curl
keyword_calls.py  checks the names in calls with arguments by name
tools.py          offers the endpoints as MCP tools, with `--mcp`
"""
