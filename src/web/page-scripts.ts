// The scripts of pages: small files of `scripts/`. They are inlined into a page, and its policy allows only their hashes, so that nothing
// else runs (SEC-31). Each page works without them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Html, html, trustedHtml } from './html.ts';

const FOLDER = join(import.meta.dirname, 'scripts');

/** Name of a file in `scripts/`, without its extension. */
export type PageScript =
  | 'copy'
  | 'keep-codes'
  | 'passkey'
  | 'password-strength'
  | 'post-form'
  | 'reference'
  | 'show-password';

const SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER).map((file) => [basename(file, '.js'), readFileSync(join(FOLDER, file), 'utf8')]),
);

function sourceOf(name: PageScript): string {
  const source = SOURCES.get(name);
  if (source === undefined) throw new Error(`script ${name} does not exist in ${FOLDER}`);
  return source;
}

/** The script elements of a page, for the end of its body. */
export function scriptElements(names: readonly PageScript[]): Html {
  return html`${names.map((name) => trustedHtml(`<script>${sourceOf(name)}</script>\n`))}`;
}

/** The hashes that the content security policy of the page has to allow (CSP 3 section 6.7.3.3). */
export function scriptHashes(names: readonly PageScript[]): string[] {
  return names.map((name) => `'sha256-${createHash('sha256').update(sourceOf(name)).digest('base64')}'`);
}
