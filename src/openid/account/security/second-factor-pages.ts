// The pages on which a person sets up a second factor, has new recovery codes made, or removes it.

import { csrfField } from '#web/forms/csrf.ts';
import { RECOVERY_CODES_SCRIPTS, recoveryCodeList, savedForm } from '#web/forms/recovery-codes.ts';
import {
  type CodeForm,
  type CodeProblem,
  type CodeTexts,
  codeForms,
  lostFactorHelp,
  SET_UP_SCRIPTS,
  setUpForm,
} from '#web/forms/second-factor.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';

/** Content of a page below its title. */
export interface TitledContent {
  title: string;
  content: Html;
  scripts?: readonly PageScript[];
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
  const button = { id: 'set-up', label: secondFactor.setUpSubmit };
  const texts = {
    ...textsOf(language),
    missingAdvice: account.missingAdvice,
    wrongAdvice: secondFactor.setUpWrongAdvice,
  };
  const content = html`<p class="lead">${account.setUpIntroduction}</p>
${setUpForm({ ...page, action: path, texts, button, cancel: cancelOf(page) })}`;
  return { title: secondFactor.setUpTitle, content, scripts: SET_UP_SCRIPTS };
}

interface QuestionPage extends FormPage {
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
}

/** Asks for a code before new recovery codes are made. The button's id `renew` is relied on from outside. */
export function renewalContent(page: QuestionPage & { /** There is one. */ app: boolean }): TitledContent {
  const { account } = messagesIn(page.language);
  if (!page.app) {
    const content = html`<p class="lead">${account.renewIntroduction}</p>
<form method="post" action="${page.path}">${csrfField(page.token)}
<div class="choices">
<button id="renew" type="submit">${account.renewSubmit}</button>
<a class="button quiet" id="cancel" href="${page.back}">${account.cancel}</a>
</div>
</form>`;
    return { title: account.renewTitle, content };
  }
  const content = question(page, account.renewIntroduction, { id: 'renew', label: account.renewSubmit });
  return { title: account.renewTitle, content };
}

/** Asks for a code before the second factor is removed. The button's id `remove` is relied on from outside. */
export function removalContent(
  page: QuestionPage & { /** Of everybody. */ required: boolean; passkeys: boolean },
): TitledContent {
  const { account } = messagesIn(page.language);
  const { removeKeepsPasskeys, removeRequired, removeIntroduction } = account;
  const introduction = page.passkeys ? removeKeepsPasskeys : page.required ? removeRequired : removeIntroduction;
  const content = question(page, introduction, { id: 'remove', label: account.removeSubmit, danger: true });
  return { title: account.removeTitle, content };
}

interface SavedPage extends PageFrame {
  /** Path that the form is posted to. */
  path: string;
  token: string;
}

/** The only page that shows recovery codes. `renewed` means that they replace earlier ones. */
export function recoveryCodesContent(page: SavedPage & { codes: readonly string[]; renewed: boolean }): TitledContent {
  const { account, secondFactor } = messagesIn(page.language);
  const content = html`${page.renewed && html`<p class="lead">${account.renewed}</p>`}
${recoveryCodeList(page, page.codes)}
${savedForm({ ...page, action: page.path })}`;
  return { title: secondFactor.recoveryTitle, content, scripts: RECOVERY_CODES_SCRIPTS };
}

/** The same page without the codes: it was opened again, or answered without its box ticked. */
export function savedContent(page: SavedPage & { unsaved: boolean; renewal: string }): TitledContent {
  const { account, secondFactor } = messagesIn(page.language);
  const content = html`<p class="lead">${secondFactor.recoveryGone}</p>
${savedForm({ ...page, action: page.path })}
<p class="help"><a href="${page.renewal}">${account.newCodes}</a></p>`;
  return { title: secondFactor.recoveryTitle, content };
}

function question(page: QuestionPage, introduction: string, button: CodeForm['button']): Html {
  const form = { ...page, action: page.path, texts: textsOf(page.language), button, cancel: cancelOf(page) };
  return html`<p class="lead">${introduction}</p>
${codeForms(form)}
${lostFactorHelp(page)}`;
}

function cancelOf({ back, language }: FormPage): { href: string; label: string } {
  return { href: back, label: messagesIn(language).account.cancel };
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
