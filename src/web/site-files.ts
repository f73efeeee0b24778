// The two files that browsers and search engines ask for at the root of a host, whatever the pages say.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import { markColour } from './accent-colour.ts';

/** Seconds. The operator's colour and addresses change only with a new start. */
const DAY = 86_400;

interface SiteFiles {
  /** Accent colour, `#rrggbb`. */
  colour: string;
  /** Paths of the pages that search engines may show. The others are personal, or meaningless by themselves. */
  publicPaths: readonly string[];
}

/** The two files, to be mounted at `/` even where the issuer has a path. */
export function siteFiles({ colour, publicPaths }: SiteFiles): Router {
  const mark = readFileSync(join(import.meta.dirname, 'assets/mark.svg'), 'utf8').replaceAll(
    '#accent',
    markColour(colour),
  );
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
