// A notice of a finished action, shown once on the next account page.

import { doneNotice } from '#web/components.ts';
import { type Html, html } from '#web/html.ts';
import { deviceName } from '#web/labels.ts';
import { formatDuration } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { outboxNote } from '#web/pages/ways-on.ts';
import { accountSession, type Notice, type PageContext } from './page-context.ts';

/** The notice that waits, which is then no longer kept. */
export function takeNotice(context: PageContext): Html | undefined {
  const session = accountSession(context.req);
  const { notice } = session;
  delete session.notice;
  return notice && shown(notice, context, messagesIn(context.language));
}

function shown(
  notice: Notice,
  { site, language, settings }: PageContext,
  { account: messages, passkeys, profile, sessions, workspace, links }: Messages,
): Html {
  switch (notice.kind) {
    case 'consent-revoked':
      return doneNotice(messages.revoked(notice.client), html`<p>${messages.revokedAdvice}</p>`);
    case 'workspace-chosen':
      return doneNotice(workspace.changed, html`<p>${workspace.changeAbout}</p>`);
    case 'profile-saved':
      return doneNotice(profile.saved, html`<p>${profile.savedAbout}</p>`);
    case 'deletion-requested':
      return doneNotice(profile.deletionNoted, html`<p>${profile.deletionNotedAbout}</p>`);
    case 'deletion-withdrawn':
      return doneNotice(profile.deletionWithdrawn, html`<p>${profile.deletionWithdrawnAbout}</p>`);
    case 'second-factor-added':
      return doneNotice(messages.appAdded, html`<p>${messages.appAddedAdvice}</p>`);
    case 'second-factor-removed':
      return doneNotice(messages.removed, html`<p>${messages.removedAdvice}</p>`);
    case 'recovery-codes-saved':
      return doneNotice(messages.codesSaved, html`<p>${messages.codesSavedAdvice}</p>`);
    case 'passkey-added':
      return doneNotice(passkeys.added(notice.name), html`<p>${passkeys.addedAdvice}</p>`);
    case 'passkey-renamed':
      return doneNotice(passkeys.renamed, html`<p>${passkeys.renamedAdvice}</p>`);
    case 'passkey-removed':
      return doneNotice(passkeys.removed(notice.name), html`<p>${passkeys.removedAdvice}</p>`);
    case 'password-changed':
      return doneNotice(messages.passwordChanged, html`<p>${messages.passwordChangedAdvice}</p>`);
    case 'session-ended':
      return doneNotice(sessions.ended(deviceName(notice.device, language)), html`<p>${sessions.endedAdvice}</p>`);
    case 'email-change-sent': {
      const advice = links.address.changeSent(formatDuration(settings.lifetimes.emailChange, language));
      return doneNotice(links.address.sentTitle(notice.email), html`<p>${advice}</p>${outboxNote(site, language)}`);
    }
    case 'verification-sent':
      return doneNotice(
        links.address.sentTitle(notice.email),
        html`<p>${links.address.verificationSent}</p>${outboxNote(site, language)}`,
      );
    case 'sessions-ended':
      return doneNotice(messages.sessionsEnded, html`<p>${messages.sessionsEndedAdvice(notice.sessions)}</p>`);
  }
}
