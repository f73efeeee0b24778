// Shows a person the events of their account from the audit trail: changes and sign-ins, including refused sign-ins. Each event is shown
// with its kind and time and, as far as they are known, its device, application, network address and actor.

import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { type AccountContext, pathOf } from '#openid/account/page-context.ts';
import { part, sendSpacePage } from '#openid/account/space-page.ts';
import type { AuditEventName } from '#shared/audit/events.ts';
import { SESSION_ENDINGS, type SessionEnding } from '#shared/audit/events.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { timeAgo } from '#web/components.ts';
import { formatDateTime } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import { languageLink } from '#web/language.ts';
import { deviceName, type Messages, messagesIn } from '#web/messages.ts';

/**
 * Maximum number of events on a page, and maximum age of the events in milliseconds. Without these limits, a page of an account with many
 * events would take long.
 */
const ON_A_PAGE = 25;
const SINCE = 90 * 86_400_000;

/** Sends one page of the list of events. The parameter `older` or `newer` in the address selects the page. */
export async function sendActivity(context: AccountContext): Promise<void> {
  const { req, site, account } = context;
  const { activity: messages, account: words } = context.messages;
  const { records, older, newer } = await context.activity.page(account.id, {
    events: PERSONAL_EVENTS,
    since: Date.now() - SINCE,
    limit: ON_A_PAGE,
    ...placeIn(req.query),
  });
  const own = ownSignIns(records);
  const path = pathOf(site, 'activity');
  const link = (way: 'older' | 'newer', place: string | undefined) =>
    place !== undefined &&
    html`<a class="button quiet" id="${way}" href="${path}?${way}=${place}">${messages[way]}</a>`;
  const list =
    records.length > 0
      ? html`<ol class="activity">${records.map((record) => eventItem(context, record, own))}</ol>`
      : html`<p>${messages.none}</p>`;
  const content = html`<p class="lead">${messages.about}</p>
${list}
${(older ?? newer) !== undefined && html`<nav class="choices" aria-label="${messages.pages}">${link('newer', newer)}${link('older', older)}</nav>`}
${part(
  'not-you',
  messages.notYou,
  html`<p>${messages.notYouAdvice}</p>
<ul class="actions"><li><a class="action" href="${pathOf(site, 'password')}">${words.changePassword}</a></li>
<li><a class="action" href="${pathOf(site, 'sessions')}">${messages.sessionsLink}</a></li></ul>`,
)}`;
  const title = words.sections.activity;
  sendSpacePage({ ...context, languageLink: languageLink(req) }, { section: 'activity', title, content });
}

/**
 * Reads the parameters `older` and `newer`, which the links of the list put into the address. A value that is not a single text is ignored.
 */
function placeIn(query: Record<string, unknown>): { older?: string; newer?: string } {
  const { older, newer } = query;
  return { ...(typeof older === 'string' && { older }), ...(typeof newer === 'string' && { newer }) };
}

/**
 * Returns the ids of the sign-ins that succeeded. A failed step with one of these ids was a mistake of the person, and not the attempt of a
 * stranger (`stepDetail`).
 */
function ownSignIns(records: readonly AuditRecord[]): ReadonlySet<unknown> {
  const succeeded = records.filter(({ event }) => event === 'sign-in.succeeded');
  return new Set(succeeded.flatMap(({ details }) => details?.['signIn'] ?? []));
}

/**
 * Renders an event. Returns false if there is nothing to show, for example because another release recorded the event and this one has no
 * title for it.
 */
function eventItem(context: AccountContext, record: AuditRecord, own: ReadonlySet<unknown>): Html | false {
  const { language, messages } = context;
  const title = endingOf(record, messages) ?? titleOf(record.event, messages);
  const more = moreOf(record, messages);
  if (title === undefined || (record.event === 'audit.counted' && more.length === 0)) return false;
  const facts = [...more, ...howOf(record, messages), ...whereOf(context, record), ...byWhom(context, record, own)];
  const at = Math.floor(Date.parse(record.time) / 1000);
  const isRefusal = record.outcome === 'failure' && record.event !== 'audit.counted';
  return html`<li class="${isRefusal ? 'refused icon-refused' : `icon-${iconOf(record.event)}`}"><h2>${title}</h2>
<p>${timeAgo(at, language)}, ${formatDateTime(at, language)}</p>
${facts.length > 0 && html`<ul>${facts.map((fact) => html`<li>${fact}</li>`)}</ul>`}</li>`;
}

