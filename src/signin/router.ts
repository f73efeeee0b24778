// Owns the pages of a sign-in as a browser meets them: what each address shows, takes and answers.
// Does not own the looks (`*-page.ts`), the OpenID side (`Dialogue`) nor accounts (`Authenticate`).

import { randomUUID } from 'node:crypto';
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { type AuditTrail, NO_AUDIT } from '../shared/audit.ts';
import { TooManyHashes } from '../shared/secret-hash.ts';
import { isForeignPost, isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, parseForm, refuseControlCharacters, UnusableForm } from '../web/form.ts';
import { pageHeaders } from '../web/headers.ts';
import { keepLanguage, LANGUAGE_PARAMETER, type Language, languageLink, languageOf } from '../web/language.ts';
import type { Site } from '../web/site.ts';
import { renderConsentPage } from './consent-page.ts';
import { type Authenticate, type Dialogue, SignInExpired, type SignInRequest } from './dialogue.ts';
import { renderErrorPage } from './error-page.ts';
import { type LoginProblem, renderLoginPage } from './login-page.ts';
import type { Throttle } from './throttle.ts';

export interface SignInOptions {
  site: Site;
  dialogue: Dialogue;
  authenticate: Authenticate;
  throttle: Throttle;
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

// By then the longest queue of passwords is worked off.
const BUSY_SECONDS = 15;

/** A visit of the page of one sign-in, parsed at the door. */
interface Visit {
  request: SignInRequest;
  path: string;
  language: Language;
  languageLink: (language: Language) => string;
}

/** The pages of a sign-in, to be mounted at `SIGN_IN_PATH`. */
export function signInRouter(options: SignInOptions): Router {
  const router = Router();
  router.use((_req, res, next) => {
    pageHeaders(res);
    next();
  });
  router.get('/:uid', options.session, (req, res) => show(options, req, res));
  router.post('/:uid/login', refuseForeign(options), options.session, parseForm, (req, res) =>
    signIn(options, req, res),
  );
  router.post('/:uid/consent', refuseForeign(options), options.session, parseForm, (req, res) =>
    decide(options, req, res),
  );
  router.post('/:uid/other-account', refuseForeign(options), options.session, parseForm, (req, res) =>
    changeAccount(options, req, res),
  );
  // The address of an answered form, opened again from the address bar or the history.
  router.get('/:uid/:form', (req, res) => res.redirect(303, pathOf(options.site, req)));
  router.use((req, res) => sendError(options, req, res, { status: 404, error: 'not_found' }));
  router.use(errorHandler(options));
  return router;
}

async function show(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  keepLanguage(req, res, options.site);
  if (visit.request.prompt === 'consent') return sendConsent(options, req, res, visit, 200);
  const login = visit.request.loginHint ?? visit.request.account?.email ?? '';
  sendLogin(options, req, res, visit, { status: 200, login });
}

async function signIn(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  if (visit.request.prompt !== 'login') return res.redirect(303, visit.path);
  const fields = fieldsOf(req, [TOKEN_FIELD, 'login', 'password']);
  const login = (fields.login ?? '').trim();
  const password = fields.password ?? '';
  refuseControlCharacters('login', login);
  const refuse = (status: number, problem: LoginProblem) =>
    sendLogin(options, req, res, visit, { status, login, problem });

  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return refuse(403, { kind: 'stale' });
  if (!login || !password) return refuse(422, { kind: 'incomplete', login: !login, password: !password });

  const about = { client: visit.request.client.id, address: req.ip };
  const { audit = NO_AUDIT } = options;
  const attempt = await options.throttle.begin(login, req.ip ?? '');
  if (attempt.outcome === 'waiting') {
    await audit.record({
      event: 'sign-in.throttled',
      actor: 'unknown',
      account: await options.accountOf?.(login),
      ...about,
    });
    res.set('retry-after', String(attempt.seconds));
    return refuse(429, { kind: 'waiting', seconds: attempt.seconds });
  }
  const account = await options.authenticate(login, password).catch(async (error: unknown) => {
    if (!(error instanceof TooManyHashes)) throw error;
    await attempt.untried();
    return 'busy' as const;
  });
  if (account === 'busy') {
    options.log?.info(about, 'sign-in put off: too many passwords at once');
    res.set('retry-after', String(BUSY_SECONDS));
    return refuse(503, { kind: 'busy' });
  }
  const { accountId, refused } = account;
  if (refused) {
    const details = { reason: refused };
    await audit.record({ event: 'sign-in.failed', actor: 'unknown', account: accountId, ...about, details });
    return refuse(422, { kind: 'wrong' });
  }
  await attempt.succeeded();
  await renewSession(req);
  await audit.record({ event: 'sign-in.succeeded', actor: `account:${accountId}`, account: accountId, ...about });
  await options.dialogue.signedIn(req, res, accountId);
}

async function decide(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  if (visit.request.prompt !== 'consent') return res.redirect(303, visit.path);
  const fields = fieldsOf(req, [TOKEN_FIELD, 'choice']);
  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return sendConsent(options, req, res, visit, 403);
  switch (fields.choice) {
    case 'allow':
      return options.dialogue.allowed(req, res);
    case 'refuse':
      return options.dialogue.refused(req, res);
    default:
      throw new UnusableForm(400, 'the field choice must be allow or refuse');
  }
}

async function changeAccount(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  const fields = fieldsOf(req, [TOKEN_FIELD]);
  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) {
    if (visit.request.prompt === 'consent') return sendConsent(options, req, res, visit, 403);
    return sendLogin(options, req, res, visit, { status: 403, login: '', problem: { kind: 'stale' } });
  }
  await renewSession(req);
  await options.dialogue.otherAccount(req, res);
}

