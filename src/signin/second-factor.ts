// Owns the second step of a sign-in: a code of an app or a recovery code; where a second factor is demanded and there is none,
// setting one up. Source: security checklist 41. Does not own the pages (`second-factor-pages.ts`) nor who has to have one.

import type { Request, Response } from 'express';
import type {} from 'express-session';
import { type AuditEvent, type AuditEventName, NO_AUDIT } from '../shared/audit/events.ts';
import { encodeBase32 } from '../shared/crypto/base32.ts';
import { totpAddress } from '../shared/crypto/totp.ts';
import { isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, refuseControlCharacters } from '../web/form.ts';
import { CODE_FIELD, type CodeProblem, RECOVERY_FIELD } from '../web/second-factor.ts';
import { renewSession, type SignInOptions, sendPage, type Visit, visitOf } from './page-context.ts';
import { renderCodePage, renderRecoveryPage, renderSetUpPage } from './second-factor-pages.ts';

/** Whose password was right in one sign-in; `proposal`: the second factor that is being set up; `secondFactor`: it is. */
interface Proved {
  uid: string;
  accountId: string;
  email: string;
  password: boolean;
  /** Of that password; it is right as long as this says so. */
  mark?: string;
  proposal?: string;
  secondFactor?: boolean;
}

declare module 'express-session' {
  interface SessionData {
    proved?: Proved;
  }
}

/** Goes on after a right password: to the second step where there is one, else to the client. */
export async function afterPassword(
  options: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
  { accountId, email, mark }: { accountId: string; email: string; mark: string },
): Promise<void> {
  const { secondFactors } = options;
  const proved: Proved = { uid: visit.request.uid, accountId, email, password: true, mark };
  const has = (await secondFactors.find(accountId)) !== undefined;
  if (!has && !visit.request.secondFactorRequired) return finish(options, req, res, visit, proved);
  req.session.proved = has ? proved : { ...proved, proposal: await secondFactors.propose(accountId) };
  res.redirect(303, visit.path);
}

/** Shows the second step, if this sign-in has come to it. */
export async function showSecondStep(
  options: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
): Promise<boolean> {
  const proved = await provedIn(options, req, visit);
  if (!proved) return false;
  if (proved.secondFactor) await finish(options, req, res, visit, proved);
  else await send(options, req, res, visit, proved, { status: 200 });
  return true;
}

/** Answers the posted code. */
export async function verify(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  const fields = fieldsOf(req, [TOKEN_FIELD, CODE_FIELD, RECOVERY_FIELD]);
  const proved = await provedIn(options, req, visit);
  if (!proved || proved.proposal !== undefined || proved.secondFactor) return res.redirect(303, visit.path);
  const recovery = (fields.recovery ?? '').trim();
  const typed = recovery || (fields.code ?? '').trim();
  refuseControlCharacters(recovery ? RECOVERY_FIELD : CODE_FIELD, typed);
  const refuse = (status: number, problem: CodeProblem) =>
    send(options, req, res, visit, proved, { status, problem, recovery: recovery !== '' });

  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return refuse(403, { kind: 'stale' });
  if (!typed) return refuse(422, { kind: 'missing' });
  const { accountId } = proved;
  const fault = await options.checkCode({ accountId, typed, client: visit.request.client.id, address: req.ip ?? '' });
  if (fault?.kind === 'waiting') res.set('retry-after', String(fault.seconds));
  if (fault) return refuse(fault.kind === 'waiting' ? 429 : 422, fault);
  await renewSession(req);
  await finish(options, req, res, visit, { ...proved, secondFactor: true });
}

