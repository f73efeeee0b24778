// The context of a request to a page behind a mailed link, and the common parts of these pages (SEC-69). No person is signed in on these
// pages, because the link identifies the account.

import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { ACCOUNT_PATH, LINK_PATH } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import type { AuditEventName } from '#shared/audit/events.ts';
import { deviceDetail } from '#shared/device.ts';
import type { LinkPurpose } from '#store/accounts/action-tokens.ts';
import { type LinkActions, openLinkActions } from '#store/accounts/link-actions.ts';
import { breakable, iconEmblem } from '#web/components.ts';
import { derivedTokens } from '#web/forms/csrf.ts';
import { type FormRequest, formRequest } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { COOKIES, cookieName, cookiesOf, writeCookie } from '#web/http/cookies.ts';
import { languageOf } from '#web/language.ts';
import { sendPage } from '#web/layout.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';

export interface LinkPageOptions
  extends Pick<
    Parts,
    'site' | 'settings' | 'audit' | 'log' | 'mails' | 'actionTokens' | 'signInLimiters' | 'hashing' | 'records'
  > {
  cookieKeys: readonly string[];
}

/** The path of the page contains the token of the link if the page has one. */
export interface LinkContext extends LinkPageOptions, FormRequest {
  actions: LinkActions;
  /** Token of the link. Empty for a page without one. */
  link: string;
  /** Path of the sign-in from which the browser came to these pages. Undefined if there was none. */
  signIn: string | undefined;
}

/**
 * Makes the context of a request. May set a cookie, which only stores an id for form tokens and the sign-in from which the browser came.
 */
export function linkContext(options: LinkPageOptions, req: Request, res: Response): LinkContext {
  const { site } = options;
  const path = `${site.base}${LINK_PATH}${req.path}`;
  const { id, uid } = browserOf(options, req, res);
  const tokens = derivedTokens(options.cookieKeys)(`link ${id}`);
  return {
    ...options,
    ...formRequest({ req, res, path, tokens, language: languageOf(req) }),
    link: String(req.params['token'] ?? ''),
    actions: openLinkActions(options.actionTokens),
    signIn: uid && `${site.base}/interaction/${uid}`,
  };
}

/** Records in the audit trail what a person did with a link. The link itself is never recorded, because it would open the account. */
export function recordLink(
  { audit, req, language }: LinkContext,
  event: AuditEventName,
  account: string,
  details?: Record<string, string>,
): Promise<void> {
  const about = { account, address: req.ip, language, details: { ...details, ...deviceDetail(req) } };
  return audit.record({ event, actor: `account:${account}`, ...about });
}

const COOKIE = /^([\w-]{22})(?:~([\w-]{10,64}))?$/;
const UID = /^[\w-]{10,64}$/;

/**
 * Reads the cookie of these pages, and writes it if it is missing or has changed. The cookie has an id for form tokens and the `uid` of a
 * sign-in. Another browser cannot use this `uid`.
 */
function browserOf({ site, settings }: LinkPageOptions, req: Request, res: Response) {
  const reach = { secure: site.secure, path: `${site.base}${LINK_PATH}` };
  const name = cookieName(COOKIES.link, reach);
  const [, sent, before] = COOKIE.exec(cookiesOf(req).get(name) ?? '') ?? [];
  const id = sent ?? randomBytes(16).toString('base64url');
  const asked = req.query['sign-in'];
  const uid = typeof asked === 'string' && UID.test(asked) ? asked : before;
  if (id !== sent || uid !== before) {
    const value = uid === undefined ? id : `${id}~${uid}`;
    writeCookie(res, `${name}=${value}`, { ...reach, seconds: settings.lifetimes.interaction });
  }
  return { id, uid };
}

/**
 * Answers a request with a link that is not valid: it was used, has expired, was replaced, or the account has changed since. The page does
 * not tell which of these is the reason.
 */
export function sendUselessLink(context: LinkContext, purpose: LinkPurpose): void {
  const { site } = context;
  const { links } = context.messages;
  const ofAddress = purpose === 'email-change' || purpose === 'email-verification';
  const again = site.base + (ofAddress ? `${ACCOUNT_PATH}/email` : `${LINK_PATH}/password-reset`);
  const content = html`<p class="lead">${links.useless.cause}</p>
<p class="remedy">${links.useless.remedy[purpose]}</p>
<div class="choices stacked">
<a class="button" id="again" href="${again}">${ofAddress ? links.useless.toAddress : links.useless.again}</a>
${!ofAddress && html`<a class="button quiet" id="to-sign-in" href="${signInPath(context)}">${links.signIn}</a>`}
</div>
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  const page = { title: links.useless.title, emblem: iconEmblem('warning'), content };
  // The service cannot distinguish a former link from one that never existed, so both get the status 410 Gone.
  sendPage(context, { status: 410, once: context.req.method !== 'GET', ...page });
}

/** Renders an e-mail address on a line of its own. */
export function shownAddress(email: string): Html {
  return html`<strong class="address-shown">${breakable(email)}</strong>`;
}

/**
 * Returns the path of the sign-in from which the browser came. If there was none, returns the path of the account pages, which require a
 * sign-in.
 */
export function signInPath({ site, signIn }: LinkContext): string {
  return signIn ?? `${site.base}${ACCOUNT_PATH}`;
}
