// The page that asks for login and password.

import { LINK_PATH, OWN_CLIENT_ID } from '#config/own-client.ts';
import { goOnAfterPassword } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { passwordlessRequest } from '#openid/sign-in/passkey-requests.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type FieldProblem, field, problemSummary } from '#web/forms/field.ts';
import { formStatus } from '#web/forms/form.ts';
import { type PasskeyRequest, passkeyRequestForm } from '#web/forms/passkey-form.ts';
import { type Pause, pauseNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { languageLinkTo } from '#web/language.ts';
import type { Messages } from '#web/messages.ts';
import { sendPage } from '#web/pages/send-page.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import type { FictionalPerson } from '#web/site.ts';

export type LoginProblem =
  | { kind: 'incomplete'; login: boolean; password: boolean }
  /** A password or, if it says so, a passkey. */
  | { kind: 'wrong' | 'stale'; of?: 'passkey' }
  | { kind: 'busy' }
  | ({ kind: 'waiting' } & Pause);

/** Id of the form. The language switch sends it along. */
const FORM = 'sign-in-form';

/** Shows the page, with the login that is known already. A person who has just accepted an invitation goes on without it. */
export async function showLoginPage(context: SignInContext): Promise<void> {
  const { loginHint, account, client } = context.interaction;
  const arrived = client.id === OWN_CLIENT_ID && (await context.arrivals.take(context.req, context.res));
  if (arrived && (await context.stillRight(arrived.accountId, arrived.passwordHashDigest)))
    return goOnAfterPassword(context, arrived);
  sendLoginPage(context, { login: loginHint ?? account?.email ?? '' });
}

/** Shows the page again for a form that did not come from it. */
export function sendStaleLoginPage(context: SignInContext): void {
  sendLoginPage(context, { login: '', problem: { kind: 'stale' } });
}

interface LoginPage {
  /** Prefilled value of the login field. */
  login: string;
  problem?: LoginProblem;
}

/** The sign-in page. Field names `login` and `password` and the button's id `sign-in` are relied on from outside, as is `cancel`. */
export function sendLoginPage(context: SignInContext, { login, problem }: LoginPage): void {
  const { res, site, language, messages, interaction, path, tokens } = context;
  const { signIn, links } = messages;
  const passkey = passwordlessRequest(context);
  const forgotten = `${site.base}${LINK_PATH}/password-reset?sign-in=${interaction.uid}`;
  const problems = fieldProblems(problem, signIn);
  const focus = focusOf(login, problem);
  const content = html`${lead(context)}
${problem && notice(problem, messages, { ...context, forgotten, passkey })}
<form id="${FORM}" method="post" action="${path}/login" novalidate>
${csrfField(tokens[0])}
${field({
  language,
  id: 'login',
  label: signIn.login,
  attributes: html` inputmode="email" autocomplete="username${passkey && ' webauthn'}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${login}"`,
  problem: problems.login,
  focus: focus === 'login',
})}
${field({
  language,
  id: 'password',
  label: signIn.password,
  attributes: html` autocomplete="current-password" required`,
  problem: problems.password,
  focus: focus === 'password',
  password: true,
})}
<p class="forgotten"><a id="forgotten" href="${forgotten}">${links.forgottenLink}</a></p>
<button class="wide" id="sign-in" type="submit">${signIn.submit}</button>
</form>
${passkey && passkeyForm(context, passkey)}
<form method="post" action="${path}/cancel">
${csrfField(tokens[0])}
<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button>
</form>
${site.sandbox?.people[0] && fictionalPerson(site.sandbox.people[0], messages)}
${!(site.mailAvailable && site.supportUrl === undefined) && html`<p class="help">${signIn.help} ${whomToAsk(context)}</p>`}`;
  const languageLink = languageLinkTo(`${path}/language`);
  // The page also works without its scripts.
  const scripts = passkey ? (['show-password', 'passkey'] as const) : (['show-password'] as const);
  const title = interaction.account ? signIn.confirmTitle : signIn.title;
  const about = { status: formStatus(res, problem), title, showAddress: true, languageForm: FORM };
  sendPage({ ...context, languageLink }, { ...about, content, scripts });
}

/** Reason why the password is asked for. A signed-in person logs in again for the account pages, or because an application asks. */
function lead({ interaction, messages: { signIn } }: SignInContext): Html {
  const { account, client } = interaction;
  if (account && client.id === OWN_CLIENT_ID) return html`<p class="lead">${signIn.againForAccount}</p>`;
  return html`<p class="lead">${account ? signIn.again : signIn.purpose} <strong>${client.name}</strong></p>`;
}

/** The button `use-passkey`. Browsers also offer passkeys in the login field. */
function passkeyForm({ path, tokens, messages }: SignInContext, request: PasskeyRequest): Html {
  const button = { id: 'use-passkey', label: messages.passkeys.signIn, quiet: true };
  return passkeyRequestForm({ action: `${path}/passkey`, token: tokens[0], request, button, autofill: true });
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
  if (problem?.kind === 'wrong' && !problem.of) return { password: { title: wrong, advice: wrongAdvice } };
  if (problem?.kind !== 'incomplete') return {};
  return {
    ...(problem.login && { login: { title: loginMissing } }),
    ...(problem.password && { password: { title: passwordMissing } }),
  };
}

/** The field to focus: one that is missing, empty or wrong; or the notice, if it must be read first. */
function focusOf(login: string, problem: LoginProblem | undefined): 'login' | 'password' | 'notice' {
  const isOfField = problem?.kind === 'incomplete' || (problem?.kind === 'wrong' && !problem.of);
  if (problem && !isOfField) return 'notice';
  return login ? 'password' : 'login';
}

/** The notice above the form, where the problem is not one of a field alone. */
function notice(
  problem: LoginProblem,
  { signIn, passkeys }: Messages,
  page: Parameters<typeof pauseNotice>[1],
): Html | undefined {
  switch (problem.kind) {
    case 'wrong':
      return problem.of && problemNotice(passkeys.refused, passkeys.refusedAdvice);
    case 'stale':
      return problem.of
        ? problemNotice(passkeys.stale, passkeys.staleAdvice)
        : problemNotice(signIn.stale, signIn.staleAdvice);
    case 'busy':
      return problemNotice(signIn.busy, signIn.busyAdvice);
    case 'waiting':
      return pauseNotice(problem, page);
    case 'incomplete':
      return problemSummary(signIn.incomplete, fieldProblems(problem, signIn));
  }
}
