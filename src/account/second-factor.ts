// Owns how a person sets up a second factor, makes new recovery codes and removes it again (SEC-41): what each page takes.
// Does not own the looks (`second-factor-pages.ts`), the codes (`src/store/accounts/second-factors.ts`) nor how often they may be tried.

import type { Request, Response } from 'express';
import { OWN_CLIENT_ID } from '../config/own-client.ts';
import type { AuditEvent, AuditEventName } from '../shared/audit/events.ts';
import { encodeBase32 } from '../shared/crypto/base32.ts';
import { CannotOpen } from '../shared/crypto/encryption.ts';
import { totpAddress } from '../shared/crypto/totp.ts';
import { isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, refuseControlCharacters } from '../web/form.ts';
import { CODE_FIELD, type CodeProblem, RECOVERY_FIELD } from '../web/second-factor.ts';
import {
  type AccountOptions,
  type Handler,
  languageLinkTo,
  type PageName,
  pathOf,
  spaceOf,
  type Visit,
} from './page-context.ts';
import { renderCodesPage, renderRemovalPage, renderRenewalPage, renderSetUpPage } from './second-factor-pages.ts';

/** How a page is shown again, when what was sent cannot be taken. */
interface Refusal {
  status: number;
  problem: CodeProblem;
  /** A recovery code was sent, rather than one of the app. */
  recovery?: boolean;
}

/** Shows how to set one up; who has one is led to the overview. */
export const showSetUp: Handler = async (options, req, res, visit) => {
  if (await options.secondFactors.find(visit.account.id)) return toOverview(options, res);
  return sendSetUp(options, req, res, visit);
};

/** Takes the first code of an app, and shows the recovery codes, this once. */
export const setUp: Handler = async (options, req, res, visit) => {
  const { secondFactors } = options;
  const { id } = visit.account;
  const fields = fieldsOf(req, [TOKEN_FIELD, CODE_FIELD]);
  // What is there is removed first, which takes a code of it.
  if (await secondFactors.find(id)) return toOverview(options, res);
  const typed = (fields.code ?? '').trim();
  refuseControlCharacters(CODE_FIELD, typed);
  const refuse = (status: number, problem: CodeProblem) => sendSetUp(options, req, res, visit, { status, problem });

  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return refuse(403, { kind: 'stale' });
  if (!typed) return refuse(422, { kind: 'missing' });
  const { proposal } = await proposalFor(id, secondFactors, req);
  const codes = await secondFactors.setUp(id, proposal, typed);
  if (!codes) return refuse(422, { kind: 'wrong' });
  delete spaceOf(req).proposal;
  await record(options, req, visit, 'second-factor.added');
  sendCodes(options, res, visit, codes, false);
};

/** Asks for a code, to make new recovery codes. */
export const showRenewal: Handler = (options, req, res, visit) =>
  sendQuestion('recoveryCodes', options, req, res, visit);

/** Makes them, and shows them this once. */
export const renewCodes: Handler = async (options, req, res, visit) => {
  if (!(await tookCode('recoveryCodes', options, req, res, visit))) return;
  const codes = await options.secondFactors.renewRecoveryCodes(visit.account.id);
  if (!codes) return toOverview(options, res);
  await record(options, req, visit, 'recovery-codes.renewed');
  sendCodes(options, res, visit, codes, true);
};

/** Asks for a code, to remove it. */
export const showRemoval: Handler = (options, req, res, visit) => sendQuestion('removal', options, req, res, visit);

/** Removes it. */
export const remove: Handler = async (options, req, res, visit) => {
  if (!(await tookCode('removal', options, req, res, visit))) return;
  if (await options.secondFactors.remove(visit.account.id)) {
    await record(options, req, visit, 'second-factor.removed');
    spaceOf(req).notice = { kind: 'second-factor-removed' };
  }
  toOverview(options, res);
};

