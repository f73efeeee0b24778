// The end of a page: links to the application and to other pages, the people to ask and, in development, a link to the outbox.

import { ACCOUNT_PATH } from '#config/built-in-clients.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';

/**
 * Renders buttons to the application, the account and the home page. The first button stands out. `account` is the label of the button to
 * the account; without it, there is no such button.
 */
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
  // The button to the home page is shown only if there is no other.
  const shown = ways.length > 1 ? ways.slice(0, -1) : ways;
  return html`<p class="choices stacked">${shown.map(
    ({ id, href, label }, index) =>
      html`<a class="button${index > 0 && ' quiet'}" id="${id}" href="${href}">${label}</a>`,
  )}</p>`;
}

/**
 * Says whom a person can ask if they cannot continue alone: the operator's own sentence (`branding.helpText`) and the link to help
 * (`branding.supportUrl`), as far as they are set. If neither is set, a general sentence says it.
 */
export function whomToAsk({ site, language }: Pick<PageFrame, 'site' | 'language'>): Html {
  const { signIn, links } = messagesIn(language);
  const support = linkTarget(site.supportUrl);
  const sentence = site.helpText?.[language] ?? (support ? undefined : links.whomToAsk);
  return html`${sentence} ${support && html`<a href="${support}">${signIn.helpLink}</a>`}`;
}

/**
 * Renders a note for pages that say that a mail was sent: in development, the outbox page shows the mail. Returns undefined if mails are
 * really sent.
 */
export function outboxNote(site: Pick<Site, 'base' | 'outbox'>, language: Language): Html | undefined {
  if (!site.outbox) return undefined;
  const { note, title } = messagesIn(language).mails.outbox;
  return html`<p class="fine">${note} <a id="outbox" href="${site.base}${OUTBOX_PATH}">${title}</a></p>`;
}

/** The part of an application's metadata that is used here. `redirectUris` are its registered callbacks. */
export interface RegisteredApplication {
  clientName?: string | undefined;
  applicationType?: string | undefined;
  clientUri?: string | undefined;
  redirectUris?: readonly string[] | undefined;
}

/** An application with the address of its first page, if that is known. */
export interface Application {
  name: string;
  home?: string;
}

/**
 * Returns an application with its start page, for buttons that lead back to the application. To be safe, the address of the start page is
 * always one that the operator registered, and never one from a request (SEC-03): the home page (`homeUrl`) or else the origin of a
 * callback. The callback is `callback` if that is registered, otherwise the first registered one. Apps on a device have no start page,
 * because their callbacks are no pages. Returns undefined for an application without a name.
 */
export function applicationOf(client: RegisteredApplication, callback?: string): Application | undefined {
  const { clientName: name, applicationType, clientUri, redirectUris = [] } = client;
  if (name === undefined) return undefined;
  if (clientUri !== undefined) return { name, home: clientUri };
  if (applicationType === 'native') return { name };
  const address = callback !== undefined && redirectUris.includes(callback) ? callback : redirectUris[0];
  const url = address === undefined ? null : URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? { name, home: `${url.origin}/` } : { name };
}
