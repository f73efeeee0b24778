// Owns the pages of the second step of a sign-in: the code, setting up an app, the recovery codes that come of it.
// Does not own what happens with what is typed there (`second-factor.ts`) nor the parts (`src/web/second-factor.ts`).

import { iconEmblem } from '../web/components.ts';
import { TOKEN_FIELD } from '../web/csrf.ts';
import { type Html, html, linkTarget } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { messagesIn } from '../web/messages.ts';
import {
  type CodeNotice,
  type CodeProblem,
  codeInput,
  codeNotice,
  recoveryCodeList,
  recoveryInput,
  setUpSteps,
} from '../web/second-factor.ts';
import type { Site } from '../web/site.ts';

interface StepPage {
  site: Site;
  language: Language;
  languageLink: (language: Language) => string;
  /** Path of the page; its forms are posted to addresses below. */
  path: string;
  token: string;
  clientName: string;
  problem?: CodeProblem;
}

export interface CodePage extends StepPage {
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
  /** The person is signed in, and the application wants more. */
  again: boolean;
}

/** The page that asks for a code. The fields `code` and `recovery` and the button's id `verify` are relied on from outside. */
export function renderCodePage(page: CodePage): string {
  const { language, problem, recovery } = page;
  const messages = messagesIn(language).secondFactor;
  const support = linkTarget(page.site.supportUrl);
  const faulty = problem !== undefined && problem.kind !== 'waiting';
  const waits = problem?.kind === 'waiting';
  const content = html`<p class="lead">${page.again ? messages.purposeAgain : messages.purpose} <strong>${page.clientName}</strong></p>
${problem && notice(problem, page, { recovery })}
<form method="post" action="${page.path}/code" novalidate>
${hidden(page)}
${codeInput({ language, faulty: faulty && !recovery, focus: !waits && !recovery })}
${recoveryInput({ language, faulty: faulty && recovery, focus: !waits && recovery })}
<button class="wide" id="verify" type="submit">${messages.submit}</button>
</form>
${otherAccount(page)}
${support && html`<p class="help">${messages.lost} <a href="${support}">${messages.lostLink}</a></p>`}`;
  return renderPage({ ...frame(page), title: messages.title, content });
}

export interface SetUpPage extends StepPage {
  /** `otpauth://...` */
  address: string;
  /** The secret in base 32. */
  key: string;
}

/** The page that sets up an app. The button's id `set-up` is relied on from outside. */
export function renderSetUpPage(page: SetUpPage): string {
  const { language, problem, address, key } = page;
  const messages = messagesIn(language).secondFactor;
  const content = html`<p class="lead">${messages.setUpPurpose(page.clientName)}</p>
${problem && notice(problem, page, { missing: messages.codeHelp, wrong: messages.setUpWrongAdvice })}
<form method="post" action="${page.path}/second-factor" novalidate>
${hidden(page)}
${setUpSteps({ language, address, key, faulty: problem !== undefined })}
<button class="wide" id="set-up" type="submit">${messages.setUpSubmit}</button>
</form>
${otherAccount(page)}`;
  return renderPage({ ...frame(page), title: messages.setUpTitle, content });
}

export interface RecoveryPage {
  site: Site;
  language: Language;
  /** Path that the form is posted to. */
  action: string;
  token: string;
  codes: readonly string[];
}

/** The only page that shows recovery codes: it can be had in no other language, since it cannot be had again. */
export function renderRecoveryPage({ site, language, action, token, codes }: RecoveryPage): string {
  const messages = messagesIn(language).secondFactor;
  const content = html`${recoveryCodeList({ language, codes })}
<form method="post" action="${action}"><input type="hidden" name="${TOKEN_FIELD}" value="${token}">
<button class="wide" id="continue" type="submit">${messages.recoveryKept}</button>
</form>`;
  return renderPage({ site, language, title: messages.recoveryTitle, emblem: iconEmblem('check'), content });
}

function frame({ site, language, languageLink, problem }: StepPage) {
  return { site, language, languageLink, problem: problem !== undefined, showAddress: true };
}

function hidden({ token }: StepPage): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;
}

function otherAccount(page: StepPage): Html {
  const messages = messagesIn(page.language).consent;
  return html`<form class="aside" method="post" action="${page.path}/other-account">${hidden(page)}<button class="link" id="other-account" type="submit">${messages.otherAccount}</button></form>`;
}

function notice(
  problem: CodeProblem,
  { language }: StepPage,
  own: Pick<CodeNotice, 'recovery' | 'missing' | 'wrong'>,
): Html {
  const { secondFactor, signIn } = messagesIn(language);
  const advice = {
    staleTitle: signIn.stale,
    stale: secondFactor.staleAdvice,
    waitingTitle: signIn.waiting,
    waiting: signIn.waitingAdvice,
  };
  return codeNotice(problem, { language, advice, ...own });
}
