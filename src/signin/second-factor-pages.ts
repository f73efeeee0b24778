// The pages of the second step of a sign-in: typing a code, setting up an app, and the recovery codes that follow.

import { iconEmblem } from '../web/components.ts';
import { csrfField } from '../web/csrf.ts';
import { type Html, html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { type PageFrame, renderPage } from '../web/layout.ts';
import { messagesIn } from '../web/messages.ts';
import {
  type CodeProblem,
  type CodeTexts,
  codeForm,
  lostFactorHelp,
  recoveryCodeList,
  setUpForm,
} from '../web/second-factor.ts';

interface StepPage extends PageFrame {
  /** Path of the page; its forms are posted to addresses below. */
  path: string;
  token: string;
  clientName: string;
  problem?: CodeProblem | undefined;
}

/** Asks for a code. The button's id `verify` is relied on from outside. `again`: the person is signed in by a password. */
export function renderCodePage(page: StepPage & { recovery: boolean; again: boolean }): string {
  const { path, problem } = page;
  const messages = messagesIn(page.language).secondFactor;
  const buttons = html`<button class="wide" id="verify" type="submit">${messages.submit}</button>`;
  const texts = textsOf(page.language);
  const content = html`<p class="lead">${page.again ? messages.purposeAgain : messages.purpose} <strong>${page.clientName}</strong></p>
${codeForm({ ...page, action: `${path}/code`, texts, buttons })}
${otherAccount(page)}
${lostFactorHelp(page)}`;
  return renderPage({ ...page, problem: problem !== undefined, showAddress: true, title: messages.title, content });
}

/** Sets up an app. The button's id `set-up` is relied on from outside. */
export function renderSetUpPage(page: StepPage & { address: string; key: string }): string {
  const { path, problem } = page;
  const messages = messagesIn(page.language).secondFactor;
  const buttons = html`<button class="wide" id="set-up" type="submit">${messages.setUpSubmit}</button>`;
  const texts = {
    ...textsOf(page.language),
    missingAdvice: messages.codeHelp,
    wrongAdvice: messages.setUpWrongAdvice,
  };
  const content = html`<p class="lead">${messages.setUpPurpose(page.clientName)}</p>
${setUpForm({ ...page, action: `${path}/second-factor`, texts, buttons })}
${otherAccount(page)}`;
  return renderPage({
    ...page,
    problem: problem !== undefined,
    showAddress: true,
    title: messages.setUpTitle,
    content,
  });
}

/** The only page that shows recovery codes: it has no language switch, since it cannot be requested again. */
export function renderRecoveryPage({ path, token, codes, ...frame }: RecoveryPage): string {
  const messages = messagesIn(frame.language).secondFactor;
  const content = html`${recoveryCodeList(frame.language, codes)}
<form method="post" action="${path}/continue">${csrfField(token)}
<button class="wide" id="continue" type="submit">${messages.recoveryKept}</button>
</form>`;
  return renderPage({ ...frame, title: messages.recoveryTitle, emblem: iconEmblem('check'), content });
}

interface RecoveryPage extends Omit<PageFrame, 'languageLink'>, Pick<StepPage, 'path' | 'token'> {
  codes: readonly string[];
}

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
