// Lets a person set up an app as second factor, make new recovery codes, and remove the app (SEC-41).

import {
  type AccountContext,
  accountSession,
  leadTo,
  originOf,
  ownSession,
  pathOf,
  record,
} from '#openid/account/page-context.ts';
import { sendQuestion, sendSpacePage } from '#openid/account/space-page.ts';
import { DecryptionError } from '#shared/crypto/encryption.ts';
import { base32, totpAddress } from '#shared/crypto/totp.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { type FormButton, formStatus, readForm } from '#web/forms/form.ts';
import {
  RECOVERY_CODES_SCRIPTS,
  type RecoveryCodesFor,
  readSaved,
  recoveryCodeList,
  savedForm,
} from '#web/forms/recovery-codes.ts';
import {
  type CodeProblem,
  codeForms,
  lostFactorHelp,
  readCode,
  SET_UP_SCRIPTS,
  setUpForm,
} from '#web/forms/second-factor.ts';
import { html } from '#web/html.ts';

/** Reason why a page is shown again after its form was posted. */
interface CodePageRefusal {
  problem: CodeProblem;
  /** True if the person sent a recovery code instead of a code from the app. */
  recovery: boolean;
}

/**
 * Shows the page that sets up an app. If the account already has one, redirects to the security page. External programs rely on the id of
 * the button, `set-up`.
 */
export async function sendSetUpPage(context: AccountContext, problem?: CodeProblem): Promise<void> {
  const { res, site, account, secondFactors, messages } = context;
  if (await secondFactors.find(account.id)) return leadTo(context, 'security');
  const { secret } = await proposalOf(context);
  const address = totpAddress(secret, { issuer: site.name, account: loginOf(account) });
  const { setUpTitle: title, setUpSubmit } = messages.secondFactor;
  const button = { id: 'set-up', label: setUpSubmit };
  const content = html`<p class="lead">${messages.account.setUpIntroduction}</p>
${setUpForm({ ...codeFormOf(context), problem, button, address, key: base32(secret) })}`;
  const status = formStatus(res, problem);
  sendSpacePage(context, { status, section: 'security', title, content, scripts: SET_UP_SCRIPTS });
}

/**
 * Checks the first code of an app, and stores the app. If the account has no recovery codes yet, makes them and shows them in the response,
 * because they cannot be shown again. An account with a passkey has recovery codes already.
 */
export async function setUpSecondFactor(context: AccountContext): Promise<void> {
  const { req, account, secondFactors } = context;
  const { typed, problem } = readCode(context);
  // A second app is not possible. The person must first remove the existing app, for which they need one of its codes. If the form was sent
  // twice, this response replaces the page with the recovery codes, so it says how to get others.
  if (await secondFactors.find(account.id))
    return leadTo(context, accountSession(req).codesFor ? 'savedCodes' : 'security');
  if (problem) return sendSetUpPage(context, problem);
  const { proposal } = await proposalOf(context);
  const added = await secondFactors.setUp(account.id, proposal, typed, ownSession(req));
  if (!added) return sendSetUpPage(context, { kind: 'wrong' });
  delete accountSession(req).proposal;
  await record(context, 'second-factor.added');
  if (added.codes.length > 0) return sendRecoveryCodes(context, added.codes, 'app');
  leadTo(context, 'security', { kind: 'second-factor-added' });
}

/**
 * Shows the page on which the person can have new recovery codes. If the account has an app, the page asks for a code. External programs
 * rely on the id of its button, `renew`.
 */
export async function sendRenewalPage(context: AccountContext, refusal?: CodePageRefusal): Promise<void> {
  const kinds = await context.secondFactors.kinds(context.account.id);
  if (kinds.length === 0) return leadTo(context, 'security');
  const { renewTitle: title, renewIntroduction, renewSubmit } = context.messages.account;
  const button = { id: 'renew', label: renewSubmit };
  if (kinds.includes('app'))
    return sendCodeQuestion(context, { title, introduction: renewIntroduction, button }, refusal);
  const text = html`<p class="lead">${renewIntroduction}</p>`;
  sendQuestion(context, { section: 'security', title, text, button, back: 'security' }, refusal !== undefined);
}

/** Makes new recovery codes and shows them in the response, because they cannot be shown again. */
export async function renewRecoveryCodes(context: AccountContext): Promise<void> {
  const { req, account, secondFactors } = context;
  // Only a person with an app is asked for a code. Anybody else has just signed in with a passkey, or with a password and a recovery code,
  // and has no app from which to take a code.
  const app = (await secondFactors.kinds(account.id)).includes('app');
  const refusal = app ? await checkPostedCode(context) : checkPostedForm(context);
  if (refusal) return sendRenewalPage(context, refusal);
  const codes = await secondFactors.renewRecoveryCodes(account.id, ownSession(req));
  if (!codes) return leadTo(context, 'security');
  await record(context, 'recovery-codes.renewed');
  sendRecoveryCodes(context, codes, 'renewed');
}

/**
 * Asks again whether the person has saved the recovery codes. Called if the page with the codes is requested again, or if the person did
 * not tick the box. The codes are not shown, because they are stored nowhere.
 */
