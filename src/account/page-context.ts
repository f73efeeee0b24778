// Owns a visit of a page of a person's own space, parsed at the door: who is here, and what the browser's session keeps.
// Does not own signing in (`door.ts`) nor the pages (`overview.ts`, `second-factor.ts`).

import type { Request, RequestHandler, Response } from 'express';
import { ACCOUNT_PATH } from '../config/own-client.ts';
import type { AuditTrail } from '../shared/audit/events.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import { LANGUAGE_PARAMETER, type Language } from '../web/language.ts';
import type { Site } from '../web/site.ts';
import type {
  AccountSignIn,
  AllowedApplications,
  BegunSignIn,
  CheckCode,
  Guest,
  NameInDirectory,
  SignedIn,
} from './sign-in.ts';

export interface AccountOptions {
  site: Site;
  signIn: AccountSignIn;
  applications: AllowedApplications;
  secondFactors: Pick<SecondFactors, 'find' | 'propose' | 'secretOf' | 'setUp' | 'renewRecoveryCodes' | 'remove'>;
  /** Nobody signs in with a password alone. */
  secondFactorRequired: boolean;
  checkCode: CheckCode;
  nameInDirectory: NameInDirectory;
  /** express-session, with its cookie on `/account`. */
  session: RequestHandler;
  audit: AuditTrail;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** Id of a request, as in the log. */
  requestId: (req: Request) => string;
}

/** Addresses of the pages, below the space; their forms are posted to them. `fresh`: only soon after a sign-in. */
export const PAGES = {
  overview: { path: '', fresh: false },
  secondFactor: { path: '/second-factor', fresh: true },
  recoveryCodes: { path: '/second-factor/recovery-codes', fresh: true },
  removal: { path: '/second-factor/remove', fresh: true },
} as const satisfies Record<string, { path: string; fresh: boolean }>;

export type PageName = keyof typeof PAGES;

/** Path of a page, as browsers ask for it. */
export function pathOf({ base }: Pick<Site, 'base'>, page: PageName): string {
  return base + ACCOUNT_PATH + PAGES[page].path;
}

/** The address of a page in another language. */
export function languageLinkTo(path: string) {
  return (language: Language) => `${path}?${LANGUAGE_PARAMETER}=${language}`;
}

/** What the browser's session keeps for this space. */
interface Space {
  signedIn?: SignedIn;
  /** Sign-ins that were begun, with the page that was asked for. */
  begun?: (BegunSignIn & { page: PageName })[];
  /** A second factor that is being set up, sealed. */
  proposal?: string;
  /** Said once, on the next overview. */
  notice?: Notice;
}

export type Notice = { kind: 'withdrawn'; client: string } | { kind: 'second-factor-removed' };

declare module 'express-session' {
  interface SessionData {
    space?: Space;
  }
}

/** What the session keeps; made when there is nothing yet. */
export function spaceOf(req: Request): Space {
  req.session.space ??= {};
  return req.session.space;
}

export interface Visit extends Guest {
  language: Language;
}

/** Does what a page is asked for, for who is signed in. */
export type Handler = (options: AccountOptions, req: Request, res: Response, visit: Visit) => Promise<void>;
