// A notice of a finished action, shown once on the next account page.

import { doneNotice } from '#web/components.ts';
import { formatDuration } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import { deviceName } from '#web/labels.ts';
import { outboxNote } from '#web/pages/ways-on.ts';
import { type AccountContext, accountSession, type Notice } from './page-context.ts';

/** Returns the notice that the session holds, and removes it there. */
export function takeNotice(context: AccountContext): Html | undefined {
  const session = accountSession(context.req);
  const { notice } = session;
  delete session.notice;
  return notice && doneNotice(...textOf(notice, context));
}

function textOf(notice: Notice, context: AccountContext): [title: string, advice: string | Html] {
  const { site, language, settings, messages } = context;
  const { account, passkeys, profile, sessions, workspace, links } = messages;
  const sent = (advice: string) => html`<p>${advice}</p>${outboxNote(site, language)}`;
  switch (notice.kind) {
    case 'consent-revoked':
      return [account.revoked(notice.client), account.revokedAdvice];
    case 'welcome':
      return [links.invitation.doneTitle, links.invitation.done];
    case 'workspace-chosen':
      return [workspace.changed, workspace.changeAbout];
    case 'profile-saved':
      return [profile.saved, profile.savedAbout];
    case 'deletion-requested':
      return [profile.deletionNoted, profile.deletionNotedAbout];
    case 'deletion-withdrawn':
      return [profile.deletionWithdrawn, profile.deletionWithdrawnAbout];
    case 'second-factor-added':
      return [account.appAdded, account.appAddedAdvice];
    case 'second-factor-removed':
      return [account.removed, account.removedAdvice];
    case 'recovery-codes-saved':
      return [account.codesSaved[notice.madeFor ?? 'renewed'], account.codesSavedAdvice];
    case 'passkey-added':
      return [passkeys.added(notice.name), passkeys.addedAdvice];
    case 'passkey-renamed':
      return [passkeys.renamed, passkeys.renamedAdvice];
    case 'passkey-removed':
      return [passkeys.removed(notice.name), passkeys.removedAdvice];
    case 'password-changed':
      return [account.passwordChanged, account.passwordChangedAdvice];
    case 'session-ended':
      return [sessions.ended(deviceName(notice.device, language)), sessions.endedAdvice];
    case 'email-change-sent': {
      const lifetime = formatDuration(settings.lifetimes.emailChange, language);
      return [links.address.sentTitle(notice.email), sent(links.address.changeSent(lifetime))];
    }
    case 'verification-sent':
      return [links.address.sentTitle(notice.email), sent(links.address.verificationSent)];
    case 'sessions-ended':
      return [account.sessionsEnded, account.sessionsEndedAdvice(notice.sessions)];
  }
}
