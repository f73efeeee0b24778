// The common parts of the pages behind mailed links: the text for an expired link, an address, and the way on.

import { ACCOUNT_PATH } from '#config/own-client.ts';
import type { LinkPurpose } from '#store/accounts/action-tokens.ts';
import { breakable, iconEmblem } from '#web/components.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/pages/send-page.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import { forgottenPath, type LinkContext } from './link-context.ts';

/** Answers a link that was used, has expired, was replaced, or belongs to an account that has changed since. It does not say which. */
export function sendUselessLink(context: LinkContext, purpose: LinkPurpose): void {
  const { site } = context;
  const { links } = context.messages;
  const ofAddress = purpose === 'email-change' || purpose === 'email-verification';
  const again = ofAddress ? `${site.base}${ACCOUNT_PATH}/email` : forgottenPath(site);
  const content = html`<p class="lead">${links.useless.cause}</p>
<p class="remedy">${links.useless.remedy[purpose]}</p>
<div class="choices stacked">
<a class="button" id="again" href="${again}">${ofAddress ? links.useless.toAddress : links.useless.again}</a>
${!ofAddress && html`<a class="button quiet" id="to-sign-in" href="${signInPath(context)}">${links.signIn}</a>`}
</div>
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  const page = { title: links.useless.title, emblem: iconEmblem('warning'), content };
  // 410 Gone also answers a link that never existed: the two cannot be told apart.
  sendPage(context, { status: 410, once: context.req.method !== 'GET', ...page });
}

/** An address on a line of its own. */
export function shownAddress(email: string): Html {
  return html`<strong class="address-shown">${breakable(email)}</strong>`;
}

/** Path of the sign-in: that of the application from which this browser came, otherwise that of the account pages. */
export function signInPath({ site, signIn }: LinkContext): string {
  return signIn ?? `${site.base}${ACCOUNT_PATH}`;
}
