// One white pixel in each format that the browser decodes. A browser that cannot decode the sample does not know the format.

const SAMPLES = {
  jpeg:
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////" +
    "////////////////////////wAALCAAB" +
    "AAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z",
  webp: "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEADMDOJaQAA3AA/uuuAAA=",
  gif: "R0lGODdhAQABAIEAAP///wAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw==",
  bmp: "Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAADEDgAAxA4AAAAAAAAAAAAA////AA==",
  avif:
    "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAA" +
    "AAAAAAAAAAAOcGl0bQAAAAAAAQAA" +
    "AB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAIAAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABq" +
    "aXBycAAAAEtpcGNvAAAAFGlzcGUA" +
    "AAAAAAAAAQAAAAEAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAA" +
    "AAEAAQQBAoMEAAAAKG1kYXQSAAoI" +
    "GAAGiAhoNCAyEh/3h4UV3///4sAAAJA1jjx9ZA==",
};

/** @param {string} kind as header.js calls it @returns {Uint8Array<ArrayBuffer>} a file */
export const sampleOf = (kind) => Uint8Array.from(atob(SAMPLES[kind]), (character) => character.charCodeAt(0));
