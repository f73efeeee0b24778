// A person signs out everywhere else: all sessions but the one they use end, with all that was given in them (SEC-55). The fresh
// sign-in that it takes (OWASP ASVS 5 7.5.2) gives their own another id, and so ends what somebody copied of it.

import { OWN_CLIENT_ID } from '../../config/own-client.ts';
import { problemNotice } from '../../web/components.ts';
import { csrfField, tokensOfSession } from '../../web/forms/csrf.ts';
import { readForm } from '../../web/forms/form.ts';
import { html } from '../../web/html.ts';
import { messagesIn } from '../../web/messages.ts';
import { accountSession, ownSession, type PageContext, pathOf } from '../page-context.ts';
import { sendSpacePage } from '../space-page.ts';

/** Asks whether to. The button's id `end-sessions` is relied on from outside. */
export async function sendOtherSessionsPage(context: PageContext, { stale = false } = {}): Promise<void> {
  const { req, site, language, path } = context;
  const { account: messages } = messagesIn(language);
  const content = html`${stale && problemNotice(messages.stale, html`<p>${messages.staleAdvice}</p>`, { focus: true })}
<p class="lead">${messages.endSessionsAbout}</p>
<form method="post" action="${path}">
${csrfField(tokensOfSession(req.session)[0])}
<div class="choices stacked">
<button id="end-sessions" type="submit">${messages.endSessionsSubmit}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'sessions')}">${messages.cancel}</a>
</div>
</form>`;
  const title = messages.endSessionsTitle;
  sendSpacePage(context, { status: stale ? 403 : 200, section: 'sessions', title, problem: stale, content });
}

/** Ends them. */
export async function endOtherSessions(context: PageContext): Promise<void> {
  const { req, res, site, account, audit } = context;
  if (readForm(req, tokensOfSession(req.session)).stale) return sendOtherSessionsPage(context, { stale: true });
  const sessions = await context.endOtherSessions(account.id, ownSession(req));
  const actor = `account:${account.id}` as const;
  const about = { account: account.id, client: OWN_CLIENT_ID, address: req.ip, details: { sessions } };
  await audit.record({ event: 'account.sessions-ended', actor, ...about });
  accountSession(req).notice = { kind: 'sessions-ended', sessions };
  res.redirect(303, pathOf(site, 'sessions'));
}
