// A page in headless Chromium -> what a person would notice, as JSON: node look.mjs PAGE [FOLDER FOR SCREENSHOTS]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import chromium from "@sparticuz/chromium";
import puppeteer from "puppeteer-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [file, screenshots] = process.argv.slice(2);
const browser = await puppeteer.launch({
  args: chromium.args,
  executablePath: await chromium.executablePath(),
  headless: "shell",
});
const found = { console: [], requests: [], overflow: {}, violations: {}, keyboard: {}, withoutScript: {} };

async function open(width, scheme, script = true) {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width, height: 800 });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  page.on("console", (message) => found.console.push(message.text()));
  page.on("pageerror", (error) => found.console.push(error.message));
  page.on("request", (request) => found.requests.push(new URL(request.url()).protocol));
  await page.goto(pathToFileURL(file).href);
  return page;
}

const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).length;
const openAll = () => document.querySelectorAll("details").forEach((one) => (one.open = true));

for (const scheme of ["light", "dark"]) {
  const page = await open(1280, scheme);
  await page.evaluate(openAll);
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document));
  found.violations[scheme] = result.violations.map((one) => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`);
  if (screenshots) await page.screenshot({ path: `${screenshots}/${scheme}.png` });
  await page.close();
}

for (const width of [360, 768, 1280]) {
  const page = await open(width, "light");
  await page.evaluate(openAll);
  found.overflow[width] = (await page.evaluate(() => document.documentElement.scrollWidth)) - width;
  if (screenshots) await page.screenshot({ path: `${screenshots}/${width}.png` });
  await page.close();
}

{
  const page = await open(1280, "light");
  const focused = () => page.evaluate(() => document.activeElement.outerHTML.slice(0, 60));
  await page.keyboard.press("Tab");
  found.keyboard.first = await focused();
  await page.keyboard.press("/");
  found.keyboard.slash = await page.evaluate(() => document.activeElement.id);
  await page.keyboard.type("no-run-is-called-like-this");
  found.keyboard.none = await page.evaluate(visible, "details.run");
  await page.keyboard.press("Escape");
  found.keyboard.all = await page.evaluate(visible, "details.run");
  await page.focus("details.run > summary");
  await page.keyboard.press("Enter");
  found.keyboard.opened = await page.evaluate(() => document.querySelector("details.run").open);
  for (let step = 0; step < 12 && !(await page.evaluate(() => document.activeElement.tagName === "B")); step++) {
    await page.keyboard.press("Tab");
  }
  found.keyboard.told = await page.evaluate(() => {
    const said = document.activeElement.querySelector("i");
    return said && said.checkVisibility() ? said.textContent : "";
  });
  await page.close();
}

{
  const page = await open(1280, "light", false);
  found.withoutScript.runs = await page.evaluate(visible, "details.run");
  found.withoutScript.search = await page.evaluate(visible, "#search");
  await page.click("details.run > summary");
  found.withoutScript.pictures = await page.evaluate(visible, "details.run svg");
  await page.click('input[type="checkbox"]');
  found.withoutScript.filtered = await page.evaluate(visible, "details.run");
  await page.close();
}

await browser.close();
process.stdout.write(`${JSON.stringify(found)}\n`);
