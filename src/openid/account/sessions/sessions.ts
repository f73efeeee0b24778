// A person sees where they are signed in, and ends a session from another one. An ordinary sign-in is enough, because this only takes
// access away.

import { accountSession, ownSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { SESSION_ENDINGS } from '#shared/audit/session-endings.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { messagesIn } from '#web/messages.ts';
import { type SessionsProblem, sessionsContent } from './sessions-page.ts';

/** Sends the page with all sessions, the current one first. */
export function sendSessions(context: PageContext): Promise<void> {
  return sendPage(context);
}

/** Ends the session that the form names, if it belongs to this person (SEC-55: with all its tokens). */
export async function endSession(context: PageContext): Promise<void> {
  const { req, res, site, account, sessions } = context;
  const { fields, stale } = readForm(req, tokensOfSession(req.session), ['session']);
  if (stale) return sendPage(context, 'stale');
  const { session = '' } = fields;
  // The current session: the browser must lose its cookies too.
  if (session === ownSession(req)) return res.redirect(303, `${site.base}/logout`);
  const ended = await sessions.end(account.id, session);
  if (!ended) return sendPage(context, 'gone');
  const { device, applications } = ended;
  const details = {
    reason: SESSION_ENDINGS.elsewhere,
    ...(device && { device }),
    ...(applications.length > 0 && { applications }),
  };
  await record(context, 'session.ended', details);
  accountSession(req).notice = { kind: 'session-ended', device };
  res.redirect(303, pathOf(site, 'sessions'));
}

const STATUS = { stale: 403, gone: 404 } as const;

async function sendPage(context: PageContext, problem?: SessionsProblem): Promise<void> {
  const { req, account, language } = context;
  const own = ownSession(req);
  const all = await context.sessions.list(account.id);
  const content = sessionsContent(context, {
    current: all.filter(({ uid }) => uid === own),
    others: all.filter(({ uid }) => uid !== own),
    problem,
  });
  const title = messagesIn(language).account.sections.sessions;
  const status = problem ? STATUS[problem] : 200;
  sendSpacePage(context, { status, section: 'sessions', title, problem: problem !== undefined, content });
}
