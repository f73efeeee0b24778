// Lets a person sign out everywhere else: all other sessions end, with all their tokens (SEC-55). This needs a fresh sign-in (OWASP ASVS 5
// 7.5.2). The current session, and the one of the account pages, get new ids. So a copy of the cookies is worthless from then on (SEC-33).

import { type AccountContext, accountSession, leadTo, record } from '#openid/account/page-context.ts';
import { sendQuestion } from '#openid/account/space-page.ts';
import { readForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';

/** Asks for confirmation. Programs of others rely on the button's id `end-sessions`. */
export async function sendOtherSessionsPage(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { account } = context.messages;
  const text = html`<p class="lead">${account.endSessionsAbout}</p>`;
  const button = { id: 'end-sessions', label: account.endSessionsSubmit };
  const about = { section: 'sessions', title: account.endSessionsTitle, back: 'sessions' } as const;
  sendQuestion(context, { ...about, text, button }, stale);
}

/** Ends the other sessions. */
export async function endOtherSessions(context: AccountContext): Promise<void> {
  const { req, tokens } = context;
  if (readForm(req, tokens).stale) return sendOtherSessionsPage(context, { stale: true });
  const sessions = await goOnAlone(context);
  if (sessions !== undefined) {
    await record(context, 'account.sessions-ended', { sessions });
  }
  leadTo(context, 'sessions', sessions === undefined ? undefined : { kind: 'sessions-ended', sessions });
}

/**
 * Ends the other sessions and renews the current one. Returns the number of ended sessions. Returns undefined and ends nothing if the
 * current session is gone.
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
