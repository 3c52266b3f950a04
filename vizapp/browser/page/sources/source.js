// Where a page's answers come from. A page has one source: its own engine in a Worker (worker.js), or a server (server.js).

/** An error whose message is a sentence for the visitor. */
export class Refused extends Error {}

/**
 * What a source gives for a choice: the whole payload, or the viewer's value for a file that is fetched piece by piece. Null if another
 * picture was requested meanwhile.
 * @typedef {{run: string, payload?: Uint8Array, file?: {url: string}, bytes?: number, first?: number, refused?: string[], said?: string, offer?: Offer} | null} Maps
 *
 * @typedef {(share: number, said?: string) => void} Far is called with the share that is done, and with what is being done if that is known
 *
 * @typedef {"classes" | "here" | "shares" | "explain" | "judge" | "chance" | "forget" | "files"} Long
 *
 * @typedef {{said: string, made: string, get: string, here: string, chosen: string}} Offer of a network that knows photographs: `get`: the words of
 *   its button; `here`: its name if the server has it; `chosen`: the name that was asked for
 * @typedef {{model?: string, offer?: Offer}} Fetched the name of the network that is here now, or why it is not
 *
 * @typedef {object} Source
 * @property {(model: string) => boolean} runs whether it looks at any picture with this network
 * @property {(model: string, picture: string) => boolean} can whether it has maps of this picture by this network
 * @property {(picture: string, now: string) => string} modelFor the network for a picture: the chosen one if it can look at it
 * @property {import("../kept.js").Keeper} keeper keeps the visitor's pictures for a reload
 * @property {string[]} makes what *Share* offers besides what the viewer makes itself
 * @property {("here" | "settings" | "fill" | "forget" | "files")[]} compares what the tab *Methods* can ask besides targets, maps and
 *   curves: what it says of the network; settings of methods; another filling for patches that are gone; maps of a network that
 *   forgets; files
 * @property {(method: string, written: Record<string, any>) => Promise<{why?: string}>} [settings] why a method cannot have these
 * @property {() => Promise<[string, string][]>} [networks] label and name of the networks that can be searched; any other name may be typed
 * @property {(choice: import("../desk.js").Choice, picture: import("../desk.js").Picture, far: Far) => Promise<Maps>} look
 * @property {(choice: {model: string, fit: string}, frame: HTMLCanvasElement) => Promise<import("../../engine/glance.js").Glance>} [glance] what
 *   the classifier's query attends to in a frame
 * @property {(file: File) => Promise<{name: string, asks: string}>} [weights] the name of the network whose weights these are; if the file
 *   does not tell, a name to be completed, and what is asked
 * @property {(chosen: string, far: Far) => Promise<Fetched>} [fetch] fetches a network that knows photographs
 * @property {() => Promise<any>} [stopFetching]
 * @property {() => Promise<any>} [giveUp] ends what `look` does
 * @property {(asked: any[]) => Promise<any>} ask answers a question of the viewer: [kind, run, what, ...how]
 * @property {(call: Long, what: any, far?: Far) => Promise<any>} atLength runs work of many passes. Null if it was stopped, or if other such
 *   work or a picture was requested meanwhile
 * @property {import("./line.js").Line} [line] to the server, which may be away
 * @property {() => Promise<void>} stop stops the work of `atLength`
 */
