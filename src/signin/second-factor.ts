// The second step of a sign-in: a code of the app or a recovery code. Where a second factor is required and there is none, it
// is set up here (SEC-41).

import type {} from 'express-session';
import type { AuditEvent, AuditEventName } from '../shared/audit/events.ts';
import { base32, totpAddress } from '../shared/crypto/totp.ts';
import { readForm } from '../web/form.ts';
import { renewSession } from '../web/page-session.ts';
import { type CodeProblem, readCode, statusOf } from '../web/second-factor.ts';
import { type PageContext, type SignInOptions, sendPage } from './page-context.ts';
import { renderCodePage, renderRecoveryPage, renderSetUpPage } from './second-factor-pages.ts';

/** Who has come to the second step of an interaction; kept in the browser's session. */
interface FirstStep {
  uid: string;
  accountId: string;
  email: string;
  /** By a password just now, rather than by a session that an earlier one began. */
  password: boolean;
  /** When that was (`signInTime`); 0 without. */
  signedInAt: number;
  /** Identifies that password: the step holds as long as `stillRight` accepts it. */
  mark?: string;
  /** The second factor that is being set up, encrypted. */
  proposal?: string;
  /** It is set up; only the recovery codes are still to be kept. */
  secondFactor?: boolean;
}

declare module 'express-session' {
  interface SessionData {
    firstStep?: FirstStep;
  }
}

/** Goes on after a right password: to the second step where there is one, else to the client. */
export async function afterPassword(
  context: PageContext,
  { accountId, email, mark, signedInAt }: Pick<FirstStep, 'accountId' | 'email' | 'signedInAt'> & { mark: string },
): Promise<void> {
  const { req, res, interaction, path, secondFactors } = context;
  const step: FirstStep = { uid: interaction.uid, accountId, email, password: true, signedInAt, mark };
  const hasFactor = (await secondFactors.find(accountId)) !== undefined;
  if (!hasFactor && !interaction.secondFactorRequired) return finishLogin(context, step);
  await renewSession(req);
  req.session.firstStep = hasFactor ? step : { ...step, proposal: await secondFactors.propose(accountId) };
  res.redirect(303, path);
}

/** Sends the page of the second step, if this sign-in has come to it. */
export async function sendSecondFactorPage(context: PageContext): Promise<boolean> {
  const step = await firstStep(context);
  if (!step) return false;
  if (step.secondFactor) await finishLogin(context, step);
  else await sendPageOf(context, step);
  return true;
}

/** Answers the posted code. */
export async function verifyCode(context: PageContext): Promise<void> {
  const { req, res, interaction, path } = context;
  const { typed, recovery, problem } = readCode(req, context.tokens);
  const step = await firstStep(context);
  if (!step || step.proposal !== undefined || step.secondFactor) return res.redirect(303, path);
  if (problem) return sendPageOf(context, step, { problem, recovery });
  const { accountId, email } = step;
  const refusal = await context.checkCode({
    accountId,
    typed,
    client: interaction.client.id,
    address: req.ip ?? '',
    device: await context.devices.deviceOf(req, email),
  });
  if (refusal) return sendPageOf(context, step, { problem: refusal, recovery });
  await renewSession(req);
  await finishLogin(context, { ...step, secondFactor: true });
}

/** Answers the first code of an app that is being set up, with the recovery codes: nothing keeps them from here on. */
export async function setUpSecondFactor(context: PageContext): Promise<void> {
  const { req, res, site, language, path, interaction, secondFactors, tokens } = context;
  const { typed, problem } = readCode(req, tokens);
  const current = await firstStep(context);
  if (current?.proposal === undefined) return res.redirect(303, path);
  const { proposal, ...step } = current;
  if (await secondFactors.find(step.accountId)) {
    // Set up meanwhile, perhaps by somebody else: a password alone does not replace it.
    req.session.firstStep = step;
    return res.redirect(303, path);
  }
  if (problem) return sendPageOf(context, current, { problem });
  const { account } = interaction;
  const own = account?.id === step.accountId ? account.sessionUid : undefined;
  const added = await secondFactors.setUp(step.accountId, proposal, typed, own);
  if (!added) return sendPageOf(context, current, { problem: { kind: 'wrong' } });
  await renewSession(req);
  req.session.firstStep = { ...step, secondFactor: true, signedInAt: added.notBefore };
  await record(context, step, 'second-factor.added');
  const [token] = tokens;
  sendPage(context, 200, renderRecoveryPage({ site, language, path, token, codes: added.codes }));
}

/** Goes on after the recovery codes were shown. */
export async function finishSetUp(context: PageContext): Promise<void> {
  const { req, res, path } = context;
  const step = await firstStep(context);
  if (!step?.secondFactor || readForm(req, context.tokens).stale) return res.redirect(303, path);
  await finishLogin(context, step);
}

// Of this interaction only: a sign-in that was given up half-way proves nothing to the next.
async function firstStep(context: PageContext): Promise<FirstStep | undefined> {
  const { req, interaction, secondFactors } = context;
  if (interaction.prompt !== 'login') return undefined;
  const step = req.session.firstStep;
  if (step?.uid === interaction.uid) {
    if (await holds(context, step)) return step;
    delete req.session.firstStep;
    return undefined;
  }
  const { account, passwordProved, uid } = interaction;
  if (!account || !passwordProved || !(await secondFactors.find(account.id))) return undefined;
  return { uid, accountId: account.id, email: account.email, password: false, signedInAt: 0 };
}

// It ends when an operator sets another password, disables the account or removes the second factor.
async function holds({ stillRight, secondFactors }: SignInOptions, step: FirstStep): Promise<boolean> {
  const { accountId, mark = '', secondFactor } = step;
  if (!(await stillRight(accountId, mark))) return false;
  return !secondFactor || (await secondFactors.find(accountId)) !== undefined;
}

async function finishLogin(context: PageContext, step: FirstStep): Promise<void> {
  const { accountId, email, password, signedInAt, secondFactor = false } = step;
  // The audit trail masks details that are named after a password.
  const methods = [...(password ? ['password'] : []), ...(secondFactor ? ['second-factor'] : [])];
  await record(context, step, 'sign-in.succeeded', { methods });
  if (password) context.devices.remember(context.req, context.res, { login: email, signedInAt });
  await context.interactions.finishLogin(context.req, context.res, { accountId, password, secondFactor, signedInAt });
}

function record(
  { audit, req, interaction }: PageContext,
  { accountId }: Pick<FirstStep, 'accountId'>,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  const actor = `account:${accountId}` as const;
  return audit.record({ event, actor, account: accountId, client: interaction.client.id, address: req.ip, details });
}

/** Sends the page that the step is at: setting up an app, or typing a code. */
async function sendPageOf(
  context: PageContext,
  { accountId, email, proposal, password }: FirstStep,
  { problem, recovery = false }: { problem?: CodeProblem; recovery?: boolean } = {},
): Promise<void> {
  const { res, site, language, languageLink, interaction, path, secondFactors, tokens } = context;
  const clientName = interaction.client.name;
  const page = { site, language, languageLink, path, token: tokens[0], clientName, problem };
  if (problem?.kind === 'waiting') res.set('retry-after', String(problem.seconds));
  if (proposal === undefined) {
    return sendPage(context, statusOf(problem), renderCodePage({ ...page, recovery, again: !password }));
  }
  const secret = await secondFactors.secretOf(accountId, proposal);
  const address = totpAddress(secret, { issuer: site.name, account: email });
  sendPage(context, statusOf(problem), renderSetUpPage({ ...page, address, key: base32(secret) }));
}
