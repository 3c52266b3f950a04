"""Serves the page that is also exported, with this server as the source of its answers.

It stands at /page, beside the page of ui/app.py, until it can do all that one can; then it takes its place.

    offered.about   what the page reads first: languages, networks, pictures
    calls.Calls     what it asks: maps of a picture, answers about them, work of many passes
    comparison      what its tab "Methods" asks: targets, maps, curves, what is left when a network forgets, files
    fields          settings of methods, as fields
    address.offer   the page and its files, as middleware
"""
