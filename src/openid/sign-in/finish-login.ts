// Takes a sign-in from its first proof to its end: to the second factor, to a new password, to the offer of a passkey, and back to the
// application (`resumeWithLogin` in `interactions.ts`). Between these steps, the progress is kept in `req.session` (express-session), which
// is not the person's session at the provider. `describe-interaction.ts` makes the facts about the request (`context.interaction`).

import type {} from 'express-session';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { deviceDetail } from '#shared/device.ts';
import { beginsSession, FRESH_FOR, type SignInMethod } from '#shared/sign-in-methods.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { renewSession } from '#web/http/page-session.ts';
import type { ProvedPassword } from './login/authenticate.ts';
import { type SignInContext, type SignInOptions, stepDetail } from './page-context.ts';
import { newUserHandle } from './passkey/passkey-registration.ts';

export interface SignInProgress {
  uid: string;
  accountId: string;
  /** The e-mail address, or the id of an account without an address (`loginOf`). */
  email: string;
  /** Methods that the person has used so far. Empty if the person signed in earlier and only a second factor is missing. */
  methods: readonly SignInMethod[];
  /** Time at which the person used the `methods`, in seconds since 1970 (`signInTime`); 0 if there are none yet. */
  signedInAt: number;
  /**
   * Digest of the hash of the right password. If the password changes, the digest no longer fits, and the progress is lost (`stillRight`).
   */
  passwordHashDigest?: string;
  /** The encrypted secret of a second factor that is being set up. */
  proposal?: string;
  /** True after the recovery codes were shown. The person still has to confirm that they have kept the codes. */
  codesShown?: boolean;
  /**
   * Set if an operator chose the password, so that the person must choose a new one. `later`: a second factor may come first. `now`: the
   * page for a new password is due.
   */
  newPassword?: 'later' | 'now';
  /** True if the browser is to keep the e-mail address; undefined if the person was not asked. */
  remember?: boolean;
  /** True if the script of the page has found that the browser can make a passkey. */
  authenticator?: boolean;
  /** Set while the person is offered a passkey: the user handle that the new passkey would get. */
  offer?: string;
  /** Set once the person has answered the offer, so that it is not made again. */
  offered?: true;
}

/** Choices that the browser sent together with the password. */
type AtThePassword = Pick<SignInProgress, 'remember' | 'authenticator'>;

declare module 'express-session' {
  interface SessionData {
    progress?: SignInProgress;
  }
}

/**
 * Returns the progress of this interaction; undefined if there is none or it is no longer valid. The progress of another interaction is
 * ignored.
 */
export async function progressOf(context: SignInContext): Promise<SignInProgress | undefined> {
  const { req, interaction, secondFactors } = context;
  if (interaction.prompt !== 'login') return undefined;
  const { progress } = req.session;
  if (progress?.uid === interaction.uid) {
    if (await holds(context, progress)) return progress;
    delete req.session.progress;
    return undefined;
  }
  const { account, passwordProved, uid } = interaction;
  if (!account || !passwordProved || (await secondFactors.kinds(account.id)).length === 0) return undefined;
  return { uid, accountId: account.id, email: loginOf(account), methods: [], signedInAt: 0 };
}

// Checks that the progress is still valid. It becomes invalid when an operator sets another password, disables the account or removes the
// second factor. A first authenticator app can be set up only while the sign-in is fresh (SEC-70), so that another person cannot set one up
// if they find the page open later.
async function holds({ stillRight, secondFactors }: SignInOptions, progress: SignInProgress): Promise<boolean> {
  const { accountId, passwordHashDigest = '', proposal, signedInAt } = progress;
  if (proposal !== undefined && epochSeconds() - signedInAt > FRESH_FOR) return false;
  if (!(await stillRight(accountId, passwordHashDigest))) return false;
  return !hasSecondFactor(progress) || (await secondFactors.kinds(accountId)).length > 0;
}

/**
 * Continues after a right password. If the account has a second factor or needs one, the page of the second step follows. Otherwise
 * `finishLogin` follows.
 */
export async function goOnAfterPassword(
  context: SignInContext,
  account: ProvedPassword,
  asked: AtThePassword = {},
): Promise<void> {
  const { req, res, interaction, path, secondFactors } = context;
  const { accountId, email, passwordHashDigest, signedInAt, passwordChangeRequired } = account;
  const progress: SignInProgress = {
    uid: interaction.uid,
    accountId,
    email,
    methods: ['password'],
    signedInAt,
    passwordHashDigest,
    ...asked,
    ...(passwordChangeRequired && { newPassword: 'later' }),
  };
  const hasFactor = (await secondFactors.kinds(accountId)).length > 0;
  if (!hasFactor && !interaction.secondFactorRequired) return finishLogin(context, progress);
  await renewSession(req);
  req.session.progress = hasFactor ? progress : { ...progress, proposal: await secondFactors.propose(accountId) };
  res.redirect(303, path);
}