export async function sendSavedPage(context: AccountContext, { unsaved = false } = {}): Promise<void> {
  const { site, account, secondFactors, messages } = context;
  if ((await secondFactors.kinds(account.id)).length === 0) return leadTo(context, 'security');
  const { recoveryTitle: title, recoveryGone } = messages.secondFactor;
  const content = html`<p class="lead">${recoveryGone}</p>
${savedForm({ ...savedFormOf(context), unsaved })}
<p class="help"><a href="${pathOf(site, 'recoveryCodes')}">${messages.account.newCodes}</a></p>`;
  sendSpacePage(context, { status: unsaved ? 422 : 200, section: 'security', title, content });
}

/** Continues to the security page if the person confirms that they have saved the codes. */
export async function confirmSaved(context: AccountContext): Promise<void> {
  if (!readSaved(context)) return sendSavedPage(context, { unsaved: true });
  const session = accountSession(context.req);
  const { codesFor: madeFor } = session;
  delete session.codesFor;
  leadTo(context, 'security', { kind: 'recovery-codes-saved', madeFor });
}

/** Shows the page that asks for a code before the app is removed. External programs rely on the id of its button, `remove`. */
export async function sendRemovalPage(context: AccountContext, refusal?: CodePageRefusal): Promise<void> {
  const kinds = await context.secondFactors.kinds(context.account.id);
  if (!kinds.includes('app')) return leadTo(context, 'security');
  const { account } = context.messages;
  const isRequired = context.settings.secondFactor === 'required';
  const withoutPasskeys = isRequired ? account.removeRequired : account.removeIntroduction;
  const introduction = kinds.includes('passkey') ? account.removeKeepsPasskeys : withoutPasskeys;
  const button = { id: 'remove', label: account.removeSubmit, danger: true };
  sendCodeQuestion(context, { title: account.removeTitle, introduction, button }, refusal);
}

/** Removes the app. */
export async function removeSecondFactor(context: AccountContext): Promise<void> {
  const refusal = await checkPostedCode(context);
  if (refusal) return sendRemovalPage(context, refusal);
  if (await context.secondFactors.remove(context.account.id, ownSession(context.req))) {
    await record(context, 'second-factor.removed');
    return leadTo(context, 'security', { kind: 'second-factor-removed' });
  }
  leadTo(context, 'security');
}

function checkPostedForm(context: AccountContext): CodePageRefusal | undefined {
  return readForm(context).stale ? { problem: { kind: 'stale' }, recovery: false } : undefined;
}

/** Checks the posted code. Returns undefined if the code is right, otherwise the reason for the page to be shown again. */
async function checkPostedCode(context: AccountContext): Promise<CodePageRefusal | undefined> {
  const { account, checkCode } = context;
  const { typed, recovery, problem } = readCode(context);
  if (problem) return { problem, recovery };
  const refused = await checkCode({ accountId: account.id, typed, ...originOf(context) });
  return refused && { problem: refused, recovery };
}

/**
 * Returns the secret that is being set up. It stays the same until the app is stored. So an app that scanned it before a failed attempt
 * still makes the right codes.
 */
async function proposalOf({ req, account, secondFactors }: AccountContext) {
  const session = accountSession(req);
  if (session.proposal !== undefined) {
    // If the operator has removed the key that encrypted the secret, the secret cannot be read. A new one is then made.
    const secret = await secondFactors.secretOf(account.id, session.proposal).catch((error: unknown) => {
      if (!(error instanceof DecryptionError)) throw error;
    });
    if (secret) return { proposal: session.proposal, secret };
  }
  const proposal = await secondFactors.propose(account.id);
  session.proposal = proposal;
  return { proposal, secret: await secondFactors.secretOf(account.id, proposal) };
}

interface CodeQuestion {
  title: string;
  introduction: string;
  button: FormButton;
}

function sendCodeQuestion(
  context: AccountContext,
  { title, introduction, button }: CodeQuestion,
  refusal?: CodePageRefusal,
) {
  const { problem, recovery = false } = refusal ?? {};
  const content = html`<p class="lead">${introduction}</p>
${codeForms({ ...codeFormOf(context), problem, recovery, button })}
${lostFactorHelp(context)}`;
  sendSpacePage(context, { status: formStatus(context.res, problem), section: 'security', title, content });
}

function codeFormOf({ site, language, messages, path, tokens }: AccountContext) {
  const cancel = { href: pathOf(site, 'security'), label: messages.account.cancel };
  return { site, language, action: path, token: tokens[0], cancel, ofAccount: true };
}

/**
 * Sends the recovery codes in the response to the posted form. This is the only time that they are shown: they are not stored in the
 * session, and a repeated request for this page gets no codes.
 */
export function sendRecoveryCodes(context: AccountContext, codes: readonly string[], madeFor: RecoveryCodesFor): void {
  accountSession(context.req).codesFor = madeFor;
  const content = html`${recoveryCodeList(context, { codes, login: loginOf(context.account), madeFor })}
${savedForm(savedFormOf(context))}`;
  const title = context.messages.secondFactor.recoveryTitle;
  sendSpacePage(context, { section: 'security', once: true, title, content, scripts: RECOVERY_CODES_SCRIPTS });
}

function savedFormOf({ site, language, tokens }: AccountContext) {
  return { site, language, action: pathOf(site, 'savedCodes'), token: tokens[0] };
}
