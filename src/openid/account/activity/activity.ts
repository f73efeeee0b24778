// A person sees the events of their account from the audit trail: sign-ins, including refused ones, and changes.

import { type AccountContext, pathOf } from '#openid/account/page-context.ts';
import { part, sendSpacePage } from '#openid/account/space-page.ts';
import { html } from '#web/html.ts';
import { languageLink } from '#web/language.ts';
import { eventItem, ownSignIns, PERSONAL_EVENTS } from './event-item.ts';

/** Number of events on a page, and milliseconds that it looks back. Both bound the cost of a page. */
const ON_A_PAGE = 25;
const SINCE = 90 * 86_400_000;

/** Sends one page of events. `older` and `newer` in the address say which one. */
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

/** Parses the position in the address, in the form of a page's links. Any other value counts as none. */
function placeIn(query: Record<string, unknown>): { older?: string; newer?: string } {
  const { older, newer } = query;
  return { ...(typeof older === 'string' && { older }), ...(typeof newer === 'string' && { newer }) };
}
