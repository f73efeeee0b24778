// The buttons at the end of a page on which nothing is left to do: to the application, to one's account, to the home page.

import { ACCOUNT_PATH } from '#config/own-client.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { Application } from './application-home.ts';

/** The first that there is stands out. `account`: what the way to the account is called there. */
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
  // The home page is for who has nowhere else to go.
  const shown = ways.length > 1 ? ways.slice(0, -1) : ways;
  return html`<p class="choices stacked">${shown.map(
    ({ id, href, label }, index) =>
      html`<a class="button${index > 0 && ' quiet'}" id="${id}" href="${href}">${label}</a>`,
  )}</p>`;
}
