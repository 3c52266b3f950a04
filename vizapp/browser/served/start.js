// The entry of the page with a server, which answers its questions.

import { open } from "../page/page.js";
import { OnServer } from "../page/sources/server.js";

open((cargo, language) => new OnServer(cargo, language));
