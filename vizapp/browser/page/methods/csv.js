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

/** Give a file to the visitor. @param {string} url @param {string} name */
export function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
