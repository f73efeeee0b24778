// On pages that say a mail was sent: in development, where it stands instead.

import { type Html, html } from '../html.ts';
import type { Language } from '../language.ts';
import { messagesIn } from '../messages.ts';
import { OUTBOX_PATH, type Site } from '../site.ts';

/** Nothing where mails are sent. */
export function outboxNote(site: Pick<Site, 'base' | 'outbox'>, language: Language): Html | undefined {
  if (!site.outbox) return undefined;
  const { note, title } = messagesIn(language).mails.outbox;
  return html`<p class="fine">${note} <a id="outbox" href="${site.base}${OUTBOX_PATH}">${title}</a></p>`;
}
