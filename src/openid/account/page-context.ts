// The context of every account page: the request, the signed-in account, and the content of the browser's session.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { ACCOUNT_PATH, OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import type { AccountSessions } from '#openid/sessions/account-sessions.ts';
import type { PasskeyRegistration } from '#openid/sign-in/passkey/passkey-registration.ts';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { deviceDetail } from '#shared/device.ts';
import type { Account } from '#store/accounts/account-row.ts';
import type { ChooseWorkspace } from '#store/accounts/links/links-in-force.ts';
import { type CsrfTokens, tokensOfSession } from '#web/forms/csrf.ts';
import type { FormOrigin } from '#web/forms/form.ts';
import type { ChangePassword } from '#web/forms/new-password.ts';
import type { RecoveryCodesFor } from '#web/forms/recovery-codes.ts';
import type { CheckCode } from '#web/forms/second-factor.ts';
import { type Language, type LanguageLink, languageLinkTo, languageOf } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import type { Site } from '#web/site.ts';
import type { AllowedApplications } from './applications/allowed-applications.ts';
import type { AccountSignIn, PendingSignIn, SignedIn } from './sign-in/account-sign-in.ts';

export interface AccountOptions
  extends Pick<
    Parts,
    | ('site' | 'settings' | 'audit' | 'log' | 'clients' | 'isShared' | 'edition' | 'labelInDirectory' | 'mails')
    | ('accounts' | 'secondFactors' | 'passkeys' | 'pictures' | 'accountDeletion' | 'actionTokens' | 'signInLimiters')
    | ('activity' | 'auditEvents')
  > {
  signIn: AccountSignIn;
  pending: PendingSignIns;
  applications: AllowedApplications;
  /** Absent if browsers make no passkeys here, because the issuer is a network address. */
  passkeyRegistration?: PasskeyRegistration | undefined;
  checkCode: CheckCode;
  changePassword: ChangePassword;
  chooseWorkspace: ChooseWorkspace;
  sessions: AccountSessions;
  /**
   * Ends all other sessions of the account with all their tokens, and returns their number. The current session gets a new cookie and a new
   * public identifier, and loses the tokens of its applications. Returns undefined and ends nothing if the current session is gone.
   * `store/accounts/end-sessions.ts` does the work.
   */
  endOtherSessions(
    own: SignedIn,
    req: Request,
    res: Response,
  ): Promise<{ sessions: number; sessionUid: string } | undefined>;
  /** Deletes the provider's session cookie in the browser. */
  forgetSession(req: Request, res: Response): void;
  /** express-session, with its cookie on `/account`. */
  session: RequestHandler;
}

/** Paths of the pages below `/account`. The forms of a page are posted to its path. */
export const PAGES = {
  profile: '',
  welcome: '/welcome',
  newPassword: '/welcome-back',
  email: '/email',
  workspace: '/workspace',
  editProfile: '/profile',
  data: '/data',
  deletion: '/deletion',
  withdrawDeletion: '/deletion/withdraw',
  security: '/security',
  password: '/password',
  passkeys: '/passkeys',
  secondFactor: '/second-factor',
  recoveryCodes: '/second-factor/recovery-codes',
  savedCodes: '/second-factor/recovery-codes/saved',
  removal: '/second-factor/remove',
  applications: '/applications',
  sessions: '/sessions',
  otherSessions: '/sessions/others',
  activity: '/activity',
  signOut: '/sign-out',
} as const;

export type PageName = keyof typeof PAGES;

/** Path of a page as a browser requests it. */
export function pathOf({ base }: Pick<Site, 'base'>, page: PageName): string {
  return base + ACCOUNT_PATH + PAGES[page];
}

/** A sign-in that is under way, with the page to return to. */
export type PendingWithPage = PendingSignIn & { page: PageName };

/** Sign-ins that are under way in a browser. */
export interface PendingSignIns {
  add(req: IncomingMessage, res: ServerResponse, pending: PendingWithPage): void;
  /** Returns the sign-in with this state, and removes it. */
  take(req: IncomingMessage, res: ServerResponse, state: unknown): PendingWithPage | undefined;
}

/** Data that the browser's session keeps for these pages. */
interface PageSession {
  signedIn?: SignedIn;
  /** The page for which the person signed in. */
  madeFor?: PageName;
  /** The encrypted secret of a second factor that is being set up. */
  proposal?: string;
  /** The user handle for the account's first passkey, until the account has one. */
  passkeyUser?: string;
  /**
   * The purpose of the recovery codes that the person has just seen. The session keeps it until the person says that the codes are kept.
   */
  codesFor?: RecoveryCodesFor | undefined;
  /** The notice for the next page, which shows it once. */
  notice?: Notice;
}

export type Notice =
  | { kind: 'consent-revoked'; client: string }
  | { kind: 'second-factor-removed' | 'password-changed' | 'workspace-chosen' }
  | { kind: 'recovery-codes-saved'; madeFor: RecoveryCodesFor | undefined }
  | { kind: 'passkey-added' | 'passkey-removed'; name: string }
  | { kind: 'passkey-renamed' | 'second-factor-added' | 'welcome' }
  | { kind: 'profile-saved' | 'deletion-requested' | 'deletion-withdrawn' }
  | { kind: 'session-ended'; device: string | undefined }
  | { kind: 'email-change-sent' | 'verification-sent'; email: string }
  | { kind: 'sessions-ended'; sessions: number };

declare module 'express-session' {
  interface SessionData {
    account?: PageSession;
  }
}

/** The session's data for these pages. It is never missing for a signed-in person. */
export function accountSession(req: Request): PageSession {
  return req.session.account ?? {};
}

/** Public identifier of the person's current session. It stays when the person ends the other sessions. */
export function ownSession(req: Request): string | undefined {
  return req.session.account?.signedIn?.sessionUid;
}

/** Redirects to a page, which shows the notice if there is one. */
export function leadTo({ req, res, site }: AccountContext, page: PageName, notice?: Notice): void {
  if (notice) accountSession(req).notice = notice;
  res.redirect(303, pathOf(site, page));
}

export interface AccountContext extends AccountOptions {
  req: Request;
  res: Response;
  account: Account;
  /** Path of the page. */
  path: string;
  language: Language;
  languageLink: LanguageLink;
  messages: Messages;
  /** Form tokens of the page, against cross-site requests. */
  tokens: CsrfTokens;
}

/** The context of a request that `requireLogin` let through. */
export function accountContext(options: AccountOptions, page: PageName, req: Request, res: Response): AccountContext {
  const account = res.locals['account'] as Account;
  const path = pathOf(options.site, page);
  const language = languageOf(req, account.language);
  const tokens = tokensOfSession(req.session);
  const words = { language, languageLink: languageLinkTo(path), messages: messagesIn(language) };
  return { ...options, req, res, account, path, tokens, ...words };
}

/** Where a form of these pages comes from. */
export function originOf({ req, language }: AccountContext): FormOrigin {
  return { client: OWN_CLIENT_ID, address: req.ip ?? '', about: deviceDetail(req), language };
}

/** Records a person's action on these pages in the audit trail. */
export function record(
  { audit, req, language, account: { id } }: AccountContext,
  event: AuditEventName,
  details?: AuditEvent['details'],
): Promise<void> {
  const about = { account: id, client: OWN_CLIENT_ID, address: req.ip, language };
  return audit.record({ event, actor: `account:${id}`, ...about, details: { ...deviceDetail(req), ...details } });
}
