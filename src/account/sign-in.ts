// Owns what a person's own space needs from the rest of the house: who is signed in, and what they allowed applications.
// Does not own how it is done: `src/oidc/` and `src/server/app.ts` provide it.

import type { Account } from '../store/accounts/accounts.ts';
import type { CodeFault } from '../web/second-factor.ts';

/** A sign-in that was begun: what its answer is compared with. Kept in the browser's session. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** Which sign-in session at the OpenID provider the person came from. Kept in the browser's session. */
export interface SignedIn {
  accountId: string;
  sessionUid: string;
  grantId: string;
  /** Second at which the person proved who they are, where that was done for this sign-in: not by a session of another one. */
  provedAt?: number;
}

/** Who is here at this moment. */
export interface Guest {
  account: Account;
}

export interface AccountSignIn {
  /** Where to send the browser; `anew`: the person is asked for the proof, whatever session there is. */
  begin(wishes: { language: string; anew: boolean }): { location: string; begun: BegunSignIn };
  /** Redeems the code of an answer, once; undefined when it is not the answer to what was begun, or comes too late. */
  finish(code: string, begun: BegunSignIn): Promise<SignedIn | undefined>;
  /** Undefined from the moment at which the session ends, wherever that happens, or the account is disabled. */
  guest(signedIn: SignedIn): Promise<Guest | undefined>;
}

/** An application that the person has allowed something. */
export interface AllowedApplication {
  id: string;
  name: string;
  scopes: readonly string[];
}

export interface AllowedApplications {
  list(accountId: string): Promise<AllowedApplication[]>;
  /** Takes it back, with all that the application holds; returns whether there was anything. */
  withdraw(accountId: string, clientId: string): Promise<boolean>;
}

/** Takes a code of the app or a recovery code, as at a sign-in, whose pages declare the same; undefined when it was good. */
export type CheckCode = (code: {
  accountId: string;
  typed: string;
  client: string;
  address: string;
}) => Promise<CodeFault | undefined>;

/** What the directory calls a record; undefined for one that it does not hold, or while there is no directory. */
export type NameInDirectory = (type: 'Practitioner' | 'Organization', id: string) => Promise<string | undefined>;