/** Returns the name of the icon for the kind of event. */
function iconOf(event: string): string {
  if (/^(passkey|second-factor|recovery-code)/.test(event)) return 'key';
  if (/^(consent|token)/.test(event)) return 'apps';
  if (/^session/.test(event)) return 'leave';
  return event.startsWith('sign-in') ? 'check' : 'person';
}

/** Returns a text for the reason why a session ended. Undefined if the event is about something else, or if the person signed out. */
function endingOf({ event, details }: AuditRecord, { activity }: Messages): string | undefined {
  if (event !== 'session.ended') return undefined;
  const endings = Object.entries(SESSION_ENDINGS) as [SessionEnding, string][];
  const ending = endings.find(([, reason]) => reason === details?.['reason'])?.[0];
  return ending && activity.endings[ending];
}

/**
 * Returns a list with a text for a record `audit.counted`, which states how many events of one kind have no record of their own, because
 * there were too many. The list is empty for any other record, and if people are not shown events of this kind.
 */
function moreOf({ event, details }: AuditRecord, messages: Messages): string[] {
  const title = event === 'audit.counted' ? titleOf(String(details?.['of']), messages) : undefined;
  return title === undefined ? [] : [messages.activity.times(Number(details?.['count']), title)];
}

function howOf({ event, details }: AuditRecord, { activity }: Messages): string[] {
  const { methods, reasons } = activity;
  if (event === 'sign-in.succeeded' && Array.isArray(details?.['methods'])) {
    const named = details['methods'].flatMap((method) => wordFor(methods, method));
    return named.length > 0 ? [activity.how(named.join(' + '))] : [];
  }
  return event === 'sign-in.failed' ? wordFor(reasons, details?.['reason']) : [];
}

function wordFor(words: Readonly<Record<string, string>>, value: unknown): string[] {
  const word = typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;
  return word === undefined ? [] : [word];
}

function whereOf(context: AccountContext, { event, client, address, details }: AuditRecord): string[] {
  const { clients, language } = context;
  const { activity } = context.messages;
  const device = details?.['device'];
  // The account pages are named as the application of a sign-in, but not of a change. All changes are made in these pages, so their name
  // would tell nothing.
  const own = event.startsWith('sign-in.') && activity.account;
  const application =
    client === OWN_CLIENT_ID ? own : client && (clients.find(client)?.name ?? activity.formerApplication);
  return [
    ...(typeof device === 'string' ? [deviceName(device, language)] : []),
    ...(application ? [application] : []),
    ...(address ? [activity.address(address)] : []),
  ];
}

/** Returns a list with a text for the actor of an event. The list is empty if the actor was the person. */
function byWhom(
  { account, clients, messages }: AccountContext,
  { actor, details }: AuditRecord,
  own: ReadonlySet<unknown>,
): string[] {
  const { by, formerApplication } = messages.activity;
  const [kind, id = ''] = actor.split(/:(.*)/s);
  if (kind === 'account') return id === account.id ? [] : [by.other];
  if (kind === 'client') return [clients.find(id)?.name ?? formerApplication];
  if (kind === 'operator' || kind === 'service') return [by[kind]];
  if (own.has(details?.['signIn'])) return [by.self];
  return [details?.['known'] === true ? by.known : by.unknown];
}

/** Events that people see. The messages have a title for each of them. */
type PersonalEvent = keyof Messages['activity']['events'];

/** Events that people do not see, because they are about machines or operators, or because each single sign-on causes them. */
type NotForPeople =
  | `${'key' | 'clients' | 'directory' | 'service' | 'audit' | 'backup' | 'restore' | 'mail' | 'logout-token' | 'client'}.${string}`
  | 'account.imported'
  | 'authorization.refused'
  | 'offline-access.left-out'
  | 'token.issued'
  | 'token.refreshed'
  | 'token.refused'
  | 'token.revoked';

type None<Forgotten extends never> = Forgotten;

/**
 * There is a type error here if a new event is neither in `PersonalEvent` nor in `NotForPeople`. The event then needs a title in
 * `src/web/messages/fr/profile.ts` or an entry in `NotForPeople`.
 */
export type Forgotten = None<Exclude<AuditEventName, PersonalEvent | NotForPeople>>;

/**
 * The events that are searched for. An event that only another release records is not among them, because this release has no title for it.
 */
const PERSONAL_EVENTS = Object.keys(messagesIn('fr').activity.events) as AuditEventName[];

/** Returns the title of an event. Undefined if people do not see this event, or if only another release knows it. */
function titleOf(event: string, { activity }: Messages): string | undefined {
  return Object.hasOwn(activity.events, event) ? activity.events[event as PersonalEvent] : undefined;
}
