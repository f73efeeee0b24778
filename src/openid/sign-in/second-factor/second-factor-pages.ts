// The pages of the second step of a sign-in: typing a code, setting up an app, and the recovery codes.

import { iconEmblem, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type PasskeyRequest, passkeyRequestForm, withoutPasskey } from '#web/forms/passkey-form.ts';
import { RECOVERY_CODES_SCRIPTS, recoveryCodeList, savedForm } from '#web/forms/recovery-codes.ts';
import {
  type CodeProblem,
  type CodeTexts,
  codeForms,
  lostFactorHelp,
  SET_UP_SCRIPTS,
  setUpForm,
} from '#web/forms/second-factor.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';

interface StepPage extends PageFrame {
  /** Path of the page. Its forms are posted to addresses below it. */
  path: string;
  token: string;
  clientName: string;
  problem?: CodeProblem | undefined;
}

interface CodePage extends StepPage {
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
  /** The person is signed in by a password. */
  again: boolean;
  /** The account has an app. */
  app: boolean;
  /** Absent where it has no passkey. */
  passkey: PasskeyRequest | undefined;
  passkeyProblem?: 'wrong' | 'stale' | undefined;
}

/** The scripts of the page, which also works without them, by a code. */
export function codeScripts({ passkey }: Pick<CodePage, 'passkey'>): readonly PageScript[] {
  return passkey ? ['passkey'] : [];
}

/** Asks for a code, or for a passkey. The buttons' ids `verify` and `use-passkey` are relied on from outside. */
export function renderCodePage(page: CodePage): string {
  const { path, problem, passkey, passkeyProblem } = page;
  const messages = messagesIn(page.language).secondFactor;
  const button = { id: 'verify', label: messages.submit };
  const texts = textsOf(page.language);
  const content = html`<p class="lead">${page.again ? messages.purposeAgain : messages.purpose} <strong>${page.clientName}</strong></p>
${passkey && passkeyPart(page, passkey)}
${codeForms({ ...page, action: `${path}/code`, texts, button })}
${otherAccount(page)}
${lostFactorHelp(page)}`;
  return renderPage({
    ...page,
    problem: problem !== undefined || passkeyProblem !== undefined,
    showAddress: true,
    title: passkey ? messagesIn(page.language).passkeys.secondStepTitle : messages.title,
    content,
    scripts: codeScripts(page),
  });
}

function passkeyPart({ path, token, language, app, passkeyProblem }: CodePage, request: PasskeyRequest): Html {
  const { passkeys } = messagesIn(language);
  const [title, advice] =
    passkeyProblem === 'stale' ? [passkeys.stale, passkeys.staleAdvice] : [passkeys.refused, passkeys.refusedAdvice];
  const button = { id: 'use-passkey', label: passkeys.secondStep };
  return html`${passkeyProblem && problemNotice(title, html`<p>${advice}</p>`, { focus: true })}
${!app && withoutPasskey(passkeys.unavailable)}
${passkeyRequestForm({ action: `${path}/passkey`, token, request, button })}`;
}

/** Sets up an app. The button's id `set-up` is relied on from outside. */
export function renderSetUpPage(page: StepPage & { address: string; key: string }): string {
  const { path, problem } = page;
  const messages = messagesIn(page.language).secondFactor;
  const button = { id: 'set-up', label: messages.setUpSubmit };
  const texts = {
    ...textsOf(page.language),
    missingAdvice: messages.codeHelp,
    wrongAdvice: messages.setUpWrongAdvice,
  };
  const content = html`<p class="lead">${messages.setUpPurpose(page.clientName)}</p>
${setUpForm({ ...page, action: `${path}/second-factor`, texts, button })}
${otherAccount(page)}`;
  return renderPage({
    ...page,
    problem: problem !== undefined,
    showAddress: true,
    title: messages.setUpTitle,
    content,
    scripts: SET_UP_SCRIPTS,
  });
}

/** The only page that shows recovery codes. It has no language switch, since it cannot be requested again. */
export function renderRecoveryPage({
  path,
  token,
  codes,
  ...frame
}: RecoveryPage & { codes: readonly string[] }): string {
  const content = html`${recoveryCodeList(frame, codes)}
${savedForm({ ...frame, action: `${path}/continue`, token })}`;
  const title = messagesIn(frame.language).secondFactor.recoveryTitle;
  return renderPage({ ...frame, title, emblem: iconEmblem('check'), content, scripts: RECOVERY_CODES_SCRIPTS });
}

/** The same page without the codes: it was opened again, or answered without its box ticked. */
export function renderSavedPage({ path, token, unsaved, ...frame }: RecoveryPage & { unsaved: boolean }): string {
  const { recoveryTitle, recoveryGone } = messagesIn(frame.language).secondFactor;
  const content = html`<p class="lead">${recoveryGone}</p>
${savedForm({ ...frame, action: `${path}/continue`, token, unsaved })}`;
  return renderPage({ ...frame, title: recoveryTitle, problem: unsaved, content });
}

type RecoveryPage = PageFrame & Pick<StepPage, 'path' | 'token'>;

function otherAccount({ path, token, language }: StepPage): Html {
  const messages = messagesIn(language).consent;
  return html`<form class="aside" method="post" action="${path}/other-account">${csrfField(token)}<button class="link" id="other-account" type="submit">${messages.otherAccount}</button></form>`;
}

function textsOf(language: Language): CodeTexts {
  const { secondFactor, signIn } = messagesIn(language);
  const { missingAdvice, wrongAdvice, staleAdvice } = secondFactor;
  return {
    stale: { title: signIn.stale, advice: staleAdvice },
    missingAdvice,
    wrongAdvice,
  };
}
