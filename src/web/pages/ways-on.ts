// The end of a page: links to go on, people to ask and, in development, the outbox.

import { ACCOUNT_PATH } from '#config/own-client.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';
import type { Application } from './application-home.ts';

/** Buttons to the application, the account and the home page. The first one stands out. `account` is the label of the account's button. */
export function waysOn(
  { site, language }: PageFrame,
  { application, account }: { application?: Application | undefined; account?: string | undefined },
): Html {
  const { waysOn } = messagesIn(language);
  const home = linkTarget(application?.home);
  const ways = [
    home !== undefined && application && { id: 'application', href: home, label: waysOn.open(application.name) },
    account !== undefined && { id: 'account', href: `${site.base}${ACCOUNT_PATH}`, label: account },
    { id: 'home', href: `${site.base}/`, label: waysOn.home },
  ].filter((way) => typeof way === 'object');
  // The home page is shown only where there is no other way.
  const shown = ways.length > 1 ? ways.slice(0, -1) : ways;
  return html`<p class="choices stacked">${shown.map(
    ({ id, href, label }, index) =>
      html`<a class="button${index > 0 && ' quiet'}" id="${id}" href="${href}">${label}</a>`,
  )}</p>`;
}

/**
 * Names the people to ask when a person cannot go on alone: the operator's own sentence or a general one, and the link to help if there is
 * one.
 */
export function whomToAsk({ site, language }: Pick<PageFrame, 'site' | 'language'>): Html {
  const { signIn, links } = messagesIn(language);
  const support = linkTarget(site.supportUrl);
  const sentence = site.helpText?.[language] ?? (support ? undefined : links.whomToAsk);
  return html`${sentence} ${support && html`<a href="${support}">${signIn.helpLink}</a>`}`;
}

/** A note on pages about a sent mail: in development, the mail is on the outbox page. Undefined if mails are really sent. */
export function outboxNote(site: Pick<Site, 'base' | 'outbox'>, language: Language): Html | undefined {
  if (!site.outbox) return undefined;
  const { note, title } = messagesIn(language).mails.outbox;
  return html`<p class="fine">${note} <a id="outbox" href="${site.base}${OUTBOX_PATH}">${title}</a></p>`;
}
