// The entry of the page without a server: its engine runs in a Worker.

import { open } from "./page.js";
import { InWorker } from "./sources/worker.js";

open((cargo, language) => new InWorker(cargo, language));
