// Renders a person's sessions: device, time, sign-in method and applications, with buttons to end them.

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { part } from '#openid/account/space-page.ts';
import type { AccountSession } from '#openid/sessions/account-sessions.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { type Html, html } from '#web/html.ts';
import { deviceName } from '#web/labels.ts';
import { formatDateTime, type Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** `gone` means that the account has no such session, or no longer has it. */
export type SessionsProblem = 'stale' | 'gone';

interface Shown {
  current: readonly AccountSession[];
  others: readonly AccountSession[];
  problem: SessionsProblem | undefined;
}

export function sessionsContent(context: PageContext, { current, others, problem }: Shown): Html {
  const { language, site } = context;
  const { sessions: messages, account } = messagesIn(language);
  const cards = [...current.map((one) => card(context, one, true)), ...others.map((one) => card(context, one, false))];
  const elsewhere =
    others.length > 0
      ? html`<p>${messages.othersAbout}</p>
<p><a class="action" id="end-all" href="${pathOf(site, 'otherSessions')}">${account.endSessions}</a></p>`
      : html`<p>${messages.onlyThis}</p>`;
  return html`${problem && problemOf(problem, language)}
<p class="lead">${messages.about}</p>
<ul class="allowed" id="open-sessions">${cards}</ul>
${part('elsewhere', messages.others, elsewhere)}
${part('not-you', messages.notYou, notYou(context))}`;
}

function card({ req, site, language }: PageContext, session: AccountSession, current: boolean): Html {
  const { sessions: messages } = messagesIn(language);
  const { uid, signedInAt, used, applications } = session;
  const device = deviceName(session.device, language);
  const how = methodsOf(session, language);
  const facts: [string, Html][] = [
    [messages.signedIn, time(signedInAt, language)],
    [messages.used, time(used.at, language, used.orLater ? messages.usedAfter : undefined)],
    ...(how ? [[messages.how, html`${how}`] as [string, Html]] : []),
    [messages.applications, html`${applications.join(', ') || messages.noApplications}`],
  ];
  const end = html`<form method="post" action="${pathOf(site, 'sessions')}">${csrfField(tokensOfSession(req.session)[0])}<input type="hidden" name="session" value="${uid}">
<button class="quiet small" id="end-${uid}" type="submit" aria-label="${messages.endOf(device, formatDateTime(signedInAt, language))}">${messages.end}</button></form>`;
  return html`<li class="box session"${current && html` id="current-session"`}><h2>${device}</h2>${current && html` <span class="current">${messages.current}</span>`}
<dl class="session-facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${!current && end}</li>`;
}

/** Advice for a session or event that the person does not recognise. */
function notYou({ site, language }: PageContext): Html {
  const { sessions: messages, account } = messagesIn(language);
  return html`<p>${messages.notYouAdvice}</p>
<p><a class="action" href="${pathOf(site, 'password')}">${account.changePassword}</a></p>`;
}

function problemOf(problem: SessionsProblem, language: Language): Html {
  const { sessions, account } = messagesIn(language);
  const [title, advice] =
    problem === 'stale' ? [account.stale, account.staleAdvice] : [sessions.notFound, sessions.notFoundAdvice];
  return problemNotice(title, html`<p>${advice}</p>`, { focus: true });
}

/** A time that programs can read too, inside a phrase if there is one. */
function time(seconds: number, language: Language, phrase = (text: string) => text): Html {
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${phrase(formatDateTime(seconds, language))}</time>`;
}

/** Ways to sign in, by the values of RFC 8176 that `amr` has. */
const METHODS: Readonly<Record<string, 'password' | 'code' | 'passkey'>> = {
  pwd: 'password',
  otp: 'code',
  hwk: 'passkey',
  swk: 'passkey',
  pop: 'passkey',
};

function methodsOf({ methods }: AccountSession, language: Language): string {
  const words = messagesIn(language).sessions.methods;
  const named = methods.flatMap((method) => (METHODS[method] ? [words[METHODS[method]]] : []));
  return [...new Set(named)].join(', ');
}
