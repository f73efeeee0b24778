// Compresses pages, their assets and public documents by gzip or br, as the request accepts. The directory compresses its own responses.

import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import type { Settings } from '#config/settings.ts';
import { basePath, isBelow } from '#shared/base-path.ts';
import { programAddresses } from './errors.ts';

const PAGES = /^(text\/(html|css|javascript)|application\/javascript|image\/svg\+xml)\b/;

/**
 * Makes the middleware, which stands in front of the pages. Responses to programs at the OAuth and OpenID endpoints are not compressed,
 * because they are small and hold secrets such as tokens. Decision 83 explains why the length of a compressed page does not reveal its
 * secrets.
 */
export function compressPages(settings: Pick<Settings, 'issuer' | 'directory'>): RequestHandler {
  const isProgramAddress = programAddresses(settings);
  const directory = basePath(settings.directory.url);
  const isApart = (path: string) => isProgramAddress(path) || (directory !== '' && isBelow(path, directory));
  const compress = compression({ filter: (_req, res) => isPage(res as Response) });
  return (req, res, next) => (isApart(req.path) ? next() : compress(req, res, next));
}

function isPage(res: Response): boolean {
  const type = String(res.getHeader('content-type'));
  return PAGES.test(type) || (/\bjson\b/.test(type) && /^public\b/.test(String(res.getHeader('cache-control'))));
}
