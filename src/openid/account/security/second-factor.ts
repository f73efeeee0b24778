// A person sets up a second factor, makes new recovery codes or removes it (SEC-41).

import { OWN_CLIENT_ID } from '#config/own-client.ts';
import { accountSession, ownSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { base32, totpAddress } from '#shared/crypto/totp.ts';
import { deviceDetail } from '#shared/device.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { readSaved } from '#web/forms/recovery-codes.ts';
import { type CodeProblem, readCode, statusOf } from '#web/forms/second-factor.ts';
import {
  recoveryCodesContent,
  removalContent,
  renewalContent,
  savedContent,
  setUpContent,
  type TitledContent,
} from './second-factor-pages.ts';

/** Reason why a page is shown again. */
interface Refusal {
  problem: CodeProblem;
  /** A recovery code was sent, rather than one of the app. */
  recovery?: boolean;
}

/** Shows the page that sets one up, or leads back where there is one. */
export async function sendSetUpPage(context: PageContext, { problem }: Partial<Refusal> = {}): Promise<void> {
  const { site, account, secondFactors } = context;
  if (await secondFactors.find(account.id)) return toSecurity(context);
  const { secret } = await proposalOf(context);
  const address = totpAddress(secret, { issuer: site.name, account: loginOf(account) });
  send(context, problem, setUpContent({ ...formOf(context), problem, address, key: base32(secret) }));
}

/** Takes the first code of an app, and shows the recovery codes, this once, unless a passkey has brought some. */
export async function setUpSecondFactor(context: PageContext): Promise<void> {
  const { req, account, secondFactors } = context;
  const { typed, problem } = readCode(req, tokensOfSession(req.session));
  // An existing one has to be removed first, which takes a code of it.
  if (await secondFactors.find(account.id)) return toSecurity(context);
  if (problem) return sendSetUpPage(context, { problem });
  const { proposal } = await proposalOf(context);
  const added = await secondFactors.setUp(account.id, proposal, typed, ownSession(req));
  if (!added) return sendSetUpPage(context, { problem: { kind: 'wrong' } });
  delete accountSession(req).proposal;
  await record(context, 'second-factor.added');
  if (added.codes.length > 0) return sendRecoveryCodes(context, added.codes, { renewed: false });
  accountSession(req).notice = { kind: 'second-factor-added' };
  toSecurity(context);
}

/** Asks for a code, to make new recovery codes. */
export async function sendRenewalPage(context: PageContext, refusal?: Refusal): Promise<void> {
  const kinds = await context.secondFactors.kinds(context.account.id);
  if (kinds.length === 0) return toSecurity(context);
  const app = kinds.includes('app');
  send(context, refusal?.problem, renewalContent({ ...formOf(context), recovery: false, app, ...refusal }));
}

/** Makes new recovery codes, and shows them this once. */
export async function renewRecoveryCodes(context: PageContext): Promise<void> {
  // An account without an app signs in freshly by a passkey, or by a recovery code after the password. There is no more to ask for.
  const app = (await context.secondFactors.kinds(context.account.id)).includes('app');
  const refusal = app ? await checkPostedCode(context) : checkPostedForm(context);
  if (refusal) return sendRenewalPage(context, refusal);
  const codes = await context.secondFactors.renewRecoveryCodes(context.account.id, ownSession(context.req));
  if (!codes) return toSecurity(context);
  await record(context, 'recovery-codes.renewed');
  sendRecoveryCodes(context, codes, { renewed: true });
}

/**
 * Asks again whether the person has kept the recovery codes. It does not show them: their page was opened again, or answered without its
 * box ticked.
 */
export async function sendSavedPage(context: PageContext, { unsaved = false } = {}): Promise<void> {
  if ((await context.secondFactors.kinds(context.account.id)).length === 0) return toSecurity(context);
  const renewal = pathOf(context.site, 'recoveryCodes');
  const about = { status: unsaved ? 422 : 200, problem: unsaved };
  const page = savedContent({ ...savedFormOf(context), unsaved, renewal });
  sendSpacePage(context, { section: 'security', ...about, ...page });
}

/** Goes on once the person says that the codes are kept. */
export async function confirmSaved(context: PageContext): Promise<void> {
  const { req } = context;
  if (!readSaved(req, tokensOfSession(req.session))) return sendSavedPage(context, { unsaved: true });
  accountSession(req).notice = { kind: 'recovery-codes-saved' };
  toSecurity(context);
}

/** Asks for a code, to remove the second factor. */
export async function sendRemovalPage(context: PageContext, refusal?: Refusal): Promise<void> {
  const kinds = await context.secondFactors.kinds(context.account.id);
  if (!kinds.includes('app')) return toSecurity(context);
  const about = { required: context.settings.secondFactor === 'required', passkeys: kinds.includes('passkey') };
  send(context, refusal?.problem, removalContent({ ...formOf(context), ...about, recovery: false, ...refusal }));
}

/** Removes the second factor. */
export async function removeSecondFactor(context: PageContext): Promise<void> {
  const refusal = await checkPostedCode(context);
  if (refusal) return sendRemovalPage(context, refusal);
  if (await context.secondFactors.remove(context.account.id, ownSession(context.req))) {
    await record(context, 'second-factor.removed');
    accountSession(context.req).notice = { kind: 'second-factor-removed' };
  }
  toSecurity(context);
}

function checkPostedForm({ req }: PageContext): Refusal | undefined {
  return readForm(req, tokensOfSession(req.session)).stale ? { problem: { kind: 'stale' } } : undefined;
}

/** Checks the posted code. Returns undefined if it is right. */
async function checkPostedCode({ req, account, checkCode }: PageContext): Promise<Refusal | undefined> {
  const { typed, recovery, problem } = readCode(req, tokensOfSession(req.session));
  if (problem) return { problem, recovery };
  const code = { accountId: account.id, typed, client: OWN_CLIENT_ID, address: req.ip ?? '', about: deviceDetail(req) };
  const refused = await checkCode(code);
  return refused && { problem: refused, recovery };
}

/** The secret that is being set up. It stays the same until it is used, so that an app which has scanned it stays right. */
async function proposalOf({ req, account, secondFactors }: PageContext) {
  const session = accountSession(req);
  if (session.proposal !== undefined) {
    // If the operator has meanwhile removed the secret that encrypted it, a new one is proposed.
    const secret = await secondFactors.secretOf(account.id, session.proposal).catch((error: unknown) => {
      if (!(error instanceof DecryptionError)) throw error;
    });
    if (secret) return { proposal: session.proposal, secret };
  }
  const proposal = await secondFactors.propose(account.id);
  session.proposal = proposal;
  return { proposal, secret: await secondFactors.secretOf(account.id, proposal) };
}

function formOf({ req, site, language, path }: PageContext) {
  const back = pathOf(site, 'security');
  return { site, language, path, back, token: tokensOfSession(req.session)[0] };
}

function send(context: PageContext, problem: CodeProblem | undefined, page: TitledContent): void {
  if (problem?.kind === 'waiting') context.res.set('retry-after', String(problem.seconds));
  const about = { status: statusOf(problem), problem: problem !== undefined };
  sendSpacePage(context, { section: 'security', ...about, ...page });
}

/** Sends the codes in the response to the form. They are not kept anywhere from here on, and the page cannot be requested again. */
export function sendRecoveryCodes(
  context: PageContext,
  codes: readonly string[],
  { renewed }: { renewed: boolean },
): void {
  sendSpacePage(context, {
    section: 'security',
    once: true,
    ...recoveryCodesContent({ ...savedFormOf(context), codes, renewed }),
  });
}

function savedFormOf({ req, site, language }: PageContext) {
  return { site, language, path: pathOf(site, 'savedCodes'), token: tokensOfSession(req.session)[0] };
}

function toSecurity({ site, res }: PageContext): void {
  res.redirect(303, pathOf(site, 'security'));
}
