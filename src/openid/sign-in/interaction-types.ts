// What the sign-in pages need from others, as types: the interactions of the OpenID provider, the check of a password.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Place } from '#shared/fair-queue.ts';
import type { SignInMethod } from '#shared/sign-in-methods.ts';
import type { Application } from '#web/pages/application-home.ts';

/** A client's request that waits for a person to sign in or to agree. */
export interface InteractionDetails {
  uid: string;
  prompt: 'login' | 'consent' | 'select_account' | 'workspace';
  client: { id: string; name: string };
  /** Asked for and not yet granted. */
  scopes: readonly string[];
  /** Seconds for which `offline_access` lasts at most, where it is asked for. */
  offlineFor?: number;
  /** Who is signed in already. */
  account?: {
    id: string;
    name: string;
    email?: string;
    /** Of the pages, where the person has chosen one. */
    language?: string;
    /** Public identifier. */
    sessionUid?: string;
  };
  /** Places of work to choose between: more than one, and the request asks. */
  workspaces?: { ids: readonly string[]; current?: string };
  /** Nobody comes to the client with a password alone. */
  secondFactorRequired: boolean;
  /** The sign-in of `account` holds; only a second factor is missing. */
  passwordProved: boolean;
  uiLocales?: string;
  loginHint?: string;
  /** The `redirect_uri`: where the browser goes in the end. */
  callback: string;
  /** The client's other registered addresses: where its callback may send the browser on to. */
  addresses?: readonly string[];
}

/** How a person was authenticated. */
interface LoginResult {
  accountId: string;
  /** What was shown just now. */
  methods: readonly SignInMethod[];
  /** Second of the account's reading that the password or passkey was compared with (`signInTime`). */
  signedInAt: number;
}

/** How a sign-in ended. */
export interface FinishedSignIn {
  /**
   * `cancelled` before anybody was known; `refused` when asked for consent; `over`: who signed in is signed in no more, in this
   * browser.
   */
  outcome: 'signed-in' | 'cancelled' | 'refused' | 'over';
  /** Undefined for a person's own account pages, and when it is registered no more. */
  application?: Application;
}

export interface Interactions {
  /** Throws `InteractionExpired` when the request is over or belongs to another browser (SEC-35). */
  details(req: IncomingMessage, res: ServerResponse): Promise<InteractionDetails>;
  /** What became of the sign-in with this uid, in this browser; undefined when it did not end here, or long ago. */
  finished(req: IncomingMessage, res: ServerResponse, uid: string): Promise<FinishedSignIn | undefined>;
  // Each of these ends the response with a 303 (SEC-29), but for what is refused.
  finishLogin(req: IncomingMessage, res: ServerResponse, login: LoginResult): Promise<void>;
  finishConsent(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Goes on with who is signed in, in this place of work; `refused` when the account is not, or no longer, linked to it. */
  keepAccount(req: IncomingMessage, res: ServerResponse, workspace?: string): Promise<'refused' | undefined>;
  abort(req: IncomingMessage, res: ServerResponse): Promise<void>;
  switchAccount(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/** Who signed in; or why nobody did, which only the audit trail may record. */
type Authenticated =
  | {
      accountId: string;
      /** The address, or the id of an account without one (`loginOf`). */
      email: string;
      /** Another password has another one. */
      mark: string;
      /** Second: a change of the account since then ends what comes of this sign-in. */
      signedInAt: number;
      /** An operator chose it. */
      passwordChangeRequired: boolean;
      refused?: undefined;
    }
  | { accountId?: undefined; refused: 'no-account' }
  /** `disabled`: the password was right. */
  | { accountId: string; refused: 'no-password' | 'password' | 'disabled' };

/**
 * Refuses an unknown account, a wrong password and a disabled account in the same time (SEC-39); `place`: in the queue of hashes.
 * Throws `TooManyHashes` when the password was not looked at because too many wait.
 */
export type Authenticate = (login: string, password: string, place: Place) => Promise<Authenticated>;

/** Whether a password that was right still is: the account is active, and its password the one with this mark. */
export type StillRight = (accountId: string, mark: string) => Promise<boolean>;

/** The sign-in that a page belongs to is over, or was begun in another browser. */
export class InteractionExpired extends Error {
  constructor() {
    super('the sign-in is over or was begun in another browser; start again from the application');
  }
}
