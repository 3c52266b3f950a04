"""The version of a written state, in links and in saved files. JavaScript has the same number in version.js."""

VERSION = 1
