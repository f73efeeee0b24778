// On pages that say a mail was sent: in development, where it stands instead.

import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';

/** Nothing where mails are sent. */
export function outboxNote(site: Pick<Site, 'base' | 'outbox'>, language: Language): Html | undefined {
  if (!site.outbox) return undefined;
  const { note, title } = messagesIn(language).mails.outbox;
  return html`<p class="fine">${note} <a id="outbox" href="${site.base}${OUTBOX_PATH}">${title}</a></p>`;
}
