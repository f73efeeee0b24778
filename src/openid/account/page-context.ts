// The context of a request to an account page: the signed-in account, the data of the browser's session, and the services that the pages
// need.

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
import { tokensOfSession } from '#web/forms/csrf.ts';
import { type FormOrigin, type FormRequest, formRequest } from '#web/forms/form.ts';
import type { ChangePassword } from '#web/forms/new-password.ts';
import type { RecoveryCodesFor } from '#web/forms/recovery-codes.ts';
import type { CheckCode } from '#web/forms/second-factor.ts';
import { languageOf } from '#web/language.ts';
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
  /** Absent if passkeys are impossible, because the host of the issuer is an IP address. */
  passkeyRegistration?: PasskeyRegistration | undefined;
  checkCode: CheckCode;
  changePassword: ChangePassword;
  chooseWorkspace: ChooseWorkspace;
  sessions: AccountSessions;
  /**
   * Ends all other sessions of the account with all their tokens, and resolves with their number. The current session gets a new cookie and
   * a new public identifier, and loses the tokens of its applications. If the current session no longer exists, resolves with undefined and
   * ends no session. `store/accounts/end-sessions.ts` does the work.
   */
  endOtherSessions(
    own: SignedIn,
    req: Request,
    res: Response,
  ): Promise<{ sessions: number; sessionUid: string } | undefined>;
  /** Deletes the provider's session cookie in the browser. */
  forgetSession(req: Request, res: Response): void;
  /** The middleware `express-session` for the session of these pages. Its cookie is limited to `/account`. */
  session: RequestHandler;
}

/** Paths of the account pages, below `/account`. The forms of a page are posted to the path of the page. */
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

/** Returns the path of a page with the base path of the service, as a browser requests it. */
export function pathOf({ base }: Pick<Site, 'base'>, page: PageName): string {
  return base + ACCOUNT_PATH + PAGES[page];
}

/**
 * A sign-in in progress, with the page that the browser returns to afterwards. `unsent` is true if the person had sent a form of that page,
 * which had no effect because they had to sign in first.
 */
export type PendingWithPage = PendingSignIn & { page: PageName; unsent?: boolean };

/** The sign-ins in progress in a browser. */
export interface PendingSignIns {
  add(req: IncomingMessage, res: ServerResponse, pending: PendingWithPage): void;
  /** Returns the sign-in with this `state`, and removes it. Undefined if there is none. */
  take(req: IncomingMessage, res: ServerResponse, state: unknown): PendingWithPage | undefined;
}

/** The data that these pages store in the browser's session. */
interface PageSession {
  signedIn?: SignedIn;
  /** The page that required the sign-in. */
  madeFor?: PageName;
  /** The encrypted secret of a second factor that is being set up. */
  proposal?: string;
  /** The purpose of the recovery codes that the person has just seen. Set until the person confirms that they have saved the codes. */
  codesFor?: RecoveryCodesFor | undefined;
  /** The notice that the next page shows once. */
  notice?: Notice;
}

export type Notice =
  | { kind: 'consent-revoked'; client: string }
  | { kind: 'second-factor-removed' | 'password-changed' | 'workspace-chosen' }
  | { kind: 'recovery-codes-saved'; madeFor: RecoveryCodesFor | undefined }
  | { kind: 'passkey-added' | 'passkey-removed'; name: string }
  | { kind: 'passkey-renamed' | 'second-factor-added' | 'welcome' }
  | { kind: 'profile-saved' | 'deletion-requested' | 'deletion-withdrawn' }
  | { kind: 'unsent' }
  | { kind: 'session-ended'; device: string | undefined }
  | { kind: 'email-change-sent' | 'verification-sent'; email: string }
  | { kind: 'sessions-ended'; sessions: number };

declare module 'express-session' {
  interface SessionData {
    account?: PageSession;
  }
}

/**
 * Returns the data of the browser's session. If a person is signed in, the result is the object in the session, so changes of it are
 * stored. If nobody is signed in, the result is an empty object, and changes of it are lost.
 */
export function accountSession(req: Request): PageSession {
  return req.session.account ?? {};
}

/** Returns the public identifier of the person's current session. It is the session that is kept when the person ends the others. */
export function ownSession(req: Request): string | undefined {
  return req.session.account?.signedIn?.sessionUid;
}

/** Redirects the browser to a page. If there is a notice, that page shows it. */
export function leadTo({ req, res, site }: AccountContext, page: PageName, notice?: Notice): void {
  if (notice) accountSession(req).notice = notice;
  res.redirect(303, pathOf(site, page));
}

export interface AccountContext extends AccountOptions, FormRequest {
  account: Account;
}

/** Makes the context of a request. `requireLogin` must have run before, because it sets the account. */
export function accountContext(options: AccountOptions, page: PageName, req: Request, res: Response): AccountContext {
  const account = res.locals['account'] as Account;
  const path = pathOf(options.site, page);
  const language = languageOf(req, account.language);
  const tokens = tokensOfSession(req.session);
  return { ...options, ...formRequest({ req, res, path, tokens, language }), account };
}

/** Returns the origin of a form that was posted to these pages, for the audit trail and for rate limits. */
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
