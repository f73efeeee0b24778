// The end of a page: links to the application and elsewhere, people to ask and, in development, the outbox.

import { ACCOUNT_PATH } from '#config/built-in-clients.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';

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
  // The home page is shown only if there is no other button.
  const shown = ways.length > 1 ? ways.slice(0, -1) : ways;
  return html`<p class="choices stacked">${shown.map(
    ({ id, href, label }, index) =>
      html`<a class="button${index > 0 && ' quiet'}" id="${id}" href="${href}">${label}</a>`,
  )}</p>`;
}

/**
 * Names the people to ask if a person cannot continue alone. The text is the operator's own sentence (`branding.helpText`) or a general
 * one, and the link to help (`branding.supportUrl`) if there is one.
 */
export function whomToAsk({ site, language }: Pick<PageFrame, 'site' | 'language'>): Html {
  const { signIn, links } = messagesIn(language);
  const support = linkTarget(site.supportUrl);
  const sentence = site.helpText?.[language] ?? (support ? undefined : links.whomToAsk);
  return html`${sentence} ${support && html`<a href="${support}">${signIn.helpLink}</a>`}`;
}

/** A note for pages about a sent mail: in development, the outbox page shows the mail. Undefined if mails are really sent. */
export function outboxNote(site: Pick<Site, 'base' | 'outbox'>, language: Language): Html | undefined {
  if (!site.outbox) return undefined;
  const { note, title } = messagesIn(language).mails.outbox;
  return html`<p class="fine">${note} <a id="outbox" href="${site.base}${OUTBOX_PATH}">${title}</a></p>`;
}

/** The metadata of an application that is used here. `redirectUris` are its registered callbacks. */
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
 * Returns an application with the start page for buttons that lead back to it. The address is always one that the operator registered, and
 * never one from a request (SEC-03): the home page (`homeUrl`), or else the origin of a callback. The callback is `callback` if that is
 * registered, otherwise the first one. Apps on a device have no start page, since their callbacks are no pages.
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
