// axe-core in the pages of a test's browser: brought once for a context, and not sent anew to each page, which takes three times
// as long as looking for faults. Does not own which rules are asked for.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Every page that the context opens from now on can be looked at; until then it notices nothing of it. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: `globalThis.loadAxe = () => { if (!globalThis.axe) { ${AXE} } };` });
}

/** What axe finds wrong, as `rule: elements`. `options` and `within` are texts of JavaScript, as `axe.run` takes them. */
export function axeFaults(page: Page, options = '{}', within = 'document'): Promise<string[]> {
  return page.evaluate(`(loadAxe(), axe.run(${within}, { ...${options}, resultTypes: ['violations'] })).then(
    ({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`);
}
