// Owns a visit of a page of one sign-in, parsed at the door, and what every answer to it needs.
// Does not own the pages nor what is decided on them (`login.ts`, `second-factor.ts`, `consent.ts`).

import type { Request, RequestHandler, Response } from 'express';
import type { AuditTrail } from '../shared/audit/events.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import { tokenOf } from '../web/csrf.ts';
import { LANGUAGE_PARAMETER, type Language, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import type { Site } from '../web/site.ts';
import type { CheckCode } from './code-check.ts';
import {
  type Authenticate,
  type InteractionDetails,
  InteractionExpired,
  type Interactions,
  type StillRight,
} from './interactions.ts';
import type { Throttle } from './throttle.ts';

export interface SignInOptions {
  site: Site;
  interactions: Interactions;
  authenticate: Authenticate;
  stillRight: StillRight;
  secondFactors: Pick<SecondFactors, 'find' | 'propose' | 'secretOf' | 'setUp'>;
  checkCode: CheckCode;
  throttle: Pick<Throttle, 'begin'>;
  /** express-session, with its cookie on `/interaction`. */
  session: RequestHandler;
  /** Id of a request, as in the log; shown on error pages. A random one unless given. */
  requestId?: (req: Request) => string | undefined;
  log?: Log;
  audit?: AuditTrail;
  /** UUID of the account with this login, whatever its state: for the audit trail. */
  accountOf?: (login: string) => Promise<string | undefined>;
}

interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where the router is to be mounted, below the issuer. */
export const SIGN_IN_PATH = '/interaction';

export interface Visit {
  request: InteractionDetails;
  /** Path of the page; its forms are posted to addresses below. */
  path: string;
  language: Language;
  languageLink: (language: Language) => string;
}

/** The visit that a request is. Throws `InteractionExpired`, also for the page of another sign-in. */
export async function visitOf({ site, interactions }: SignInOptions, req: Request, res: Response): Promise<Visit> {
  const request = await interactions.details(req, res);
  if (request.uid !== req.params['uid']) throw new InteractionExpired();
  // A form's answer carries the address of the form; the switch leads to the page itself.
  const path = pathOf(site, req);
  return { request, path, language: languageOf(req, request.uiLocales), languageLink: languageLinkTo(path) };
}

/** Path of the page itself, for its forms too; from the address as it was asked, since errors come without parameters. */
export function pathOf(site: Site, req: Request): string {
  return `${site.base}${SIGN_IN_PATH}/${req.path.split('/')[1] ?? ''}`;
}

/** The address of a page in another language. */
export function languageLinkTo(path: string) {
  return (language: Language) => `${path}?${LANGUAGE_PARAMETER}=${language}`;
}

/** Sends a page, whose forms may lead to the client. */
export function sendPage(res: Response, { request }: Pick<Visit, 'request'>, status: number, page: string): void {
  const { callback, addresses = [] } = request;
  // Chromium holds the client's own redirects against the policy as well, as long as they follow from our form.
  pageHeaders(res, { formsLeadTo: [callback, ...addresses] });
  res.status(status).type('html').send(page);
}

/** A new session id, so that one planted before the sign-in is worth nothing after it (SEC-33). */
export async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
  tokenOf(req.session);
}
