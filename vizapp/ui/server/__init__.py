"""The server around the page: who may ask, what may be sent, its folder of files, and how it stops. No page is drawn here.

In the order in which a request meets them:

start.py        puts all of this around Gradio, and starts it
address.py      where to listen; names of hosts
connections.py  how many lines, and how long one may say nothing: below HTTP
access.py       the log of a public server
headers.py      what every answer tells the browser
smaller.py      the page travels compressed, scripts are kept by the browser
guard.py        who may ask, and for what
health.py       /health and /ready
listeners.py    who waits for which answer
visitor.py      who is asking: address, session, and whether they are still there
bounds.py       how much may be sent, and how slowly
once.py         an answer is handed out once
stray.py        calls that no page makes
outward.py      no address of a stranger is fetched
entry.py        the way into Gradio's queue
sessions.py     what is kept of a session

Files and the end:

folder.py       pictures and payloads, swept and bounded
place.py        where that folder lies
ledger.py       what lies in it, whose, last used when
full.py         a disk without room, in words
leaving.py      how the server stops
"""
