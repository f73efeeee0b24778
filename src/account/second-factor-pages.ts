// Owns the pages on which a person sets up a second factor, has new recovery codes made, or removes it.
// Does not own what they take (`second-factor.ts`) nor the parts that the sign-in has as well (`src/web/second-factor.ts`).

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

interface FormPage {
  site: Site;
  language: Language;
  languageLink: (language: Language) => string;
  /** Path that the form is posted to. */
  path: string;
  /** Path of the overview. */
  back: string;
  token: string;
  problem: CodeProblem | undefined;
}

export interface SetUpPage extends FormPage {
  /** `otpauth://...` */
  address: string;
  /** The secret in base 32. */
  key: string;
}

/** The page that sets up an app. The button's id `set-up` is relied on from outside. */
export function renderSetUpPage(page: SetUpPage): string {
  const { language, address, key, problem } = page;
  const messages = messagesIn(language);
  const faulty = problem !== undefined;
  const content = html`<p class="lead">${messages.account.setUpIntroduction}</p>
${problem && noticeOf(problem, page, { missing: messages.account.missingAdvice, wrong: messages.secondFactor.setUpWrongAdvice })}
<form method="post" action="${page.path}" novalidate>
${hidden(page)}
${setUpSteps({ language, address, key, faulty })}
${answers(page, 'set-up', messages.secondFactor.setUpSubmit)}
</form>`;
  return renderPage({ ...frameOf(page), title: messages.secondFactor.setUpTitle, content });
}

export interface QuestionPage extends FormPage {
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
}

/** The page that makes new recovery codes for who has a code. The button's id `renew` is relied on from outside. */
export function renderRenewalPage(page: QuestionPage): string {
  const { account } = messagesIn(page.language);
  const asked = question(page, account.renewIntroduction, 'renew', account.renewSubmit);
  return renderPage({ ...frameOf(page), title: account.renewTitle, content: asked });
}

/** The page that removes the second factor for who has a code. The button's id `remove` is relied on from outside. */
export function renderRemovalPage(page: QuestionPage & { /** Of everybody. */ required: boolean }): string {
  const { account } = messagesIn(page.language);
  const introduction = page.required ? account.removeRequired : account.removeIntroduction;
  const asked = question(page, introduction, 'remove', account.removeSubmit);
  return renderPage({ ...frameOf(page), title: account.removeTitle, content: asked });
}

export interface CodesPage {
  site: Site;
  language: Language;
  codes: readonly string[];
  /** There were others before. */
  again: boolean;
  /** Path at which the person goes on. */
  next: string;
}

/** The only page that shows recovery codes: it can be had in no other language, since it cannot be had again. */
export function renderCodesPage({ site, language, codes, again, next }: CodesPage): string {
  const { account, secondFactor } = messagesIn(language);
  const content = html`${again && html`<p class="lead">${account.renewed}</p>`}
${recoveryCodeList({ language, codes })}
<p class="choices"><a class="button" id="continue" href="${next}">${secondFactor.recoveryKept}</a></p>`;
  return renderPage({ site, language, title: secondFactor.recoveryTitle, emblem: iconEmblem('check'), content });
}

function question(page: QuestionPage, introduction: string, button: string, submit: string): Html {
  const { language, problem, recovery, site } = page;
  const { secondFactor } = messagesIn(language);
  const support = linkTarget(site.supportUrl);
  const waits = problem?.kind === 'waiting';
  const faulty = problem !== undefined && !waits;
  return html`<p class="lead">${introduction}</p>
${problem && noticeOf(problem, page, { recovery })}
<form method="post" action="${page.path}" novalidate>
${hidden(page)}
${codeInput({ language, faulty: faulty && !recovery, focus: !waits && !recovery })}
${recoveryInput({ language, faulty: faulty && recovery, focus: !waits && recovery })}
${answers(page, button, submit)}
</form>
${support && html`<p class="help">${secondFactor.lost} <a href="${support}">${secondFactor.lostLink}</a></p>`}`;
}

function answers({ back, language }: FormPage, button: string, submit: string): Html {
  return html`<div class="choices">
<button id="${button}" type="submit">${submit}</button>
<a class="button quiet" id="cancel" href="${back}">${messagesIn(language).account.cancel}</a>
</div>`;
}

function frameOf({ site, language, languageLink, problem }: FormPage) {
  return { site, language, languageLink, problem: problem !== undefined };
}

function hidden({ token }: FormPage): Html {
  return html`<input type="hidden" name="${TOKEN_FIELD}" value="${token}">`;
}

function noticeOf(
  problem: CodeProblem,
  { language }: FormPage,
  own: Pick<CodeNotice, 'recovery' | 'missing' | 'wrong'>,
): Html {
  const { account } = messagesIn(language);
  const advice = {
    staleTitle: account.stale,
    stale: account.staleAdvice,
    waitingTitle: account.tooMany,
    waiting: account.tooManyAdvice,
  };
  return codeNotice(problem, { language, advice, ...own });
}
