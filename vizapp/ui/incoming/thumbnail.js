// Draws a thumbnail of a picture. For a file that the browser cannot open it draws the type, because the server may still read
// it.

const SIDE = 112; // pixels: 56 on the page, and sharp on a screen of twice as many

/** @param {HTMLCanvasElement} canvas @param {File} file */
export async function paint(canvas, file) {
  canvas.width = canvas.height = SIDE;
  const pen = canvas.getContext("2d");
  try {
    const bitmap = await createImageBitmap(file, { resizeHeight: SIDE * 2, resizeQuality: "medium" });
    const side = Math.min(bitmap.width, bitmap.height); // its middle
    pen.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE, SIDE);
    bitmap.close();
  } catch {
    pen.font = "600 26px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillStyle = "#667";
    const kind = /\.(\w{1,5})$/.exec(file.name)?.[1] ?? "?";
    pen.fillText(kind.toUpperCase(), SIDE / 2, SIDE / 2 + 9, SIDE - 8);
  }
}
