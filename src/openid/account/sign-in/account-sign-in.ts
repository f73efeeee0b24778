// Signs a person in to their own account pages. The service is its own client, with the code flow and PKCE. This process redeems the code
// itself, and no token is made.

import { createHash, randomBytes } from 'node:crypto';
import { errors, type Provider } from 'oidc-provider';
import { ACCOUNT_CALLBACK, ANEW_PARAMETER, OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import { ROUTES } from '#openid/routes.ts';
import { takeProof } from '#openid/sign-in/account-proofs.ts';
import { basePath } from '#shared/base-path.ts';
import type { Account } from '#store/accounts/account-row.ts';

/** A sign-in in progress: the data against which its response is checked. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The provider's session of the person at the account pages. The browser's session of these pages stores it. */
export interface SignedIn {
  accountId: string;
  sessionUid: string;
  grantId: string;
  /** When the person logged in, in seconds since 1970; absent if they did so for an application rather than for these pages. */
  authTime?: number;
}

interface SignInDemand {
  language: string;
  fresh: boolean;
  anew: boolean;
  loginHint: string | undefined;
}

type AccountSignInOptions = Pick<Parts, 'records' | 'accounts'> & { provider: Provider };

export type AccountSignIn = ReturnType<typeof createAccountSignIn>;

/** Makes the functions of a sign-in to the account pages. */
export function createAccountSignIn({ provider, records, accounts }: AccountSignInOptions) {
  const { issuer } = provider;
  const callback = issuer + ACCOUNT_CALLBACK;
  const authorize = basePath(issuer) + ROUTES.authorization;
  return {
    /**
     * Makes the address of the sign-in for the browser. With `fresh`, the person must log in even if they have a session. With `anew`,
     * another person than that of the session may log in.
     */
    begin: ({ language, fresh, anew, loginHint }: SignInDemand) => {
      const pending: PendingSignIn = { state: random(), nonce: random(), verifier: random() };
      const parameters = new URLSearchParams({
        client_id: OWN_CLIENT_ID,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: challengeOf(pending.verifier),
        code_challenge_method: 'S256',
        ui_locales: language,
        ...(fresh && { prompt: 'login' }),
        ...(anew && { [ANEW_PARAMETER]: '1' }),
        ...(loginHint !== undefined && { login_hint: loginHint }),
      });
      return { location: `${authorize}?${parameters}`, pending };
    },

    /**
     * Redeems the code of a response. Each code is redeemed only once. Returns undefined if the code does not belong to this sign-in or is
     * too old (RFC 6749 section 4.1.3, RFC 7636 section 4.6, OpenID Connect Core section 3.1.3.7).
     */
    finish: async (value: string, { state, nonce, verifier }: PendingSignIn): Promise<SignedIn | undefined> => {
      const code = await provider.AuthorizationCode.find(value);
      if (!code || code.clientId !== OWN_CLIENT_ID || code.redirectUri !== callback) return undefined;
      if (code.codeChallenge !== challengeOf(verifier) || code.nonce !== nonce || code.isExpired) return undefined;
      const { accountId, sessionUid, grantId } = code;
      if (!accountId || !sessionUid || !grantId) return undefined;
      try {
        // Only one of two simultaneous requests gets past this line.
        await code.consume();
      } catch (error) {
        if (error instanceof errors.InvalidGrant) return undefined;
        throw error;
      }
      const typedAt = await takeProof(records, state, accountId);
      // The proof is accepted only if the session of the code began after it. An attacker with a copy of an older session may have begun
      // this sign-in and made the person open it.
      const isOfSession = typedAt !== undefined && (code.authTime ?? 0) >= typedAt;
      return { accountId, sessionUid, grantId, ...(isOfSession && { authTime: typedAt }) };
    },

    /** Returns the signed-in account; undefined if the session has ended in any way or the account is disabled. */
    account: async (signedIn: SignedIn): Promise<Account | undefined> => {
      // The session is valid for as long as the provider accepts it. If the account pages refused a session that the provider accepts,
      // each of them would redirect the browser to the other without end.
      const session = await records.findLiveSession(signedIn.sessionUid);
      if (session?.accountId !== signedIn.accountId) return undefined;
      // The person may have signed out of these pages alone, or the grant may be revoked.
      const authorizations = session['authorizations'] as Record<string, { grantId?: string }> | undefined;
      if (authorizations?.[OWN_CLIENT_ID]?.grantId !== signedIn.grantId) return undefined;
      if (!(await records.find('Grant', signedIn.grantId))) return undefined;
      const account = await accounts.find(signedIn.accountId);
      return account?.status === 'active' ? account : undefined;
    },
  };
}

/** 256 random bits. They cannot be guessed, and have the length of a verifier (RFC 7636 section 4.1). */
function random(): string {
  return randomBytes(32).toString('base64url');
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
