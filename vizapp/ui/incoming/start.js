// Runs in the head of the page, so that it exists before the page's first event.

import { Incoming } from "./page.js";

Object.assign(window, { vizappIncoming: new Incoming() });
