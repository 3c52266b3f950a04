"""Serves the page that is also exported, with this server as the source of its answers.

It stands at /page, beside the page of ui/app.py, until it can do all that one can; then it takes its place.

    offered.about   what the page reads first: languages, networks, pictures
    calls.Calls     what it asks: maps of a picture, answers about them, work of many passes
    comparison      what its tab "Methods" asks: targets, maps, curves, what is left when a network forgets, files
    fields          settings of methods, as fields
    visits.offer    the end of a visit: a tab that is closed, a browser that falls silent
    address.offer   the page in each language and its files, as middleware: files.File is one as it is sent, head.head what
                    the page says to others than its visitor
"""