async function visitOf({ site, dialogue }: SignInOptions, req: Request, res: Response): Promise<Visit> {
  const request = await dialogue.read(req, res);
  if (request.uid !== req.params['uid']) throw new SignInExpired();
  // A form's answer carries the address of the form; the switch leads to the page itself.
  const path = pathOf(site, req);
  return { request, path, language: languageOf(req, request.uiLocales), languageLink: languageLinkTo(path) };
}

/** Path of the page itself, for its forms too; from the address as it was asked, since errors come without parameters. */
function pathOf(site: Site, req: Request): string {
  return `${site.base}${SIGN_IN_PATH}/${req.path.split('/')[1] ?? ''}`;
}

function languageLinkTo(path: string) {
  return (language: Language) => `${path}?${LANGUAGE_PARAMETER}=${language}`;
}

/** For an error: what was asked for can be asked for again; of an expired sign-in the page itself says the same. */
function languageLinkOfError(site: Site, req: Request, error: string) {
  if (error === 'expired') return languageLinkTo(pathOf(site, req));
  return req.method === 'GET' ? (language: Language) => languageLink(req, language) : undefined;
}

function sendLogin(
  { site }: SignInOptions,
  req: Request,
  res: Response,
  { request, path, language, languageLink }: Visit,
  state: { status: number; login: string; problem?: LoginProblem },
): void {
  const { status, ...shown } = state;
  const page = renderLoginPage({
    site,
    language,
    languageLink,
    action: `${path}/login`,
    token: tokenOf(req.session),
    clientName: request.client.name,
    again: request.account !== undefined,
    ...shown,
  });
  pageHeaders(res, { formsLeadTo: leadsTo(request) });
  res.status(status).type('html').send(page);
}

function sendConsent({ site }: SignInOptions, req: Request, res: Response, visit: Visit, status: 200 | 403): void {
  const { request, path, language, languageLink } = visit;
  const { account, callback, client, offlineFor, scopes } = request;
  const page = renderConsentPage({
    site,
    language,
    languageLink,
    path,
    token: tokenOf(req.session),
    clientName: client.name,
    callback,
    scopes,
    offlineFor,
    stale: status === 403,
    ...(account && { account }),
  });
  pageHeaders(res, { formsLeadTo: leadsTo(request) });
  res.status(status).type('html').send(page);
}

/** Chromium holds the client's own redirects against the policy as well, as long as they follow from our form. */
function leadsTo({ callback, addresses = [] }: SignInRequest): string[] {
  return [callback, ...addresses];
}

/** A new session id, so that one planted before the sign-in is worth nothing after it (SEC-33). */
async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
  tokenOf(req.session);
}

function refuseForeign(options: SignInOptions): RequestHandler {
  return (req, res, next) => {
    if (!isForeignPost(req, options.site.origin)) return next();
    sendError(options, req, res, { status: 403, error: 'foreign_form', again: pathOf(options.site, req) });
  };
}

function errorHandler(options: SignInOptions): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    if (error instanceof SignInExpired) return sendError(options, req, res, { status: 400, error: 'expired' });
    const { status, message } = error as { status?: number; message?: string };
    if (status !== undefined && status >= 400 && status < 500) {
      const description = error instanceof UnusableForm ? message : undefined;
      return sendError(options, req, res, { status, error: 'unusable_form', ...(description && { description }) });
    }
    sendError(options, req, res, { status: 500, error: 'server_error', cause: error });
  };
}

function sendError(
  options: SignInOptions,
  req: Request,
  res: Response,
  fault: { status: number; error: string; description?: string; again?: string; cause?: unknown },
): void {
  const { status, cause, ...shown } = fault;
  const reference = options.requestId?.(req) ?? randomUUID();
  if (cause !== undefined) options.log?.error({ err: cause, reference }, 'a sign-in page failed');
  const { site } = options;
  const page = renderErrorPage({
    site,
    language: languageOf(req),
    languageLink: languageLinkOfError(site, req, fault.error),
    reference,
    ...shown,
  });
  keepLanguage(req, res, site);
  pageHeaders(res);
  res.status(status).type('html').send(page);
}
