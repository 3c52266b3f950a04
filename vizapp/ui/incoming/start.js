// What stands in the head of the page, so that it is there before the page tells anything.

import { Incoming } from "./page.js";

Object.assign(window, { vizappIncoming: new Incoming() });
