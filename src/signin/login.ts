// Owns the first step of a sign-in: login and password, throttled, and what follows from a right one.
// Does not own the page (`login-page.ts`) nor the second step (`second-factor.ts`).

import type { Request, Response } from 'express';
import { NO_AUDIT } from '../shared/audit/events.ts';
import { TooManyHashes } from '../shared/crypto/secret-hash.ts';
import { isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, refuseControlCharacters } from '../web/form.ts';
import { type LoginProblem, renderLoginPage } from './login-page.ts';
import { renewSession, type SignInOptions, sendPage, type Visit, visitOf } from './page-context.ts';
import { afterPassword } from './second-factor.ts';

// By then the longest queue of passwords is worked off.
const BUSY_SECONDS = 15;

/** Answers the posted login form. */
export async function signIn(options: SignInOptions, req: Request, res: Response): Promise<void> {
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
    const account = await options.accountOf?.(login);
    await audit.record({ event: 'sign-in.throttled', actor: 'unknown', account, ...about });
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
  if (account.refused) {
    const details = { reason: account.refused };
    await audit.record({ event: 'sign-in.failed', actor: 'unknown', account: account.accountId, ...about, details });
    return refuse(422, { kind: 'wrong' });
  }
  await attempt.succeeded();
  await renewSession(req);
  await afterPassword(options, req, res, visit, account);
}

/** Sends the page that asks for login and password. */
export function sendLogin(
  { site }: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
  state: { status: number; login: string; problem?: LoginProblem },
): void {
  const { request, path, language, languageLink } = visit;
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
  sendPage(res, visit, status, page);
}
