(() => {
  var __toBinary = Uint8Array.fromBase64 || /* @__PURE__ */ (() => {
    var table = new Uint8Array(128);
    for (var i = 0; i < 64; i++) table[i < 26 ? i + 65 : i < 52 ? i + 71 : i < 62 ? i - 4 : i * 4 - 205] = i;
    return (base64) => {
      var n = base64.length, bytes = new Uint8Array((n - (base64[n - 1] == "=") - (base64[n - 2] == "=")) * 3 / 4 | 0);
      for (var i2 = 0, j = 0; i2 < n; ) {
        var c0 = table[base64.charCodeAt(i2++)], c1 = table[base64.charCodeAt(i2++)];
        var c2 = table[base64.charCodeAt(i2++)], c3 = table[base64.charCodeAt(i2++)];
        bytes[j++] = c0 << 2 | c1 >> 4;
        bytes[j++] = c1 << 4 | c2 >> 2;
        bytes[j++] = c2 << 6 | c3;
      }
      return bytes;
    };
  })();

  // vizapp/vocabulary.js
  var FITS = ["crop", "pad", "squash"];
  var NETWORK_VERSION = 2;
  var PUBLIC_PIXELS = 25e6;
  var MOST_SHRUNK = 8;
  var MIN_SIDE = 8;
  var MOST_PAGES = 1e4;
  var MAX_ASPECT = 100;
  var LONGEST_SIDE = 1024;
  var DRAWN_PIXELS = 65536;
  var JPEG_QUALITY = 88;
  var TOP_CLASSES = 5;
  var TEMPERATURE = 0.1;
  var SKIP_WEIGHT = 0.5;
  var SINK_FAR = 5;
  var SINK_LONG = 2;
  var SINK_MUCH = 5;
  var PATCH_FEW = 12;
  var PATCH_MOST = 32768;
  var RISE_AT_ONCE = 16;
  var FINE = [0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1];
  var APART = 0.05;

  // vizapp/browser/engine/blobs.js
  var reading = {
    /** @param {Blob} blob @param {ImageBitmapOptions} [options] @returns {Promise<ImageBitmap>} */
    bitmap: (blob, options) => createImageBitmap(blob, options),
    /** @param {Blob} blob @returns {Promise<Uint8Array>} */
    bytes: async (blob) => new Uint8Array(await blob.arrayBuffer())
  };
  var page = null;
  function askPage(ask) {
    page = ask;
  }
  var bitmapOf = (blob, options) => read("bitmap", blob, options);
  var bytesOf = (blob) => read("bytes", blob);
  async function read(what, blob, options) {
    try {
      return await reading[what](blob, options);
    } catch (error) {
      if (page) return page(what, blob, options);
      throw error;
    }
  }

  // vizapp/browser/engine/refused.js
  var Refused = class extends Error {
    /** @param {string} key @param {Record<string, string | number>} [values] */
    constructor(key, values = {}) {
      super(`${key} ${JSON.stringify(values)}`);
      this.key = key;
      this.values = values;
    }
  };

  // vizapp/browser/engine/header.js
  var ORIENTATION = 274;
  var CMYK = 4;
  var KINDS = { jpeg, png, webp, gif, bmp, avif };
  var DOCUMENTS = ["<svg", "<?xml", "%PDF"];
  var PHOTOS = ["heic", "heix", "mif1", "msf1", "hevc"];
  var ELSEWHERE = ["II*\0", "MM\0*", "P1", "P2", "P3", "P4", "P5", "P6", "\0\0\0\fjP", "ÿOÿQ"];
  function headerOf(bytes) {
    if (!bytes.length) throw new Refused("pictureEmpty");
    const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const kind = kindOf(file);
    try {
      const { width, height, exif = null } = KINDS[kind](file);
      return { kind, width, height, ...orientationAt(file, exif) };
    } catch (error) {
      if (error instanceof RangeError) throw new Refused("pictureDamaged");
      throw error;
    }
  }
  function kindOf(file) {
    const start = text(file, 0, 16);
    if (start.startsWith("ÿØÿ")) return "jpeg";
    if (start.startsWith("PNG\r\n\n")) return "png";
    if (start.startsWith("RIFF") && start.slice(8, 12) === "WEBP") return "webp";
    if (start.startsWith("GIF8")) return "gif";
    if (start.startsWith("BM")) return "bmp";
    const brand = start.slice(4, 8) === "ftyp" ? start.slice(8, 12) : "";
    if (brand === "avif" || brand === "avis") return "avif";
    if (PHOTOS.includes(brand)) throw new Refused("pictureHeic");
    if (DOCUMENTS.some((mark) => start.trimStart().startsWith(mark))) throw new Refused("pictureDocument");
    throw new Refused(ELSEWHERE.some((mark) => start.startsWith(mark)) ? "pictureNotHere" : "pictureUnknown");
  }
  var text = (file, at, length) => {
    let found = "";
    for (let i = at; i < Math.min(at + length, file.byteLength); i++) found += String.fromCharCode(file.getUint8(i));
    return found;
  };
  function jpeg(file) {
    let exif = null;
    for (let at = 2; ; ) {
      while (file.getUint8(at + 1) === 255) at++;
      const mark = file.getUint8(at + 1);
      if (file.getUint8(at) !== 255 || mark === 218) throw new Refused("pictureDamaged");
      if (mark >= 208 && mark <= 216) {
        at += 2;
        continue;
      }
      if (mark === 225 && text(file, at + 4, 6) === "Exif\0\0") exif ??= at + 10;
      if (mark >= 192 && mark <= 207 && ![196, 200, 204].includes(mark)) {
        if (file.getUint8(at + 9) === CMYK) throw new Refused("pictureCmyk");
        return { height: file.getUint16(at + 5), width: file.getUint16(at + 7), exif: exif ?? exifAfter(file, at) };
      }
      at += 2 + file.getUint16(at + 2);
    }
  }
  function exifAfter(file, start) {
    for (let at = start; at + 10 < file.byteLength && file.getUint8(at) === 255 && file.getUint8(at + 1) !== 218; ) {
      if (file.getUint8(at + 1) === 225 && text(file, at + 4, 6) === "Exif\0\0") return at + 10;
      at += 2 + file.getUint16(at + 2);
    }
    return null;
  }
  function png(file) {
    let exif = null;
    for (let at = 8; at + 12 <= file.byteLength; at += 12 + file.getUint32(at)) {
      if (text(file, at + 4, 4) === "eXIf") exif = at + 8;
    }
    return { width: file.getUint32(16), height: file.getUint32(20), exif };
  }
  function webp(file) {
    const kind = text(file, 12, 4);
    if (kind === "VP8 ") return { width: file.getUint16(26, true) & 16383, height: file.getUint16(28, true) & 16383 };
    if (kind === "VP8L") {
      const bits2 = file.getUint32(21, true);
      return { width: (bits2 & 16383) + 1, height: (bits2 >>> 14 & 16383) + 1 };
    }
    let exif = null;
    for (let at = 12; at + 8 <= file.byteLength; at += 8 + Math.ceil(file.getUint32(at + 4, true) / 2) * 2) {
      if (text(file, at, 4) === "EXIF") exif = at + (text(file, at + 8, 4) === "Exif" ? 14 : 8);
    }
    const three = (at) => file.getUint16(at, true) + (file.getUint8(at + 2) << 16);
    return { width: three(24) + 1, height: three(27) + 1, exif };
  }
  function gif(file) {
    return { width: file.getUint16(6, true), height: file.getUint16(8, true) };
  }
  function bmp(file) {
    return { width: Math.abs(file.getInt32(18, true)), height: Math.abs(file.getInt32(22, true)) };
  }
  function avif(file) {
    let [width, height] = [0, 0];
    for (let at = 0; at + 16 < Math.min(file.byteLength, 65536); at++) {
      if (file.getUint32(at) !== 1769173093) continue;
      const [w, h] = [file.getUint32(at + 8), file.getUint32(at + 12)];
      if (w * h > width * height) [width, height] = [w, h];
    }
    return { width, height };
  }
  function orientationAt(file, exif) {
    const upright2 = { orientation: 1, exif: [] };
    if (exif === null || exif + 8 > file.byteLength) return upright2;
    const little = text(file, exif, 2) === "II";
    const table = exif + file.getUint32(exif + 4, little);
    if (table + 2 > file.byteLength) return upright2;
    const count = file.getUint16(table, little);
    for (let i = 0, at = table + 2; i < count && at + 12 <= file.byteLength; i++, at += 12) {
      if (file.getUint16(at, little) !== ORIENTATION) continue;
      const orientation = file.getUint16(at + 8, little);
      return orientation >= 1 && orientation <= 8 ? { orientation, exif: [at + 8, at + (little ? 8 : 9)] } : upright2;
    }
    return upright2;
  }

  // vizapp/browser/engine/pages.js
  var STEPS = 2 ** 20;
  var CHUNKS = 2 ** 16;
  var DRAWN = 4;
  var COUNTED = { gif: gif2, png: png2, webp: webp2 };
  function pagesOf(kind, bytes) {
    const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return COUNTED[kind]?.(bytes, file) ?? { pages: 1, isAll: true, alone: 0 };
  }
  var upTo = (found, alone = 0) => ({ pages: Math.min(Math.max(1, found), MOST_PAGES), isAll: found <= MOST_PAGES, alone });
  var is = (bytes, at, text2) => [...text2].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));
  function gif2(bytes) {
    const table = (told2) => told2 & 128 ? 3 * 2 ** ((told2 & 7) + 1) : 0;
    let [at, found, steps2] = [13 + table(bytes[10]), 0, 0];
    while (at < bytes.length && steps2 < STEPS && found <= MOST_PAGES) {
      steps2 += 1;
      const mark = bytes[at];
      if (mark === 59) break;
      if (mark === 44) {
        at += 11 + table(bytes[at + 9]);
        found += 1;
      } else if (mark === 33) {
        at += 2;
      } else {
        at += 1;
        continue;
      }
      for (; bytes[at] && steps2 < STEPS; steps2++) at += 1 + bytes[at];
      at += 1;
    }
    const { pages, isAll } = upTo(found);
    return { pages, isAll: isAll && steps2 < STEPS, alone: 0 };
  }
  function png2(bytes, file) {
    let [told2, found, alone, hasPixels] = [0, 0, 0, false];
    for (let at = 8, i = 0; i < CHUNKS; i++) {
      if (at + 8 > bytes.length || is(bytes, at + 4, "IEND") || hasPixels && !told2)
        return upTo(Math.min(told2, found) + alone, alone);
      const length = file.getUint32(at);
      if (is(bytes, at + 4, "acTL") && length === 8 && !hasPixels && at + 12 <= bytes.length) told2 = file.getUint32(at + 8);
      if (is(bytes, at + 4, "fcTL")) found += 1;
      if (is(bytes, at + 4, "IDAT") && !hasPixels) [hasPixels, alone] = [true, found ? 0 : 1];
      at += 12 + length;
    }
    return { pages: Math.max(1, Math.min(told2, found, MOST_PAGES)), isAll: false, alone };
  }
  function webp2(bytes, file) {
    let found = 0;
    for (let at = 12, i = 0; i < CHUNKS; i++) {
      if (at + 8 > bytes.length || found > MOST_PAGES) return upTo(found);
      if (is(bytes, at, "ANMF")) found += 1;
      at += 8 + Math.ceil(file.getUint32(at + 4, true) / 2) * 2;
    }
    return { pages: Math.max(1, found), isAll: false, alone: 0 };
  }
  var decoder = () => (
    /** @type {any} */
    globalThis.ImageDecoder
  );
  var canTurn = () => Boolean(decoder());
  async function bitmapOfPage(bytes, { kind, width, height }, page2, { pages, alone }) {
    if (page2 > pages) throw new Refused("pictureNoPage", { page: page2, pages });
    if (page2 * width * height > PUBLIC_PIXELS * DRAWN) throw new Refused("picturePageFar", { page: page2 });
    if (!canTurn()) throw new Refused("picturePageNotHere");
    const how = { data: bytes, type: `image/${kind}`, colorSpaceConversion: "none", preferAnimation: true };
    const film = new (decoder())(how);
    try {
      const { image } = await film.decode({ frameIndex: page2 - 1 - alone });
      const bitmap = await createImageBitmap(image, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
      image.close();
      return bitmap;
    } catch {
      throw new Refused("pictureDamaged");
    } finally {
      film.close();
    }
  }

  // vizapp/browser/engine/depth.js
  var WHOLE = 65535;
  function white(largest, bits2) {
    const told2 = bits2 > 0 && bits2 < 16 ? 2 ** bits2 - 1 : 0;
    if (told2 && largest > 0 && largest <= told2) {
      return { top: told2, note: { key: "pictureWhiteTold", values: { top: told2, whole: WHOLE } } };
    }
    if (told2 || largest === 0 || largest > WHOLE >> 1) return { top: WHOLE, note: null };
    const top = 2 ** (Math.floor(Math.log2(largest)) + 1) - 1;
    return { top, note: { key: "pictureWhiteFound", values: { largest, top, whole: WHOLE } } };
  }
  var byteOf = (value, top) => Math.min(255, Math.floor((value * 510 + top) / (2 * top)));
  function largestOf(row, channels) {
    const isClear = channels === 2 || channels === 4;
    let [colours2, alpha] = [0, 0];
    for (let i = 0, channel = 0; i < row.length; i += 2, channel = (channel + 1) % channels) {
      const value = row[i] * 256 + row[i + 1];
      if (isClear && channel === channels - 1) alpha = Math.max(alpha, value);
      else colours2 = Math.max(colours2, value);
    }
    return { colours: colours2, alpha };
  }

  // vizapp/browser/engine/white.js
  function overWhite(rgba, rgb, from = 0) {
    for (let at = 0, out = from; at < rgba.length; at += 4) {
      const alpha = rgba[at + 3];
      if (alpha === 255) {
        rgb[out++] = rgba[at];
        rgb[out++] = rgba[at + 1];
        rgb[out++] = rgba[at + 2];
      } else {
        for (let channel = 0; channel < 3; channel++) rgb[out++] = mixed(rgba[at + channel], alpha);
      }
    }
  }
  function mixed(value, alpha) {
    const sum = 128 * (value * alpha + 255 * (255 - alpha)) + (128 << 7);
    return (sum >> 8) + sum >> 15;
  }

  // vizapp/browser/engine/png.js
  var CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
  var SIGNIFICANT = { 0: 1, 2: 3, 4: 2, 6: 4 };
  var AT_ONCE = [[0, 0, 1, 1]];
  var PASSES = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
  async function decodePng(bytes) {
    const { about: about2, palette, transparent, significant, packed: packed2 } = parts(bytes);
    const { width, height, depth, type, isInterlaced } = about2;
    if (!packed2.length || !(type in CHANNELS) || type === 3 && !palette) throw new Refused("pictureDamaged");
    const passes = (isInterlaced ? PASSES : AT_ONCE).map(([x, y, stepX, stepY]) => {
      const [columns, rows2] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)];
      return { x, y, stepX, stepY, columns, rows: rows2 };
    }).filter(({ columns, rows: rows2 }) => columns > 0 && rows2 > 0);
    const bits2 = CHANNELS[type] * depth;
    const lineOf = ({ columns }) => Math.ceil(columns * bits2 / 8);
    const lines = await inflated(
      packed2,
      passes.reduce((sum, pass) => sum + pass.rows * (1 + lineOf(pass)), 0)
    );
    const rows = unfiltered(lines, passes, lineOf, Math.max(1, bits2 >> 3));
    const { top, alpha, note } = depth === 16 ? whiteOf(rows, type, significant) : { top: WHOLE, alpha: WHOLE, note: null };
    const toRgba = note ? deep(type, top, alpha) : colours(type, depth, palette, transparent);
    return { width, height, data: coloured(rows, width, height, toRgba), note };
  }
  function unfiltered(lines, passes, lineOf, step) {
    const found = [];
    let at = 0;
    for (const pass of passes) {
      const line = lineOf(pass);
      let before2 = new Uint8Array(line);
      for (let row = 0; row < pass.rows; row++, at += 1 + line) {
        const own = lines.subarray(at + 1, at + 1 + line);
        unfilter(lines[at], own, before2, step);
        found.push({ own, pass, row });
        before2 = own;
      }
    }
    return found;
  }
  function whiteOf(rows, type, significant) {
    let [largest, clear] = [0, 0];
    for (const { own } of rows) {
      const { colours: found, alpha } = largestOf(own, CHANNELS[type]);
      [largest, clear] = [Math.max(largest, found), Math.max(clear, alpha)];
    }
    const told2 = significant?.length === SIGNIFICANT[type] ? significant.subarray(0, type & 2 ? 3 : 1) : [];
    const { top, note } = white(largest, Math.max(0, ...told2));
    return { top, alpha: clear <= top ? top : WHOLE, note };
  }
  function coloured(rows, width, height, toRgba) {
    const data = new Uint8Array(width * height * 3);
    let [rgba, rgb] = [new Uint8Array(0), new Uint8Array(0)];
    for (const { own, pass, row } of rows) {
      if (rgba.length !== pass.columns * 4) [rgba, rgb] = [new Uint8Array(pass.columns * 4), new Uint8Array(pass.columns * 3)];
      toRgba(own, rgba);
      overWhite(rgba, rgb);
      const to = (pass.y + row * pass.stepY) * width + pass.x;
      if (pass.stepX === 1) data.set(rgb, to * 3);
      else for (let i = 0; i < pass.columns; i++) data.set(rgb.subarray(i * 3, i * 3 + 3), (to + i * pass.stepX) * 3);
    }
    return data;
  }
  function parts(bytes) {
    const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const [packed2, chunks] = [[], /* @__PURE__ */ new Map()];
    for (let at = 8; at + 12 <= bytes.length; ) {
      const [length, kind] = [file.getUint32(at), String.fromCharCode(...bytes.subarray(at + 4, at + 8))];
      const inside = bytes.subarray(at + 8, at + 8 + length);
      if (kind === "IDAT") packed2.push(inside);
      else if (!chunks.has(kind)) chunks.set(kind, inside);
      at += 12 + length;
    }
    const [depth, type, , , interlace] = bytes.subarray(24, 29);
    const about2 = { width: file.getUint32(16), height: file.getUint32(20), depth, type, isInterlaced: interlace === 1 };
    return { about: about2, palette: chunks.get("PLTE"), transparent: chunks.get("tRNS"), significant: chunks.get("sBIT"), packed: packed2 };
  }
  async function inflated(packed2, length) {
    const lines = new Uint8Array(length);
    const { readable, writable } = new DecompressionStream("deflate");
    const reader = readable.getReader();
    feed(writable, packed2).catch(() => {
    });
    let at = 0;
    try {
      while (at < length) {
        const { done, value } = await reader.read();
        if (done) break;
        lines.set(value.subarray(0, length - at), at);
        at += value.length;
      }
    } catch {
      throw new Refused("pictureDamaged");
    } finally {
      reader.cancel().catch(() => {
      });
    }
    if (at < length) throw new Refused("pictureDamaged");
    return lines;
  }
  async function feed(writable, packed2) {
    const writer2 = writable.getWriter();
    for (const piece of packed2) {
      await writer2.ready;
      await writer2.write(piece);
    }
    await writer2.close();
  }
  function unfilter(kind, row, above, step) {
    const n = row.length;
    if (kind === 1) for (let i = step; i < n; i++) row[i] += row[i - step];
    else if (kind === 2) for (let i = 0; i < n; i++) row[i] += above[i];
    else if (kind === 3) for (let i = 0; i < n; i++) row[i] += (i < step ? 0 : row[i - step]) + above[i] >> 1;
    else if (kind === 4) {
      for (let i = 0; i < n; i++) row[i] += i < step ? above[i] : paeth(row[i - step], above[i], above[i - step]);
    } else if (kind !== 0) throw new Refused("pictureDamaged");
  }
  function paeth(left, up2, corner) {
    const [a, b, c] = [Math.abs(up2 - corner), Math.abs(left - corner), Math.abs(left + up2 - 2 * corner)];
    return a <= b && a <= c ? left : b <= c ? up2 : corner;
  }
  function colours(type, depth, palette, transparent) {
    const key = type !== 3 && transparent ? wholes(transparent) : null;
    if (type === 3) return (row, rgba) => fromTable(row, depth, rgba, (index) => colour(index, palette, transparent));
    if (type === 0 && depth < 16) {
      const most2 = 2 ** depth - 1;
      const grey2 = (value) => [value * 255 / most2, value * 255 / most2, value * 255 / most2, key?.[0] === value ? 0 : 255];
      return (row, rgba) => fromTable(row, depth, rgba, grey2);
    }
    if (type === 0) return (row, rgba) => wideGrey(row, rgba);
    const [step, channels] = [depth >> 3, CHANNELS[type]];
    return (row, rgba) => {
      for (let i = 0, at = 0; at < rgba.length; at += 4, i += channels * step) {
        const isGrey = channels === 2;
        rgba[at] = row[i];
        rgba[at + 1] = row[isGrey ? i : i + step];
        rgba[at + 2] = row[isGrey ? i : i + 2 * step];
        rgba[at + 3] = channels === 3 ? isKey(row, i, step, key) ? 0 : 255 : row[i + (channels - 1) * step];
      }
    };
  }
  function wholes(bytes) {
    return Array.from({ length: bytes.length >> 1 }, (_, i) => bytes[2 * i] * 256 + bytes[2 * i + 1]);
  }
  var colour = (index, palette, transparent) => [...palette.subarray(3 * index, 3 * index + 3), transparent?.[index] ?? 255];
  var isKey = (row, i, step, key) => step === 1 && key?.every((value, channel) => row[i + channel] === value);
  function fromTable(row, depth, rgba, of2) {
    const mask = 2 ** depth - 1;
    for (let i = 0, at = 0; at < rgba.length; i += depth, at += 4) {
      rgba.set(of2(row[i >> 3] >> 8 - depth - (i & 7) & mask), at);
    }
  }
  function wideGrey(row, rgba) {
    for (let i = 0, at = 0; at < rgba.length; i += 2, at += 4) {
      rgba.fill(Math.round((row[i] * 256 + row[i + 1]) / 257), at, at + 3);
      rgba[at + 3] = 255;
    }
  }
  function deep(type, top, opaque) {
    const channels = CHANNELS[type];
    const isClear = channels === 2 || channels === 4;
    const places2 = channels < 3 ? [0, 0, 0] : [0, 2, 4];
    return (row, rgba) => {
      for (let i = 0, at = 0; at < rgba.length; at += 4, i += 2 * channels) {
        places2.forEach((place, channel) => {
          rgba[at + channel] = byteOf(row[i + place] * 256 + row[i + place + 1], top);
        });
        const end = i + 2 * channels;
        rgba[at + 3] = isClear ? byteOf(row[end - 2] * 256 + row[end - 1], opaque) : 255;
      }
    };
  }

  // vizapp/browser/engine/samples.js
  var SAMPLES = {
    jpeg: "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z",
    webp: "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEADMDOJaQAA3AA/uuuAAA=",
    gif: "R0lGODdhAQABAIEAAP///wAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw==",
    bmp: "Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAADEDgAAxA4AAAAAAAAAAAAA////AA==",
    avif: "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAIAAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAQAAAAEAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAKG1kYXQSAAoIGAAGiAhoNCAyEh/3h4UV3///4sAAAJA1jjx9ZA=="
  };
  var sampleOf = (kind) => Uint8Array.from(atob(SAMPLES[kind]), (character) => character.charCodeAt(0));

  // vizapp/browser/engine/turn.js
  function upright(stored, orientation) {
    if (orientation === 1) return stored;
    const bottomFirst = [3, 4, 6, 7].includes(orientation);
    const rightFirst = [2, 3, 7, 8].includes(orientation);
    const line = stored.width * 3;
    const toRow = bottomFirst ? -line : line;
    const toColumn = rightFirst ? -3 : 3;
    const first = (bottomFirst ? (stored.height - 1) * line : 0) + (rightFirst ? line - 3 : 0);
    const turned2 = orientation >= 5;
    const [width, height] = turned2 ? [stored.height, stored.width] : [stored.width, stored.height];
    const [stepX, stepY] = turned2 ? [toRow, toColumn] : [toColumn, toRow];
    const data = new Uint8Array(stored.data.length);
    let out = 0;
    for (let y = 0; y < height; y++) {
      for (let x = 0, at = first + y * stepY; x < width; x++, at += stepX) {
        data[out++] = stored.data[at];
        data[out++] = stored.data[at + 1];
        data[out++] = stored.data[at + 2];
      }
    }
    return { width, height, data };
  }

  // vizapp/browser/engine/whole.js
  var ENDS = { jpeg: jpeg2, webp: webp3, gif: gif3 };
  var isWhole = (kind, bytes) => ENDS[kind]?.(bytes) ?? true;
  function jpeg2(bytes) {
    let at = 2;
    while (at + 4 <= bytes.length && bytes[at + 1] !== 218) {
      const isBare = bytes[at + 1] === 255 || bytes[at + 1] >= 208 && bytes[at + 1] <= 216;
      at += bytes[at + 1] === 255 ? 1 : isBare ? 2 : 2 + bytes[at + 2] * 256 + bytes[at + 3];
    }
    for (let end = bytes.length - 2; end > at; end--) if (bytes[end] === 255 && bytes[end + 1] === 217) return true;
    return false;
  }
  function webp3(bytes) {
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
  }
  function gif3(bytes) {
    const table = (told2) => told2 & 128 ? 3 * 2 ** ((told2 & 7) + 1) : 0;
    const behind = (at2) => {
      while (bytes[at2]) at2 += 1 + bytes[at2];
      return at2 < bytes.length ? at2 + 1 : Infinity;
    };
    let at = 13 + table(bytes[10]);
    while (bytes[at] === 33) at = behind(at + 2);
    return bytes[at] === 44 && behind(at + 11 + table(bytes[at + 9])) <= bytes.length;
  }

  // vizapp/browser/engine/decode.js
  var NAMES = { jpeg: "JPEG", webp: "WebP", gif: "GIF", bmp: "BMP", avif: "AVIF" };
  var DAMAGED = ["InvalidStateError", "EncodingError"];
  var STRIP = 2 ** 20;
  async function decode(bytes, page2 = 1) {
    const header = headerOf(bytes);
    const factor = shrinking(header);
    const counted = pagesOf(header.kind, bytes);
    const { note, ...stored } = await storedIn(bytes, header, factor, page2, counted);
    const picture = upright(stored, header.orientation);
    const pages = counted.pages > 1 ? { page: page2, pages: counted.pages, isAll: counted.isAll, turns: canTurn() } : null;
    if (factor === 1) return { ...picture, note, pages };
    const { width, height } = header.orientation < 5 ? header : { width: header.height, height: header.width };
    const values = { lessWidth: picture.width, lessHeight: picture.height, width, height };
    return { ...picture, note: { key: "pictureShrunk", values }, pages };
  }
  async function storedIn(bytes, header, factor, page2, counted) {
    if (page2 > 1) return { ...await bitmapRead(bitmapOfPage(unturned(bytes, header.exif), header, page2, counted)), note: null };
    return header.kind === "png" ? decodePng(bytes) : { ...await byBrowser(bytes, header, factor), note: null };
  }
  function shrinking({ kind, width, height }) {
    const pixels = width * height;
    const size = { width, height };
    if (pixels > PUBLIC_PIXELS * (kind === "jpeg" ? MOST_SHRUNK : 1)) {
      throw new Refused("pictureTooLarge", { ...size, millions: PUBLIC_PIXELS / 1e6 });
    }
    if (Math.min(width, height) < MIN_SIDE) throw new Refused("pictureTooSmall", { ...size, least: MIN_SIDE });
    if (Math.max(width, height) > MAX_ASPECT * Math.min(width, height)) {
      throw new Refused("pictureTooLong", { ...size, most: MAX_ASPECT });
    }
    return [1, 2, 4].find((factor) => pixels <= PUBLIC_PIXELS * factor ** 2) ?? 4;
  }
  async function byBrowser(bytes, { kind, width, height, exif }, factor) {
    if (!isWhole(kind, bytes)) throw new Refused("pictureDamaged");
    const resized = { resizeWidth: Math.ceil(width / factor), resizeHeight: Math.ceil(height / factor), resizeQuality: "high" };
    return bitmapRead(bitmapIn(kind, unturned(bytes, exif), factor > 1 ? resized : {}));
  }
  async function bitmapRead(decoding) {
    const bitmap = await decoding;
    try {
      return pixelsOf(bitmap);
    } finally {
      bitmap.close();
    }
  }
  async function bitmapIn(kind, bytes, resized) {
    const file = (some) => new Blob([some], { type: `image/${kind}` });
    try {
      return await bitmapOf(file(bytes), { colorSpaceConversion: "none", premultiplyAlpha: "none", ...resized });
    } catch (error) {
      const known = await bitmapOf(file(sampleOf(kind))).catch(() => null);
      if (!known) throw new Refused("pictureKind", { kind: NAMES[kind] });
      known.close();
      if (!DAMAGED.includes(error?.name)) throw error;
      throw new Refused("pictureDamaged");
    }
  }
  function unturned(bytes, [from, counts]) {
    if (from === void 0) return bytes;
    const copy = bytes.slice();
    copy.fill(0, from, from + 2);
    copy[counts] = 1;
    return copy;
  }
  function pixelsOf(bitmap) {
    const { width, height } = bitmap;
    const rows = Math.min(height, Math.max(1, Math.floor(STRIP / width)));
    const canvas = new OffscreenCanvas(width, rows);
    const context = (
      /** @type {OffscreenCanvasRenderingContext2D} */
      canvas.getContext("2d", { willReadFrequently: true })
    );
    const data = new Uint8Array(width * height * 3);
    for (let top = 0; top < height; top += rows) {
      context.clearRect(0, 0, width, rows);
      context.drawImage(bitmap, 0, -top);
      const count = Math.min(rows, height - top);
      overWhite(context.getImageData(0, 0, width, count).data, data, top * width * 3);
    }
    return { width, height, data };
  }

  // vizapp/browser/engine/halves.js
  var LARGEST = 65504;
  var float = new Float32Array(1);
  var word = new Uint32Array(float.buffer);
  function floatToHalf(values) {
    const bits2 = new Uint16Array(values.length);
    for (let i = 0; i < values.length; i++) {
      float[0] = values[i];
      bits2[i] = halved(word[0]);
    }
    return bits2;
  }
  function halved(bits2) {
    const sign = bits2 >>> 16 & 32768;
    const size = bits2 & 2147483647;
    if (size >= 2139095040) return sign | (size > 2139095040 ? 32256 : 31744);
    if (size >= 1199566848) return sign | 31744;
    if (size >= 947912704) {
      const kept2 = (size >>> 13) - (112 << 10);
      const rest2 = size & 8191;
      return sign | kept2 + (rest2 > 4096 || rest2 === 4096 && kept2 & 1 ? 1 : 0);
    }
    if (size < 855638016) return sign;
    const shift = 126 - (size >>> 23);
    const fraction2 = size & 8388607 | 8388608;
    const kept = fraction2 >>> shift;
    const rest = fraction2 & (1 << shift) - 1;
    const middle = 1 << shift - 1;
    return sign | kept + (rest > middle || rest === middle && kept & 1 ? 1 : 0);
  }

  // vizapp/browser/engine/probabilities.js
  function probabilities(logits, activation2 = "") {
    const values = Float64Array.from(logits);
    if (activation2 === "none") return values;
    if (activation2 !== "softmax" && (activation2 || values.length === 1)) return values.map((logit) => 1 / (1 + Math.exp(-logit)));
    const top = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const exps = values.map((logit) => Math.exp(logit - top));
    const whole2 = exps.reduce((a, b) => a + b, 0);
    return exps.map((one) => one / whole2);
  }

  // vizapp/browser/engine/steps.js
  var SAME = 1e-4;
  function steps(net, pixels, [layer, query, key], edits = []) {
    const { kind, depth } = net.header;
    if (kind !== "vit") throw new Refused("stepsNoVit");
    const isThere = (index, count) => Number.isInteger(index) && index >= 0 && index < count;
    if (!isThere(layer, depth) || !isThere(query, net.tokens) || !isThere(key, net.tokens)) throw new Refused("stepsNowhere");
    const pass = (
      /** @type {import("./network.js").Pass} */
      net.forward(pixels, { keep: true, edits })
    );
    const streams = streamsOf(net, pixels, pass);
    const pair = new Pair(net, pass.layers[layer], layer, streams);
    return {
      vectors: { ...pair.vectors(query, key), ...pair.token("query", query), ...pair.token("key", key) },
      keys: Array.from({ length: net.tokens }, (_, token) => token),
      at: key,
      turned: { query: pair.isTurned("q", query), key: pair.isTurned("k", key) },
      left_out: {},
      ...classes(net, pass.logits, streams)
    };
  }
  function streamsOf(net, pixels, pass) {
    const { depth } = net.header;
    const left = Array.from({ length: depth }, (_, layer) => pass.tokens(layer));
    return [net.entering(pixels), ...left];
  }
  function classes(net, logits, streams) {
    const { labels, activation: activation2, dim } = net.header;
    if (!labels.length || activation2 === "none") return {};
    const label = logits.indexOf(logits.reduce((a, b) => Math.max(a, b), -Infinity));
    const lens = streams.map((stream, n) => {
      for (let token = 0; token < net.tokens; token++) {
        net.floats.set(stream.subarray(token * dim, (token + 1) * dim), (net.body.x >> 2) + token * net.body.ld);
      }
      return [n, probabilities(net.body.logits(net), activation2)[label]];
    });
    return { label: labels[label], lens };
  }
  var Pair = class {
    constructor(net, { q, k, v, bias }, layer, streams) {
      const { dim, heads, headDim, layerScale } = net.header;
      const read2 = (name, shape) => net.file.values(`blocks.${layer}.${name}`, shape);
      const inner = heads * headDim;
      this.net = net;
      this.given = { q, k, v };
      this.bias = bias;
      this.entering = streams[layer];
      this.leaving = streams[layer + 1];
      this.norm = { weight: read2("norm1.weight", [dim]), bias: read2("norm1.bias", [dim]) };
      this.qkv = read2("attn.qkv.weight", [3 * inner, dim]);
      this.qkvBias = net.file.has(`blocks.${layer}.attn.qkv.bias`) ? read2("attn.qkv.bias", [3 * inner]) : new Float32Array(3 * inner);
      this.proj = read2("attn.proj.weight", [dim, inner]);
      this.projBias = read2("attn.proj.bias", [dim]);
      this.gamma = layerScale ? read2("ls1.gamma", [dim]) : new Float32Array(dim).fill(1);
    }
    // (head, width) of one token.
    of(what, token) {
      const { heads, headDim } = this.net.header;
      const found = new Float32Array(heads * headDim);
      for (let head = 0; head < heads; head++) {
        const from = (head * this.net.tokens + token) * headDim;
        found.set(this.given[what].subarray(from, from + headDim), head * headDim);
      }
      return found;
    }
    // q or k of a token as it comes from its matrix.
    made(what, token) {
      const { dim, heads, headDim, eps } = this.net.header;
      const read2 = layerNorm(this.entering.slice(token * dim, (token + 1) * dim), this.norm, eps);
      const first = what === "q" ? 0 : heads * headDim;
      return Float32Array.from(
        { length: heads * headDim },
        (_, i) => dot(this.qkv, (first + i) * dim, read2, 0, dim) + this.qkvBias[first + i]
      );
    }
    // The vectors of a token on its way into the layer: in the stream, after the norm, its q or k, and that after any q/k norm.
    token(side, token) {
      const { dim, heads, headDim, eps } = this.net.header;
      const what = side === "query" ? "q" : "k";
      const stream = this.entering.slice(token * dim, (token + 1) * dim);
      const read2 = layerNorm(stream, this.norm, eps);
      const made = this.made(what, token);
      const used = this.used(what, token) ?? made;
      const found = {
        stream: [[dim], stream],
        read: [[dim], read2],
        made: [[heads, headDim], made],
        used: [[heads, headDim], used]
      };
      return Object.fromEntries(
        Object.entries(found).map(([name, [shape, values]]) => [`${side}.${name}`, [shape, packed(values)]])
      );
    }
    // Whether more than the scale changed it: the angles of a place may be zero.
    isTurned(what, token) {
      const used = this.used(what, token);
      if (!used || this.net.header.qkNorm) return Boolean(used);
      const made = this.made(what, token);
      const most2 = used.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
      return used.some((value, i) => Math.abs(value - made[i]) > SAME * most2);
    }
    // q or k of a token as the scores are made from it; null if nothing but the scale changed it.
    used(what, token) {
      const { qkNorm, rotary, prefix, headDim } = this.net.header;
      if (qkNorm) return this.of(what, token);
      if (!rotary || token < prefix.length) return null;
      return what === "q" ? this.of("q", token).map((value) => value * headDim ** 0.5) : this.of("k", token);
    }
    vectors(query, key) {
      const { dim, heads, headDim, qkNorm } = this.net.header;
      const { tokens } = this.net;
      const { v } = this.given;
      const { scores, attention: attention2 } = this.row(query);
      const mixed2 = new Float64Array(heads * headDim);
      for (let head = 0; head < heads; head++) {
        for (let j = 0; j < tokens; j++) {
          const from = (head * tokens + j) * headDim;
          for (let c = 0; c < headDim; c++) mixed2[head * headDim + c] += attention2[head * tokens + j] * v[from + c];
        }
      }
      const written = new Float32Array(heads * dim);
      for (let head = 0; head < heads; head++) {
        for (let i = 0; i < dim; i++) {
          const weights = i * heads * headDim + head * headDim;
          written[head * dim + i] = dot(this.proj, weights, mixed2, head * headDim, headDim) * this.gamma[i];
        }
      }
      const constant = this.projBias.map((value, i) => value * this.gamma[i]);
      const between3 = constant.map((value, i) => {
        for (let head = 0; head < heads; head++) value += written[head * dim + i];
        return value + this.entering[query * dim + i];
      });
      const after = this.leaving.slice(query * dim, (query + 1) * dim);
      const found = {
        attention: [[heads, tokens], attention2],
        scores: [[heads, tokens], scores],
        scale: [[heads], new Float32Array(heads).fill(qkNorm ? 1 : headDim ** -0.5)],
        ...this.bias ? { bias: [[heads, tokens], this.added(query)] } : {},
        values: [[heads, headDim], this.of("v", key)],
        mixed: [[heads, headDim], Float32Array.from(mixed2)],
        written: [[heads, dim], written],
        constant: [[dim], constant],
        between: [[dim], between3],
        rest: [[dim], after.map((value, i) => value - between3[i])],
        after: [[dim], after]
      };
      return Object.fromEntries(Object.entries(found).map(([name, [shape, values]]) => [name, [shape, packed(values)]]));
    }
    // What is added to the scores of a query, (head, key).
    added(query) {
      const { heads } = this.net.header;
      const { tokens } = this.net;
      const found = new Float32Array(heads * tokens);
      for (let head = 0; head < heads; head++)
        found.set(this.bias(head).subarray(query * tokens, (query + 1) * tokens), head * tokens);
      return found;
    }
    // What the query gives each key: scores (head, key) and their softmax.
    row(query) {
      const { heads, headDim } = this.net.header;
      const { tokens } = this.net;
      const { q, k } = this.given;
      const scores = this.bias ? this.added(query) : new Float32Array(heads * tokens);
      const attention2 = new Float32Array(heads * tokens);
      for (let head = 0; head < heads; head++) {
        const row = scores.subarray(head * tokens, (head + 1) * tokens);
        const from = head * tokens;
        for (let j = 0; j < tokens; j++) row[j] += dot(q, (from + query) * headDim, k, (from + j) * headDim, headDim);
        attention2.set(probabilities(row, "softmax"), head * tokens);
      }
      return { scores, attention: attention2 };
    }
  };
  function layerNorm(values, { weight, bias }, eps) {
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length + eps);
    return values.map((value, i) => (value - mean) / spread * weight[i] + bias[i]);
  }
  function dot(a, from, b, start, width) {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += a[from + i] * b[start + i];
    return sum;
  }
  function packed(values) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    let text2 = "";
    for (let i = 0; i < bytes.length; i += 4096) text2 += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return btoa(text2);
  }

  // vizapp/browser/engine/features.js
  function features(net, pixels) {
    net.forward(pixels);
    const { size, patch } = net.header;
    const normed = Boolean(net.body.readout.norm);
    return { features: packed(floatToHalf(unitFeatures(net))), grid: size.map((side) => side / patch), normed };
  }
  function unitFeatures({ body, tokens, kernels, floats, header }) {
    const { dim, eps, prefix } = header;
    const { norm } = body.readout;
    if (norm) kernels.layerNorm(body.x, body.ld, norm.weight, norm.bias, body.y, tokens, dim, eps);
    const from = (norm ? body.y : body.x) >> 2;
    const found = new Float32Array((tokens - prefix.length) * dim);
    for (let i = 0; i < tokens - prefix.length; i++) {
      const row = floats.subarray(from + (prefix.length + i) * body.ld).subarray(0, dim);
      const length = Math.max(Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)), 1e-12);
      for (let j = 0; j < dim; j++) found[i * dim + j] = row[j] / length;
    }
    return found;
  }

  // vizapp/browser/engine/patch.js
  function embedding(net, pixels, [row, col, also]) {
    const { kind, dim, channels, preNorm } = net.header;
    if (kind !== "vit") throw new Refused("stepsNoVit");
    const { patch, size, first, base, ld } = net.embedding;
    const [rows, columns] = size.map((side) => side / patch);
    const isThere = (index, count) => Number.isInteger(index) && index >= 0 && index < count;
    if (!isThere(row, rows) || !isThere(col, columns) || also !== null && !isThere(also, dim)) throw new Refused("stepsNowhere");
    const shape = [channels, patch, patch];
    const own = new Float32Array(channels * patch * patch);
    for (let line = 0; line < channels * patch; line++) {
      const [channel, y] = [Math.floor(line / patch), line % patch];
      const from = (channel * size[0] + row * patch + y) * size[1] + col * patch;
      own.set(pixels.subarray(from, from + patch), line * patch);
    }
    const weights = net.file.values("patch_embed.proj.weight", [dim, ...shape]);
    const bias = net.file.has("patch_embed.proj.bias") ? net.file.values("patch_embed.proj.bias", [dim]) : new Float32Array(dim);
    const made = bias.map((value, i) => value + dot(weights, i * own.length, own, 0, own.length));
    const at = first + row * columns + col;
    const place = (base >> 2) + at * ld;
    const position = net.floats.slice(place, place + dim);
    const token = preNorm ? net.entering(pixels).slice(at * dim, (at + 1) * dim) : made.map((value, i) => value + position[i]);
    const dimensions = shown(preNorm ? made : token, own.length, also);
    const found = {
      pixels: [shape, own],
      weights: [[dimensions.length, ...shape], of(weights, dimensions, own.length)],
      bias: [[dimensions.length], of(bias, dimensions, 1)],
      made: [[dim], made],
      token: [[dim], token],
      ...preNorm ? {} : { position: [[dim], position] }
    };
    const vectors = Object.entries(found).map(([name, [size2, values]]) => [name, [size2, packed(values)]]);
    return { vectors: Object.fromEntries(vectors), dimensions };
  }
  function shown(values, weights, also) {
    const all = Array.from(values, (_, i) => i);
    if (values.length * weights <= PATCH_MOST) return all;
    const order = all.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a])).slice(0, PATCH_FEW);
    if (also !== null && !order.includes(also)) order[PATCH_FEW - 1] = also;
    return order.sort((a, b) => a - b);
  }
  function of(table, rows, width) {
    const found = new Float32Array(rows.length * width);
    rows.forEach((row, i) => found.set(table.subarray(row * width, (row + 1) * width), i * width));
    return found;
  }

  // vizapp/browser/engine/sha256.js
  var ROOTS = new Uint32Array(64);
  var START = new Uint32Array(8);
  for (let n = 2, found = 0; found < 64; n++) {
    if (!isPrime(n)) continue;
    ROOTS[found] = fraction(Math.cbrt(n));
    if (found < 8) START[found] = fraction(Math.sqrt(n));
    found++;
  }
  function isPrime(n) {
    for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
    return true;
  }
  function fraction(root) {
    return Math.floor((root - Math.floor(root)) * 2 ** 32);
  }
  function sha256(bytes) {
    const state = START.slice();
    const words = new Uint32Array(64);
    const whole2 = bytes.length & ~63;
    digest(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), whole2, state, words);
    const rest = new Uint8Array(bytes.length - whole2 < 56 ? 64 : 128);
    rest.set(bytes.subarray(whole2));
    rest[bytes.length - whole2] = 128;
    const view = new DataView(rest.buffer);
    view.setUint32(rest.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(rest.length - 4, bytes.length << 3);
    digest(view, rest.length, state, words);
    return Array.from(state, (word2) => word2.toString(16).padStart(8, "0")).join("");
  }
  function digest(view, length, state, words) {
    for (let start = 0; start < length; start += 64) {
      for (let i = 0; i < 16; i++) words[i] = view.getUint32(start + 4 * i);
      for (let i = 16; i < 64; i++) {
        const [x, y] = [words[i - 15], words[i - 2]];
        const low = turned(x, 7) ^ turned(x, 18) ^ x >>> 3;
        const high = turned(y, 17) ^ turned(y, 19) ^ y >>> 10;
        words[i] = words[i - 16] + low + words[i - 7] + high;
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + ROOTS[i] + words[i] | 0;
        const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
        [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word2, i) => state[i] += word2);
    }
  }
  var turned = (word2, by) => word2 >>> by | word2 << 32 - by;

  // vizapp/ui/viewer/numbers/prototypes.js
  function sharesOf(features2, prototypes, temperature = TEMPERATURE) {
    const [things, width] = [prototypes.length, prototypes[0].length];
    const lengths = prototypes.map((one) => Math.max(Math.hypot(...one), 1e-12));
    const shares2 = new Float32Array(features2.length / width * things);
    for (let at = 0; at < shares2.length; at += things) {
      const from = at / things * width;
      let highest = -Infinity;
      for (let k = 0; k < things; k++) {
        let dot2 = 0;
        for (let i = 0; i < width; i++) dot2 += features2[from + i] * prototypes[k][i];
        shares2[at + k] = dot2 / lengths[k] / temperature;
        highest = Math.max(highest, shares2[at + k]);
      }
      let sum = 0;
      for (let k = 0; k < things; k++) sum += shares2[at + k] = Math.exp(shares2[at + k] - highest);
      for (let k = 0; k < things; k++) shares2[at + k] /= sum;
    }
    return shares2;
  }

  // vizapp/browser/engine/taught.js
  function taught(net, { names, prototypes }) {
    const header = { ...net.header, labels: names, activation: "softmax", readout: "mean" };
    const forward = (pixels, options) => {
      const pass = net.forward(pixels, options);
      return pass && { ...pass, logits: logShares(sharesOf(unitFeatures(net), prototypes), names.length) };
    };
    return Object.assign(Object.create(net), { header, forward });
  }
  function shares(net, pixels, lesson) {
    const ofThings = taught(net, lesson);
    return probabilities(ofThings.forward(pixels).logits, ofThings.header.activation);
  }
  function logShares(each, things) {
    const sums2 = new Float64Array(things);
    for (let i = 0; i < each.length; i++) sums2[i % things] += each[i];
    return Float32Array.from(sums2, (sum) => Math.log(sum * things / each.length));
  }

  // vizapp/browser/engine/answers.js
  var answers = {
    // This page has no second way to compute the same numbers, so the answer names the tests that compared them. What was compared
    // with numbers of rounded weights says so.
    proof: async ({ net }, _what, words) => (await net()).file.isRounded ? { rounded: [words.rounded, words.untested] } : { untested: words.untested },
    steps: async ({ net, pixels }, what) => steps(await net(), pixels, what),
    embedding: async ({ net, pixels }, what) => embedding(await net(), pixels, what),
    features: async ({ net, pixels }) => features(await net(), pixels),
    shares: async ({ net, pixels }, lesson) => ({ shares: shares(await net(), pixels, lesson) }),
    // As analysis/record.py says it of a picture; the page knows the rest.
    saving: async ({ file, page: page2, fit }) => ({ about: { picture_sha256: sha256((await decode(file, page2)).data), fit, edits: [] } }),
    classes: (_look, _what, words) => ({ why: words.needsGradients })
  };

  // vizapp/browser/engine/encode.js
  async function encode(picture) {
    const bitmap = await fitted(picture);
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height);
    const context = (
      /** @type {OffscreenCanvasRenderingContext2D} */
      canvas.getContext("2d")
    );
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    const type = width * height <= DRAWN_PIXELS ? "image/png" : "image/jpeg";
    const blob = await canvas.convertToBlob({ type, quality: JPEG_QUALITY / 100 });
    return { bytes: await bytesOf(blob), type: blob.type };
  }
  function fitted({ width, height, data }) {
    const pixels = new ImageData(width, height);
    const rgba = pixels.data;
    for (let at = 0, to = 0; at < data.length; at += 3, to += 4) {
      rgba[to] = data[at];
      rgba[to + 1] = data[at + 1];
      rgba[to + 2] = data[at + 2];
      rgba[to + 3] = 255;
    }
    const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
    const [resizeWidth, resizeHeight] = [width, height].map((side) => Math.max(1, Math.round(side * scale)));
    const resized = scale < 1 ? { resizeWidth, resizeHeight, resizeQuality: (
      /** @type {const} */
      "high"
    ) } : {};
    return createImageBitmap(pixels, { colorSpaceConversion: "none", ...resized });
  }

  // vizapp/browser/engine/patches.js
  var Patches = class {
    /** @param {Record<string, any>} header of a network */
    constructor({ size: [height, width], patch, channels }) {
      this.height = height;
      this.width = width;
      this.side = patch;
      this.channels = channels;
      this.columns = width / patch;
      this.count = height / patch * this.columns;
    }
    /** The mean colour everywhere. @param {Float32Array} pixels (channel, height, width) */
    mean(pixels) {
      const area2 = this.height * this.width;
      const made = new Float32Array(pixels.length);
      for (let channel = 0; channel < this.channels; channel++) {
        const [from, to] = [channel * area2, (channel + 1) * area2];
        made.fill(pixels.subarray(from, to).reduce((a, b) => a + b, 0) / area2, from, to);
      }
      return made;
    }
    /** `other` in the patches that `isOther` names, by their number row by row; `pixels` elsewhere.
     * @param {Float32Array} pixels @param {Float32Array} other @param {(patch: number) => boolean} isOther */
    mixed(pixels, other, isOther) {
      const { side, columns, width } = this;
      const made = pixels.slice();
      for (let patch = 0; patch < this.count; patch++) {
        if (!isOther(patch)) continue;
        const first = Math.floor(patch / columns) * side * width + patch % columns * side;
        for (let channel = 0; channel < this.channels; channel++)
          for (let y = 0; y < side; y++) {
            const from = channel * this.height * width + first + y * width;
            made.set(other.subarray(from, from + side), from);
          }
      }
      return made;
    }
  };

  // vizapp/browser/engine/rounding.js
  function even(value) {
    const low = Math.floor(value);
    const rest = value - low;
    return rest > 0.5 || rest === 0.5 && low % 2 !== 0 ? low + 1 : low;
  }

  // vizapp/browser/engine/faithfulness.js
  function* curves({ net, pixels, target }, scores, shares2 = FINE) {
    if (!scores.every(Number.isFinite)) throw new Refused("networkNoNumbers");
    const patches = new Patches(net.header);
    const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]);
    const rank = new Int32Array(order.length);
    order.forEach((patch, i) => rank[patch] = i);
    const chosen = countsOf(shares2, order.length);
    const nothing = patches.mean(pixels);
    const measured = (picture) => probabilities(net.forward(picture).logits, net.header.activation)[target];
    const [deletion, insertion] = [[], []];
    const total = 2 * chosen.length - 2;
    let done = 0;
    for (const count of chosen) {
      const isFirst = (patch) => rank[patch] < count;
      yield done++ / total;
      deletion.push(measured(patches.mixed(pixels, nothing, isFirst)));
      if (count === 0 || count === order.length) continue;
      yield done++ / total;
      insertion.push(measured(patches.mixed(nothing, pixels, isFirst)));
    }
    return {
      share: chosen.map((count) => count / order.length),
      deletion,
      insertion: [deletion.at(-1), ...insertion, deletion[0]]
    };
  }
  var countsOf = (shares2, patches) => [...new Set(shares2.map((share) => even(share * patches)))];
  function coarseOf(patches) {
    const shares2 = countsOf(FINE, patches).map((count) => count / patches);
    return coarse(shares2).map((at) => shares2[at]);
  }
  function coarse(shares2) {
    const kept = [0];
    for (let i = 1; i < shares2.length - 1; i++) if (shares2[i] - shares2[kept.at(-1)] >= APART) kept.push(i);
    return [...kept, shares2.length - 1];
  }
  function withAreas(found) {
    const some = coarse(found.share);
    const by = (which, at) => area(at.map((i) => found.share[i]), at.map((i) => found[which][i]));
    const areas = (at) => ["deletion", "insertion"].map((which) => by(which, at));
    return { ...found, areas: areas([...found.share.keys()]), coarse: areas(some) };
  }
  var area = (share, values) => share.slice(1).reduce((sum, at, i) => sum + (at - share[i]) * (values[i + 1] + values[i]) / 2, 0);

  // vizapp/browser/engine/queries.js
  var countOf = ({ prefix, grid }) => prefix.length + grid[0] * grid[1];
  var namedQueries = (readout2) => [.../* @__PURE__ */ new Set([readout2, "mean"])];
  function weightsOf(name, tokens, pool) {
    if (name === "pool" && pool) return meanOf(pool, countOf(tokens));
    const weights = new Float32Array(countOf(tokens));
    const first = tokens.prefix.length;
    if (name === "mean") return weights.fill(1 / (weights.length - first), first);
    const parts2 = name.split("+");
    for (const part3 of parts2) {
      const token = tokens.prefix.indexOf(part3);
      if (token < 0) throw new Error(`${name} is none of the tokens ${tokens.prefix.join(", ")}`);
      weights[token] = 1 / parts2.length;
    }
    return weights;
  }
  function meanOf(rows, count) {
    const mean = new Float32Array(count);
    for (let i = 0; i < rows.length; i++) mean[i % count] += rows[i];
    return mean.map((sum) => sum / (rows.length / count));
  }

  // vizapp/browser/engine/methods/pass.js
  function layersOf({ net, pixels }) {
    const { layers } = net.forward(pixels);
    return layers.map(copied);
  }
  var copied = ({ q, k, v, lse, bias }) => ({ q: q.slice(), k: k.slice(), v: v.slice(), lse: lse.slice(), bias });
  var shapeOf = (net) => ({ heads: net.header.heads, tokens: net.tokens, width: net.header.headDim });
  function readout({ header, pool }) {
    const tokens = { prefix: header.prefix, grid: gridOf(header) };
    return weightsOf(namedQueries(header.readout)[0], tokens, pool);
  }
  var gridOf = ({ size: [height, width], patch }) => [height / patch, width / patch];
  function mapsOf({ net, headMap }, { q, k, bias }) {
    const { heads, tokens, width } = shapeOf(net);
    const maps = new Float32Array(heads * tokens * tokens);
    const lse = new Float32Array(tokens);
    for (let head = 0; head < heads; head++) {
      const [from, to] = [head * tokens * width, (head + 1) * tokens * width];
      const own = maps.subarray(head * tokens * tokens, (head + 1) * tokens * tokens);
      headMap(q.subarray(from, to), k.subarray(from, to), tokens, width, own, lse, bias?.(head));
    }
    return maps;
  }
  var onPatches = (net, values) => Float32Array.from(values).subarray(net.header.prefix.length);

  // vizapp/browser/engine/methods/head_outputs.js
  function writer(net, layer) {
    const { heads, tokens, width } = shapeOf(net);
    const { dim, layerScale } = net.header;
    const at = `blocks.${layer}`;
    const weight = net.file.values(`${at}.attn.proj.weight`, [dim, heads * width]);
    const scale = layerScale ? net.file.values(`${at}.ls1.gamma`, [dim]) : new Float32Array(dim).fill(1);
    const bias = net.file.has(`${at}.attn.proj.bias`) ? net.file.values(`${at}.attn.proj.bias`, [dim]) : new Float32Array(dim);
    const write = (v, token, into) => {
      for (let head = 0; head < heads; head++) {
        const from = (head * tokens + token) * width;
        for (let i = 0; i < dim; i++) {
          let sum = 0;
          for (let c = 0, w = (i * heads + head) * width; c < width; c++, w++) sum += weight[w] * v[from + c];
          into[head * dim + i] = sum * scale[i];
        }
      }
    };
    return { write, bias: bias.map((value, i) => value * scale[i]) };
  }

  // vizapp/browser/engine/methods/alti.js
  function* alti(seen2) {
    yield 0;
    const { net } = seen2;
    const { heads, tokens } = shapeOf(net);
    const { dim } = net.header;
    const { layers, streams } = watched(seen2);
    let shares2 = Float64Array.from(readout(net));
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      yield 1 - (layer + 1) / (layers.length + 1);
      const maps = mapsOf(seen2, layers[layer]);
      const { write, bias } = writer(net, layer);
      const vectors = new Float32Array(tokens * heads * dim);
      for (let key = 0; key < tokens; key++)
        write(layers[layer].v, key, vectors.subarray(key * heads * dim, (key + 1) * heads * dim));
      const below = new Float64Array(tokens);
      const moved = new Float32Array(tokens * dim);
      for (let query = 0; query < tokens; query++) {
        if (!shares2[query]) continue;
        moved.fill(0);
        for (let key = 0, at = 0; key < tokens; key++)
          for (let head = 0; head < heads; head++) {
            const weight = maps[(head * tokens + query) * tokens + key];
            for (let i = key * dim; i < (key + 1) * dim; i++, at++) moved[i] += weight * vectors[at];
          }
        for (let i = 0; i < dim; i++) moved[query * dim + i] += streams[layer][query * dim + i];
        const made = Float64Array.from(bias);
        for (let key = 0, at = 0; key < tokens; key++) for (let i = 0; i < dim; i++, at++) made[i] += moved[at];
        const length = made.reduce((sum, value) => sum + Math.abs(value), 0);
        const near = new Float64Array(tokens);
        for (let key = 0, at = 0; key < tokens; key++) {
          let left = 0;
          for (let i = 0; i < dim; i++, at++) left += Math.abs(made[i] - moved[at]);
          near[key] = Math.max(0, length - left);
        }
        const whole2 = near.reduce((a, b) => a + b, 0);
        if (whole2 > 0) near.forEach((value, key) => below[key] += shares2[query] * value / whole2);
      }
      shares2 = below;
    }
    return onPatches(net, shares2);
  }
  function watched({ net, pixels }) {
    const pass = net.forward(pixels, { keep: true });
    const layers = pass.layers.map(copied);
    const left = layers.map((_, layer) => pass.tokens(layer).slice());
    return { layers, streams: [net.entering(pixels), ...left] };
  }

  // vizapp/browser/engine/methods/attention.js
  function* attention(seen2) {
    yield 0;
    const { heads, tokens } = shapeOf(seen2.net);
    const maps = mapsOf(seen2, layersOf(seen2).at(-1));
    const query = readout(seen2.net);
    const found = new Float64Array(tokens);
    for (let head = 0; head < heads; head++)
      for (let i = 0; i < tokens; i++) {
        if (!query[i]) continue;
        const from = (head * tokens + i) * tokens;
        for (let j = 0; j < tokens; j++) found[j] += query[i] * maps[from + j] / heads;
      }
    return onPatches(seen2.net, found);
  }

  // vizapp/browser/engine/pcg64.js
  var [POOL, SHIFT] = [4, 16];
  var MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
  var [BITS64, BITS128] = [2n ** 64n - 1n, 2n ** 128n - 1n];
  var Pcg64 = class {
    /** @param {number} seed a whole number below 2^32 */
    constructor(seed) {
      const [a, b, c, d] = seeds(seed);
      this.step = ((c << 64n | d) << 1n | 1n) & BITS128;
      this.state = 0n;
      this.turn();
      this.state = this.state + (a << 64n | b) & BITS128;
      this.turn();
    }
    turn() {
      this.state = this.state * MULTIPLIER + this.step & BITS128;
    }
    /** As `Generator.random()`: from 0 to below 1. */
    share() {
      this.turn();
      const mixed2 = this.state >> 64n ^ this.state & BITS64;
      const by = this.state >> 122n;
      const turned2 = (mixed2 >> by | mixed2 << (64n - by & 63n)) & BITS64;
      return Number(turned2 >> 11n) / 2 ** 53;
    }
  };
  function seeds(seed) {
    let constant = 1135663077;
    const hashed = (value) => {
      value ^= constant;
      constant = Math.imul(constant, 2468251765);
      value = Math.imul(value, constant);
      return (value ^ value >>> SHIFT) >>> 0;
    };
    const mixed2 = (one, other2) => {
      const value = Math.imul(one, 3389127133) - Math.imul(other2, 1232336661);
      return (value ^ value >>> SHIFT) >>> 0;
    };
    const pool = Array.from({ length: POOL }, (_, i) => hashed(i ? 0 : seed));
    for (let from = 0; from < POOL; from++)
      for (let to = 0; to < POOL; to++) if (from !== to) pool[to] = mixed2(pool[to], hashed(pool[from]));
    let other = 2337405405;
    const words = Array.from({ length: 2 * POOL }, (_, i) => {
      let value = pool[i % POOL] ^ other;
      other = Math.imul(other, 1492356589);
      value = Math.imul(value, other);
      return BigInt((value ^ value >>> SHIFT) >>> 0);
    });
    return [0, 2, 4, 6].map((i) => words[i] | words[i + 1] << 32n);
  }

  // vizapp/browser/engine/methods/baselines.js
  function* random({ net }, { seed = 0 } = {}) {
    yield 0;
    const [rows, columns] = gridOf(net.header);
    const generator = new Pcg64(seed);
    return Float64Array.from({ length: rows * columns }, () => generator.share());
  }
  function* centre({ net }) {
    yield 0;
    const [rows, columns] = gridOf(net.header);
    const off = (at, count) => ((at + 0.5) / count * 2 - 1) ** 2;
    return Float64Array.from(
      { length: rows * columns },
      (_, i) => Math.exp(-2 * (off(Math.floor(i / columns), rows) + off(i % columns, columns)))
    );
  }

  // vizapp/browser/engine/methods/by_pixels.js
  function* occlusion({ net, pixels, target }) {
    const patches = new Patches(net.header);
    const mean = patches.mean(pixels);
    const whole2 = net.forward(pixels).logits[target];
    const found = new Float32Array(patches.count);
    for (let patch = 0; patch < patches.count; patch++) {
      yield (patch + 1) / (patches.count + 1);
      const covered = patches.mixed(pixels, mean, (one) => one === patch);
      found[patch] = whole2 - net.forward(covered).logits[target];
    }
    return found;
  }

  // vizapp/browser/engine/mt19937.js
  var [LENGTH, APART2] = [624, 397];
  var Twister = class {
    /** @param {number} seed a whole number; its lowest 32 bits count */
    constructor(seed) {
      this.state = new Uint32Array(LENGTH);
      this.state[0] = seed % 2 ** 32;
      for (let i = 1; i < LENGTH; i++) {
        const before2 = this.state[i - 1];
        this.state[i] = Math.imul(1812433253, before2 ^ before2 >>> 30) + i;
      }
      this.used = LENGTH;
    }
    /** 32 bits. */
    next() {
      if (this.used === LENGTH) this.turn();
      let bits2 = this.state[this.used++];
      bits2 ^= bits2 >>> 11;
      bits2 ^= bits2 << 7 & 2636928640;
      bits2 ^= bits2 << 15 & 4022730752;
      return (bits2 ^ bits2 >>> 18) >>> 0;
    }
    turn() {
      const { state } = this;
      for (let i = 0; i < LENGTH; i++) {
        const bits2 = state[i] & 2147483648 | state[(i + 1) % LENGTH] & 2147483647;
        state[i] = state[(i + APART2) % LENGTH] ^ bits2 >>> 1 ^ (bits2 & 1 ? 2567483615 : 0);
      }
      this.used = 0;
    }
    /** As `torch.rand` in float32: from 0 to below 1. */
    share() {
      return (this.next() & 16777215) / 2 ** 24;
    }
    /** As `torch.randint(0, high)`. @param {number} high */
    below(high) {
      return this.next() % high;
    }
  };

  // vizapp/browser/engine/methods/rise.js
  var [CELLS, KEEP] = [7, 0.5];
  function* rise({ net, pixels, target }, { masks = 256, seed = 0 } = {}) {
    const { size, patch, channels, activation: activation2 } = net.header;
    const [rows, columns] = gridOf(net.header);
    const [height, width] = size;
    const generator = new Twister(seed);
    const total = new Float64Array(rows * columns);
    const seen2 = new Float32Array(pixels.length);
    for (let start = 0; start < masks; start += RISE_AT_ONCE) {
      const some = randomMasks(Math.min(RISE_AT_ONCE, masks - start), size, generator);
      for (const [i, mask] of some.entries()) {
        yield (start + i) / masks;
        for (let channel = 0, at = 0; channel < channels; channel++)
          for (let pixel = 0; pixel < mask.length; pixel++, at++) seen2[at] = pixels[at] * mask[pixel];
        const probability = probabilities(net.forward(seen2).logits, activation2)[target];
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            const one = Math.floor(y / patch) * columns + Math.floor(x / patch);
            total[one] += probability * mask[y * width + x] / patch ** 2;
          }
      }
    }
    return Float32Array.from(total, (sum) => sum / (masks * KEEP));
  }
  function randomMasks(count, [height, width], generator) {
    const side = CELLS + 1;
    const [tall, wide] = [height, width].map((one) => Math.ceil(one / CELLS));
    const coarse2 = Array.from(
      { length: count },
      () => Float32Array.from({ length: side * side }, () => Number(generator.share() < KEEP))
    );
    const down = coarse2.map(() => generator.below(tall));
    const right = coarse2.map(() => generator.below(wide));
    return coarse2.map((cells, i) => {
      const [ys, xs] = [between(height, tall, down[i]), between(width, wide, right[i])];
      const mask = new Float32Array(height * width);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const [a, b] = [ys[y], xs[x]];
          const row = (at) => cells[at * side + b.low] * (1 - b.share) + cells[at * side + b.high] * b.share;
          mask[y * width + x] = row(a.low) * (1 - a.share) + row(a.high) * a.share;
        }
      return mask;
    });
  }
  function between(length, cell, shift) {
    return Array.from({ length }, (_, i) => {
      const at = Math.max(0, (i + shift + 0.5) / cell - 0.5);
      const low = Math.min(Math.floor(at), CELLS);
      return { low, high: Math.min(low + 1, CELLS), share: at - low };
    });
  }

  // vizapp/browser/engine/attended.js
  function attended(layers, shape, queries, headMap, onMap) {
    const { heads, tokens, width } = shape;
    const map = new Float32Array((onMap ? heads : 1) * tokens * tokens);
    const [fused, lse] = [new Float32Array(tokens * tokens), new Float32Array(tokens)];
    let flows = [];
    const found = [];
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      fused.fill(0);
      const rows = queries.map(() => new Float32Array(heads * tokens));
      for (let head = 0; head < heads; head++) {
        const own = onMap ? map.subarray(head * tokens * tokens, (head + 1) * tokens * tokens) : map;
        const part3 = [head * tokens * width, (head + 1) * tokens * width];
        headMap(
          layers[layer].q.subarray(...part3),
          layers[layer].k.subarray(...part3),
          tokens,
          width,
          own,
          lse,
          layers[layer].bias?.(head)
        );
        for (let i = 0; i < fused.length; i++) fused[i] += own[i];
        queries.forEach((query, i) => gather(query, own, tokens, rows[i].subarray(head * tokens, (head + 1) * tokens)));
      }
      for (let i = 0; i < fused.length; i++) fused[i] /= heads;
      onMap?.(layer, map);
      const received = new Float32Array(tokens);
      gather(new Float32Array(tokens).fill(1 / tokens), fused, tokens, received);
      found.unshift({ rows, received });
      const whole2 = sums(fused, tokens);
      flows = [queries, ...flows].map((flow) => flow.map((one) => through(one, fused, whole2)));
    }
    const rollouts = queries.map((_, i) => {
      const every = new Float32Array(layers.length * tokens);
      flows.forEach((flow, layer) => every.set(flow[i], layer * tokens));
      return every;
    });
    return { layers: found, rollouts };
  }
  function gather(weights, map, tokens, into) {
    const made = new Float64Array(tokens);
    for (let i = 0; i < tokens; i++) {
      const weight = weights[i];
      if (weight === 0) continue;
      for (let j = 0, at = i * tokens; j < tokens; j++, at++) made[j] += weight * map[at];
    }
    into.set(made);
  }
  function through(r, fused, whole2) {
    const weights = r.map((value, i) => value / whole2[i]);
    const result = new Float32Array(r.length);
    gather(weights, fused, r.length, result);
    return result.map((value, j) => value + weights[j]);
  }
  function sums(map, tokens) {
    const whole2 = new Float64Array(tokens).fill(1);
    for (let i = 0; i < tokens; i++) for (let j = 0; j < tokens; j++) whole2[i] += map[i * tokens + j];
    return whole2;
  }

  // vizapp/browser/engine/methods/rollout.js
  function* rollout(seen2) {
    yield 0;
    const layers = layersOf(seen2);
    yield 0.5;
    const [through2] = attended(layers, shapeOf(seen2.net), [readout(seen2.net)], seen2.headMap).rollouts;
    return onPatches(seen2.net, through2.subarray(-seen2.net.tokens));
  }

  // vizapp/browser/engine/methods/value_norm.js
  function* valueAttention(seen2) {
    yield 0;
    const { net } = seen2;
    const layers = layersOf(seen2);
    const last = layers.length - 1;
    const lengths = lengthsOf(net, mapsOf(seen2, layers[last]), gram(net, layers[last], last));
    const found = new Float64Array(net.tokens);
    readout(net).forEach((weight, i) => {
      if (weight) lengths(i).forEach((length, j) => found[j] += weight * length);
    });
    return onPatches(net, found);
  }
  function* valueRollout(seen2) {
    yield 0;
    const { net } = seen2;
    const layers = layersOf(seen2);
    let shares2 = Float64Array.from(readout(net));
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      yield 1 - (layer + 1) / (layers.length + 1);
      const lengths = lengthsOf(net, mapsOf(seen2, layers[layer]), gram(net, layers[layer], layer));
      const below = new Float64Array(net.tokens);
      shares2.forEach((share, i) => {
        if (!share) return;
        const row = lengths(i);
        const total = row.reduce((a, b) => a + b, 0);
        below[i] += total > 0 ? SKIP_WEIGHT * share : share;
        if (total > 0) row.forEach((length, j) => below[j] += (1 - SKIP_WEIGHT) * share * length / total);
      });
      shares2 = below;
    }
    return onPatches(net, shares2);
  }
  function lengthsOf(net, maps, products) {
    const { heads, tokens } = shapeOf(net);
    return (query) => {
      const row = new Float64Array(tokens);
      for (let key = 0; key < tokens; key++) {
        let square = 0;
        for (let h = 0; h < heads; h++)
          for (let g = 0; g < heads; g++) {
            const [one, other] = [h, g].map((head) => maps[(head * tokens + query) * tokens + key]);
            square += one * other * products[(key * heads + h) * heads + g];
          }
        row[key] = Math.sqrt(Math.max(0, square));
      }
      return row;
    };
  }
  function gram(net, { v }, layer) {
    const { heads, tokens } = shapeOf(net);
    const { dim } = net.header;
    const { write } = writer(net, layer);
    const products = new Float64Array(tokens * heads * heads);
    const written = new Float64Array(heads * dim);
    for (let key = 0; key < tokens; key++) {
      write(v, key, written);
      for (let h = 0; h < heads; h++)
        for (let g = 0; g <= h; g++) {
          let sum = 0;
          for (let i = 0; i < dim; i++) sum += written[h * dim + i] * written[g * dim + i];
          products[(key * heads + h) * heads + g] = products[(key * heads + g) * heads + h] = sum;
        }
    }
    return products;
  }

  // vizapp/browser/engine/methods/index.js
  var methods = {
    attention,
    rollout,
    alti,
    value_attention: valueAttention,
    value_rollout: valueRollout,
    occlusion,
    rise,
    centre,
    random
  };

  // vizapp/browser/engine/explaining.js
  var explaining = {
    /** The classes of a network for this picture, the most probable first: [index, label, probability][]; [] where it has none. */
    async classes(look) {
      const { net } = await seen(look);
      return (function* () {
        yield 0;
        const { labels, activation: activation2 } = net.header;
        if (!labels.length || activation2 === "none") return [];
        const shares2 = probabilities(net.forward(look.pixels).logits, activation2);
        return labels.map((label, i) => [i, label, shares2[i]]).sort((a, b) => b[2] - a[2]);
      })();
    },
    /** A value for each patch, by a method's name; of a class, by its index. */
    async explain(look, { method, target, lesson }) {
      return methods[method]({ ...await seen(look, lesson), target }, {});
    },
    /** How the class's probability falls while patches go in the order of a map, and rises while they come; both areas. */
    async judge(look, { scores, target, lesson }) {
      const work = curves({ ...await seen(look, lesson), target }, scores);
      return (function* () {
        return withAreas(yield* work);
      })();
    },
    /** The same of `count` random orders, the first of which has the seed `from`: at the points that decide an area. */
    async chance(look, { from, count, target, lesson }) {
      const its = { ...await seen(look, lesson), target };
      const shares2 = coarseOf(new Patches(its.net.header).count);
      return (function* () {
        const drawn = [];
        for (let i = 0; i < count; i++) {
          const scores = yield* part(methods.random(its, { seed: from + i }), i, count, 0);
          drawn.push(withAreas(yield* part(curves(its, scores, shares2), i, count, 1)));
        }
        return drawn;
      })();
    }
  };
  async function seen(look, lesson) {
    if (!look) throw new Refused("methodsGone");
    const { net, headMap } = await look.open();
    return { net: lesson ? taught(net, lesson) : net, headMap, pixels: look.pixels };
  }
  function* part(work, i, count, weight) {
    for (; ; ) {
      const step = work.next();
      if (step.done) return step.value;
      yield (i + weight * step.value) / count;
    }
  }

  // vizapp/browser/engine/frame.js
  function frameOf(picture, input, scaled2, origin) {
    return { picture, input, scale: [scaled2[0] / picture[0], scaled2[1] / picture[1]], origin };
  }
  function windowOf({ input, scale, origin }) {
    const x = (at) => (at + origin[1]) / scale[1];
    const y = (at) => (at + origin[0]) / scale[0];
    return [x(0), y(0), x(input[1]), y(input[0])];
  }
  function maskOf({ picture, input, scale, origin }, mask) {
    const at = (axis) => Int32Array.from({ length: input[axis] }, (_, i) => Math.floor((i + 0.5 + origin[axis]) / scale[axis]));
    const [rows, columns] = [at(0), at(1)];
    const made = new Uint8Array(input[0] * input[1]);
    for (let y = 0; y < input[0]; y++) {
      if (rows[y] < 0 || rows[y] >= picture[0]) continue;
      for (let x = 0; x < input[1]; x++) {
        if (columns[x] < 0 || columns[x] >= picture[1]) continue;
        made[y * input[1] + x] = mask[rows[y] * picture[1] + columns[x]];
      }
    }
    return made;
  }

  // vizapp/browser/engine/resample.js
  var BITS = 22;
  var HALF = 1 << BITS - 1;
  var sinc = (x) => x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI);
  var bilinear = (x) => Math.max(0, 1 - Math.abs(x));
  function bicubic(signed) {
    const x = Math.abs(signed);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * -0.5;
    return 0;
  }
  var lanczos = (x) => x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
  var KERNELS = { bilinear: [bilinear, 1], bicubic: [bicubic, 2], lanczos: [lanczos, 3] };
  function resize(image, width, height, { filter = "bicubic", box, part: part3 } = {}) {
    const from = (
      /** @type {Box} */
      (box ?? [0, 0, image.width, image.height]).map(Math.fround)
    );
    const wanted = part3 ?? [0, 0, width, height];
    if (filter === "nearest") return nearest(image, width, height, from, wanted);
    const across = coefficients(image.width, from[0], from[2], width, filter, wanted[0], wanted[2]);
    const down = coefficients(image.height, from[1], from[3], height, filter, wanted[1], wanted[3]);
    const [top, bottom] = [down.first[0], down.first[down.count - 1] + down.size[down.count - 1]];
    return vertical(horizontal(image, across, top, bottom), down, top);
  }
  function coefficients(inSize, in0, in1, outSize, filter, start, stop) {
    const [kernel, reach] = KERNELS[filter];
    const scale = Math.fround(in1 - in0) / outSize;
    const stretch = Math.max(1, scale);
    const support = reach * stretch;
    const count = stop - start;
    const most2 = Math.ceil(support) * 2 + 1;
    const [first, size, weights] = [new Int32Array(count), new Int32Array(count), new Int32Array(count * most2)];
    const exact = new Float64Array(most2);
    for (let place = 0; place < count; place++) {
      const centre2 = in0 + (place + start + 0.5) * scale;
      const low = Math.max(0, Math.trunc(centre2 - support + 0.5));
      const n = Math.min(inSize, Math.trunc(centre2 + support + 0.5)) - low;
      let sum = 0;
      for (let i = 0; i < n; i++) {
        exact[i] = kernel((i + low - centre2 + 0.5) * (1 / stretch));
        sum += exact[i];
      }
      for (let i = 0; i < n; i++) {
        const weight = (sum === 0 ? exact[i] : exact[i] / sum) * (1 << BITS);
        weights[place * most2 + i] = Math.trunc(weight < 0 ? weight - 0.5 : weight + 0.5);
      }
      first[place] = low;
      size[place] = n;
    }
    return { first, size, weights, most: most2, count };
  }
  function horizontal({ width, channels, data }, { first, size, weights, most: most2, count }, top, bottom) {
    const made = new Uint8Array((bottom - top) * count * channels);
    let out = 0;
    for (let y = top; y < bottom; y++) {
      for (let x = 0; x < count; x++) {
        const from = (y * width + first[x]) * channels;
        const [weight, n] = [x * most2, size[x]];
        if (channels === 3) {
          let [red, green, blue] = [HALF, HALF, HALF];
          for (let i = 0, at = from; i < n; i++, at += 3) {
            const one = weights[weight + i];
            red += data[at] * one;
            green += data[at + 1] * one;
            blue += data[at + 2] * one;
          }
          made[out++] = clipped(red);
          made[out++] = clipped(green);
          made[out++] = clipped(blue);
          continue;
        }
        for (let channel = 0; channel < channels; channel++) {
          let sum = HALF;
          for (let i = 0; i < n; i++) sum += data[from + i * channels + channel] * weights[weight + i];
          made[out++] = clipped(sum);
        }
      }
    }
    return { width: count, height: bottom - top, channels, data: made };
  }
  function vertical({ width, channels, data }, { first, size, weights, most: most2, count }, top) {
    const line = width * channels;
    const made = new Uint8Array(count * line);
    const sums2 = new Int32Array(line);
    for (let y = 0; y < count; y++) {
      sums2.fill(HALF);
      for (let i = 0; i < size[y]; i++) {
        const weight = weights[y * most2 + i];
        const from = (first[y] - top + i) * line;
        for (let x = 0; x < line; x++) sums2[x] += data[from + x] * weight;
      }
      for (let x = 0; x < line; x++) made[y * line + x] = clipped(sums2[x]);
    }
    return { width, height: count, channels, data: made };
  }
  function clipped(sum) {
    const value = sum >> BITS;
    return value < 0 ? 0 : value > 255 ? 255 : value;
  }
  function nearest({ width, height, channels, data }, outWidth, outHeight, box, [left, top, right, bottom]) {
    const columns = places(width, box[0], box[2], outWidth);
    const rows = places(height, box[1], box[3], outHeight);
    const made = new Uint8Array((right - left) * (bottom - top) * channels);
    let out = 0;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const from = (rows[y] * width + columns[x]) * channels;
        for (let channel = 0; channel < channels; channel++) made[out++] = data[from + channel];
      }
    }
    return { width: right - left, height: bottom - top, channels, data: made };
  }
  function places(inSize, in0, in1, outSize) {
    const step = Math.fround(in1 - in0) / outSize;
    const found = new Int32Array(outSize);
    let at = in0 + step * 0.5;
    for (let place = 0; place < outSize; place++, at += step) found[place] = Math.min(inSize - 1, Math.trunc(at));
    return found;
  }

  // vizapp/browser/engine/preprocess.js
  var LARGEST_RESIZED = 2 ** 24;
  function preprocess(picture, how, fit = how.fit) {
    const scaled2 = scaledSize(picture.height, picture.width, how, fit);
    const origin = [centred(scaled2[0], how.size[0]), centred(scaled2[1], how.size[1])];
    const rgb = { width: picture.width, height: picture.height, channels: 3, data: picture.data };
    const seen2 = windowOf2(how.mean.length === 1 ? grey(rgb) : rgb, how, scaled2, origin);
    const { height, width } = picture;
    return { pixels: normalised(seen2, how), frame: frameOf([height, width], how.size, scaled2, origin) };
  }
  function grey({ width, height, data }) {
    const made = new Uint8Array(width * height);
    for (let i = 0, at = 0; i < made.length; i++, at += 3) {
      made[i] = data[at] * 19595 + data[at + 1] * 38470 + data[at + 2] * 7471 + 32768 >> 16;
    }
    return { width, height, channels: 1, data: made };
  }
  function scaledSize(height, width, { size, crop, fit: own }, fit) {
    if (!FITS.includes(fit)) throw new Error(`'${fit}' is no way to bring a picture to a size.`);
    const kept = fit === "crop" || fit === own ? crop : 1;
    const [targetH, targetW] = size.map((side) => Math.floor(side / kept));
    if (fit === "squash") return [targetH, targetW];
    if (fit === "crop" && targetH === targetW) {
      if (height <= width) return [targetH, Math.trunc(targetH * width / height)];
      return [Math.trunc(targetW * height / width), targetW];
    }
    const ratios = [height / targetH, width / targetW];
    const ratio = fit === "crop" ? Math.min(...ratios) : Math.max(...ratios);
    return [Math.max(1, even(height / ratio)), Math.max(1, even(width / ratio))];
  }
  function centred(scaled2, size) {
    return scaled2 >= size ? even((scaled2 - size) / 2) : -Math.floor((size - scaled2) / 2);
  }
  function windowOf2(picture, { size: [height, width], mean, interpolation: filter }, [scaledH, scaledW], [top, left]) {
    const [y0, y1] = [Math.max(top, 0), Math.min(top + height, scaledH)];
    const [x0, x1] = [Math.max(left, 0), Math.min(left + width, scaledW)];
    const across = (x) => x * picture.width / scaledW;
    const down = (y) => y * picture.height / scaledH;
    const visible = scaledH * scaledW > LARGEST_RESIZED ? resize(picture, x1 - x0, y1 - y0, { filter, box: [across(x0), down(y0), across(x1), down(y1)] }) : resize(picture, scaledW, scaledH, { filter, part: [x0, y0, x1, y1] });
    const channels = mean.length;
    const fill = Uint8Array.from(mean, (value) => even(value * 255));
    const made = new Uint8Array(height * width * channels);
    for (let i = 0; i < made.length; i++) made[i] = fill[i % channels];
    const line = (x1 - x0) * channels;
    for (let y = y0; y < y1; y++) {
      made.set(visible.data.subarray((y - y0) * line, (y - y0 + 1) * line), ((y - top) * width + x0 - left) * channels);
    }
    return { width, height, channels, data: made };
  }
  function normalised({ width, height, channels, data }, { mean, std }) {
    const pixels = new Float32Array(channels * height * width);
    const table = new Float32Array(256);
    for (let channel = 0; channel < channels; channel++) {
      const [middle, spread] = [Math.fround(mean[channel]), Math.fround(std[channel])];
      for (let value = 0; value < 256; value++) table[value] = Math.fround(Math.fround(value / 255) - middle) / spread;
      const start = channel * height * width;
      for (let i = 0, at = channel; i < height * width; i++, at += channels) pixels[start + i] = table[data[at]];
    }
    return pixels;
  }

  // vizapp/browser/engine/glance.js
  function glance(net, picture, fit, headMap) {
    const { depth, heads, headDim, prefix, size, patch, readout: readout2 } = net.header;
    const { pixels, frame } = preprocess(picture, net.header.preprocess, fit);
    const begun = performance.now();
    const pass = (
      /** @type {import("./network.js").Pass} */
      net.forward(pixels)
    );
    const took = performance.now() - begun;
    const tokens = { prefix, grid: size.map((side) => side / patch) };
    const n = countOf(tokens);
    const query = weightsOf(readout2, tokens, pass.pool);
    const rows = new Float32Array(depth * heads * n);
    const few = Array.from(query.keys()).filter((token) => query[token] > 0);
    const attended2 = few.length < n / 4 ? byRows : byMaps(n, headMap);
    pass.layers.forEach((layer, l) => {
      for (let head = 0; head < heads; head++) {
        const from = (l * heads + head) * n;
        attended2(part2(layer, head, n, headDim), few, query, rows.subarray(from, from + n));
      }
    });
    const [height, width] = frame.picture;
    const [left, top, right, bottom] = windowOf(frame);
    const window = (
      /** @type {[number, number, number, number]} */
      [left / width, top / height, right / width, bottom / height]
    );
    return { rows, layers: depth, heads, tokens, window, query: readout2, took };
  }
  function part2({ q, k, bias }, head, n, width) {
    const [from, to] = [head * n * width, (head + 1) * n * width];
    return { q: q.subarray(from, to), k: k.subarray(from, to), bias: bias?.(head), n, width };
  }
  function byRows({ q, k, bias, n, width }, few, query, row) {
    const scores = new Float64Array(n);
    for (const token of few) {
      for (let j = 0; j < n; j++) {
        scores[j] = bias ? bias[token * n + j] : 0;
        for (let c = 0, x = token * width, y = j * width; c < width; c++) scores[j] += q[x + c] * k[y + c];
      }
      const most2 = Math.max(...scores);
      for (let j = 0; j < n; j++) scores[j] = Math.exp(scores[j] - most2);
      const sum = scores.reduce((all, one) => all + one, 0);
      for (let j = 0; j < n; j++) row[j] += query[token] * scores[j] / sum;
    }
  }
  function byMaps(tokens, headMap) {
    const [map, sums2] = [new Float32Array(tokens * tokens), new Float32Array(tokens)];
    return ({ q, k, bias, n, width }, few, query, row) => {
      headMap(q, k, n, width, map, sums2, bias);
      for (const token of few) for (let j = 0; j < n; j++) row[j] += query[token] * map[token * n + j];
    };
  }

  // vizapp/browser/engine/kernels.wasm
  var kernels_default = __toBinary("AGFzbQEAAAABRghgBX9/f39/AGAGf39/f39/AGACf38AYAp/f39/f39/f39/AGAIf39/f39/f30AYAR/f319AGADf39/AGAHf39/f39/fwACDwEDZW52Bm1lbW9yeQIAAAMNDAMAAAEEAQIFBgcCAAeDAQ0IbXVsdGlwbHkAAAxwYW5lbHNPZlJvd3MAAQ9wYW5lbHNPZkNvbHVtbnMAAgNjdXQAAwlsYXllck5vcm0ABAdzb2Z0bWF4AAUEZ2VsdQAGBXN3aXNoAAcFdGltZXMACAZyb3RhdGUACQRyZWx1AAoHbGVuZ3RocwALBm1lbW9yeQIACp8kDIMNAhh7DX8gAUECdCEpIAZBAnQhKANAIAkgKkoEQP0MAAAAAAAAAAAAAAAAAAAAACEMIAMEeyADICpBAnRqIgH9AAQQIQwgAf0ABAAF/QwAAAAAAAAAAAAAAAAAAAAACyENIAIgKiAIQQJ0bGohAQJAIAdBBUgEQEEAISIDQCAHICJKBEAgACAiIClsaiEjIAEhBiANIQogDCELICIgKGwgKkECdGohJUEAISQDQCAIICRKBEAgCiAj/QkCACIOIAb9AAQA/eYB/eQBIQogCyAOIAb9AAQQ/eYB/eQBIQsgI0EEaiEjIAZBIGohBiAkQQFqISQMAQsLIAUgJWoiIyAEICVqQQAgBBsiBgR7IAsgBv0ABBD95AEhCyAKIAb9AAQA/eQBBSAKC/0LBAAgIyAL/QsEECAiQQFqISIMAQsLDAELQQAhKyAoQQAgBBshLCAHQQVrIS0DQCAoICtsICpBAnRqIS4gKSApICkgKSAAICkgK2xqIiNqIiRqIiVqIiZqIScgASEGIA0iCiEUIAwiCyEVIAohECALIREgCiIOIRIgCyIPIRMgCCEiA0AgIkEETgRAIAogI/0JAgAiFiAG/QAEACIX/eYB/eQBICP9CQIEIhggBv0ABCAiGf3mAf3kASAj/QkCCCIaIAb9AARAIhv95gH95AEgI/0JAgwiHCAG/QAEYCId/eYB/eQBIQogCyAWIAb9AAQQIhb95gH95AEgGCAG/QAEMCIY/eYB/eQBIBogBv0ABFAiGv3mAf3kASAcIAb9AARwIhz95gH95AEhCyAUICT9CQIAIh4gF/3mAf3kASAk/QkCBCIfIBn95gH95AEgJP0JAggiICAb/eYB/eQBICT9CQIMIiEgHf3mAf3kASEUIBUgHiAW/eYB/eQBIB8gGP3mAf3kASAgIBr95gH95AEgISAc/eYB/eQBIRUgDiAl/QkCACIeIBf95gH95AEgJf0JAgQiHyAZ/eYB/eQBICX9CQIIIiAgG/3mAf3kASAl/QkCDCIhIB395gH95AEhDiAPIB4gFv3mAf3kASAfIBj95gH95AEgICAa/eYB/eQBICEgHP3mAf3kASEPIBAgJv0JAgAiHiAX/eYB/eQBICb9CQIEIh8gGf3mAf3kASAm/QkCCCIgIBv95gH95AEgJv0JAgwiISAd/eYB/eQBIRAgESAeIBb95gH95AEgHyAY/eYB/eQBICAgGv3mAf3kASAhIBz95gH95AEhESASICf9CQIAIh4gF/3mAf3kASAn/QkCBCIXIBn95gH95AEgJ/0JAggiGSAb/eYB/eQBICf9CQIMIhsgHf3mAf3kASESIBMgHiAW/eYB/eQBIBcgGP3mAf3kASAZIBr95gH95AEgGyAc/eYB/eQBIRMgI0EQaiEjICRBEGohJCAlQRBqISUgJkEQaiEmICdBEGohJyAGQYABaiEGICJBBGshIgwBCwsDQCAiQQBKBEAgCiAj/QkCACIWIAb9AAQAIhf95gH95AEhCiALIBYgBv0ABBAiFv3mAf3kASELIBQgJP0JAgAiGCAX/eYB/eQBIRQgFSAYIBb95gH95AEhFSAOICX9CQIAIhggF/3mAf3kASEOIA8gGCAW/eYB/eQBIQ8gECAm/QkCACIYIBf95gH95AEhECARIBggFv3mAf3kASERIBIgJ/0JAgAiGCAX/eYB/eQBIRIgEyAYIBb95gH95AEhEyAjQQRqISMgJEEEaiEkICVBBGohJSAmQQRqISYgJ0EEaiEnIAZBIGohBiAiQQFrISIMAQsLIAUgLmoiBiAEIC5qQQAgBBsiIgR7IAsgIv0ABBD95AEhCyAKICL9AAQA/eQBBSAKC/0LBAAgBiAL/QsEECAGIChqIgYgIiAsaiIiBHsgFSAi/QAEEP3kASEVIBQgIv0ABAD95AEFIBQL/QsEACAGIBX9CwQQIAYgKGoiBiAiICxqIiIEeyAPICL9AAQQ/eQBIQ8gDiAi/QAEAP3kAQUgDgv9CwQAIAYgD/0LBBAgBiAoaiIGICIgLGoiIgR7IBEgIv0ABBD95AEhESAQICL9AAQA/eQBBSAQC/0LBAAgBiAR/QsEECAGIChqIgYgIiAsaiIiBHsgEyAi/QAEEP3kASETIBIgIv0ABAD95AEFIBIL/QsEACAGIBP9CwQQICsgLUcEQCArQQVqIgYgLSAGIC1IGyErDAELCwsgKkEIaiEqDAELCwufAQEGfwNAIAMgBkoEQEEIIAMgBmsiBSAFQQhKGyEKQQAhBQNAIAVBCEgEQCAAIAUgBmogAWxBAnRqIQggAiAEIAZsIAVqQQJ0aiEHQQAhCQNAIAQgCUoEQCAHIAUgCkgEfSAIKgIABUMAAAAACzgCACAIQQRqIQggB0EgaiEHIAlBAWohCQwBCwsgBUEBaiEFDAELCyAGQQhqIQYMAQsLC2MBA38DQCAEIAZKBEAgACAGQQJ0aiEFQQAhBwNAIAMgB0oEQCACIAX9AAQA/QsEACACIAX9AAQQ/QsEECACQSBqIQIgBSABQQJ0aiEFIAdBAWohBwwBCwsgBkEIaiEGDAELCwuLAQEFfwNAIAMgCUoEQEEAIQYDQCAEIAZKBEBBACEHA0AgAiAHSgRAQQAhCANAIAUgCEoEQCABIAAgAyAHbCAJaiAIaiAEbCAGakECdGogBUECdCIK/AoAACABIApqIQEgCEEBaiEIDAELCyAHQQFqIQcMAQsLIAUgBmohBgwBCwsgBSAJaiEJDAELCwuFBAMGfwJ7An0gBkF8cSEJA0AgBSAMSgRAIAEgDGxBAnQiCCAAaiELIAQgCGohDf0MAAAAAAAAAAAAAAAAAAAAACEOQQAhCANAIAggCUgEQCAOIAsgCEECdGr9AAQA/eQBIQ4gCEEEaiEIDAELCyAO/R8AIA79HwGSIA79HwIgDv0fA5KSIRAgCSEIA0AgBiAISgRAIBAgCyAIQQJ0aioCAJIhECAIQQFqIQgMAQsLIBAgBrKVIhH9EyEP/QwAAAAAAAAAAAAAAAAAAAAAIQ5BACEIA0AgCCAJSARAIA4gCyAIQQJ0av0ABAAgD/3lASIOIA795gH95AEhDiAIQQRqIQgMAQsLIA79HwAgDv0fAZIgDv0fAiAO/R8DkpIhECAJIQgDQCAGIAhKBEAgECALIAhBAnRqKgIAIBGTIhAgEJSSIRAgCEEBaiEIDAELC0MAAIA/IBAgBrKVIAeSkZUiEP0TIQ5BACEIA0AgCCAJSARAIA0gCEECdCIKaiADIApq/QAEACAKIAtq/QAEACAP/eUBIA795gEgAiAKav0ABAD95gH95AH9CwQAIAhBBGohCAwBCwsgCSEIA0AgBiAISgRAIA0gCEECdCIKaiAKIAtqKgIAIBGTIBCUIAIgCmoqAgCUIAMgCmoqAgCSOAIAIAhBAWohCAwBCwsgDEEBaiEMDAELCwvcBAMEfwR7An0DQCACIAdKBEAgACABIAdsQQJ0aiEIIAMhBgNAIAEgBkoEQCAIIAZBAnRqQ8rySfE4AgAgBkEBaiEGDAELC/0MyvJJ8crySfHK8knxyvJJ8SEKQQAhBgNAIAEgBkoEQCAKIAggBkECdGr9AAQA/ekBIQogBkEEaiEGDAELCyAK/R8AIAr9HwGXIAr9HwIgCv0fA5eXIg79EyEL/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEGA0AgASAGSgRAIAggBkECdGoiCf0ABAAgC/3lAf0MO6q4PzuquD87qrg/O6q4P/3mAf0MAADIwgAAyMIAAMjCAADIwv3pASIM/WohDSAJ/QwAAIA/AACAPwAAgD8AAIA//QwYcjE/GHIxPxhyMT8YcjE//Qzu/XU+7v11Pu79dT7u/XU+/Qx0V2M9dFdjPXRXYz10V2M9/Qymlh08ppYdPKaWHTymlh08/Qwpn686KZ+vOimfrzopn686/QyNzSA5jc0gOY3NIDmNzSA5IAwgDf3lASIM/eYB/eQBIAz95gH95AEgDP3mAf3kASAM/eYB/eQBIAz95gH95AEgDP3mAf3kASAN/fgBQRf9qwH9rgEiDP0LBAAgCiAM/eQBIQogBkEEaiEGDAELC0MAAIA/IAr9HwAgCv0fAZIgCv0fAiAK/R8DkpIiD5X9EyEKQQAhBgNAIAEgBkoEQCAIIAZBAnRqIgkgCf0ABAAgCv3mAf0LBAAgBkEEaiEGDAELCyAHQQJ0IgYgBGogDjgCACAFIAZqIA84AgAgB0EBaiEHDAELCwuTBAEEeyAAIAFBAnRqIQEDQCAAIAFJBED9DP7/f7/+/3+//v9/v/7/f7/9DJBXk7+QV5O/kFeTv5BXk7/9DJ8Y676fGOu+nxjrvp8Y6779DEx2V71Mdle9THZXvUx2V739DHZ37Dt2d+w7dnfsO3Z37Dv9DKPfhLmj34S5o9+EuaPfhLn9DM/LELnPyxC5z8sQuc/LELn9DDGN9TcxjfU3MY31NzGN9Tf9DJWsBbaVrAW2lawFtpWsBbYgAP0ABAAiBP3gASIC/QwAAMBAAADAQAAAwEAAAMBA/egBIgP95gH95AEgA/3mAf3kASAD/eYB/eQBIAP95gH95AEgA/3mAf3kASAD/eYB/eQBIAP95gH95AEgA/3mAf3kASID/WohBSAAIAT9DAAAAAAAAAAAAAAAAAAAAAD96QEgAv0MAACAPwAAgD8AAIA/AACAP/0MGHIxPxhyMT8YcjE/GHIxP/0M7v11Pu79dT7u/XU+7v11Pv0MdFdjPXRXYz10V2M9dFdjPf0MppYdPKaWHTymlh08ppYdPP0MKZ+vOimfrzopn686KZ+vOv0Mjc0gOY3NIDmNzSA5jc0gOSADIAX95QEiAv3mAf3kASAC/eYB/eQBIAL95gH95AEgAv3mAf3kASAC/eYB/eQBIAL95gH95AEgBf34AUEX/asB/a4B/eYB/eUB/QsEACAAQRBqIQAMAQsLC/ECAQV7IAL9EyEFIAP9EyEGIAAgAUECdGohAQNAIAAgAUkEQCAA/QAEACIIIAUgCCAI/eYBIAb95gH95AH95gH9DDuquL87qri/O6q4vzuquL/95gH9DAAA/EIAAPxCAAD8QgAA/EL96AH9DAAA/MIAAPzCAAD8wgAA/ML96QEiB/1qIQQgACAI/QwAAIA/AACAPwAAgD8AAIA//QwAAIA/AACAPwAAgD8AAIA//QwYcjE/GHIxPxhyMT8YcjE//Qzu/XU+7v11Pu79dT7u/XU+/Qx0V2M9dFdjPXRXYz10V2M9/Qymlh08ppYdPKaWHTymlh08/Qwpn686KZ+vOimfrzopn686/QyNzSA5jc0gOY3NIDmNzSA5IAcgBP3lASIH/eYB/eQBIAf95gH95AEgB/3mAf3kASAH/eYB/eQBIAf95gH95AEgB/3mAf3kASAE/fgBQRf9qwH9rgH95AH95wH9CwQAIABBEGohAAwBCwsLPAAgACACQQJ0aiECA0AgACACSQRAIAAgAP0ABAAgAf0ABAD95gH9CwQAIABBEGohACABQRBqIQEMAQsLC80BAgV/An0gASAFa0ECdCEJQQRBCCAGGyELIAZBAnRBBCAGGyEHA0AgBCAISgRAQQAhAQNAIAEgBUgEQCAAIAAqAgAiDCACKgIAlCAAIAdqIgoqAgAiDSADKgIAlJM4AgAgCiANIAIgB2oqAgCUIAwgAyAHaioCAJSSOAIAIAFBAmohASAAIAtqIQAgAiALaiECIAMgC2ohAwwBCwsgBgRAIAZBAnQiASAAaiEAIAEgA2ohAyABIAJqIQILIAAgCWohACAIQQFqIQgMAQsLC0EAIAAgAUECdGohAQNAIAAgAUkEQCAAIAD9AAQA/QwAAAAAAAAAAAAAAAAAAAAA/ekB/QsEACAAQRBqIQAMAQsLC8oBAwR/AX0BeyAEQXxxIQYDQCADIAdKBEAgACABIAdsQQJ0aiEI/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEFA0AgBSAGSARAIAogCCAFQQJ0av0ABAAiCiAK/eYB/eQBIQogBUEEaiEFDAELCyAK/R8AIAr9HwGSIAr9HwIgCv0fA5KSIQkgBiEFA0AgBCAFSgRAIAkgCCAFQQJ0aioCACIJIAmUkiEJIAVBAWohBQwBCwsgAiAHQQJ0aiAJkTgCACAHQQFqIQcMAQsLCw==");

  // vizapp/browser/engine/kernels.relaxed.wasm
  var kernels_relaxed_default = __toBinary("AGFzbQEAAAABRghgBX9/f39/AGAGf39/f39/AGACf38AYAp/f39/f39/f39/AGAIf39/f39/f30AYAR/f319AGADf39/AGAHf39/f39/fwACDwEDZW52Bm1lbW9yeQIAAAMNDAMAAAEEAQIFBgcCAAeDAQ0IbXVsdGlwbHkAAAxwYW5lbHNPZlJvd3MAAQ9wYW5lbHNPZkNvbHVtbnMAAgNjdXQAAwlsYXllck5vcm0ABAdzb2Z0bWF4AAUEZ2VsdQAGBXN3aXNoAAcFdGltZXMACAZyb3RhdGUACQRyZWx1AAoHbGVuZ3RocwALBm1lbW9yeQIACqkiDOcLAhh7DX8gAUECdCEpIAZBAnQhKANAIAkgKkoEQP0MAAAAAAAAAAAAAAAAAAAAACEMIAMEeyADICpBAnRqIgH9AAQQIQwgAf0ABAAF/QwAAAAAAAAAAAAAAAAAAAAACyENIAIgKiAIQQJ0bGohAQJAIAdBBUgEQEEAISIDQCAHICJKBEAgACAiIClsaiEjIAEhBiANIQogDCELICIgKGwgKkECdGohJUEAISQDQCAIICRKBEAgI/0JAgAiDiAG/QAEACAK/YUCIQogDiAG/QAEECAL/YUCIQsgI0EEaiEjIAZBIGohBiAkQQFqISQMAQsLIAUgJWoiIyAEICVqQQAgBBsiBgR7IAsgBv0ABBD95AEhCyAKIAb9AAQA/eQBBSAKC/0LBAAgIyAL/QsEECAiQQFqISIMAQsLDAELQQAhKyAoQQAgBBshLCAHQQVrIS0DQCAoICtsICpBAnRqIS4gKSApICkgKSAAICkgK2xqIiNqIiRqIiVqIiZqIScgASEGIA0iCiEUIAwiCyEVIAohECALIREgCiIOIRIgCyIPIRMgCCEiA0AgIkEETgRAICP9CQIMIhYgBv0ABGAiFyAj/QkCCCIYIAb9AARAIhkgI/0JAgQiGiAG/QAEICIbICP9CQIAIhwgBv0ABAAiHSAK/YUC/YUC/YUC/YUCIQogFiAG/QAEcCIWIBggBv0ABFAiGCAaIAb9AAQwIhogHCAG/QAEECIcIAv9hQL9hQL9hQL9hQIhCyAk/QkCDCIeIBcgJP0JAggiHyAZICT9CQIEIiAgGyAk/QkCACIhIB0gFP2FAv2FAv2FAv2FAiEUIB4gFiAfIBggICAaICEgHCAV/YUC/YUC/YUC/YUCIRUgJf0JAgwiHiAXICX9CQIIIh8gGSAl/QkCBCIgIBsgJf0JAgAiISAdIA79hQL9hQL9hQL9hQIhDiAeIBYgHyAYICAgGiAhIBwgD/2FAv2FAv2FAv2FAiEPICb9CQIMIh4gFyAm/QkCCCIfIBkgJv0JAgQiICAbICb9CQIAIiEgHSAQ/YUC/YUC/YUC/YUCIRAgHiAWIB8gGCAgIBogISAcIBH9hQL9hQL9hQL9hQIhESAn/QkCDCIeIBcgJ/0JAggiFyAZICf9CQIEIhkgGyAn/QkCACIbIB0gEv2FAv2FAv2FAv2FAiESIB4gFiAXIBggGSAaIBsgHCAT/YUC/YUC/YUC/YUCIRMgI0EQaiEjICRBEGohJCAlQRBqISUgJkEQaiEmICdBEGohJyAGQYABaiEGICJBBGshIgwBCwsDQCAiQQBKBEAgI/0JAgAiFiAG/QAEACIXIAr9hQIhCiAWIAb9AAQQIhYgC/2FAiELICT9CQIAIhggFyAU/YUCIRQgGCAWIBX9hQIhFSAl/QkCACIYIBcgDv2FAiEOIBggFiAP/YUCIQ8gJv0JAgAiGCAXIBD9hQIhECAYIBYgEf2FAiERICf9CQIAIhggFyAS/YUCIRIgGCAWIBP9hQIhEyAjQQRqISMgJEEEaiEkICVBBGohJSAmQQRqISYgJ0EEaiEnIAZBIGohBiAiQQFrISIMAQsLIAUgLmoiBiAEIC5qQQAgBBsiIgR7IAsgIv0ABBD95AEhCyAKICL9AAQA/eQBBSAKC/0LBAAgBiAL/QsEECAGIChqIgYgIiAsaiIiBHsgFSAi/QAEEP3kASEVIBQgIv0ABAD95AEFIBQL/QsEACAGIBX9CwQQIAYgKGoiBiAiICxqIiIEeyAPICL9AAQQ/eQBIQ8gDiAi/QAEAP3kAQUgDgv9CwQAIAYgD/0LBBAgBiAoaiIGICIgLGoiIgR7IBEgIv0ABBD95AEhESAQICL9AAQA/eQBBSAQC/0LBAAgBiAR/QsEECAGIChqIgYgIiAsaiIiBHsgEyAi/QAEEP3kASETIBIgIv0ABAD95AEFIBIL/QsEACAGIBP9CwQQICsgLUcEQCArQQVqIgYgLSAGIC1IGyErDAELCwsgKkEIaiEqDAELCwufAQEGfwNAIAMgBkoEQEEIIAMgBmsiBSAFQQhKGyEKQQAhBQNAIAVBCEgEQCAAIAUgBmogAWxBAnRqIQggAiAEIAZsIAVqQQJ0aiEHQQAhCQNAIAQgCUoEQCAHIAUgCkgEfSAIKgIABUMAAAAACzgCACAIQQRqIQggB0EgaiEHIAlBAWohCQwBCwsgBUEBaiEFDAELCyAGQQhqIQYMAQsLC2MBA38DQCAEIAZKBEAgACAGQQJ0aiEFQQAhBwNAIAMgB0oEQCACIAX9AAQA/QsEACACIAX9AAQQ/QsEECACQSBqIQIgBSABQQJ0aiEFIAdBAWohBwwBCwsgBkEIaiEGDAELCwuLAQEFfwNAIAMgCUoEQEEAIQYDQCAEIAZKBEBBACEHA0AgAiAHSgRAQQAhCANAIAUgCEoEQCABIAAgAyAHbCAJaiAIaiAEbCAGakECdGogBUECdCIK/AoAACABIApqIQEgCEEBaiEIDAELCyAHQQFqIQcMAQsLIAUgBmohBgwBCwsgBSAJaiEJDAELCwv/AwMGfwN7An0gBkF8cSEJA0AgBSAMSgRAIAEgDGxBAnQiCCAAaiELIAQgCGohDf0MAAAAAAAAAAAAAAAAAAAAACEPQQAhCANAIAggCUgEQCAPIAsgCEECdGr9AAQA/eQBIQ8gCEEEaiEIDAELCyAP/R8AIA/9HwGSIA/9HwIgD/0fA5KSIREgCSEIA0AgBiAISgRAIBEgCyAIQQJ0aioCAJIhESAIQQFqIQgMAQsLIBEgBrKVIhL9EyEQ/QwAAAAAAAAAAAAAAAAAAAAAIQ9BACEIA0AgCCAJSARAIAsgCEECdGr9AAQAIBD95QEiDiAOIA/9hQIhDyAIQQRqIQgMAQsLIA/9HwAgD/0fAZIgD/0fAiAP/R8DkpIhESAJIQgDQCAGIAhKBEAgESALIAhBAnRqKgIAIBKTIhEgEZSSIREgCEEBaiEIDAELC0MAAIA/IBEgBrKVIAeSkZUiEf0TIQ5BACEIA0AgCCAJSARAIA0gCEECdCIKaiAKIAtq/QAEACAQ/eUBIA795gEgAiAKav0ABAAgAyAKav0ABAD9hQL9CwQAIAhBBGohCAwBCwsgCSEIA0AgBiAISgRAIA0gCEECdCIKaiAKIAtqKgIAIBKTIBGUIAIgCmoqAgCUIAMgCmoqAgCSOAIAIAhBAWohCAwBCwsgDEEBaiEMDAELCwvKBAMEfwR7An0DQCACIAdKBEAgACABIAdsQQJ0aiEIIAMhBgNAIAEgBkoEQCAIIAZBAnRqQ8rySfE4AgAgBkEBaiEGDAELC/0MyvJJ8crySfHK8knxyvJJ8SEKQQAhBgNAIAEgBkoEQCAKIAggBkECdGr9AAQA/ekBIQogBkEEaiEGDAELCyAK/R8AIAr9HwGXIAr9HwIgCv0fA5eXIg79EyEL/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEGA0AgASAGSgRAIAggBkECdGoiCf0ABAAgC/3lAf0MO6q4PzuquD87qrg/O6q4P/3mAf0MAADIwgAAyMIAAMjCAADIwv3pASIM/WohDSAJ/QyNzSA5jc0gOY3NIDmNzSA5IAwgDf3lASIM/Qwpn686KZ+vOimfrzopn686/YUCIAz9DKaWHTymlh08ppYdPKaWHTz9hQIgDP0MdFdjPXRXYz10V2M9dFdjPf2FAiAM/Qzu/XU+7v11Pu79dT7u/XU+/YUCIAz9DBhyMT8YcjE/GHIxPxhyMT/9hQIgDP0MAACAPwAAgD8AAIA/AACAP/2FAiAN/fgBQRf9qwH9rgEiDP0LBAAgCiAM/eQBIQogBkEEaiEGDAELC0MAAIA/IAr9HwAgCv0fAZIgCv0fAiAK/R8DkpIiD5X9EyEKQQAhBgNAIAEgBkoEQCAIIAZBAnRqIgkgCf0ABAAgCv3mAf0LBAAgBkEEaiEGDAELCyAHQQJ0IgYgBGogDjgCACAFIAZqIA84AgAgB0EBaiEHDAELCwvpAwEEeyAAIAFBAnRqIQEDQCAAIAFJBED9DJWsBbaVrAW2lawFtpWsBbYgAP0ABAAiBP3gASIC/QwAAMBAAADAQAAAwEAAAMBA/egBIgP9DDGN9TcxjfU3MY31NzGN9Tf9hQIgA/0Mz8sQuc/LELnPyxC5z8sQuf2FAiAD/Qyj34S5o9+EuaPfhLmj34S5/YUCIAP9DHZ37Dt2d+w7dnfsO3Z37Dv9hQIgA/0MTHZXvUx2V71Mdle9THZXvf2FAiAD/QyfGOu+nxjrvp8Y676fGOu+/YUCIAP9DJBXk7+QV5O/kFeTv5BXk7/9hQIgA/0M/v9/v/7/f7/+/3+//v9/v/2FAiID/WohBSAAIAT9DAAAAAAAAAAAAAAAAAAAAAD96QEgAv0Mjc0gOY3NIDmNzSA5jc0gOSADIAX95QEiAv0MKZ+vOimfrzopn686KZ+vOv2FAiAC/Qymlh08ppYdPKaWHTymlh08/YUCIAL9DHRXYz10V2M9dFdjPXRXYz39hQIgAv0M7v11Pu79dT7u/XU+7v11Pv2FAiAC/QwYcjE/GHIxPxhyMT8YcjE//YUCIAL9DAAAgD8AAIA/AACAPwAAgD/9hQIgBf34AUEX/asB/a4B/eYB/eUB/QsEACAAQRBqIQAMAQsLC9wCAQV7IAL9EyEFIAP9EyEGIAAgAUECdGohAQNAIAAgAUkEQCAA/QAEACIIIAggCP3mASAGIAX9hQL95gH9DDuquL87qri/O6q4vzuquL/95gH9DAAA/EIAAPxCAAD8QgAA/EL96AH9DAAA/MIAAPzCAAD8wgAA/ML96QEiB/1qIQQgACAI/QwAAIA/AACAPwAAgD8AAIA//QyNzSA5jc0gOY3NIDmNzSA5IAcgBP3lASIH/Qwpn686KZ+vOimfrzopn686/YUCIAf9DKaWHTymlh08ppYdPKaWHTz9hQIgB/0MdFdjPXRXYz10V2M9dFdjPf2FAiAH/Qzu/XU+7v11Pu79dT7u/XU+/YUCIAf9DBhyMT8YcjE/GHIxPxhyMT/9hQIgB/0MAACAPwAAgD8AAIA/AACAP/2FAiAE/fgBQRf9qwH9rgH95AH95wH9CwQAIABBEGohAAwBCwsLPAAgACACQQJ0aiECA0AgACACSQRAIAAgAP0ABAAgAf0ABAD95gH9CwQAIABBEGohACABQRBqIQEMAQsLC80BAgV/An0gASAFa0ECdCEJQQRBCCAGGyELIAZBAnRBBCAGGyEHA0AgBCAISgRAQQAhAQNAIAEgBUgEQCAAIAAqAgAiDCACKgIAlCAAIAdqIgoqAgAiDSADKgIAlJM4AgAgCiANIAIgB2oqAgCUIAwgAyAHaioCAJSSOAIAIAFBAmohASAAIAtqIQAgAiALaiECIAMgC2ohAwwBCwsgBgRAIAZBAnQiASAAaiEAIAEgA2ohAyABIAJqIQILIAAgCWohACAIQQFqIQgMAQsLC0EAIAAgAUECdGohAQNAIAAgAUkEQCAAIAD9AAQA/QwAAAAAAAAAAAAAAAAAAAAA/ekB/QsEACAAQRBqIQAMAQsLC8cBAwR/AX0CeyAEQXxxIQYDQCADIAdKBEAgACABIAdsQQJ0aiEI/QwAAAAAAAAAAAAAAAAAAAAAIQpBACEFA0AgBSAGSARAIAggBUECdGr9AAQAIgsgCyAK/YUCIQogBUEEaiEFDAELCyAK/R8AIAr9HwGSIAr9HwIgCv0fA5KSIQkgBiEFA0AgBCAFSgRAIAkgCCAFQQJ0aioCACIJIAmUkiEJIAVBAWohBQwBCwsgAiAHQQJ0aiAJkTgCACAHQQFqIQcMAQsLCw==");

  // vizapp/browser/engine/memory.js
  var PAGE = 65536;
  var MEGA = 2 ** 20;
  var LINE = 64;
  var up = (n, multiple) => Math.ceil(n / multiple) * multiple;
  var Memory = class {
    constructor() {
      this.top = LINE;
      this.fills = [];
    }
    /** The address of `count` float32 values. `fill` writes them once there is a memory; without it they are zero.
     * @param {number} count @param {(values: Float32Array) => void} [fill] */
    take(count, fill) {
      const address = this.top;
      this.top += up(4 * count, LINE);
      if (fill) this.fills.push([address, count, fill]);
      return address;
    }
    /** @param {number} limit in bytes @returns {WebAssembly.Memory} */
    open(limit) {
      if (this.top > limit)
        throw new Refused("networkTooLarge", { needed: Math.ceil(this.top / MEGA), limit: Math.floor(limit / MEGA) });
      const pages = Math.ceil(this.top / PAGE);
      const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
      for (const [address, count, fill] of this.fills) fill(new Float32Array(memory.buffer, address, count));
      this.fills = [];
      return memory;
    }
  };

  // vizapp/browser/engine/maps.js
  var LIMIT = 2 ** 30;
  async function fastHeadMap(wasm, tokens, width) {
    const room = new Memory();
    const [ld, keys] = [up(width, 8), up(tokens, 8)];
    const at = {
      q: room.take(tokens * ld),
      k: room.take(tokens * ld),
      columns: room.take(keys * ld),
      scores: room.take(tokens * keys),
      largest: room.take(tokens),
      sums: room.take(tokens)
    };
    const memory = room.open(LIMIT);
    const { instance } = await WebAssembly.instantiate(
      /** @type {BufferSource} */
      wasm,
      { env: { memory } }
    );
    const kernels = (
      /** @type {any} */
      instance.exports
    );
    const floats = new Float32Array(memory.buffer);
    const give = (values, address) => {
      for (let i = 0; i < tokens; i++) floats.set(values.subarray(i * width, (i + 1) * width), (address >> 2) + i * ld);
    };
    return (q, k, _tokens, _width, map, lse, bias) => {
      give(q, at.q);
      give(k, at.k);
      kernels.panelsOfRows(at.k, ld, at.columns, tokens, ld);
      kernels.multiply(at.q, ld, at.columns, 0, 0, at.scores, keys, tokens, ld, keys);
      if (bias)
        for (let i = 0; i < bias.length; i++) floats[(at.scores >> 2) + Math.floor(i / tokens) * keys + i % tokens] += bias[i];
      kernels.softmax(at.scores, keys, tokens, tokens, at.largest, at.sums);
      for (let i = 0, from = at.scores >> 2; i < tokens; i++, from += keys) {
        map.set(floats.subarray(from, from + tokens), i * tokens);
        lse[i] = floats[(at.largest >> 2) + i] + Math.log(floats[(at.sums >> 2) + i]);
      }
    };
  }

  // vizapp/browser/engine/acts.js
  var ROOT = Math.sqrt(2 / Math.PI);
  var ACTS = {
    gelu: (kernels, at, count) => kernels.gelu(at, count),
    gelu_tanh: (kernels, at, count) => kernels.swish(at, count, 2 * ROOT, 2 * ROOT * 0.044715),
    quick_gelu: (kernels, at, count) => kernels.swish(at, count, 1.702, 0),
    silu: (kernels, at, count) => kernels.swish(at, count, 1, 0),
    relu: (kernels, at, count) => kernels.relu(at, count)
  };
  function activation(name) {
    if (!Object.hasOwn(ACTS, name)) throw new Refused("networkKind", { kind: String(name) });
    return ACTS[name];
  }

  // vizapp/browser/engine/mlp.js
  function between2({ hidden, gated }, tokens, room) {
    const count = tokens * up(hidden, 8);
    return { z: room.take(count), gate: gated ? room.take(count) : 0 };
  }
  var Mlp = class {
    /** @param {string} at @param {number} dim @param {Parts} parts @param {import("./weights.js").Weights} weights
     * @param {{ z: number, gate: number }} rooms @param {ArrayLike<number> | null} [gammas] of the layer scale that follows */
    constructor(at, dim, { hidden, act, gated = false, mlpNorm = false }, weights, rooms, gammas = null) {
      const half = Array.from({ length: up(hidden, 8) }, (_, i) => i < hidden ? i : -1);
      const rows = gated ? [...half, ...half.map((row) => row < 0 ? -1 : hidden + row)] : void 0;
      this.act = activation(act);
      this.hidden = hidden;
      this.ld = half.length;
      this.rooms = rooms;
      this.gated = gated;
      this.fc1 = weights.linear(`${at}.fc1`, [gated ? 2 * hidden : hidden, dim], { rows });
      this.norm = mlpNorm ? weights.norm(`${at}.norm`, hidden) : null;
      this.fc2 = weights.linear(`${at}.fc2`, [dim, hidden], { factor: (i) => gammas?.[i] ?? 1 });
    }
    /** to = residual + mlp(from). @param {any} kernels @param {number} eps */
    run(kernels, from, ld, residual, to, tokens, eps) {
      const { fc1, fc2, norm, rooms, hidden } = this;
      const { z, gate } = rooms;
      const N = this.ld;
      const made = (part3, at) => {
        const bias = fc1.bias && fc1.bias + 4 * part3 * N;
        kernels.multiply(from, ld, fc1.b + 4 * part3 * N * fc1.K, bias, 0, at, N, tokens, fc1.K, N);
      };
      if (this.gated) {
        made(0, gate);
        made(1, z);
        this.act(kernels, gate, tokens * N);
        kernels.times(z, gate, tokens * N);
      } else {
        made(0, z);
        this.act(kernels, z, tokens * N);
      }
      if (norm) kernels.layerNorm(z, N, norm.weight, norm.bias, z, tokens, hidden, eps);
      kernels.multiply(z, N, fc2.b, fc2.bias, residual, to, ld, tokens, fc2.K, fc2.N);
    }
  };

  // vizapp/browser/engine/weights.js
  var Weights = class {
    /** @param {import("./file.js").NetworkFile} file @param {import("./memory.js").Memory} room */
    constructor(file, room) {
      this.file = file;
      this.room = room;
    }
    /** `count` numbers, one for each channel. @param {string} name @param {number} count @param {number} [factor] */
    vector(name, count, factor = 1) {
      return this.room.take(up(count, 8), (to) => {
        const values = this.file.values(name, [count]);
        for (let i = 0; i < count; i++) to[i] = values[i] * factor;
      });
    }
    /** Weight and bias of a layer norm. @param {string} name @param {number} count @param {number} [factor] of what it gives */
    norm(name, count, factor = 1) {
      return { weight: this.vector(`${name}.weight`, count, factor), bias: this.vector(`${name}.bias`, count, factor), D: count };
    }
    /** What `torch.nn.Linear` calls NAME: weight (outputs, inputs) and bias, if there is one.
     *
     * rows, columns   which output or input stands in which place, -1 for padding; without them, in their order. So heads
     *                 whose width is no multiple of eight get room, and zeros in it
     * factor          of an output, by its index: a scale that follows costs nothing if the weights have it already
     * @param {string} name @param {number[]} shape
     * @param {{ rows?: number[], columns?: number[], factor?: (output: number) => number }} [how]
     * @returns {Linear} */
    linear(name, shape, how = {}) {
      const bias = this.file.has(`${name}.bias`) ? this.padded(`${name}.bias`, shape[0], how) : 0;
      return { ...this.matrix(`${name}.weight`, shape, how), bias };
    }
    /** @param {string} name @param {number} outputs @param {{ rows?: number[], factor?: (output: number) => number }} how */
    padded(name, outputs, { rows = inOrder(outputs), factor = () => 1 }) {
      return this.room.take(up(rows.length, 8), (to) => {
        const values = this.file.values(name, [outputs]);
        rows.forEach((row, n) => row >= 0 && (to[n] = values[row] * factor(row)));
      });
    }
    /** @param {string} name @param {number[]} shape */
    matrix(name, shape, how = {}) {
      const outputs = shape[0];
      const inputs = shape.slice(1).reduce((a, b) => a * b, 1);
      return this.panels(() => this.file.values(name, shape), outputs, inputs, how);
    }
    /** @param {() => Float32Array} read (outputs, inputs)
     * @param {{ rows?: number[], columns?: number[], factor?: (output: number) => number }} [how] @returns {Linear} */
    panels(read2, outputs, inputs, how = {}) {
      const { rows = inOrder(outputs), columns = inOrder(inputs), factor = () => 1 } = how;
      const [N, K] = [up(rows.length, 8), columns.length];
      const b = this.room.take(N * K, (to) => {
        const values = read2();
        rows.forEach((row, n) => {
          if (row < 0) return;
          const scale = factor(row);
          let at = (n >> 3) * K * 8 + (n & 7);
          for (let k = 0; k < K; k++, at += 8) if (columns[k] >= 0) to[at] = values[row * inputs + columns[k]] * scale;
        });
      });
      return { b, bias: 0, K, N };
    }
  };
  var inOrder = (count) => Array.from({ length: count }, (_, i) => i);
  var inRooms = (heads, width, room) => Array.from({ length: heads * room }, (_, i) => i % room < width ? Math.floor(i / room) * width + i % room : -1);

  // vizapp/browser/engine/pooling.js
  var Pooling = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
    constructor({ dim, eps, prefix, pooling }, weights, tokens) {
      const { heads, headDim } = pooling;
      const { room } = weights;
      const inner = heads * headDim;
      const rooms = inRooms(heads, headDim, up(headDim, 8));
      this.eps = eps;
      this.dim = dim;
      this.ld = up(dim, 8);
      this.heads = heads;
      this.width = up(headDim, 8);
      this.tokens = tokens;
      this.first = pooling.prefix ? 0 : prefix.length;
      this.count = tokens - this.first;
      this.keys = up(this.count, 8);
      this.query = room.take(rooms.length, (to) => {
        const values = weights.file.values("attn_pool.query", [inner]);
        rooms.forEach((from, i) => from >= 0 && (to[i] = values[from] * headDim ** -0.5));
      });
      this.kv = weights.linear("attn_pool.kv", [2 * inner, dim], {
        rows: [0, 1].flatMap((i) => rooms.map((row) => row < 0 ? -1 : i * inner + row))
      });
      this.proj = weights.linear("attn_pool.proj", [dim, inner], { columns: rooms });
      this.norm = weights.norm("attn_pool.norm", dim);
      this.mlp = new Mlp("attn_pool.mlp", dim, pooling, weights, between2(pooling, 1, room));
      this.made = room.take(this.count * this.width);
      this.panels = room.take(this.keys * this.width);
      this.scores = room.take(this.keys);
      this.largest = room.take(8);
      this.sums = room.take(8);
      this.taken = room.take(heads * this.width);
      this.out = room.take(this.ld);
      this.normed = room.take(this.ld);
      this.maps = new Float32Array(heads * tokens);
    }
    /** From tokens to one vector, which is written in place of the first token.
     * @param {any} kernels @param {Float32Array} floats */
    run(kernels, floats, tokens) {
      const { heads, width, keys, first, count, kv, made, panels, scores, taken, proj, norm, out, normed, ld } = this;
      const into = (part3, head) => {
        const column = (part3 * heads + head) * width;
        const bias = kv.bias && kv.bias + 4 * column;
        kernels.multiply(tokens + 4 * first * ld, ld, kv.b + 4 * column * kv.K, bias, 0, made, width, count, kv.K, width);
      };
      for (let head = 0; head < heads; head++) {
        into(0, head);
        kernels.panelsOfRows(made, width, panels, count, width);
        kernels.multiply(this.query + 4 * head * width, width, panels, 0, 0, scores, keys, 1, width, keys);
        kernels.softmax(scores, keys, 1, count, this.largest, this.sums);
        this.maps.set(floats.subarray(scores >> 2, (scores >> 2) + count), head * this.tokens + first);
        into(1, head);
        kernels.panelsOfColumns(made, width, panels, count, width);
        kernels.multiply(scores, keys, panels, 0, 0, taken + 4 * head * width, width, 1, count, width);
      }
      kernels.multiply(taken, proj.K, proj.b, proj.bias, 0, out, ld, 1, proj.K, proj.N);
      kernels.layerNorm(out, ld, norm.weight, norm.bias, normed, 1, this.dim, this.eps);
      this.mlp.run(kernels, normed, ld, out, tokens, 1, this.eps);
    }
  };

  // vizapp/browser/engine/readout.js
  var Readout = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
    constructor(header, weights, tokens) {
      const { dim, eps, pool, prefix, representation } = header;
      const { file, room } = weights;
      this.dim = dim;
      this.ld = up(dim, 8);
      this.eps = eps;
      this.pool = pool;
      this.first = prefix.length;
      this.tanh = representation ? weights.linear("pre_logits.fc", [representation, dim]) : null;
      this.norm = file.has("norm.weight") ? weights.norm("norm", dim) : null;
      this.afterPool = file.has("fc_norm.weight") ? weights.norm("fc_norm", dim) : null;
      this.pooling = header.pooling ? new Pooling(header, weights, tokens) : null;
      this.classes = header.classes || representation || dim;
      const shape = [header.classes, representation || dim];
      this.heads = header.classes ? [weights.linear("head", shape)] : [null];
      if (header.distilled) this.heads.push(header.classes ? weights.linear("head_dist", shape) : null);
      this.hidden = room.take(up(representation || 8, 8));
      this.logits = room.take(up(this.classes, 8));
    }
    /** The logits of the tokens in `x`; `y` is as large, and free. @param {import("./network.js").Network} net
     * @returns {Float32Array} */
    run({ kernels, floats }, x, y, tokens) {
      const { ld, dim, eps, pool } = this;
      const normed = (norm, from, to, rows2) => kernels.layerNorm(from, ld, norm.weight, norm.bias, to, rows2, dim, eps);
      const rows = pool === "token" ? this.heads.length : tokens;
      if (this.norm) normed(this.norm, x, y, rows);
      else floats.copyWithin(y >> 2, x >> 2, (x >> 2) + rows * ld);
      if (pool === "avg") this.average(floats, y, tokens);
      this.pooling?.run(kernels, floats, y);
      if (this.afterPool) normed(this.afterPool, y, y, 1);
      const found = new Float32Array(this.classes);
      this.heads.forEach((head, i) => {
        const logits = this.classified({ kernels, floats }, y + 4 * i * ld, head);
        for (let c = 0; c < found.length; c++) found[c] += logits[c] / this.heads.length;
      });
      return found;
    }
    /** The mean of all patches, in place of the first token. */
    average(floats, y, tokens) {
      const { ld, dim, first } = this;
      const sums2 = new Float64Array(dim);
      for (let token = first; token < tokens; token++)
        for (let i = 0, at = (y >> 2) + token * ld; i < dim; i++) sums2[i] += floats[at + i];
      for (let i = 0; i < dim; i++) floats[(y >> 2) + i] = sums2[i] / (tokens - first);
    }
    classified({ kernels, floats }, token, head) {
      const { tanh, hidden, logits } = this;
      const multiply = ({ b, bias, K, N }, from2, to) => kernels.multiply(from2, K, b, bias, 0, to, N, 1, K, N);
      if (tanh) {
        multiply(tanh, token, hidden);
        for (let i = hidden >> 2; i < (hidden >> 2) + tanh.N; i++) floats[i] = Math.tanh(floats[i]);
        token = hidden;
      }
      if (head) multiply(head, token, logits);
      const from = (head ? logits : token) >> 2;
      return floats.subarray(from, from + this.classes);
    }
  };

  // vizapp/browser/engine/crate.js
  var Crate = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights
     * @param {import("./heads.js").Heads} heads */
    constructor(header, weights, heads, tokens) {
      const { dim, depth, headDim, eps, step, sparsity } = header;
      const { room, file } = weights;
      this.tokens = tokens;
      this.dim = dim;
      this.ld = up(dim, 8);
      this.eps = eps;
      this.heads = heads;
      this.scale = headDim ** -0.5;
      this.x = room.take(tokens * this.ld);
      this.mid = room.take(tokens * this.ld);
      this.y = room.take(tokens * this.ld);
      this.residue = room.take(tokens * this.ld);
      this.shift = room.take(this.ld, (to) => void to.fill(-step * sparsity, 0, dim));
      const rooms = inRooms(heads.heads, headDim, heads.ld);
      this.blocks = Array.from({ length: depth }, (_, l) => {
        const at = `blocks.${l}`;
        const dictionary = () => file.values(`${at}.ista.dictionary`, [dim, dim]);
        return {
          norm1: weights.norm(`${at}.norm1`, dim),
          subspaces: weights.linear(`${at}.attn.subspaces`, [dim, dim], { rows: rooms }),
          proj: weights.linear(`${at}.attn.proj`, [dim, dim], { columns: rooms }),
          norm2: weights.norm(`${at}.norm2`, dim),
          minus: weights.panels(dictionary, dim, dim, { factor: () => -1 }),
          // z -> -D z
          back: weights.panels(() => transposed(dictionary(), dim), dim, dim, { factor: () => step })
          // r -> step D^T r
        };
      });
      this.readout = new Readout(header, weights, tokens);
    }
    begin() {
    }
    /** @param {import("./network.js").Network} net */
    norm({ kernels }, { weight, bias }, from, to) {
      kernels.layerNorm(from, this.ld, weight, bias, to, this.tokens, this.dim, this.eps);
    }
    /** @param {import("./network.js").Network} net @param {import("./edits.js").Door[]} doors */
    layer(net, l, doors) {
      const { kernels, floats } = net;
      const { tokens, ld, x, mid, y, residue, heads } = this;
      const { norm1, subspaces, proj, norm2, minus, back } = this.blocks[l];
      const { q, k, v } = heads.layers[l];
      const count = heads.heads * heads.one;
      this.norm(net, norm1, x, y);
      for (let head = 0; head < heads.heads; head++) {
        const panels = subspaces.b + 4 * head * heads.ld * subspaces.K;
        kernels.multiply(y, ld, panels, 0, 0, k + 4 * head * heads.one, heads.ld, tokens, subspaces.K, heads.ld);
      }
      floats.copyWithin(v >> 2, k >> 2, (k >> 2) + count);
      for (let i = 0; i < count; i++) floats[(q >> 2) + i] = this.scale * floats[(k >> 2) + i];
      heads.attend(net, l, doors);
      kernels.multiply(heads.output, proj.K, proj.b, proj.bias, x, mid, ld, tokens, proj.K, proj.N);
      this.norm(net, norm2, mid, y);
      kernels.multiply(y, ld, minus.b, 0, y, residue, ld, tokens, minus.K, minus.N);
      kernels.multiply(residue, ld, back.b, this.shift, y, x, ld, tokens, back.K, back.N);
      kernels.relu(x, tokens * ld);
    }
    logits(net) {
      return this.readout.run(net, this.x, this.y, this.tokens);
    }
  };
  function transposed(values, side) {
    const made = new Float32Array(values.length);
    for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) made[j * side + i] = values[i * side + j];
    return made;
  }

  // vizapp/browser/engine/edits.js
  var EDITS = {
    "head-off": { settings: { head: void 0, by: "zero" }, steps: headOff }
  };
  var WAYS = {
    zero: ({ head }) => ({ before: (of2) => void of2("v", head).fill(0) }),
    uniform: ({ layer, head }) => ({
      before: (of2, heads) => {
        of2("q", head).fill(0);
        heads.relative?.without.add(`${layer}.${head}`);
      }
    }),
    mean: meanOf2
  };
  function headOff(edit, net) {
    const by = String(edit.by);
    if (!Object.hasOwn(WAYS, by)) throw new Refused("editNoWay", { by, ways: Object.keys(WAYS).join(", ") });
    return WAYS[by](edit, net);
  }
  function meanOf2({ layer, head }, net) {
    const { heads, headDim } = net.header;
    const { tokens } = net;
    if (!net.file.has(`means.${layer}`)) throw new Refused("editNoMeans");
    const means = net.file.values(`means.${layer}`, [heads, tokens, headDim]);
    return {
      before: (of2) => void of2("v", head).fill(0),
      output: (which, row) => {
        if (which !== head) return;
        for (let i = 0; i < tokens; i++) {
          const from = (head * tokens + i) * headDim;
          row(i).set(means.subarray(from, from + headDim));
        }
      }
    };
  }
  function doorsOf(edits, net) {
    const each = [];
    for (const edit of edits.map((one) => whole(one, net.header))) {
      const { kind, layer, head } = edit;
      const others = each.filter((one) => one.kind === kind && one.layer === layer && one.head === head);
      if (others.some((one) => Object.keys(edit).every((name) => Object.is(one[name], edit[name])))) continue;
      if ("head" in edit && others.length) throw new Refused("editTwice", { kind, layer, head });
      each.push(edit);
    }
    return each.map((edit) => ({ ...EDITS[edit.kind].steps(edit, net), layer: edit.layer }));
  }
  function whole({ kind, layer, ...given }, { depth, heads }) {
    if (!Object.hasOwn(EDITS, kind)) throw new Refused("editUnknown", { kind: String(kind) });
    const { settings } = EDITS[kind];
    for (const name in given) if (!Object.hasOwn(settings, name)) throw new Refused("editNoSetting", { kind, name });
    if (!isIndex(layer, -depth, depth)) throw new Refused("editNoLayer", { layer: String(layer), layers: depth });
    const edit = { kind, layer: (layer + depth) % depth, ...settings, ...given };
    if ("head" in edit && !isIndex(edit.head, 0, heads)) throw new Refused("editNoHead", { head: String(edit.head), heads });
    return edit;
  }
  var isIndex = (value, least, count) => Number.isInteger(value) && value >= least && value < count;

  // vizapp/browser/engine/embedding.js
  var Embedding = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights */
    constructor(header, weights) {
      const { size, patch, dim, prefix, positions } = header;
      const { file, room } = weights;
      const [rows, columns] = size.map((side) => side / patch);
      if (!Number.isInteger(rows) || !Number.isInteger(columns)) throw new Refused("networkBroken", { what: "size" });
      this.patches = rows * columns;
      this.first = prefix.length;
      this.tokens = this.first + this.patches;
      this.size = size;
      this.patch = patch;
      this.ld = up(dim, 8);
      this.channels = header.channels;
      this.pixels = room.take(this.channels * size[0] * size[1]);
      this.cells = room.take(this.patches * this.channels * patch * patch);
      this.proj = weights.linear("patch_embed.proj", [dim, this.channels, patch, patch]);
      this.base = room.take(this.tokens * this.ld, (to) => {
        const covered = { all: this.tokens, patches: this.patches, none: 0 }[positions];
        const places2 = covered ? file.values("pos_embed", [1, covered, dim]) : null;
        const registers = prefix.filter((name) => name.startsWith("reg")).length;
        const of2 = { cls: "cls_token", dist: "dist_token" };
        prefix.forEach((name, token) => {
          const index = name.startsWith("reg") ? Number(name.slice(3)) : 0;
          const count = name.startsWith("reg") ? registers : 1;
          const values = file.values(of2[name] ?? "reg_token", [1, count, dim]);
          to.set(values.subarray(index * dim, (index + 1) * dim), token * this.ld);
        });
        for (let place = 0, token = this.tokens - covered; place < covered; place++, token++)
          for (let i = 0; i < dim; i++) to[token * this.ld + i] += places2[place * dim + i];
      });
    }
    /** Write the tokens to `x`. @param {import("./network.js").Network} net @param {Float32Array} pixels @param {number} x */
    run({ kernels, floats }, pixels, x) {
      const [height, width] = this.size;
      const expected = this.channels * height * width;
      if (pixels.length !== expected) throw new Refused("pixelsDoNotFit", { expected, got: pixels.length });
      const { proj, first, ld } = this;
      floats.set(pixels, this.pixels >> 2);
      floats.copyWithin(x >> 2, this.base >> 2, (this.base >> 2) + first * ld);
      kernels.cut(this.pixels, this.cells, this.channels, height, width, this.patch);
      const patches = 4 * first * ld;
      kernels.multiply(this.cells, proj.K, proj.b, proj.bias, this.base + patches, x + patches, ld, this.patches, proj.K, proj.N);
    }
  };

  // vizapp/ui/viewer/numbers/half.js
  var halves = null;
  function halfToFloat(bits2) {
    if (!halves) {
      halves = new Float32Array(65536);
      for (let i = 0; i < 65536; i++) {
        const exponent = i >> 10 & 31;
        const fraction2 = i & 1023;
        let value;
        if (exponent === 0) value = fraction2 * 2 ** -24;
        else if (exponent === 31) value = fraction2 ? NaN : Infinity;
        else value = (1 + fraction2 / 1024) * 2 ** (exponent - 15);
        halves[i] = i & 32768 ? -value : value;
      }
    }
    const floats = new Float32Array(bits2.length);
    for (let i = 0; i < bits2.length; i++) floats[i] = halves[bits2[i]];
    return floats;
  }

  // vizapp/browser/engine/file.js
  var BYTES = { f16: 2, f32: 4, i8: 1 };
  var ROW = { f16: 0, f32: 0, i8: 4 };
  var NetworkFile = class {
    /** @param {Uint8Array} bytes */
    constructor(bytes) {
      const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const magic = bytes.length < 8 ? "" : String.fromCharCode(...bytes.subarray(0, 4));
      if (magic !== "VZN1") throw new Refused("networkNoFile");
      this.start = 8 + head.getUint32(4, true);
      try {
        this.header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, this.start)));
      } catch {
        throw new Refused("networkBroken", { what: "header" });
      }
      if (this.header.version !== NETWORK_VERSION) throw new Refused("networkVersion", { version: String(this.header.version) });
      this.bytes = bytes;
    }
    /** Is there a tensor of this name? @param {string} name */
    has(name) {
      return Object.hasOwn(this.header.tensors, name);
    }
    /** Are weights rounded to 8 bits a number? The maps are then those of the rounded weights. */
    get isRounded() {
      return Object.values(this.header.tensors).some(([, kind]) => kind === "i8");
    }
    /** The values of a tensor, which must have this shape: a file that was cut off or mixed up is refused here.
     * @param {string} name @param {number[]} shape @returns {Float32Array} */
    values(name, shape) {
      const [offset, kind, found] = this.has(name) ? this.header.tensors[name] : [0, "", []];
      const count = shape.reduce((a, b) => a * b, 1);
      const from = this.start + offset;
      const size = count * BYTES[kind] + shape[0] * ROW[kind];
      if (!(kind in BYTES) || found.join() !== shape.join() || !(offset >= 0) || from + size > this.bytes.length)
        throw new Refused("networkBroken", { what: name });
      const copy = this.bytes.slice(from, from + size).buffer;
      if (kind === "f16") return halfToFloat(new Uint16Array(copy));
      return kind === "i8" ? scaled(copy, shape[0]) : new Float32Array(copy);
    }
  };
  function scaled(copy, rows) {
    const scales = new Float32Array(copy, 0, rows);
    const numbers = new Int8Array(copy, 4 * rows);
    const values = new Float32Array(numbers.length);
    const inputs = numbers.length / rows;
    for (let row = 0, at = 0; row < rows; row++) {
      const scale = scales[row];
      for (const end = at + inputs; at < end; at++) values[at] = numbers[at] * scale;
    }
    return values;
  }

  // vizapp/browser/engine/relative.js
  var Relative = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
    constructor({ depth, heads }, { file, room }, tokens) {
      this.tokens = tokens;
      this.keys = up(tokens, 8);
      this.heads = heads;
      this.places = Int32Array.from(file.values("relative.index", [tokens, tokens]));
      const count = this.places.reduce((most2, one) => Math.max(most2, one + 1), 0);
      this.tables = Array.from({ length: depth }, (_, l) => file.values(`blocks.${l}.attn.relative`, [count, heads]));
      this.matrix = room.take(tokens * this.keys);
      this.without = /* @__PURE__ */ new Set();
    }
    /** (query, key) of one head. */
    of(layer, head) {
      const { tables, places: places2, heads, without } = this;
      const found = new Float32Array(places2.length);
      if (!without.has(`${layer}.${head}`))
        for (let i = 0; i < found.length; i++) found[i] = tables[layer][places2[i] * heads + head];
      return found;
    }
    /** The address of one head's, for the kernels, in rows of `keys`. The next call overwrites it. */
    address(floats, layer, head) {
      const { tokens, keys, matrix } = this;
      const found = this.of(layer, head);
      for (let i = 0; i < tokens; i++) floats.set(found.subarray(i * tokens, (i + 1) * tokens), (matrix >> 2) + i * keys);
      return matrix;
    }
  };

  // vizapp/browser/engine/heads.js
  var ROWS = 40;
  var Heads = class {
    /** @param {Record<string, any>} header @param {number} tokens @param {import("./weights.js").Weights} weights */
    constructor(header, tokens, weights) {
      const { heads, headDim, depth } = header;
      const { room } = weights;
      this.heads = heads;
      this.width = headDim;
      this.ld = up(headDim, 8);
      this.tokens = tokens;
      this.keys = up(tokens, 8);
      this.one = tokens * this.ld;
      this.layers = Array.from({ length: depth }, () => ({
        q: room.take(heads * this.one),
        k: room.take(heads * this.one),
        v: room.take(heads * this.one),
        lse: room.take(heads * tokens)
      }));
      this.relative = header.relative ? new Relative(header, weights, tokens) : null;
      this.columns = room.take(this.keys * this.ld);
      this.values = room.take(this.one);
      this.scores = room.take(ROWS * this.keys);
      this.largest = room.take(tokens);
      this.sums = room.take(tokens);
      this.output = room.take(tokens * heads * this.ld);
    }
    /** One head of q, k or v, as it lies in memory: (tokens, ld), a view. @param {Float32Array} floats
     * @param {"q" | "k" | "v"} what */
    of(floats, what, layer, head) {
      const from = (this.layers[layer][what] >> 2) + head * this.one;
      return floats.subarray(from, from + this.one);
    }
    /** (heads, tokens, headDim) of a layer: a view, unless heads have padding. @param {Float32Array} floats
     * @param {"q" | "k" | "v"} what */
    all(floats, what, layer) {
      const from = this.layers[layer][what] >> 2;
      const rows = this.heads * this.tokens;
      const found = floats.subarray(from, from + rows * this.ld);
      if (this.ld === this.width) return found;
      const tight = new Float32Array(rows * this.width);
      for (let i = 0; i < rows; i++) tight.set(found.subarray(i * this.ld, i * this.ld + this.width), i * this.width);
      return tight;
    }
    /** From the q, k and v of a layer to `output`. @param {import("./network.js").Network} net
     * @param {import("./edits.js").Door[]} doors */
    attend({ kernels, floats }, layer, doors) {
      const { heads, tokens, keys, ld, scores } = this;
      const { q, k, v, lse } = this.layers[layer];
      for (const door of doors) door.before?.((what, head) => this.of(floats, what, layer, head), this);
      const rows = Math.min(ROWS, tokens);
      const line = heads * ld;
      for (let head = 0; head < heads; head++) {
        const at = 4 * head * this.one;
        const added = this.relative ? this.relative.address(floats, layer, head) : 0;
        kernels.panelsOfRows(k + at, ld, this.columns, tokens, ld);
        kernels.panelsOfColumns(v + at, ld, this.values, tokens, ld);
        for (let done = 0; done < tokens; done += rows) {
          const from = Math.min(done, tokens - rows);
          const bias = added && added + 4 * from * keys;
          kernels.multiply(q + at + 4 * from * ld, ld, this.columns, 0, bias, scores, keys, rows, ld, keys);
          kernels.softmax(scores, keys, rows, tokens, this.largest + 4 * from, this.sums + 4 * from);
          for (const door of doors) {
            const row = (i) => floats.subarray((scores >> 2) + i * keys, (scores >> 2) + i * keys + tokens);
            door.attention?.(head, { from, rows, row });
          }
          const to = this.output + 4 * (from * line + head * ld);
          kernels.multiply(scores, keys, this.values, 0, 0, to, line, rows, tokens, ld);
        }
        const [sums2, largest, out] = [this.sums >> 2, this.largest >> 2, (lse >> 2) + head * tokens];
        for (let i = 0; i < tokens; i++) floats[out + i] = floats[largest + i] + Math.log(floats[sums2 + i]);
        for (const door of doors) {
          const row = (i) => {
            const start = (this.output >> 2) + i * line + head * ld;
            return floats.subarray(start, start + this.width);
          };
          door.output?.(head, row, tokens);
        }
      }
    }
  };

  // vizapp/browser/engine/rotary.js
  var APART3 = { pairs: () => 0, halves: (width) => width / 2 };
  var Rotary = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
    constructor({ rotary, headDim, prefix }, { file, room }, tokens) {
      if (!Object.hasOwn(APART3, rotary)) throw new Refused("networkKind", { kind: String(rotary) });
      this.first = prefix.length;
      this.patches = tokens - this.first;
      this.apart = APART3[rotary](headDim);
      this.width = headDim;
      const table = (name) => room.take(this.patches * headDim, (to) => to.set(file.values(name, [this.patches, headDim])));
      this.cos = table("rope.cos");
      this.sin = table("rope.sin");
    }
    /** Turn q and k of a layer, in place. @param {any} kernels @param {import("./heads.js").Heads} heads */
    turn(kernels, heads, layer) {
      const { first, patches, cos, sin, width, apart } = this;
      for (
        const what of
        /** @type {const} */
        ["q", "k"]
      )
        for (let head = 0; head < heads.heads; head++) {
          const at = heads.layers[layer][what] + 4 * (head * heads.one + first * heads.ld);
          kernels.rotate(at, heads.ld, cos, sin, patches, width, apart);
        }
    }
  };

  // vizapp/browser/engine/vit.js
  var ViT = class {
    /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights
     * @param {import("./heads.js").Heads} heads */
    constructor(header, weights, heads, tokens) {
      const { dim, depth, headDim, eps, rotary } = header;
      const { room } = weights;
      this.tokens = tokens;
      this.dim = dim;
      this.ld = up(dim, 8);
      this.eps = eps;
      this.heads = heads;
      this.normPre = header.preNorm ? weights.norm("norm_pre", dim) : null;
      this.x = room.take(tokens * this.ld);
      this.mid = room.take(tokens * this.ld);
      this.y = room.take(tokens * this.ld);
      this.rotary = rotary ? new Rotary(header, weights, tokens) : null;
      const inside = between2(header, tokens, room);
      const inner = heads.heads * headDim;
      const scale = headDim ** -0.5;
      const rooms = inRooms(heads.heads, headDim, heads.ld);
      const gammas = (name) => header.layerScale ? weights.file.values(name, [dim]) : null;
      this.blocks = Array.from({ length: depth }, (_, l) => {
        const at = `blocks.${l}`;
        const [ls1, ls2] = [gammas(`${at}.ls1.gamma`), gammas(`${at}.ls2.gamma`)];
        return {
          norm1: weights.norm(`${at}.norm1`, dim),
          qkv: weights.linear(`${at}.attn.qkv`, [3 * inner, dim], {
            rows: [0, 1, 2].flatMap((i) => rooms.map((row) => row < 0 ? -1 : i * inner + row)),
            factor: (output) => output < inner && !header.qkNorm ? scale : 1
          }),
          qNorm: header.qkNorm ? weights.norm(`${at}.attn.q_norm`, headDim, scale) : null,
          kNorm: header.qkNorm ? weights.norm(`${at}.attn.k_norm`, headDim) : null,
          proj: weights.linear(`${at}.attn.proj`, [dim, inner], { columns: rooms, factor: (i) => ls1?.[i] ?? 1 }),
          norm2: weights.norm(`${at}.norm2`, dim),
          mlp: new Mlp(`${at}.mlp`, dim, header, weights, inside, ls2)
        };
      });
      this.readout = new Readout(header, weights, tokens);
    }
    /** Apply the norm before the first layer, if there is one, to the tokens in `x`. @param {import("./network.js").Network} net */
    begin(net) {
      if (this.normPre) this.norm(net, this.normPre, this.x, this.x);
    }
    /** @param {import("./network.js").Network} net */
    norm({ kernels }, { weight, bias }, from, to) {
      kernels.layerNorm(from, this.ld, weight, bias, to, this.tokens, this.dim, this.eps);
    }
    /** @param {import("./network.js").Network} net @param {import("./edits.js").Door[]} doors */
    layer(net, l, doors) {
      const { kernels } = net;
      const { tokens, ld, x, mid, y, heads } = this;
      const { norm1, qkv, qNorm, kNorm, proj, norm2, mlp } = this.blocks[l];
      this.norm(net, norm1, x, y);
      ["q", "k", "v"].forEach((what, i) => {
        for (let head = 0; head < heads.heads; head++) {
          const column = (i * heads.heads + head) * heads.ld;
          const to = heads.layers[l][what] + 4 * head * heads.one;
          const bias = qkv.bias && qkv.bias + 4 * column;
          kernels.multiply(y, ld, qkv.b + 4 * column * qkv.K, bias, 0, to, heads.ld, tokens, qkv.K, heads.ld);
        }
      });
      for (const [what, norm] of Object.entries({ q: qNorm, k: kNorm })) {
        if (!norm) continue;
        const at = heads.layers[l][what];
        kernels.layerNorm(at, heads.ld, norm.weight, norm.bias, at, heads.heads * tokens, heads.width, this.eps);
      }
      this.rotary?.turn(kernels, heads, l);
      heads.attend(net, l, doors);
      kernels.multiply(heads.output, proj.K, proj.b, proj.bias, x, mid, ld, tokens, proj.K, proj.N);
      this.norm(net, norm2, mid, y);
      mlp.run(kernels, y, ld, mid, x, tokens, this.eps);
    }
    logits(net) {
      return this.readout.run(net, this.x, this.y, this.tokens);
    }
  };

  // vizapp/browser/engine/network.js
  var KINDS2 = { vit: ViT, crate: Crate };
  var LIMIT2 = 2 ** 30;
  var ZERO = [253, 12, ...new Array(16).fill(0)];
  var BODY = [0, ...ZERO, ...ZERO, ...ZERO, 253, 133, 2, 11];
  var PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, BODY.length + 2, 1, BODY.length, ...BODY];
  var kernelsFile = () => WebAssembly.validate(Uint8Array.from(PROBE)) ? "kernels.relaxed.wasm" : "kernels.wasm";
  var Network = class _Network {
    /** @param {NetworkFile} file */
    constructor(file) {
      const { header } = file;
      if (!Object.hasOwn(KINDS2, header.kind)) throw new Refused("networkKind", { kind: String(header.kind) });
      const room = new Memory();
      const weights = new Weights(file, room);
      this.file = file;
      this.header = header;
      this.room = room;
      this.embedding = new Embedding(header, weights);
      this.tokens = this.embedding.tokens;
      this.heads = new Heads(header, this.tokens, weights);
      this.body = new KINDS2[header.kind](header, weights, this.heads, this.tokens);
      this.norms = room.take(header.depth * this.tokens);
      this.kept = null;
      this.turn = 0;
      this.kernels = null;
      this.floats = new Float32Array(0);
    }
    /** Read a network. Throws `Refused`, whose key and values explain why, if it is too large or has an unknown format.
     * @param {Uint8Array} bytes @param {BufferSource} wasm @param {{ limit?: number }} [options] limit of memory, in bytes */
    static async open(bytes, wasm, { limit = LIMIT2 } = {}) {
      const net = new _Network(new NetworkFile(bytes));
      const memory = net.room.open(limit);
      const { instance } = await WebAssembly.instantiate(wasm, { env: { memory } });
      net.kernels = instance.exports;
      net.floats = new Float32Array(memory.buffer);
      return net;
    }
    /** Run a pass; null if `isStale` became true between two layers. `onLayer` is called with the layers done and their number.
     * @param {Float32Array} pixels
     * @param {Options & { onLayer?: (done: number, of: number) => void, isStale?: () => boolean }} [options]
     * @returns {Pass | null} */
    forward(pixels, { onLayer, isStale, ...options } = {}) {
      const steps2 = this.steps(pixels, options);
      for (; ; ) {
        const step = steps2.next();
        if (step.done) return step.value;
        onLayer?.(Number(step.value), this.header.depth);
        if (isStale?.()) return null;
      }
    }
    /** Run a pass step by step: yields the number of layers done after each. Between two steps a Worker can receive a message that
     * stops it, and a page stays responsive. A pass that another one has overtaken ends with null.
     * @param {Float32Array} pixels @param {Options} [options] @returns {Generator<number, Pass | null>} */
    *steps(pixels, { edits = [], keep: keep2 = false } = {}) {
      const turn = ++this.turn;
      const { body, kernels, floats, tokens, header } = this;
      const { depth, dim } = header;
      const doors = doorsOf(edits, this);
      this.heads.relative?.without.clear();
      if (keep2) this.kept ??= new Float32Array(depth * tokens * dim);
      this.embedding.run(this, pixels, body.x);
      body.begin(this);
      for (let l = 0; l < depth; l++) {
        const here = doors.filter(({ layer }) => layer === l);
        body.layer(this, l, here);
        const row = (token) => {
          const from = (body.x >> 2) + token * body.ld;
          return floats.subarray(from, from + dim);
        };
        for (const door of here) door.tokens?.(row, tokens);
        kernels.lengths(body.x, body.ld, this.norms + 4 * l * tokens, tokens, dim);
        if (keep2) for (let i = 0; i < tokens; i++) this.kept.set(row(i), (l * tokens + i) * dim);
        yield l + 1;
        if (this.turn !== turn) return null;
      }
      return this.pass(body.logits(this), keep2);
    }
    /** Tokens (token, dim) as they enter the first layer. Overwrites the stream, which a finished pass no longer needs.
     * @param {Float32Array} pixels */
    entering(pixels) {
      const { body, tokens, floats } = this;
      const { dim } = this.header;
      this.embedding.run(this, pixels, body.x);
      body.begin(this);
      const entered = new Float32Array(tokens * dim);
      for (let token = 0; token < tokens; token++) {
        const from = (body.x >> 2) + token * body.ld;
        entered.set(floats.subarray(from, from + dim), token * dim);
      }
      return entered;
    }
    /** What attention pooling looked at in the last pass, (heads, tokens); null without it. */
    get pool() {
      return this.body.readout.pooling?.maps ?? null;
    }
    /** @returns {Pass} */
    pass(logits, keep2) {
      if (!logits.every(Number.isFinite)) throw new Refused("networkNoNumbers");
      const { floats, heads, tokens, kept } = this;
      const { depth, dim } = this.header;
      const part3 = (address, count) => floats.subarray(address >> 2, (address >> 2) + count);
      return {
        logits,
        layers: heads.layers.map(({ lse }, l) => ({
          q: heads.all(floats, "q", l),
          k: heads.all(floats, "k", l),
          v: heads.all(floats, "v", l),
          lse: part3(lse, heads.heads * tokens),
          bias: heads.relative ? (head) => heads.relative.of(l, head) : null
        })),
        norms: part3(this.norms, depth * tokens),
        pool: this.pool,
        tokens: (layer) => {
          if (!keep2) throw new Error("The residual stream is kept only by a pass that was told to: { keep: true }.");
          return kept.subarray(layer * tokens * dim, (layer + 1) * tokens * dim);
        }
      };
    }
  };

  // vizapp/browser/engine/assemble.js
  var KINDS3 = { Uint8Array: "bytes", Uint16Array: "f16", Float32Array: "f32", Int32Array: "i32" };
  var padded = (length) => Math.ceil(length / 8) * 8;
  function assemble(header, blocks, nFirst) {
    const table = {};
    let [offset, first, count] = [0, 0, 0];
    for (const [name, { data, shape }] of blocks) {
      table[name] = [offset, KINDS3[data.constructor.name], shape];
      offset += padded(data.byteLength);
      if (++count === nFirst) first = offset;
    }
    const text2 = new TextEncoder().encode(JSON.stringify({ ...header, first, blocks: table }));
    const start = 8 + padded(text2.length);
    const file = new Uint8Array(start + offset).fill(32, 8 + text2.length, start);
    file.set([86, 73, 90, 49]);
    new DataView(file.buffer).setUint32(4, start - 8, true);
    file.set(text2, 8);
    for (const [name, { data }] of blocks) {
      file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start + table[name][0]);
    }
    return file;
  }

  // vizapp/browser/engine/compact.js
  function areSmaller({ heads, tokens, width }) {
    return heads * (4 * width * tokens + 4 * tokens) <= 2 * heads * tokens * tokens;
  }
  function factors(layer, shape, headMap) {
    if (layer.bias) return null;
    const centred2 = withoutMean(layer.k, shape);
    if (!fitsInHalf(layer.q) || !fitsInHalf(centred2)) return null;
    const [q, k] = [floatToHalf(layer.q), floatToHalf(centred2)];
    return { q, k, lse: logsumexp(halfToFloat(q), halfToFloat(k), shape, headMap) };
  }
  function withoutMean(k, { heads, tokens, width }) {
    const centred2 = new Float32Array(k.length);
    for (let head = 0; head < heads; head++) {
      for (let c = 0; c < width; c++) {
        const [first, last] = [head * tokens * width + c, (head + 1) * tokens * width];
        let sum = 0;
        for (let at = first; at < last; at += width) sum += k[at];
        const mean = Math.fround(sum / tokens);
        for (let at = first; at < last; at += width) centred2[at] = k[at] - mean;
      }
    }
    return centred2;
  }
  function fitsInHalf(values) {
    for (let i = 0; i < values.length; i++) if (!(Math.abs(values[i]) <= LARGEST)) return false;
    return true;
  }
  function logsumexp(q, k, { heads, tokens, width }, headMap) {
    const [map, lse] = [new Float32Array(tokens * tokens), new Float32Array(heads * tokens)];
    for (let head = 0; head < heads; head++) {
      const part3 = [head * tokens * width, (head + 1) * tokens * width];
      const rows = lse.subarray(head * tokens, (head + 1) * tokens);
      headMap(q.subarray(...part3), k.subarray(...part3), tokens, width, map, rows);
    }
    return lse;
  }

  // vizapp/browser/engine/sinks.js
  function sinks({ prefix, grid }, norms, received) {
    const [first, patches] = [prefix.length, grid[0] * grid[1]];
    const found = /* @__PURE__ */ new Map();
    norms.forEach((every, layer) => {
      const own = Array.from({ length: patches }, (_, patch) => every[first + patch]);
      const middle = median(own);
      const spread = 1.4826 * median(own.map((norm) => Math.abs(norm - middle)));
      const far = Math.max(SINK_LONG * middle, middle + SINK_FAR * spread);
      own.forEach((norm, patch) => {
        const isSink = norm > far && received[layer][first + patch] > SINK_MUCH / (first + patches);
        if (isSink) found.set(patch, [...found.get(patch) ?? [], layer]);
      });
    });
    return [...found].map(([patch, layers]) => {
      const share = Math.max(...layers.map((layer) => received[layer][first + patch]));
      const place = [Math.floor(patch / grid[1]), patch % grid[1]];
      return (
        /** @type {[number, number, number, number, number]} */
        [...place, share, layers[0], layers[layers.length - 1]]
      );
    }).sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  }
  function median(values) {
    const ordered = Float32Array.from(values).sort();
    const last = values.length - 1;
    return (ordered[last >> 1] + ordered[last + 1 >> 1]) / 2;
  }

  // vizapp/browser/engine/pack.js
  function pack(pass, net, said, headMap) {
    const tokens = { prefix: net.prefix, grid: net.size.map((side) => side / net.patch) };
    const named = namedQueries(net.readout);
    const seen2 = layersOf2(pass, net, tokens, named, headMap);
    const { blocks, nFirst } = blocksOf(seen2, named, tokens, said);
    if (pass.pool) blocks.set("cross.dense.0", pooledRows(net, pass.pool, tokens));
    const { bytes, type } = said.picture;
    const [left, top, right, bottom] = windowOf(said.frame);
    const [height, width] = said.frame.picture;
    const received = seen2.attended.map((layer) => layer.received);
    const n = countOf(tokens);
    const norms = received.map((_, layer) => pass.norms.subarray(layer * n, (layer + 1) * n));
    const header = {
      model: net.name,
      notes: said.notes ?? [],
      pages: said.pages ?? null,
      lesson: said.lesson ?? null,
      layouts: [tokens],
      layers: seen2.kinds.map((kind, layer) => about(`blocks.${layer}.attn`, kind, net.heads, n, net.headDim)),
      prefix: tokens.prefix,
      grid: tokens.grid,
      readout: named[0],
      named,
      ...pass.pool ? crossOf(net, tokens) : {},
      noChain: "",
      aside: [],
      top: most(pass.logits, net),
      caution: said.caution ?? "",
      sinks: sinks(tokens, norms, received),
      picture: { type },
      // Under another model the same picture keeps the chosen patch, its marks and its outline. A hash recognises it, as the same
      // picture may come under several names.
      id: sha256(bytes),
      input: said.frame.input,
      film: null,
      truth: (said.truth ?? []).map(({ name, object }) => ({ name, object })),
      window: [left / width, top / height, right / width, bottom / height]
    };
    return assemble(header, blocks, nFirst);
  }
  function layersOf2(pass, { heads, headDim: width }, tokens, named, headMap) {
    const shape = { heads, tokens: countOf(tokens), width };
    const sent = pass.layers.map((layer) => areSmaller(shape) ? factors(layer, shape, headMap) : null);
    const dense = /* @__PURE__ */ new Map();
    const onMap = (layer, map) => !sent[layer] && dense.set(layer, floatToHalf(map));
    const queries = named.map((name) => weightsOf(name, tokens, pass.pool));
    const found = attended(pass.layers, shape, queries, headMap, sent.every(Boolean) ? void 0 : onMap);
    const numbers = /* @__PURE__ */ new Map();
    for (let layer = sent.length - 1; layer >= 0; layer--) {
      for (const [name, data] of Object.entries(sent[layer] ?? { dense: dense.get(layer) })) {
        numbers.set(`${name}.${layer}`, { data, shape: shapeOf2(name, shape) });
      }
    }
    const kinds = sent.map((one) => one ? "factors" : "dense");
    return { numbers, kinds, attended: found.layers, rollouts: found.rollouts, weights: queries };
  }
  function shapeOf2(name, { heads, tokens, width }) {
    return { lse: [heads, tokens], dense: [heads, tokens, tokens] }[name] ?? [heads, tokens, width];
  }
  function blocksOf({ numbers, attended: layers, rollouts, weights }, named, tokens, { picture, frame, truth = [] }) {
    const blocks = /* @__PURE__ */ new Map();
    const put = (name, data, shape = [data.length]) => blocks.set(name, { data, shape });
    put("picture", picture.bytes);
    truth.forEach(({ mask }, i) => put(`truth.${i}`, packedBits(maskOf(frame, mask))));
    named.forEach((name, i) => put(`weights.${name}.0`, weights[i]));
    const rows = (i) => floatToHalf(joined(layers.map((layer) => layer.rows[i])));
    put(`rows.${named[0]}`, rows(0));
    const n = countOf(tokens);
    if (named.length > 1) put("opening", floatToHalf(joined(layers.map((layer) => meanOf(layer.rows[1], n)))));
    const nFirst = blocks.size;
    for (let i = 1; i < named.length; i++) put(`rows.${named[i]}`, rows(i));
    named.forEach((name, i) => put(`rollout.${name}`, rollouts[i], [layers.length, n]));
    for (const [name, block] of numbers) blocks.set(name, block);
    return { blocks, nFirst };
  }
  function crossOf(net, tokens) {
    const { heads, headDim: width } = net.pooling;
    const keys = keysOf(net, tokens);
    return { cross: [{ name: "attn_pool", heads, kind: "dense", width, queries: ["query 0"], keys }] };
  }
  function pooledRows(net, pool, tokens) {
    const [n, keys] = [countOf(tokens), countOf(keysOf(net, tokens))];
    const rows = Array.from({ length: net.pooling.heads }, (_, head) => pool.subarray((head + 1) * n - keys, (head + 1) * n));
    return { data: floatToHalf(joined(rows)), shape: [rows.length, 1, keys] };
  }
  var keysOf = ({ pooling }, { prefix, grid }) => ({ prefix: pooling.prefix ? prefix : [], grid });
  function about(name, kind, heads, n, width) {
    const places2 = { queries: 0, keys: 0, windowed: false, windows: 1, slots: n, keySlots: n };
    return { name, heads, kind, width, ...places2 };
  }
  function most(logits, { labels, activation: activation2 }) {
    if (activation2 === "none") return [];
    const shares2 = probabilities(logits, activation2);
    return labels.map((label, i) => (
      /** @type {[string, number]} */
      [label, Math.fround(shares2[i])]
    )).sort((a, b) => b[1] - a[1]).slice(0, TOP_CLASSES);
  }
  function joined(parts2) {
    const whole2 = new Float32Array(parts2.reduce((sum, part3) => sum + part3.length, 0));
    let at = 0;
    for (const part3 of parts2) {
      whole2.set(part3, at);
      at += part3.length;
    }
    return whole2;
  }
  function packedBits(mask) {
    const bits2 = new Uint8Array(Math.ceil(mask.length / 8));
    mask.forEach((value, i) => bits2[i >> 3] |= value ? 128 >> (i & 7) : 0);
    return bits2;
  }

  // vizapp/browser/engine/worker.js
  var OPEN = 2;
  var KEPT = 4;
  var files = /* @__PURE__ */ new Map();
  var nets = /* @__PURE__ */ new Map();
  var looks = /* @__PURE__ */ new Map();
  var told = {
    open({ model, bytes, labels }) {
      files.set(model, { bytes, labels });
    },
    async look({ run, model, file, page: page2, fit, said, masks }, number) {
      const { net, headMap } = await network(model);
      const picture = await decode(file, page2);
      const { pixels, frame } = preprocess(picture, net.header.preprocess, fit ?? void 0);
      const shown2 = encode(picture);
      const pass = await watched2(net, pixels, number);
      if (!pass) return null;
      const [height, width] = frame.picture;
      const truth = said.truth.map((one, i) => ({ ...one, mask: bits(masks[i], height * width) }));
      const notes = picture.note ? [...said.notes, worded(said.words, picture.note)] : said.notes;
      const packed2 = pack(pass, net.header, { ...said, notes, pages: picture.pages, picture: await shown2, frame, truth }, headMap);
      const used = fit ?? net.header.preprocess.fit;
      keep(
        looks,
        run,
        { net: async () => (await network(model)).net, open: () => network(model), model, pixels, file, page: page2, fit: used },
        KEPT
      );
      return packed2;
    },
    stop() {
    },
    // receiving the message is enough
    async glance({ model, frame: { width, height, data }, fit }) {
      const { net, headMap } = await network(model);
      const picture = { width, height, data: new Uint8Array(width * height * 3) };
      overWhite(data, picture.data);
      return glance(net, picture, fit ?? void 0, headMap);
    },
    async ask({ kind, run, what, words }) {
      const look = looks.get(run);
      if (!look || !Object.hasOwn(answers, kind)) return { why: words.needsServer };
      return answers[kind](look, what, words);
    }
  };
  async function watched2(net, pixels, number) {
    const steps2 = net.steps(pixels);
    for (; ; ) {
      const { value, done } = steps2.next();
      if (done) return value;
      postMessage({ number, done: value / net.header.depth });
      await heard();
      if (newest !== number) return null;
    }
  }
  var { port1, port2 } = new MessageChannel();
  var waiting = [];
  port1.onmessage = () => waiting.shift()();
  function heard() {
    return new Promise((go) => {
      waiting.push(go);
      port2.postMessage(null);
    });
  }
  async function atLength(number, begin) {
    const steps2 = await inLine(begin);
    for (; ; ) {
      const { value, done } = await inLine(() => steps2.next());
      if (done) return value;
      postMessage({ number, done: value });
      await heard();
      if (longest !== number || newest > number) return null;
    }
  }
  async function network(model) {
    if (!nets.has(model)) {
      const wasm = kernelsFile() === "kernels.wasm" ? kernels_default : kernels_relaxed_default;
      const { bytes, labels } = files.get(model);
      const net = await Network.open(bytes, wasm);
      if (labels) net.header.labels = labels;
      keep(nets, model, { net, headMap: await fastHeadMap(wasm, net.tokens, net.header.headDim) }, OPEN);
    }
    return nets.get(model);
  }
  function keep(map, key, value, most2) {
    map.delete(key);
    map.set(key, value);
    if (map.size > most2) map.delete(map.keys().next().value);
  }
  var worded = (words, { key, values }) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  function bits(packed2, length) {
    const mask = new Uint8Array(length);
    for (let i = 0; i < length; i++) mask[i] = packed2[i >> 3] >> 7 - (i & 7) & 1;
    return mask;
  }
  var before = Promise.resolve();
  function inLine(work) {
    const result = before.then(work);
    before = result.catch(() => {
    });
    return result;
  }
  var open = /* @__PURE__ */ new Map();
  var questions = 0;
  askPage((read2, blob, options) => {
    questions += 1;
    return new Promise((done, failed) => {
      open.set(questions, { done, failed });
      postMessage({ question: questions, read: read2, blob, options });
    });
  });
  addEventListener("message", ({ data: { question, found, failed } }) => {
    const waits = open.get(question);
    open.delete(question);
    if (failed) waits?.failed(Object.assign(new Error(failed.message), { name: failed.name }));
    else waits?.done(found);
  });
  var newest = 0;
  var longest = 0;
  addEventListener("message", ({ data: { number, call, ...what } }) => {
    if (!call) return;
    if (call === "look") newest = number;
    const isLong = Object.hasOwn(explaining, call);
    if (isLong || call === "stop") longest = number;
    const begin = () => explaining[call](looks.get(what.run), what);
    (isLong ? atLength(number, begin) : inLine(() => told[call](what, number))).then(
      (answer) => postMessage({ number, answer }),
      (error) => {
        if (error instanceof Refused) postMessage({ number, refused: { key: error.key, values: error.values } });
        else postMessage({ number, error: String(error?.message ?? error) });
      }
    );
  });
})();
