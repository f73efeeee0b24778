// A person signs out everywhere else: all other sessions end, with all their tokens (SEC-55). This needs a fresh sign-in (OWASP ASVS 5
// 7.5.2). The current session and these pages get new ids, so that a copy of the cookies is worthless from then on (SEC-33).

import { accountSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { messagesIn } from '#web/messages.ts';

/** Asks whether to. The button's id `end-sessions` is relied on from outside. */
export async function sendOtherSessionsPage(context: PageContext, { stale = false } = {}): Promise<void> {
  const { req, site, language, path } = context;
  const { account: messages } = messagesIn(language);
  const content = html`${stale && staleNotice(language)}
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
  const { req, res, site } = context;
  if (readForm(req, tokensOfSession(req.session)).stale) return sendOtherSessionsPage(context, { stale: true });
  const sessions = await goOnAlone(context);
  if (sessions === undefined) return res.redirect(303, pathOf(site, 'sessions'));
  await record(context, 'account.sessions-ended', { sessions });
  accountSession(req).notice = { kind: 'sessions-ended', sessions };
  res.redirect(303, pathOf(site, 'sessions'));
}

/**
 * Ends the other sessions and renews the current one. Returns how many there were, or undefined if the current one is gone: then nothing
 * was ended.
 */
export async function goOnAlone(
  context: Pick<PageContext, 'req' | 'res' | 'endOtherSessions'>,
): Promise<number | undefined> {
  const { req, res } = context;
  const { signedIn } = accountSession(req);
  const ended = signedIn && (await context.endOtherSessions(signedIn, req, res));
  if (!ended) return undefined;
  await renewSession(req);
  req.session.account = { signedIn: { ...signedIn, sessionUid: ended.sessionUid } };
  return ended.sessions;
}
