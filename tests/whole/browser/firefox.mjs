// A page in Firefox, by WebDriver BiDi: open it, wait for maps, point at a patch, say what it shows. Playwright drives only a Firefox of its own.
//
//   node firefox.mjs PATH_OF_FIREFOX ADDRESS EXPRESSION [FILE_TO_CHOOSE]     -> JSON of the expression

import puppeteer from "puppeteer-core";

const [executablePath, address, expression, file] = process.argv.slice(2);
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(address);
  const ready = (count) => {
    const { viewer } = /** @type {any} */ (document.querySelector(".viz") ?? {});
    return viewer?.payload?.complete && viewer.paints > 0 && viewer.root.dataset.waiting === "false" && location.hash.includes(count);
  };
  await page.waitForFunction(ready, { timeout: 60_000 }, "picture=");
  await page.mouse.move(
    ...(await page.evaluate(() => {
      const { viewer } = /** @type {any} */ (document.querySelector(".viz"));
      const { stage } = viewer.panels.find((one) => one.name === "stage").mounted;
      const area = stage.canvas.getBoundingClientRect();
      const [input, ratio, [rows, cols]] = [stage.inputBox(), area.width / stage.canvas.width, stage.grid];
      return [area.left + ratio * (input.x + (4.5 * input.w) / cols), area.top + ratio * (input.y + (3.5 * input.h) / rows)];
    })),
  );
  await page.waitForFunction(
    () => {
      const { view, payload } = /** @type {any} */ (document.querySelector(".viz")).viewer;
      return view.query === 1 + 3 * payload.grid[1] + 4;
    },
    { timeout: 20_000 },
  );
  if (file) {
    const field = await page.$("#choose input[type=file]");
    await field.uploadFile(file);
    await page.waitForFunction(ready, { timeout: 60_000 }, "picture=upload");
  }
  console.log(JSON.stringify({ found: await page.evaluate(expression), errors }));
} finally {
  await browser.close();
}
