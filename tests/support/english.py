"""The English sentences of the pages, by section."""

from vizapp.ui.words import DEFAULT, words_for

SECTIONS = words_for(DEFAULT).sections
PAGE, VIEWER, EXPORT = SECTIONS["page"], SECTIONS["viewer"], SECTIONS["export"]
GLOSSARY, INCOMING, LINK, MODELS = SECTIONS["glossary"], SECTIONS["incoming"], SECTIONS["link"], SECTIONS["models"]