/** Whether a code of the app, or a recovery code, was sent that may be used; otherwise the page has been shown again. */
async function tookCode(
  page: 'recoveryCodes' | 'removal',
  options: AccountOptions,
  req: Request,
  res: Response,
  visit: Visit,
): Promise<boolean> {
  const { id } = visit.account;
  const fields = fieldsOf(req, [TOKEN_FIELD, CODE_FIELD, RECOVERY_FIELD]);
  const recovery = (fields.recovery ?? '').trim();
  const typed = recovery || (fields.code ?? '').trim();
  refuseControlCharacters(recovery ? RECOVERY_FIELD : CODE_FIELD, typed);
  const refuse = async (status: number, problem: CodeProblem) => {
    await sendQuestion(page, options, req, res, visit, { status, problem, recovery: recovery !== '' });
    return false;
  };

  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return refuse(403, { kind: 'stale' });
  if (!typed) return refuse(422, { kind: 'missing' });
  const fault = await options.checkCode({ accountId: id, typed, client: OWN_CLIENT_ID, address: req.ip ?? '' });
  if (!fault) return true;
  if (fault.kind === 'waiting') res.set('retry-after', String(fault.seconds));
  return refuse(fault.kind === 'waiting' ? 429 : 422, fault);
}

/** What the person is setting up: the same one as long as it is not used, so that an app which has taken it stays right. */
async function proposalFor(accountId: string, secondFactors: AccountOptions['secondFactors'], req: Request) {
  const space = spaceOf(req);
  if (space.proposal !== undefined) {
    // Sealed with a secret that the operator has taken away since: then another one.
    const secret = await secondFactors.secretOf(accountId, space.proposal).catch((error: unknown) => {
      if (!(error instanceof CannotOpen)) throw error;
    });
    if (secret) return { proposal: space.proposal, secret };
  }
  const proposal = await secondFactors.propose(accountId);
  space.proposal = proposal;
  return { proposal, secret: await secondFactors.secretOf(accountId, proposal) };
}

async function sendSetUp(
  { site, secondFactors }: AccountOptions,
  req: Request,
  res: Response,
  { account, language }: Visit,
  refusal?: Refusal,
): Promise<void> {
  const { secret } = await proposalFor(account.id, secondFactors, req);
  const page = renderSetUpPage({
    ...frameOf('secondFactor', site, req, language),
    address: totpAddress(secret, { issuer: site.name, account: account.email }),
    key: encodeBase32(secret),
    problem: refusal?.problem,
  });
  res
    .status(refusal?.status ?? 200)
    .type('html')
    .send(page);
}

async function sendQuestion(
  page: 'recoveryCodes' | 'removal',
  options: AccountOptions,
  req: Request,
  res: Response,
  { account, language }: Visit,
  refusal?: Refusal,
): Promise<void> {
  const { site, secondFactors, secondFactorRequired } = options;
  if (!(await secondFactors.find(account.id))) return toOverview(options, res);
  const { status = 200, problem, recovery = false } = refusal ?? {};
  const question = { ...frameOf(page, site, req, language), problem, recovery };
  const shown =
    page === 'removal'
      ? renderRemovalPage({ ...question, required: secondFactorRequired })
      : renderRenewalPage(question);
  res.status(status).type('html').send(shown);
}

// In the answer to the form itself: nothing keeps them from here on, and asking again for the page shows another one.
function sendCodes(
  { site }: AccountOptions,
  res: Response,
  { language }: Visit,
  codes: string[],
  again: boolean,
): void {
  res.type('html').send(renderCodesPage({ site, language, codes, again, next: pathOf(site, 'overview') }));
}

function frameOf(page: PageName, site: AccountOptions['site'], req: Request, language: Visit['language']) {
  const path = pathOf(site, page);
  return {
    site,
    language,
    languageLink: languageLinkTo(path),
    path,
    back: pathOf(site, 'overview'),
    token: tokenOf(req.session),
  };
}

function toOverview({ site }: AccountOptions, res: Response): void {
  res.redirect(303, pathOf(site, 'overview'));
}

function record(
  { audit }: AccountOptions,
  req: Request,
  { account: { id } }: Visit,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  return audit.record({ event, actor: `account:${id}`, account: id, client: OWN_CLIENT_ID, address: req.ip, details });
}
