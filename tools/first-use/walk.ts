// `node tools/first-use/walk.ts`: times a newcomer's walk from `npm start` with no data to a request of their own, in a real Chromium, and counts what
// they paste and press. The time is the machine's: nobody reads or hesitates.

import '#support/script-help.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBrowser } from '#support/browser.ts';
import { freePort } from '#support/free-port.ts';
import { until } from '#support/until.ts';

const data = mkdtempSync(join(tmpdir(), 'hygie-walk-'));
const env = { ...process.env, HYGIE_PORT: String(await freePort()), HYGIE_DATA: data };
const begun = performance.now();
const say = (what: string) =>
  process.stdout.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${what}\n`);
const service = spawn('npm', ['start'], { cwd: join(import.meta.dirname, '../..'), env, detached: true });
const ended = once(service, 'exit');
let printed = '';
for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (printed += chunk));
try {
  await until(async () => printed.includes('answers at'), 'the service answers');
  say('the terminal names the addresses');
  const [, address = ''] = /A request of your own:\s+(\S+)/.exec(printed) ?? [];
  const browser = await openBrowser();
  const page = await (await browser.newContext({ locale: 'en' })).newPage();
  await page.goto(address);
  await page.waitForSelector('#try:not([hidden])');
  say('1 paste: the address; the page is there, with a request');
  await page.click('#send');
  await page.locator('form', { hasText: 'Mathilde' }).locator('button', { hasText: 'Mathilde' }).click();
  await page.locator('#status', { hasText: 'HTTP 200' }).waitFor();
  say(`2 presses: "Sign in and send", a fictional person; ${await page.textContent('#status')}`);
  await page.fill('#request', 'Organization?address-city=nantes');
  await page.keyboard.press('Enter');
  await until(async () => (await page.textContent('#raw'))?.includes('"Organization"') === true, 'it is answered');
  say(`a line of one's own, and Enter; ${await page.textContent('#status')}`);
  await browser.close();
} finally {
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
  await ended;
  rmSync(data, { recursive: true, force: true });
}
