// What a link holds besides the state.

export const PAGE_KEYS = ["v", "picture", "page", "model", "fit", "edits", "tab"]; // the page's own: no panel may declare them
