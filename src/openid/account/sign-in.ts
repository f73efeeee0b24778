// What the account pages need from others, as types: the service as an OpenID client of itself, the applications that a
// person has allowed.

import type { Account } from '#store/accounts/account-row.ts';

/** A sign-in that is under way: what its answer is compared with. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** Which session at the OpenID provider the person came from. Kept in the browser's session. */
export interface SignedIn {
  accountId: string;
  sessionUid: string;
  grantId: string;
  /** Second of the login, where it was made for these pages rather than by a session of another sign-in. */
  authTime?: number;
}

export interface AccountSignIn {
  /** Where to send the browser; `fresh`: the person has to log in, whatever session there is. */
  begin(wishes: { language: string; fresh: boolean }): { location: string; pending: PendingSignIn };
  /** Redeems the code of an answer, once; undefined when it does not belong to this sign-in, or comes too late. */
  finish(code: string, pending: PendingSignIn): Promise<SignedIn | undefined>;
  /** Undefined from the moment at which the session ends, wherever that happens, or the account is disabled. */
  account(signedIn: SignedIn): Promise<Account | undefined>;
}

/** An application that the person has allowed something. */
export interface AllowedApplication {
  id: string;
  name: string;
  scopes: readonly string[];
  /** Second of the last consent. */
  since: number;
}

export interface AllowedApplications {
  list(accountId: string): Promise<AllowedApplication[]>;
  /** Revokes the consent, with all that the application holds; returns whether there was anything. */
  revoke(accountId: string, clientId: string): Promise<boolean>;
}
