// The files that pages load: style sheet, logo (`mark.svg`), icons. They are read once, and the operator's colour is put into them. Their
// addresses contain a hash of their content. The style sheet is written in several files and served as one: `style.css`. The scripts are
// small files of `scripts/`. Their text is put into the page itself.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Router } from 'express';
import { digest } from '#shared/crypto/digest.ts';
import { accentProperties, markColour } from './accent-colour.ts';
import { type Html, html, trustedHtml } from './html.ts';

const FOLDER = join(import.meta.dirname, 'assets');
/** Files of `assets/style`, in the order in which their rules apply. */
const STYLES = [
  'base.css',
  'layout.css',
  'components.css',
  'form.css',
  'password-strength.css',
  'second-factor.css',
  'links.css',
  'pages.css',
  'account.css',
  'space.css',
  'workspace.css',
  'profile.css',
  'sessions.css',
  'passkeys.css',
  'reading.css',
  'reference.css',
  'code.css',
  'try.css',
];
const TYPES: Record<string, string> = { '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const YEAR = 31_536_000;

export type Assets = ReturnType<typeof loadAssets>;

/** Reads the files and puts the operator's accent colour (`#rrggbb`) into them. */
export function loadAssets(colour: string) {
  const files = new Map<string, string>([['style.css', styleSheet(colour)]]);
  for (const name of readdirSync(FOLDER).sort()) {
    if (name.endsWith('.svg')) files.set(name, read(name).replaceAll('#accent', markColour(colour)));
  }
  const hash = digest([...files].flat().join('\n')).slice(0, 16);
  return {
    /** Returns the path of a file: `/assets/<hash>/<name>`. Throws if there is no such file. */
    path: (name: string) => {
      if (!files.has(name)) throw new Error(`asset ${name} does not exist in ${FOLDER}`);
      return `/assets/${hash}/${name}`;
    },
    /** Serves the files. Mount it at `/assets`. */
    router: assetRouter(hash, files),
  };
}

function read(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

function styleSheet(colour: string): string {
  const { light, dark } = accentProperties(colour);
  const rules = STYLES.map((name) => read(`style/${name}`));
  return [root(light), `@media (prefers-color-scheme: dark) {\n${root(dark)}\n}`, ...rules].join('\n');
}

function root(properties: Record<string, string>): string {
  return `:root { ${Object.entries(properties)
    .map(([name, value]) => `${name}: ${value};`)
    .join(' ')} }`;
}

function assetRouter(hash: string, files: ReadonlyMap<string, string>): Router {
  const router = Router();
  router.get('/:hash/:name', (req, res) => {
    const text = files.get(req.params.name);
    if (text === undefined || req.params.hash !== hash) {
      res.status(404).type('text/plain').send('No such file.\n');
      return;
    }
    res.set('cache-control', `public, max-age=${YEAR}, immutable`);
    res.set('content-type', TYPES[extname(req.params.name)] ?? 'application/octet-stream').send(text);
  });
  return router;
}

/**
 * Seconds for which caches may keep the files. A day is short enough, because the operator's colour and the addresses change only with a
 * restart.
 */
const DAY = 86_400;

interface SiteFiles {
  /** Accent colour, `#rrggbb`. */
  colour: string;
  /** Paths of the pages that search engines may show. All other pages are personal, or make no sense when opened from a search result. */
  publicPaths: readonly string[];
}

/**
 * Serves the files that browsers and search engines request at the root of a host without any link to them: `/favicon.ico` and
 * `/robots.txt`. Mount it at `/`, even if the issuer has a path.
 */
export function siteFiles({ colour, publicPaths }: SiteFiles): Router {
  const mark = read('mark.svg').replaceAll('#accent', markColour(colour));
  const robots = ['User-agent: *', ...publicPaths.map((path) => `Allow: ${path}$`), 'Disallow: /', ''].join('\n');
  const router = Router();
  const file = (path: string, type: string, text: string) =>
    router.get(path, (_req, res) => {
      res.set('cache-control', `public, max-age=${DAY}`).type(type).send(text);
    });
  file('/favicon.ico', 'image/svg+xml', mark);
  file('/robots.txt', 'text/plain', robots);
  return router;
}

// The content security policy of a page contains the hashes of the page's scripts (`scriptHashes`). It allows only these scripts, so that
// no other script runs (SEC-31). Each page also works without scripts.

/** Names of the files in `scripts/`, without their extension. */
const SCRIPT_NAMES = [
  'copy',
  'keep-codes',
  'passkey',
  'password-strength',
  'post-form',
  'reference',
  'show-password',
] as const;
export type PageScript = (typeof SCRIPT_NAMES)[number];

const SOURCES = Object.fromEntries(
  SCRIPT_NAMES.map((name) => [name, readFileSync(join(import.meta.dirname, 'scripts', `${name}.js`), 'utf8')]),
) as Record<PageScript, string>;

/** Returns the script elements of a page, for the end of its body. */
export function scriptElements(names: readonly PageScript[]): Html {
  return html`${names.map((name) => trustedHtml(`<script>${SOURCES[name]}</script>\n`))}`;
}

/** Returns the hashes of scripts, which the content security policy of their page must allow (CSP 3 section 6.7.3.3). */
export function scriptHashes(names: readonly PageScript[]): string[] {
  return names.map((name) => `'sha256-${createHash('sha256').update(SOURCES[name]).digest('base64')}'`);
}
