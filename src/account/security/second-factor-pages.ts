// The pages on which a person sets up a second factor, has new recovery codes made, or removes it.

import { type Html, html } from '../../web/html.ts';
import type { Language } from '../../web/language.ts';
import type { PageFrame } from '../../web/layout.ts';
import { messagesIn } from '../../web/messages.ts';
import {
  type CodeProblem,
  type CodeTexts,
  codeForm,
  lostFactorHelp,
  recoveryCodeList,
  setUpForm,
} from '../../web/second-factor.ts';

/** What stands on a page, under its title. */
export interface TitledContent {
  title: string;
  content: Html;
}

interface FormPage extends PageFrame {
  /** Path that the form is posted to. */
  path: string;
  /** Path of the overview. */
  back: string;
  token: string;
  problem?: CodeProblem | undefined;
}

/** Sets up an app. The button's id `set-up` is relied on from outside. */
export function setUpContent(page: FormPage & { address: string; key: string }): TitledContent {
  const { path, language } = page;
  const { account, secondFactor } = messagesIn(language);
  const buttons = choices(page, 'set-up', secondFactor.setUpSubmit);
  const texts = {
    ...textsOf(language),
    missingAdvice: account.missingAdvice,
    wrongAdvice: secondFactor.setUpWrongAdvice,
  };
  const content = html`<p class="lead">${account.setUpIntroduction}</p>
${setUpForm({ ...page, action: path, texts, buttons })}`;
  return { title: secondFactor.setUpTitle, content };
}

interface QuestionPage extends FormPage {
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
}

/** Makes new recovery codes for who has a code. The button's id `renew` is relied on from outside. */
export function renewalContent(page: QuestionPage): TitledContent {
  const { account } = messagesIn(page.language);
  const content = question(page, account.renewIntroduction, choices(page, 'renew', account.renewSubmit));
  return { title: account.renewTitle, content };
}

/** Removes the second factor for who has a code. The button's id `remove` is relied on from outside. */
export function removalContent(page: QuestionPage & { /** Of everybody. */ required: boolean }): TitledContent {
  const { account } = messagesIn(page.language);
  const introduction = page.required ? account.removeRequired : account.removeIntroduction;
  const content = question(page, introduction, choices(page, 'remove', account.removeSubmit));
  return { title: account.removeTitle, content };
}

interface RecoveryCodesPage {
  language: Language;
  codes: readonly string[];
  /** There were others before. */
  renewed: boolean;
  /** Path at which the person goes on. */
  next: string;
}

/** The only page that shows recovery codes: it has no language switch, since it cannot be requested again. */
export function recoveryCodesContent({ codes, renewed, next, language }: RecoveryCodesPage): TitledContent {
  const { account, secondFactor } = messagesIn(language);
  const content = html`${renewed && html`<p class="lead">${account.renewed}</p>`}
${recoveryCodeList(language, codes)}
<p class="choices"><a class="button" id="continue" href="${next}">${secondFactor.recoveryKept}</a></p>`;
  return { title: secondFactor.recoveryTitle, content };
}

function question(page: QuestionPage, introduction: string, buttons: Html): Html {
  return html`<p class="lead">${introduction}</p>
${codeForm({ ...page, action: page.path, texts: textsOf(page.language), buttons })}
${lostFactorHelp(page)}`;
}

function choices({ back, language }: FormPage, button: string, submit: string): Html {
  return html`<div class="choices">
<button id="${button}" type="submit">${submit}</button>
<a class="button quiet" id="cancel" href="${back}">${messagesIn(language).account.cancel}</a>
</div>`;
}

function textsOf(language: Language): CodeTexts {
  const { account, secondFactor } = messagesIn(language);
  const { missingAdvice, wrongAdvice } = secondFactor;
  return {
    stale: { title: account.stale, advice: account.staleAdvice },
    missingAdvice,
    wrongAdvice,
  };
}
