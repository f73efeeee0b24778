// Replaces the paths, ports and passwords of a page by those of the place of a test, and back.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of the machine that lie in the place instead. */
const ROOTS = /(?<![\w./])\/(?=(?:etc|opt|srv|var|run|mnt|root|home|backup|usr\/local)(?:\/|\b))/g;

/** Ports that pages name; each is another one in a place. */
export const PORTS = [443, 3000, 3001, 3002, 3443, 9464, 9465, 2525, 4318];

/** The role `hygie` of the run is PostgreSQL's own, which no page may change. */
export const PAGE_ROLE = 'hygie_page';

export interface Rewriting {
  root: string;
  ports: ReadonlyMap<number, number>;
  /** Host and port of the PostgreSQL of the run, where the page needs one. */
  postgres?: string;
}

/** The text as it counts in the place. */
export function intoPlace(text: string, { root, ports, postgres }: Rewriting): string {
  let changed = text.replace(ROOTS, `${root}/`);
  for (const [said, real] of ports) {
    changed = changed.replace(
      new RegExp(
        `((?:localhost|127\\.0\\.0\\.1|\\[::1\\]):|HYGIE_(?:METRICS_)?PORT=|hygie@|\\bport: |[-./]hygie-)${said}\\b`,
        'g',
      ),
      `$1${real}`,
    );
  }
  if (postgres === undefined) return changed;
  // The role of the run has a password of its own.
  return changed
    .replace(/\brole hygie\b/g, `role ${PAGE_ROLE}`)
    .replace(/\bowner hygie\b/g, `owner ${PAGE_ROLE}`)
    .replace(/hygie:[^@\s/'"]+@(?:localhost|127\.0\.0\.1|database)(?::5432)?\//g, `hygie:hygie@${postgres}/`)
    .replace(/(?<=@)(?:localhost|127\.0\.0\.1)(?::5432)?\/(?=hygie)/g, `${postgres}/`);
}

/** What was printed in the place, as a reader would see it. */
export function outOfPlace(text: string, { root, ports, postgres }: Rewriting): string {
  let changed = text.replaceAll(root, '');
  for (const [said, real] of ports) changed = changed.replaceAll(String(real), String(said));
  return postgres === undefined ? changed : changed.replaceAll(postgres, '127.0.0.1');
}

/**
 * Whether output is as a page shows it: `…` stands for anything within a line, and alone for any lines; blanks that align columns
 * count as one.
 */
export function isAsShown(output: string, shown: string): boolean {
  const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[ \t]+/g, '[ \\t]+');
  const lines = shown
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const pattern = lines
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `[ \\t]*${line.split('…').map(quoted).join('.*')}[ \\t]*\\n`))
    .join('');
  return new RegExp(`^\\s*${pattern}\\s*$`).test(`${output.trimEnd()}\n`);
}

/** The rewriting of a place, kept as a file in it for the command process. */
const REWRITING = 'rewriting.json';

export function keepRewriting(rewriting: Rewriting): void {
  writeFileSync(join(rewriting.root, REWRITING), JSON.stringify({ ...rewriting, ports: [...rewriting.ports] }));
}

/** Copies the files of a folder so that their paths lead into the place. */
export function copyRewritten(from: string, to: string, root: string): void {
  const kept = JSON.parse(readFileSync(join(root, REWRITING), 'utf8')) as Rewriting & { ports: [number, number][] };
  const rewriting = { ...kept, ports: new Map(kept.ports) };
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from, { withFileTypes: true })) {
    if (!name.isFile()) continue;
    writeFileSync(join(to, name.name), intoPlace(readFileSync(join(from, name.name), 'utf8'), rewriting));
  }
}
