// The table as a file: the columns and numbers of Python's `Comparison.save`.

/** @param {Record<string, string | number | boolean>[]} rows which have the same columns */
export function csv(rows) {
  const field = (value) => {
    const said = value === true ? "True" : value === false ? "False" : String(value);
    return /[",\n]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
  };
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row))];
  return lines.map((line) => `${line.map(field).join(",")}\n`).join("");
}

/** Give a file to the visitor. @param {Blob} file @param {string} name */
export function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
