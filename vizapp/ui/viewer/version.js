// What a link holds besides the state. Python has the same number in version.py.

export const VERSION = 1; // of the text of a state, in links and in saved files: raised when a key changes its meaning
export const PAGE_KEYS = ["v", "picture", "model", "fit", "edits", "tab"]; // the page's own: no panel may declare them
