// The page that asks for login and password.

import { problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type FieldProblem, field, problemSummary } from '#web/forms/field.ts';
import { type PasskeyRequest, passkeyRequestForm } from '#web/forms/passkey-form.ts';
import { type Pause, pauseNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import type { FictionalPerson } from '#web/site.ts';

export type LoginProblem =
  | { kind: 'incomplete'; login: boolean; password: boolean }
  | { kind: 'wrong' }
  | { kind: 'stale' }
  | { kind: 'busy' }
  | { kind: 'passkey-wrong' | 'passkey-stale' }
  | ({ kind: 'waiting' } & Pause);

/** Id of the form. The language switch sends it along. */
const FORM = 'sign-in-form';

interface LoginPage extends PageFrame {
  /** Path that the form is posted to. */
  action: string;
  /** Path that the refusal is posted to. */
  cancelAction: string;
  /** Path of the page for a forgotten password. */
  forgotten: string;
  /** Path that a passkey is posted to. */
  passkeyAction: string;
  /** Absent where there can be none. */
  passkey: PasskeyRequest | undefined;
  token: string;
  clientName: string;
  /** Prefilled value of the login field. */
  login: string;
  /** Set if the signed-in person must log in again: for an account page that changes how they sign in, or because an application asks. */
  again?: 'for-account' | 'for-application' | undefined;
  problem?: LoginProblem;
}

/** The scripts of the page, which also works without them. */
export function loginScripts({ passkey }: Pick<LoginPage, 'passkey'>): readonly PageScript[] {
  return passkey ? ['show-password', 'passkey'] : ['show-password'];
}

/** The sign-in page. Field names `login` and `password` and the button's id `sign-in` are relied on from outside, as is `cancel`. */
export function renderLoginPage(page: LoginPage): string {
  const { problem, login } = page;
  const messages = messagesIn(page.language);
  const { signIn } = messages;
  const problems = fieldProblems(problem, signIn);
  const focus = focusOf(page);
  const content = html`${lead(page, signIn)}
${problem && notice(problem, messages, page)}
<form id="${FORM}" method="post" action="${page.action}" novalidate>
${csrfField(page.token)}
${field({
  language: page.language,
  id: 'login',
  label: signIn.login,
  attributes: html` inputmode="email" autocomplete="username${page.passkey && ' webauthn'}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${login}"`,
  problem: problems.login,
  focus: focus === 'login',
})}
${field({
  language: page.language,
  id: 'password',
  label: signIn.password,
  attributes: html` autocomplete="current-password" required`,
  problem: problems.password,
  focus: focus === 'password',
  password: true,
})}
<p class="forgotten"><a id="forgotten" href="${page.forgotten}">${messages.links.forgottenLink}</a></p>
<button class="wide" id="sign-in" type="submit">${signIn.submit}</button>
</form>
${page.passkey && passkeyForm(page, page.passkey)}
<form method="post" action="${page.cancelAction}">
${csrfField(page.token)}
<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button>
</form>
${page.site.sandbox?.people[0] && fictionalPerson(page.site.sandbox.people[0], messages)}
${!(page.site.mailAvailable && page.site.supportUrl === undefined) && html`<p class="help">${signIn.help} ${whomToAsk(page)}</p>`}`;
  const about = { problem: problem !== undefined, showAddress: true, languageForm: FORM, scripts: loginScripts(page) };
  return renderPage({ ...page, ...about, title: page.again ? signIn.confirmTitle : signIn.title, content });
}

/** Reason why the password is asked for. */
function lead({ again, clientName }: LoginPage, messages: Messages['signIn']): Html {
  if (again === 'for-account') return html`<p class="lead">${messages.againForAccount}</p>`;
  return html`<p class="lead">${again ? messages.again : messages.purpose} <strong>${clientName}</strong></p>`;
}

/** The button `use-passkey`. Browsers also offer passkeys in the login field. */
function passkeyForm({ passkeyAction: action, token, language }: LoginPage, request: PasskeyRequest): Html {
  const button = { id: 'use-passkey', label: messagesIn(language).passkeys.signIn, quiet: true };
  return passkeyRequestForm({ action, token, request, button, autofill: true });
}

/** One of a sandbox's fictional people to sign in as. The notice above the page lists all of them. */
function fictionalPerson({ login, password }: FictionalPerson, { sandbox }: Messages) {
  return html`<p class="help">${sandbox.signInAs} <code>${login}</code> ${sandbox.withPassword} <code>${password}</code></p>`;
}

/** The problems beside the fields. They do not tell which of the two was wrong, and stand where typing continues. */
function fieldProblems(
  problem: LoginProblem | undefined,
  { loginMissing, passwordMissing, wrong, wrongAdvice }: Messages['signIn'],
): { login?: FieldProblem; password?: FieldProblem } {
  if (problem?.kind === 'wrong') return { password: { title: wrong, advice: wrongAdvice } };
  if (problem?.kind !== 'incomplete') return {};
  return {
    ...(problem.login && { login: { title: loginMissing } }),
    ...(problem.password && { password: { title: passwordMissing } }),
  };
}

/** The field to focus: one that is missing, empty or wrong; or the notice, if it must be read first. */
function focusOf({ problem, login }: LoginPage): 'login' | 'password' | 'notice' {
  if (problem && problem.kind !== 'wrong' && problem.kind !== 'incomplete') return 'notice';
  return login ? 'password' : 'login';
}

/** The notice above the form, where the problem is not one of a field alone. */
function notice(problem: LoginProblem, { signIn, passkeys }: Messages, page: LoginPage): Html | undefined {
  const focused = (title: string, advice: string) => problemNotice(title, html`<p>${advice}</p>`, { focus: true });
  switch (problem.kind) {
    case 'wrong':
      return undefined;
    case 'stale':
      return focused(signIn.stale, signIn.staleAdvice);
    case 'busy':
      return focused(signIn.busy, signIn.busyAdvice);
    case 'passkey-wrong':
      return focused(passkeys.refused, passkeys.refusedAdvice);
    case 'passkey-stale':
      return focused(passkeys.stale, passkeys.staleAdvice);
    case 'waiting':
      return pauseNotice(problem, page);
    case 'incomplete':
      return problemSummary(signIn.incomplete, fieldProblems(problem, signIn));
  }
}
