// Takes a picture of every page: a service in development with data of its own, in both languages, on a phone and on a desktop.
// `npm run screenshots` for all, `npm run screenshots -- account demo` for some walks.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '#support/browser.ts';
import { installation } from '#support/cli/hygie.ts';
import { serve } from '#support/cli/serving.ts';
import { contactSheet, type Picture } from './contact-sheet.ts';
import { WALKS } from './pages.ts';
import { peopleOf, type Shot, type Visitor } from './steps.ts';

const FOLDER = join(import.meta.dirname, '../../screenshots');
const LANGUAGES = ['fr', 'en'] as const;
const WIDTHS = { 390: 844, 1440: 900 };
/** Milliseconds for one step. */
const PATIENCE = 20_000;
/** Milliseconds for one picture: the longest page is many screens high. */
const LONG = 3 * PATIENCE;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
if (values.help) {
  console.log(`npm run screenshots [-- WALK ...]\n\nWalks, all unless named: ${Object.keys(WALKS).join(', ')}.`);
  process.exit(0);
}
const unknown = positionals.filter((name) => !(name in WALKS));
if (unknown.length > 0) {
  console.error(`No walk is called ${unknown.join(', ')}. There are: ${Object.keys(WALKS).join(', ')}.`);
  process.exit(2);
}
const walks = Object.entries(WALKS).filter(([name]) => positionals.length === 0 || positionals.includes(name));

const pictures: Picture[] = [];
const failures: string[] = [];

/** The page as it is, in each width and colour; whole, however long it is. */
async function take(page: Visitor['page'], walk: string, { name, dark }: Shot, language: string): Promise<void> {
  for (const scheme of dark ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [width, height] of Object.entries(WIDTHS)) {
      await page.setViewportSize({ width: Number(width), height });
      const look = [language, width, ...(scheme === 'dark' ? [scheme] : [])].join(' ');
      const file = `${[walk, name, look].join(' ').replaceAll(/[^\w-]+/g, '-')}.png`;
      await page.screenshot({ path: join(FOLDER, file), fullPage: true, animations: 'disabled', timeout: LONG });
      pictures.push({ walk, name, look, file });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Starts the service as on a new machine, with few attempts at a password, so that the pause comes soon. */
async function startService(): Promise<{ issuer: string; stop(): Promise<void> }> {
  const place = installation();
  place.configure(
    'service.yaml',
    'branding:\n  supportUrl: https://aide.example/\n  privacyUrl: https://aide.example/donnees\ndirectory:\n  reportUrl: mailto:erreurs@aide.example\nlimits:\n  accountFailures: 3\n',
  );
  try {
    const { child, port, outputMatching, ended } = await serve(place);
    await outputMatching(/answers at/);
    const stop = async () => {
      child.kill();
      await ended;
      place.remove();
    };
    return { issuer: `http://localhost:${port}`, stop };
  } catch (error) {
    place.remove();
    throw error;
  }
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const service = await startService();
const browser = await openBrowser();
try {
  for (const language of LANGUAGES) {
    const person = peopleOf(language);
    const kept = new Map<string, string>();
    for (const [walk, shots] of walks) {
      const context = await browser.newContext({ locale: language, viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      for (const shot of shots) {
        try {
          await shot.show({ page, issuer: service.issuer, person, kept });
          await take(page, walk, shot, language);
        } catch (error) {
          failures.push(`${walk}: ${shot.name} (${language}): ${(error as Error).message.split('\n')[0]}`);
        }
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await service.stop();
}
writeFileSync(join(FOLDER, 'index.html'), contactSheet(pictures, failures));
for (const failure of failures) console.error(failure);
console.log(`${pictures.length} pictures: ${join(FOLDER, 'index.html')}`);
process.exitCode = failures.length > 0 ? 1 : 0;
