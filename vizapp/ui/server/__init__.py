"""The server around the page: who may ask, what may be sent, the folder of files, and how it stops. No page is built here.

In the order in which a request meets them:

start.py             puts all of this around Gradio, and starts it
address.py           where to listen; names of hosts
connections.py       limits the number of connections and their silence, below HTTP
access.py            the log of a public server
headers.py           what every answer tells the browser
compression.py       compresses the page, lets the browser keep scripts
guard.py             who may ask, and for what
health.py            /health and /ready
listeners.py         who waits for which answer
visitor.py           who is asking: address, session, and whether they are still there
bounds.py            how much may be sent, and how slowly
single_use.py        hands out each answer once
malformed_events.py  refuses calls that no page makes
library_logs.py      silences what libraries print about a stranger's file
ssrf.py              refuses to fetch addresses that a stranger sends
queue_entry.py       the way into Gradio's queue
sessions.py          what is kept of a session

Files and the end:

folder.py            pictures and payloads: swept, and bounded in size
run_folder.py        where that folder lies
deletion.py          deletes it at the end, and tells what is left
ledger.py            what lies in it, whose it is, when it was last used
disk_full.py         reports a full disk as a sentence
shutdown.py          how the server stops
"""
