// The pages of the second step of a sign-in: a code, the set-up of an authenticator app, and the recovery codes.

import type { SignInProgress } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { secondStepRequest } from '#openid/sign-in/passkey-requests.ts';
import { base32, totpAddress } from '#shared/crypto/totp.ts';
import { beginsSession } from '#shared/sign-in-methods.ts';
import { iconEmblem, personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus } from '#web/forms/form.ts';
import { type PasskeyRequest, passkeyRequestForm, withoutPasskey } from '#web/forms/passkey-form.ts';
import {
  type NewRecoveryCodes,
  RECOVERY_CODES_SCRIPTS,
  recoveryCodeList,
  savedForm,
} from '#web/forms/recovery-codes.ts';
import { type CodeProblem, codeForms, lostFactorHelp, SET_UP_SCRIPTS, setUpForm } from '#web/forms/second-factor.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';

/** Reason why a page is shown again. */
export interface StepRefusal {
  problem?: CodeProblem;
  /** True if the person sent a recovery code rather than a code of the app. */
  recovery?: boolean;
  /** Problem with a posted passkey. */
  passkeyProblem?: 'wrong' | 'stale';
}

/**
 * Sends the page that asks for a code, or for a passkey if the account has one. The form for the code works without scripts. The ids
 * `verify` and `use-passkey` of the buttons must not change, because programs of others rely on them.
 */
export async function sendCodePage(
  context: SignInContext,
  progress: SignInProgress,
  refusal: StepRefusal = {},
): Promise<void> {
  const { res, interaction } = context;
  const { problem, recovery = false, passkeyProblem } = refusal;
  const { secondFactor, passkeys } = context.messages;
  const app = (await context.secondFactors.kinds(progress.accountId)).includes('app');
  const passkey = await secondStepRequest(context, progress);
  // A passkey is easier than a code, so it comes first, and only its button is prominent.
  const button = { id: 'verify', label: secondFactor.submit, quiet: passkey !== undefined };
  const purpose = beginsSession(progress.methods) ? secondFactor.purpose : secondFactor.purposeAgain;
  const content = html`<p class="lead">${purpose} <strong>${interaction.client.name}</strong></p>
${whose(context, progress)}
<p class="step">${passkey ? passkeys.secondStepAbout : secondFactor.about}</p>
${passkey && passkeyPart(context, passkey, app, passkeyProblem)}
${passkey && app && html`<p class="step">${secondFactor.orApp}</p>`}
${codeForms({ ...formOf(context, 'code'), problem, passkey, recovery, app, button })}
${lostFactorHelp(context)}`;
  const status = formStatus(res, problem ?? (passkeyProblem && { kind: passkeyProblem }));
  const title = passkey ? passkeys.secondStepTitle : secondFactor.title;
  sendPage(context, { status, title, showAddress: true, content, scripts: passkey ? ['passkey'] : [] });
}

function passkeyPart(
  { path, tokens, messages: { passkeys } }: SignInContext,
  request: PasskeyRequest,
  app: boolean,
  problem: StepRefusal['passkeyProblem'],
): Html {
  const button = { id: 'use-passkey', label: passkeys.secondStep };
  return html`${problem === 'stale' && problemNotice(passkeys.stale, passkeys.staleAdvice)}
${problem === 'wrong' && problemNotice(passkeys.refused, passkeys.refusedAdvice)}
${!app && withoutPasskey(passkeys.unavailable)}
${passkeyRequestForm({ action: `${path}/passkey`, token: tokens[0], request, button })}`;
}

/** Sends the page that sets up an app. The id `set-up` of the button must not change, because programs of others rely on it. */
export async function sendSetUpPage(
  context: SignInContext,
  progress: SignInProgress,
  proposal: string,
  problem?: CodeProblem,
): Promise<void> {
  const { res, site, interaction, secondFactors, messages } = context;
  const { accountId, email } = progress;
  const secret = await secondFactors.secretOf(accountId, proposal);
  const address = totpAddress(secret, { issuer: site.name, account: email });
  const { setUpPurpose, setUpSubmit, setUpTitle: title } = messages.secondFactor;
  const button = { id: 'set-up', label: setUpSubmit };
  const content = html`<p class="lead">${setUpPurpose(interaction.client.name)}</p>
${whose(context, progress)}
${setUpForm({ ...formOf(context, 'second-factor'), problem, button, address, key: base32(secret) })}`;
  sendPage(context, { status: formStatus(res, problem), title, showAddress: true, content, scripts: SET_UP_SCRIPTS });
}

/** Sends the page that shows the recovery codes. No other page shows them. */
export function sendRecoveryPage(context: SignInContext, made: NewRecoveryCodes): void {
  const content = html`${recoveryCodeList(context, made)}
${savedForm(formOf(context, 'continue'))}`;
  const { recoveryTitle: title } = context.messages.secondFactor;
  sendPage(context, { once: true, title, emblem: iconEmblem('check'), content, scripts: RECOVERY_CODES_SCRIPTS });
}

/**
 * Asks whether the person has kept the recovery codes. This page comes if the person has opened the page of the codes again or has not
 * ticked its box. It does not show the codes.
 */
export function sendSavedPage(context: SignInContext, { unsaved }: { unsaved: boolean }): void {
  const { recoveryTitle: title, recoveryGone } = context.messages.secondFactor;
  const content = html`<p class="lead">${recoveryGone}</p>
${savedForm({ ...formOf(context, 'continue'), unsaved })}`;
  sendPage(context, { status: unsaved ? 422 : 200, title, content });
}

function formOf({ site, language, path, tokens }: SignInContext, name: string) {
  return { site, language, action: `${path}/${name}`, token: tokens[0], ofAccount: false };
}

/** Names the person who has to take the second step, with a button to use another account. */
function whose({ path, tokens, messages }: SignInContext, { email }: SignInProgress): Html {
  const other = html`<form method="post" action="${path}/other-account">${csrfField(tokens[0])}<button class="link" id="other-account" type="submit">${messages.consent.otherAccount}</button></form>`;
  return personCard({ name: email }, messages.mails.account, other);
}
