// The page that asks for login and password.

import { ANEW_PARAMETER, LINK_PATH, OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { goOnAfterPassword } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { passwordlessRequest } from '#openid/sign-in/passkey-requests.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { addressAttributes, type FieldProblem, field, problemSummary } from '#web/forms/field.ts';
import { formStatus } from '#web/forms/form.ts';
import { type PasskeyRequest, passkeyRequestForm } from '#web/forms/passkey-form.ts';
import { type Pause, pauseNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { languageLinkTo } from '#web/language.ts';
import { sendPage } from '#web/layout.ts';
import type { Messages } from '#web/messages.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import { SANDBOX_PATH } from '#web/site.ts';

export type LoginProblem =
  | { kind: 'incomplete'; login: boolean; password: boolean }
  /** Without `of`, the problem concerns the password and not a passkey. */
  | { kind: 'wrong' | 'stale'; of?: 'passkey' }
  | { kind: 'busy' }
  | ({ kind: 'waiting' } & Pause);

/** Id of the sign-in form. The language switch posts this form, so that what the person has typed is kept. */
const FORM = 'sign-in-form';

/**
 * Shows the sign-in page, with the login in its field if it is known. Right after accepting an invitation, the person does not see the page
 * and continues at once.
 */
export async function showLoginPage(context: SignInContext): Promise<void> {
  const { loginHint, account, client, anew } = context.interaction;
  const arrived = client.id === OWN_CLIENT_ID && (await context.arrivals.take(context.req, context.res));
  if (arrived && (await context.stillRight(arrived.accountId, arrived.passwordHashDigest)))
    return goOnAfterPassword(context, arrived);
  const { login: kept } = context.kept.read(context.req);
  const mayBeAnother = anew || (account && ANEW_PARAMETER in context.req.query);
  const known = mayBeAnother ? undefined : (account?.email ?? kept);
  sendLoginPage(context, { login: loginHint ?? known ?? '', remember: kept !== undefined });
}

/** Shows the page again, with a notice, if a posted form did not come from it. */
export function sendStaleLoginPage(context: SignInContext): void {
  sendLoginPage(context, { login: '', problem: { kind: 'stale' } });
}

/** Name of a hidden field. The script `passkey` writes `yes` into the field if the browser can make a passkey. */
export const AUTHENTICATOR = 'authenticator';

/**
 * Name and id of the box that lets the browser keep the e-mail address. The name must not change, because programs of others rely on it.
 */
export const REMEMBER = 'remember';

interface LoginPage {
  /** Prefilled value of the login field. */
  login: string;
  /** True if the box that lets the browser keep the address is ticked. */
  remember?: boolean;
  problem?: LoginProblem;
}

/**
 * Sends the sign-in page. The field names `login` and `password`, and the ids `sign-in` and `cancel` of the buttons, must not change,
 * because programs of others rely on them.
 */
export function sendLoginPage(context: SignInContext, { login, remember = false, problem }: LoginPage): void {
  const { res, site, language, messages, interaction, path, tokens } = context;
  const { signIn, links } = messages;
  const passkey = passwordlessRequest(context);
  const { login: keptLogin, shared } = context.kept.read(context.req);
  const asks = asksToKeep(context);
  const kept = asks && keptLogin !== undefined;
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
  attributes: addressAttributes(passkey ? 'username webauthn' : 'username', login),
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
${asks && (shared ? sharedNote(messages) : rememberBox(messages, { remember, kept }))}
${passkey && html`<input type="hidden" name="${AUTHENTICATOR}">`}
<button class="wide" id="sign-in" type="submit">${signIn.submit}</button>
</form>
${passkey && passkeyForm(context, passkey)}
<form method="post" action="${path}/cancel">
${csrfField(tokens[0])}
<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button>
</form>
${asks && (kept || shared) && html`<form id="forget" method="post" action="${path}/${shared ? 'not-shared' : 'forget'}">${csrfField(tokens[0])}</form>`}
${!interaction.account && site.people.length > 0 && fictionalPeople(context)}
${!(site.mailAvailable && site.supportUrl === undefined) && html`<p class="help">${signIn.help} ${whomToAsk(context)}</p>`}`;
  const languageLink = languageLinkTo(`${path}/language`);
  // The page also works without its scripts.
  const scripts = passkey ? (['show-password', 'passkey'] as const) : (['show-password'] as const);
  const title = interaction.account ? signIn.confirmTitle : signIn.title;
  const about = { status: formStatus(res, problem), title, showAddress: true, languageForm: FORM };
  sendPage({ ...context, languageLink }, { ...about, content, scripts });
}

/**
 * Checks whether the page offers to keep the address. It does not if the person of the session only confirms their identity, or if another
 * person signs in instead.
 */
export function asksToKeep({ interaction: { account, anew } }: Pick<SignInContext, 'interaction'>): boolean {
  return !account && !anew;
}

/**
 * Returns the sentence that says why the page asks for the password. A signed-in person is asked again for the account pages, or because an
 * application demands it.
 */
function lead({ interaction, messages: { signIn } }: SignInContext): Html {
  const { account, client } = interaction;
  if (account && client.id === OWN_CLIENT_ID) return html`<p class="lead">${signIn.againForAccount}</p>`;
  return html`<p class="lead">${account ? signIn.again : signIn.purpose} <strong>${client.name}</strong></p>`;
}

/** Returns the form with the button `use-passkey`. Browsers also offer passkeys in the login field. */
function passkeyForm({ path, tokens, messages }: SignInContext, request: PasskeyRequest): Html {
  const button = { id: 'use-passkey', label: messages.passkeys.signIn, quiet: true };
  return passkeyRequestForm({ action: `${path}/passkey`, token: tokens[0], request, button, autofill: true });
}

/**
 * Returns the box that lets the browser keep the address. If the browser keeps an address already, the button `forget-login` comes with it.
 */
function rememberBox({ signIn }: Messages, { remember, kept }: { remember: boolean; kept: boolean }): Html {
  const help = `${REMEMBER}-help`;
  return html`<div class="remember"><label class="check"><input id="${REMEMBER}" name="${REMEMBER}" type="checkbox" value="yes" aria-describedby="${help}"${remember && html` checked`}> <span>${signIn.remember}</span></label>
<p class="field-help" id="${help}">${signIn.rememberHelp}</p>
${kept && html`<button class="link" id="forget-login" form="forget" type="submit">${signIn.forget}</button>`}</div>`;
}

/** Returns the note that the browser keeps nothing because several people use it, with the button `not-shared`. */
function sharedNote({ signIn }: Messages): Html {
  return html`<div class="remember"><p class="field-help">${signIn.shared}</p>
<button class="link" id="not-shared" form="forget" type="submit">${signIn.notShared}</button></div>`;
}

/** Maximum number of fictional people with a button on the page. The page links to the list of all of them. */
const PEOPLE_SHOWN = 4;

/** Returns the buttons that sign in as a fictional person. The person whom `login_hint` names comes first. */
function fictionalPeople({ site, interaction, path, tokens, language, messages: { sandbox } }: SignInContext): Html {
  const hinted = interaction.loginHint;
  const people = site.people.toSorted((one, other) => Number(other.login === hinted) - Number(one.login === hinted));
  const all = `${site.base}${site.sandbox ? SANDBOX_PATH : '/demo/'}`;
  return html`<section class="people" aria-labelledby="people"><h2 id="people">${sandbox.signInAs}</h2>
<ul>${people.slice(0, PEOPLE_SHOWN).map(
    ({ login, password, name, note }) => html`<li><form method="post" action="${path}/login">${csrfField(tokens[0])}
<input type="hidden" name="login" value="${login}"><input type="hidden" name="password" value="${password}">
<button class="quiet small" type="submit"><span>${name}</span> <span class="person-note">${note[language]}</span></button></form></li>
`,
  )}</ul>
<p class="fine"><a href="${all}">${sandbox.others}</a></p></section>`;
}

/**
 * Returns the messages beside the fields. After a wrong login or password, the message does not say which of the two is wrong. It stands at
 * the password, where the person types next.
 */
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

/** Returns the element that gets the focus: a field that is missing, empty or wrong, or the notice if the person must read it first. */
function focusOf(login: string, problem: LoginProblem | undefined): 'login' | 'password' | 'notice' {
  const isOfField = problem?.kind === 'incomplete' || (problem?.kind === 'wrong' && !problem.of);
  if (problem && !isOfField) return 'notice';
  return login ? 'password' : 'login';
}

/** Returns the notice above the form; undefined if the message beside a field says enough. */
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
