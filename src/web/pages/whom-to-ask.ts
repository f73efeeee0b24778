// Whom to ask, for pages on which a person cannot go on by themselves: what the operator says, else a sentence that fits everywhere.

import { type Html, html, linkTarget } from '#web/html.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';

/** A sentence, and the link to the operator's help where there is one. */
export function whomToAsk({ site, language }: Pick<PageFrame, 'site' | 'language'>): Html {
  const { signIn, links } = messagesIn(language);
  const support = linkTarget(site.supportUrl);
  const sentence = site.helpText?.[language] ?? (support ? undefined : links.whomToAsk);
  return html`${sentence} ${support && html`<a href="${support}">${signIn.helpLink}</a>`}`;
}
