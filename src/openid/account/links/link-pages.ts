// The common parts of all pages behind mailed links: sending them, the text for an expired link, and the way on.

import { ACCOUNT_PATH } from '#config/own-client.ts';
import type { LinkPurpose } from '#store/accounts/action-tokens.ts';
import { breakable, iconEmblem } from '#web/components.ts';
import { type Html, type HtmlValue, html } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import { forgottenPath, type LinkContext } from './link-context.ts';

interface LinkPage {
  /** 200 unless given. */
  status?: number;
  title: string;
  problem?: boolean;
  emblem?: Html;
  content: HtmlValue;
  /** True for a page that asks for a password: it shows the address, so that the person can check it. */
  showAddress?: boolean;
  scripts?: readonly PageScript[];
  /** True if the page cannot be requested again. Then it has no language switch. */
  once?: boolean;
}

/** Sends a page. */
export function sendLinkPage(context: LinkContext, { status = 200, once = false, ...page }: LinkPage): void {
  const { res, site, language, languageLink } = context;
  const frame = { site, language, languageLink: once ? undefined : languageLink };
  pageHeaders(res, { scripts: page.scripts ?? [] });
  res
    .status(status)
    .type('html')
    .send(renderPage({ ...frame, ...page }));
}

/** Answers a link that was used, has expired, was replaced, or belongs to an account that has changed since. It does not say which. */
export function sendUselessLink(context: LinkContext, purpose: LinkPurpose): void {
  const { site, language } = context;
  const { links } = messagesIn(language);
  const ofAddress = purpose === 'email-change' || purpose === 'email-verification';
  const again = ofAddress ? `${site.base}${ACCOUNT_PATH}/email` : forgottenPath(site);
  const content = html`<p class="lead">${links.useless.cause}</p>
<p class="remedy">${links.useless.remedy[purpose]}</p>
<div class="choices stacked">
<a class="button" id="again" href="${again}">${ofAddress ? links.useless.toAddress : links.useless.again}</a>
${!ofAddress && html`<a class="button quiet" id="to-sign-in" href="${signInPath(context)}">${links.signIn}</a>`}
</div>
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  const page = { title: links.useless.title, problem: true, emblem: iconEmblem('warning'), content };
  // 410 Gone also answers a link that never existed: the two cannot be told apart.
  sendLinkPage(context, { status: 410, once: context.req.method !== 'GET', ...page });
}

/** An address on a line of its own. */
export function shownAddress(email: string): Html {
  return html`<strong class="address-shown">${breakable(email)}</strong>`;
}

/** Path of the sign-in: that of the application from which this browser came, otherwise that of the account pages. */
export function signInPath({ site, signIn }: LinkContext): string {
  return signIn ?? `${site.base}${ACCOUNT_PATH}`;
}
