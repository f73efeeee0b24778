// What was shown in a sign-in so far, after its first step: kept in the browser's session until it is finished.

import type {} from 'express-session';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { deviceDetail } from '#shared/device.ts';
import { beginsSession, type SignInMethod } from '#shared/sign-in-methods.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { renewSession } from '#web/http/page-session.ts';
import { noteDevice } from './browsers/new-device.ts';
import type { PageContext, SignInOptions } from './page-context.ts';

/** Who has come to the second step of an interaction; kept in the browser's session. */
export interface FirstStep {
  uid: string;
  accountId: string;
  /** The address, or the id of an account without one (`loginOf`). */
  email: string;
  /** What was shown just now; nothing yet where a session that an earlier sign-in began only lacks a second factor. */
  methods: readonly SignInMethod[];
  /** When that was (`signInTime`); 0 without. */
  signedInAt: number;
  /** Identifies the password: the step holds as long as `stillRight` accepts it. */
  mark?: string;
  /** The second factor that is being set up, encrypted. */
  proposal?: string;
  /** Its recovery codes were shown; only that they are kept is still to be said. */
  codesShown?: boolean;
  /** An operator chose the password: `later` a new one is to be chosen, after a second factor; `now` is that time. */
  newPassword?: 'later' | 'now';
}

declare module 'express-session' {
  interface SessionData {
    firstStep?: FirstStep;
  }
}

/** What was proved in this interaction; one that was given up half-way proves nothing to the next. */
export async function firstStep(context: PageContext): Promise<FirstStep | undefined> {
  const { req, interaction, secondFactors } = context;
  if (interaction.prompt !== 'login') return undefined;
  const step = req.session.firstStep;
  if (step?.uid === interaction.uid) {
    if (await holds(context, step)) return step;
    delete req.session.firstStep;
    return undefined;
  }
  const { account, passwordProved, uid } = interaction;
  if (!account || !passwordProved || (await secondFactors.kinds(account.id)).length === 0) return undefined;
  return { uid, accountId: account.id, email: loginOf(account), methods: [], signedInAt: 0 };
}

// It ends when an operator sets another password, disables the account or removes the second factor.
async function holds({ stillRight, secondFactors }: SignInOptions, step: FirstStep): Promise<boolean> {
  const { accountId, mark = '' } = step;
  if (!(await stillRight(accountId, mark))) return false;
  return !hasSecondFactor(step) || (await secondFactors.kinds(accountId)).length > 0;
}

/** Whether more than the password was shown, or set up, in this sign-in. */
export function hasSecondFactor({ methods }: Pick<FirstStep, 'methods'>): boolean {
  return methods.some((method) => method !== 'password');
}

/** What the audit trail calls them. */
const NAMES: Record<SignInMethod, string> = { password: 'password', otp: 'second-factor', passkey: 'passkey' };

/** Goes on to the client; before, to the page for a new password where one has to be chosen. */
export async function finishLogin(context: PageContext, step: FirstStep): Promise<void> {
  if (step.newPassword) {
    await renewSession(context.req);
    context.req.session.firstStep = { ...step, newPassword: 'now' };
    return context.res.redirect(303, context.path);
  }
  const { accountId, email, methods, signedInAt } = step;
  await recordStep(context, step, 'sign-in.succeeded', { methods: methods.map((method) => NAMES[method]) });
  await forgetFirstStep(context);
  if (beginsSession(methods)) {
    await noteDevice(context, step);
    context.devices.remember(context.req, context.res, { login: email, signedInAt });
  }
  await context.interactions.finishLogin(context.req, context.res, { accountId, methods, signedInAt });
}

/**
 * To be called when a sign-in is answered: the browser could send the cookie of its request once more, and nothing that was proved
 * before its end counts then.
 */
export async function forgetFirstStep({ req, interaction }: PageContext): Promise<void> {
  if (req.session.firstStep?.uid === interaction.uid) await renewSession(req);
}

/** Records in the audit trail what the person did, and for which application. */
export function recordStep(
  { audit, req, interaction }: PageContext,
  { accountId }: Pick<FirstStep, 'accountId'>,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  const about = { account: accountId, client: interaction.client.id, address: req.ip };
  return audit.record({
    event,
    actor: `account:${accountId}`,
    ...about,
    details: { ...details, ...deviceDetail(req) },
  });
}
