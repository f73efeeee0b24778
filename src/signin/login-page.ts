// The page that asks for login and password.

import { problemNotice } from '../web/components.ts';
import { csrfField } from '../web/csrf.ts';
import { html } from '../web/html.ts';
import { type PageFrame, renderPage } from '../web/layout.ts';
import { type Messages, messagesIn } from '../web/messages.ts';
import { type Pause, pauseNotice } from '../web/pause-notice.ts';
import type { FictionalPerson } from '../web/site.ts';
import { whomToAsk } from '../web/whom-to-ask.ts';

export type LoginProblem =
  | { kind: 'incomplete'; login: boolean; password: boolean }
  | { kind: 'wrong' }
  | { kind: 'stale' }
  | { kind: 'busy' }
  | ({ kind: 'waiting' } & Pause);

/** Id of the form: the switch of languages sends it along. */
const FORM = 'sign-in-form';

interface LoginPage extends PageFrame {
  /** Path that the form is posted to. */
  action: string;
  /** Path that the refusal is posted to. */
  cancelAction: string;
  /** Path of the page for a forgotten password. */
  forgotten: string;
  token: string;
  clientName: string;
  /** What stands in the login field already. */
  login: string;
  /** The person is signed in already and has to log in again. */
  again: boolean;
  problem?: LoginProblem;
}

/** The sign-in page. Field names `login` and `password` and the button's id `sign-in` are relied on from outside, as is `cancel`. */
export function renderLoginPage(page: LoginPage): string {
  const { problem, login } = page;
  const messages = messagesIn(page.language);
  const { signIn } = messages;
  const missing = problem?.kind === 'incomplete' ? problem : { login: false, password: false };
  const focus = focusOf(page);
  const state = (field: 'login' | 'password') => {
    // What is read aloud with a field: its own problem, or the notice when the page opens in this field.
    const described = missing[field] ? `${field}-problem` : problem && focus === field ? 'problem' : undefined;
    return html`${missing[field] && html` aria-invalid="true"`}${
      described && html` aria-describedby="${described}"`
    }${focus === field && html` autofocus`}`;
  };
  const content = html`<p class="lead">${page.again ? signIn.again : signIn.purpose} <strong>${page.clientName}</strong></p>
${problem && notice(problem, messages, page)}
<form id="${FORM}" method="post" action="${page.action}" novalidate>
${csrfField(page.token)}
<div class="field">
<label for="login">${signIn.login}</label>
<input id="login" name="login" type="text" inputmode="email" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${login}"${state('login')}>
${missing.login && html`<p class="field-problem" id="login-problem">${signIn.loginMissing}</p>`}
</div>
<div class="field">
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${state('password')}>
${missing.password && html`<p class="field-problem" id="password-problem">${signIn.passwordMissing}</p>`}
</div>
<p class="forgotten"><a id="forgotten" href="${page.forgotten}">${messages.links.forgottenLink}</a></p>
<button class="wide" id="sign-in" type="submit">${signIn.submit}</button>
</form>
<form method="post" action="${page.cancelAction}">
${csrfField(page.token)}
<button class="wide quiet" id="cancel" type="submit">${signIn.cancel}</button>
</form>
${page.site.sandbox?.people[0] && fictionalPerson(page.site.sandbox.people[0], messages)}
${!(page.site.mailAvailable && page.site.supportUrl === undefined) && html`<p class="help">${signIn.help} ${whomToAsk(page)}</p>`}`;
  return renderPage({
    ...page,
    title: signIn.title,
    problem: problem !== undefined,
    showAddress: true,
    languageForm: FORM,
    content,
  });
}

/** As whom to sign in at a sandbox: the notice above the page has all of them. */
function fictionalPerson({ login, password }: FictionalPerson, { sandbox }: Messages) {
  return html`<p class="help">${sandbox.signInAs} <code>${login}</code> ${sandbox.withPassword} <code>${password}</code></p>`;
}

/** Where typing goes on: the field that is missing, or empty, or to be corrected; the notice when there is but to wait. */
function focusOf({ problem, login }: LoginPage): 'login' | 'password' | 'notice' {
  if (problem?.kind === 'waiting') return 'notice';
  return login ? 'password' : 'login';
}

function notice(problem: LoginProblem, { signIn }: Messages, page: PageFrame) {
  switch (problem.kind) {
    case 'wrong':
      return problemNotice(signIn.wrong, html`<p>${signIn.wrongAdvice}</p>`, { focus: false });
    case 'stale':
      return problemNotice(signIn.stale, html`<p>${signIn.staleAdvice}</p>`, { focus: false });
    case 'busy':
      return problemNotice(signIn.busy, html`<p>${signIn.busyAdvice}</p>`, { focus: false });
    case 'waiting':
      return pauseNotice(problem, page);
    case 'incomplete':
      return problemNotice(
        signIn.incomplete,
        html`<ul>${problem.login && html`<li><a href="#login">${signIn.loginMissing}</a></li>`}${
          problem.password && html`<li><a href="#password">${signIn.passwordMissing}</a></li>`
        }</ul>`,
        { focus: false },
      );
  }
}
