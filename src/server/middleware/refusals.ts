// Refuses a request before any route has seen it, in the form in which programs expect errors at that address.

import type { Request, Response } from 'express';
import type { Settings } from '#config/settings.ts';
import { sendOutcome } from '#directory/middleware/operation-outcome.ts';
import { isForPrograms } from '#openid/routes.ts';
import { basePath, isBelow } from '#shared/base-path.ts';
import { currentRequestId } from '#shared/request-context.ts';

type Refuse = (req: Request, res: Response, status: 400 | 421, text: string) => void;

/**
 * Makes a function that refuses requests: with an OperationOutcome below the directory, with JSON at the OAuth and OpenID endpoints of
 * programs, and with text everywhere else.
 */
export function refusals({ issuer, directory }: Pick<Settings, 'issuer' | 'directory'>): Refuse {
  const fhir = basePath(directory.url);
  const isProgramAddress = programAddresses({ issuer });
  return (req, res, status, text) => {
    const { path } = req;
    res.status(status).set('Cache-Control', 'no-store');
    if (isBelow(path, fhir)) {
      void sendOutcome(req, res, [{ severity: 'error', code: 'not-supported', diagnostics: text }]);
    } else if (isProgramAddress(path)) {
      // RFC 6749 section 5.2 allows neither line breaks nor quotation marks.
      res.json({ error: 'invalid_request', error_description: text.replaceAll('\n', ' ').replace(/["\\]/g, "'") });
    } else res.type('text/plain').send(`${text}\nRequest: ${currentRequestId()}\n`);
  };
}

/**
 * Makes a function that recognises the paths of endpoints for programs: those below the issuer, and the discovery documents at the root of
 * the host (RFC 8414).
 */
export function programAddresses({ issuer }: Pick<Settings, 'issuer'>): (path: string) => boolean {
  const base = basePath(issuer);
  return (path) =>
    path.startsWith('/.well-known/') || (path.startsWith(base) && isForPrograms(path.slice(base.length)));
}