/** Checks whether the person must show a code or a passkey now. */
export function awaitsSecondFactor(progress: SignInProgress | undefined): progress is SignInProgress {
  if (!progress || progress.proposal !== undefined || progress.offer !== undefined) return false;
  return !hasSecondFactor(progress) && progress.newPassword !== 'now';
}

/** Checks whether the person used or set up more than a password in this sign-in. */
export function hasSecondFactor({ methods }: Pick<SignInProgress, 'methods'>): boolean {
  return methods.some((method) => method !== 'password');
}

/** Names of the methods in the audit trail. */
const NAMES: Record<SignInMethod, string> = { password: 'password', otp: 'second-factor', passkey: 'passkey' };

/**
 * Continues with the page for a new password if the person must choose one, or else with the offer of a passkey. If neither is due,
 * completes the sign-in and returns to the client.
 */
export async function finishLogin(context: SignInContext, progress: SignInProgress): Promise<void> {
  if (progress.newPassword) {
    await renewSession(context.req);
    context.req.session.progress = { ...progress, newPassword: 'now' };
    return context.res.redirect(303, context.path);
  }
  if (await offersPasskey(context, progress)) {
    await renewSession(context.req);
    context.req.session.progress = { ...progress, offer: newUserHandle() };
    return context.res.redirect(303, context.path);
  }
  const { accountId, email, methods, signedInAt, remember } = progress;
  if (remember !== undefined) context.kept.change(context.req, context.res, { login: remember ? email : undefined });
  await recordStep(context, progress, 'sign-in.succeeded', { methods: methods.map((method) => NAMES[method]) });
  await forgetProgress(context);
  if (beginsSession(methods)) {
    await noteDevice(context, progress);
    context.devices.remember(context.req, context.res, { login: email, signedInAt });
  }
  await context.interactions.resumeWithLogin(context.req, context.res, { accountId, methods, signedInAt });
}

/**
 * Checks whether the person is offered a passkey. They must have used a password. The browser must be able to make a passkey, be known to
 * this account alone, and not be shared by several people. After the answer "not now", no passkey is offered for some time.
 */
async function offersPasskey(
  { req, passkeys, kept, devices }: SignInContext,
  progress: SignInProgress,
): Promise<boolean> {
  const { accountId, email, methods, authenticator, offered } = progress;
  if (!passkeys || !authenticator || offered || !methods.includes('password')) return false;
  const { shared, offerAfter = 0 } = kept.read(req);
  if (shared || offerAfter > epochSeconds()) return false;
  return (await devices.isOwn(req, email)) && passkeys.mayOffer(accountId);
}

/**
 * Removes the progress of a sign-in that is completed or cancelled. Otherwise, a browser that sends the sealed cookie of the interaction
 * again could continue with this progress.
 */
export async function forgetProgress({ req, interaction }: SignInContext): Promise<void> {
  if (req.session.progress?.uid === interaction.uid) await renewSession(req);
}

/** Records an action of the person in the audit trail, together with the application that sent the request. */
export function recordStep(
  { audit, req, interaction, language }: SignInContext,
  { accountId }: Pick<SignInProgress, 'accountId'>,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  const about = { account: accountId, client: interaction.client.id, address: req.ip, language };
  return audit.record({
    event,
    actor: `account:${accountId}`,
    ...about,
    details: { ...details, ...stepDetail({ req, interaction }) },
  });
}

/** The device name that is noted for a browser that cannot be identified. */
const UNKNOWN = 'unknown';

/**
 * Records a sign-in from a new device: the account knows neither this browser nor any device of the same kind. An unknown browser alone is
 * not enough, because ward computers lose their cookies each night and people must not get a warning each morning. The very first sign-in
 * to an account is not recorded. Call this function before the sign-in makes the browser known.
 */
async function noteDevice(
  context: SignInContext,
  { accountId, email }: Pick<SignInProgress, 'accountId' | 'email'>,
): Promise<void> {
  const { req, seenDevices, devices } = context;
  if (!(await seenDevices.note(accountId, deviceDetail(req).device ?? UNKNOWN))) return;
  if ((await devices.deviceOf(req, email)) !== undefined) return;
  await recordStep(context, { accountId }, 'sign-in.new-device');
}
