"""The microscope without a server: a page in one file, or a folder of files for any web server. See README.md of this folder.

from vizapp.browser.content import Wanted, content
from vizapp.browser.one_file import one_file

one_file(content(Wanted(models=["toy"], lessons=True)), "page.html")
"""
