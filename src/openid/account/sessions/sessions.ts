// Shows a person their sessions and lets them end a single session or all other sessions at once. A fresh sign-in is not required for
// ending a single session, because that only takes access away.

import {
  type AccountContext,
  accountSession,
  leadTo,
  ownSession,
  pathOf,
  record,
} from '#openid/account/page-context.ts';
import { actionLink, part, sendQuestion, sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { ROUTES } from '#openid/routes.ts';
import type { AccountSession } from '#openid/sessions/account-sessions.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { problemNotice, timeAgo } from '#web/components.ts';
import { formatDateTime } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus, readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { deviceName } from '#web/messages.ts';

/** Sends the page with all sessions, the current one first. With `gone`, it says that the account has no session with the requested id. */
export async function sendSessions(context: AccountContext, problem?: 'stale' | 'gone'): Promise<void> {
  const { res, account } = context;
  const { sessions: messages, account: words } = context.messages;
  const own = ownSession(context.req);
  const all = await context.sessions.list(account.id);
  const others = all.filter(({ uid }) => uid !== own);
  const cards = [
    ...all.filter(({ uid }) => uid === own).map((session) => card(context, session, true)),
    ...others.map((session) => card(context, session, false)),
  ];
  const elsewhere =
    others.length > 0
      ? html`<p>${messages.othersAbout}</p>
<p>${actionLink(context, 'otherSessions', 'end-all', words.endSessions)}</p>`
      : html`<p>${messages.onlyThis}</p>`;
  const notYou = html`<p>${messages.notYouAdvice}</p>
<p><a class="action" href="${pathOf(context.site, 'password')}">${words.changePassword}</a></p>`;
  const content = html`${problem === 'stale' && staleNotice(context)}
${problem === 'gone' && problemNotice(messages.notFound, messages.notFoundAdvice)}
<p class="lead">${messages.about}</p>
<ul class="allowed" id="open-sessions">${cards}</ul>
${part('elsewhere', messages.others, elsewhere)}
${part('not-you', messages.notYou, notYou)}`;
  const status = formStatus(res, problem && { kind: problem });
  sendSpacePage(context, { status, section: 'sessions', title: words.sections.sessions, content });
}

/** Ends the session that the form names, with all its tokens (SEC-55). It must be a session of this person. */
export async function endSession(context: AccountContext): Promise<void> {
  const { req, account, sessions } = context;
  const { fields, stale } = readForm(context, ['session']);
  if (stale) return sendSessions(context, 'stale');
  const { session = '' } = fields;
  refuseControlCharacters('session', session);
  // If the current session is ended, the browser must lose its cookies as well.
  if (session === ownSession(req)) return endOwn(context);
  const ended = await sessions.end(account.id, session);
  if (!ended) return sendSessions(context, 'gone');
  const { device } = ended;
  await recordEnd(context, ended, SESSION_ENDINGS.elsewhere);
  leadTo(context, 'sessions', { kind: 'session-ended', device });
}

/** Redirects to the page of the provider that asks whether to sign out. That page needs no form token of these pages. */
export async function askToSignOut({ res, site }: AccountContext): Promise<void> {
  res.redirect(303, site.base + ROUTES.end_session);
}

/** Signs the person out. The sign-out button of the pages calls this without a further question (SEC-37). */
export async function signOut(context: AccountContext): Promise<void> {
  if (readForm(context).stale) return askToSignOut(context);
  await endOwn(context);
}

async function endOwn(context: AccountContext): Promise<void> {
  const { req, res, site, account, sessions } = context;
  const ended = await sessions.end(account.id, ownSession(req) ?? '');
  if (ended) await recordEnd(context, ended);
  context.forgetSession(req, res);
  await renewSession(req);
  // The browser gets the provider's page about a finished sign-out, because it has a link back to the account pages.
  res.redirect(303, `${site.base}${ROUTES.end_session}/success`);
}

function recordEnd(context: AccountContext, { device, applications }: AccountSession, reason?: string): Promise<void> {
  return record(context, 'session.ended', {
    ...(reason !== undefined && { reason }),
    ...(device && { device }),
    ...(applications.length > 0 && { applications }),
  });
}

function card({ site, language, messages, tokens }: AccountContext, session: AccountSession, current: boolean): Html {
  const words = messages.sessions;
  const { uid, signedInAt, used, applications } = session;
  const device = deviceName(session.device, language);
  const how = methodsOf(session, words.methods);
  const facts: [string, Html][] = [
    [
      words.signedIn,
      html`${timeAgo(signedInAt, language)}, <span class="since">${formatDateTime(signedInAt, language)}</span>`,
    ],
    [words.used, timeAgo(used.at, language, used.orLater ? words.usedAfter : undefined)],
    ...(how ? [[words.how, html`${how}`] as [string, Html]] : []),
    [words.applications, html`${applications.join(', ') || words.noApplications}`],
  ];
  const end = html`<form method="post" action="${pathOf(site, 'sessions')}">${csrfField(tokens[0])}<input type="hidden" name="session" value="${uid}">
<button class="quiet small" id="end-${uid}" type="submit" aria-label="${words.endOf(device, formatDateTime(signedInAt, language))}">${words.end}</button></form>`;
  return html`<li class="box session"${current && html` id="current-session"`}><h2 class="icon-${/Android|iOS/.test(session.device ?? '') ? 'phone' : 'computer'}">${device}</h2>${current && html` <span class="current">${words.current}</span>`}
<dl class="session-facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${!current && end}</li>`;
}

/** Ways to sign in, by the values of `amr` (RFC 8176). */
const METHODS: Readonly<Record<string, 'password' | 'code' | 'passkey'>> = {
  pwd: 'password',
  otp: 'code',
  hwk: 'passkey',
  swk: 'passkey',
  pop: 'passkey',
};

function methodsOf({ methods }: AccountSession, words: AccountContext['messages']['sessions']['methods']): string {
  const named = methods.flatMap((method) => (METHODS[method] ? [words[METHODS[method]]] : []));
  return [...new Set(named)].join(', ');
}

// The rest of the file ends all other sessions with all their tokens (SEC-55). This needs a fresh sign-in (OWASP ASVS 5 7.5.2). The current
// session and the session of the account pages get new ids, so that stolen copies of their cookies become worthless (SEC-33).

/** Shows the page that asks for confirmation. External programs rely on the id of its button, `end-sessions`. */
export async function sendOtherSessionsPage(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { account } = context.messages;
  const text = html`<p class="lead">${account.endSessionsAbout}</p>`;
  const button = { id: 'end-sessions', label: account.endSessionsSubmit };
  const about = { section: 'sessions', title: account.endSessionsTitle, back: 'sessions' } as const;
  sendQuestion(context, { ...about, text, button }, stale);
}

/** Ends the other sessions. */
export async function endOtherSessions(context: AccountContext): Promise<void> {
  if (readForm(context).stale) return sendOtherSessionsPage(context, { stale: true });
  const sessions = await goOnAlone(context);
  if (sessions !== undefined) {
    await record(context, 'account.sessions-ended', { sessions });
  }
  leadTo(context, 'sessions', sessions === undefined ? undefined : { kind: 'sessions-ended', sessions });
}

/**
 * Ends the other sessions and renews the current one. Resolves with the number of ended sessions. If the current session no longer exists,
 * resolves with undefined and ends no session.
 */
export async function goOnAlone(context: AccountContext): Promise<number | undefined> {
  const { req, res } = context;
  const { signedIn } = accountSession(req);
  const ended = signedIn && (await context.endOtherSessions(signedIn, req, res));
  if (!ended) return undefined;
  await renewSession(req);
  req.session.account = { signedIn: { ...signedIn, sessionUid: ended.sessionUid } };
  return ended.sessions;
}