/** Answers the first code of an app that is being set up. */
export async function setUp(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  const fields = fieldsOf(req, [TOKEN_FIELD, CODE_FIELD]);
  const proved = await provedIn(options, req, visit);
  if (proved?.proposal === undefined) return res.redirect(303, visit.path);
  if (await options.secondFactors.find(proved.accountId)) {
    // Set up meanwhile, perhaps by somebody else: a password alone does not replace it.
    const { proposal: _, ...rest } = proved;
    req.session.proved = rest;
    return res.redirect(303, visit.path);
  }
  const typed = (fields.code ?? '').trim();
  refuseControlCharacters(CODE_FIELD, typed);
  const refuse = (status: number, problem: CodeProblem) => send(options, req, res, visit, proved, { status, problem });

  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return refuse(403, { kind: 'stale' });
  if (!typed) return refuse(422, { kind: 'missing' });
  const codes = await options.secondFactors.setUp(proved.accountId, proved.proposal, typed);
  if (!codes) return refuse(422, { kind: 'wrong' });
  const { proposal: _, ...rest } = proved;
  await renewSession(req);
  req.session.proved = { ...rest, secondFactor: true };
  await record(options, req, visit, proved, 'second-factor.added');
  // In the answer itself: nothing keeps them from here on.
  const { path, language } = visit;
  const page = renderRecoveryPage({
    site: options.site,
    language,
    action: `${path}/continue`,
    token: tokenOf(req.session),
    codes,
  });
  sendPage(res, visit, 200, page);
}

/** Goes on after the recovery codes were shown. */
export async function goOn(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  const proved = await provedIn(options, req, visit);
  if (!proved?.secondFactor || !isOwnToken(req.session, fieldsOf(req, [TOKEN_FIELD])[TOKEN_FIELD])) {
    return res.redirect(303, visit.path);
  }
  await finish(options, req, res, visit, proved);
}

// Of this sign-in only: one that was given up half-way proves nothing to the next.
async function provedIn(options: SignInOptions, req: Request, { request }: Visit): Promise<Proved | undefined> {
  if (request.prompt !== 'login') return undefined;
  const { proved } = req.session;
  if (proved?.uid === request.uid) {
    if (await stillProved(options, proved)) return proved;
    delete req.session.proved;
    return undefined;
  }
  const { account, passwordProved, uid } = request;
  if (!account || !passwordProved || !(await options.secondFactors.find(account.id))) return undefined;
  return { uid, accountId: account.id, email: account.email, password: false };
}

// An operator who sets another password, disables the account or takes the second factor away means whoever waits here, too.
async function stillProved({ stillRight, secondFactors }: SignInOptions, proved: Proved): Promise<boolean> {
  const { accountId, mark = '', secondFactor } = proved;
  if (!(await stillRight(accountId, mark))) return false;
  return !secondFactor || (await secondFactors.find(accountId)) !== undefined;
}

async function finish(
  options: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
  proved: Proved,
): Promise<void> {
  const { accountId, password, secondFactor = false } = proved;
  // A detail that is called password would be masked.
  const methods = [...(password ? ['password'] : []), ...(secondFactor ? ['second-factor'] : [])];
  await record(options, req, visit, proved, 'sign-in.succeeded', { methods });
  await options.interactions.finishLogin(req, res, { accountId, password, secondFactor });
}

function record(
  { audit = NO_AUDIT }: SignInOptions,
  req: Request,
  { request }: Visit,
  { accountId }: Proved,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  const actor = `account:${accountId}` as const;
  return audit.record({ event, actor, account: accountId, client: request.client.id, address: req.ip, details });
}

async function send(
  { site, secondFactors }: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
  { accountId, email, proposal, password }: Proved,
  { status, problem, recovery = false }: { status: number; problem?: CodeProblem; recovery?: boolean },
): Promise<void> {
  const { path, language, languageLink, request } = visit;
  const common = {
    site,
    language,
    languageLink,
    path,
    token: tokenOf(req.session),
    clientName: request.client.name,
    ...(problem && { problem }),
  };
  if (proposal === undefined)
    return sendPage(res, visit, status, renderCodePage({ ...common, recovery, again: !password }));
  const secret = await secondFactors.secretOf(accountId, proposal);
  const address = totpAddress(secret, { issuer: site.name, account: email });
  sendPage(res, visit, status, renderSetUpPage({ ...common, address, key: encodeBase32(secret) }));
}
