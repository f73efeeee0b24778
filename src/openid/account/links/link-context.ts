// What every handler of a page behind a mailed link works with (SEC-69). Who opens one is not signed in: the link alone says which account.

import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { LINK_PATH } from '#config/own-client.ts';
import type { AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import type { ActionTokens, LinkPurpose } from '#store/accounts/action-tokens.ts';
import type { LinkActions } from '#store/accounts/link-actions.ts';
import type { CsrfTokens } from '#web/forms/csrf.ts';
import { COOKIES, cookieName } from '#web/http/cookie-names.ts';
import { type Language, type LanguageLink, languageLinkTo, languageOf } from '#web/language.ts';
import type { Site } from '#web/site.ts';

/** A mail with a link, to be sent soon; `to`: rather than to the account's own address. */
export interface LinkMail {
  kind: Exclude<LinkPurpose, 'invitation'>;
  accountId: string;
  to?: string;
  language: Language;
  /** `state`: of the account when the mail was asked for; the link is made only if it is still the same. */
  details?: { state: string };
}

/** Puts a mail into the queue. */
export type EnqueueLink = (mail: LinkMail) => Promise<unknown>;

export interface LinkOptions {
  site: Site;
  tokens: Pick<ActionTokens, 'find'>;
  actions: LinkActions;
  /** Asks for a mail to choose a new password, whoever has that login or nobody; false where too many wait. */
  requestReset(request: { login: string; language: Language; address: string }): Promise<boolean>;
  /** Counts a mail for a login or account and from an address; returns 0, or the seconds to wait. */
  countMail(recipient: string, address: string): Promise<number>;
  /** Counts a password that is sent by the link of an account. */
  countLinkUse(accountId: string): Promise<number>;
  hashPassword(password: string): Promise<string>;
  forgetWrongPasswords(login: string): Promise<void>;
  /** Of the forms in one browser, by the id in its cookie. */
  csrfTokens: (id: string) => CsrfTokens;
  /** Seconds that a sign-in may take, and that the link for a forgotten password is good for. */
  signInLifetime: number;
  resetLifetime: number;
  audit: AuditTrail;
  log: { error(fields: object, message: string): void };
}

export interface LinkContext extends LinkOptions {
  req: Request;
  res: Response;
  /** Path of the page, for its forms; with the token of the link, where there is one. */
  path: string;
  /** Token of the link. */
  link: string;
  language: Language;
  languageLink: LanguageLink;
  csrf: CsrfTokens;
  /** Path of the sign-in that this browser came from, where that is known. */
  signIn: string | undefined;
}

/** The context of a request; the browser gets its cookie, which keeps nothing but the sign-in that it came from. */
export function linkContext(options: LinkOptions, req: Request, res: Response): LinkContext {
  const { site } = options;
  const path = `${site.base}${LINK_PATH}${req.path}`;
  const { id, uid } = browserOf(options, req, res);
  return {
    ...options,
    req,
    res,
    path,
    link: String(req.params['token'] ?? ''),
    language: languageOf(req),
    languageLink: languageLinkTo(path),
    csrf: options.csrfTokens(`link ${id}`),
    signIn: uid && `${site.base}/interaction/${uid}`,
  };
}

/** Path of the page on which a mail for a forgotten password is asked for. */
export function forgottenPath({ base }: Pick<Site, 'base'>): string {
  return `${base}${LINK_PATH}/password-reset`;
}

/** Records what the link did in the audit trail; never the link itself. */
export function recordLink(
  { audit, req }: LinkContext,
  event: AuditEventName,
  account: string,
  details?: Record<string, string>,
): Promise<void> {
  return audit.record({ event, actor: `account:${account}`, account, address: req.ip, details });
}

const COOKIE = /^([\w-]{22})(?:~([\w-]{10,64}))?$/;
const UID = /^[\w-]{10,64}$/;

/** What the cookie has: an id for the tokens of forms, and the uid of a sign-in, which opens nothing in another browser. */
function browserOf({ site, signInLifetime }: LinkOptions, req: Request, res: Response) {
  const path = `${site.base}${LINK_PATH}`;
  const name = cookieName(COOKIES.link, { secure: site.secure, path });
  const pair = (req.headers.cookie ?? '').split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  const [, sent, before] = COOKIE.exec(pair?.slice(name.length + 1) ?? '') ?? [];
  const id = sent ?? randomBytes(16).toString('base64url');
  const asked = req.query['sign-in'];
  const uid = typeof asked === 'string' && UID.test(asked) ? asked : before;
  if (id !== sent || uid !== before) {
    const value = uid === undefined ? id : `${id}~${uid}`;
    const attributes = `Path=${path}; Max-Age=${signInLifetime}; HttpOnly; SameSite=Lax${site.secure ? '; Secure' : ''}`;
    res.appendHeader('set-cookie', `${name}=${value}; ${attributes}`);
  }
  return { id, uid };
}
