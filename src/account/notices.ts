// What was done, shown once on the next page of a person's own space.

import { doneNotice } from '../web/components.ts';
import { deviceName } from '../web/device-name.ts';
import { type Html, html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { messagesIn } from '../web/messages.ts';
import { accountSession, type Notice, type PageContext } from './page-context.ts';

/** The notice that waits, which is then no longer kept. */
export function takeNotice({ req, language }: PageContext): Html | undefined {
  const session = accountSession(req);
  const { notice } = session;
  delete session.notice;
  return notice && shown(notice, language);
}

function shown(notice: Notice, language: Language): Html {
  const { account: messages, sessions, workspace } = messagesIn(language);
  switch (notice.kind) {
    case 'consent-revoked':
      return doneNotice(messages.revoked(notice.client), html`<p>${messages.revokedAdvice}</p>`);
    case 'workspace-chosen':
      return doneNotice(workspace.changed, html`<p>${workspace.changeAbout}</p>`);
    case 'second-factor-removed':
      return doneNotice(messages.removed, html`<p>${messages.removedAdvice}</p>`);
    case 'recovery-codes-saved':
      return doneNotice(messages.codesSaved, html`<p>${messages.codesSavedAdvice}</p>`);
    case 'password-changed':
      return doneNotice(messages.passwordChanged, html`<p>${messages.passwordChangedAdvice}</p>`);
    case 'session-ended':
      return doneNotice(sessions.ended(deviceName(notice.device, language)), html`<p>${sessions.endedAdvice}</p>`);
    case 'sessions-ended':
      return doneNotice(messages.sessionsEnded, html`<p>${messages.sessionsEndedAdvice(notice.sessions)}</p>`);
  }
}
