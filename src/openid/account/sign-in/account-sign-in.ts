// Signs a person in to their own account pages. For this, the service is an OpenID client of itself and uses the code flow with PKCE. It
// redeems the code in its own process and makes no tokens.

import { createHash, randomBytes } from 'node:crypto';
import { errors, type Provider } from 'oidc-provider';
import { ACCOUNT_CALLBACK, ANEW_PARAMETER, OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Parts } from '#openid/parts.ts';
import { ROUTES } from '#openid/routes.ts';
import { takeProof } from '#openid/sign-in/account-pages-proof.ts';
import { basePath } from '#shared/base-path.ts';
import type { Account } from '#store/accounts/account-row.ts';

/** The values of a sign-in in progress. The response to the sign-in must fit them. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The session at the provider through which a person is signed in to the account pages. The browser's session of these pages stores it. */
export interface SignedIn {
  accountId: string;
  sessionUid: string;
  grantId: string;
  /** When the person logged in, in seconds since 1970. Absent if they logged in for an application and not for these pages. */
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
     * Returns the address to which the browser is redirected for the sign-in. With `fresh`, the person must log in even if they have a
     * session. With `anew`, a person other than the owner of the session may log in.
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
     * Redeems the code of a response. A code can be redeemed only once. Resolves with undefined if the code does not belong to this
     * sign-in, is too old or was redeemed before (RFC 6749 section 4.1.3, RFC 7636 section 4.6, OpenID Connect Core section 3.1.3.7).
     */
    finish: async (value: string, { state, nonce, verifier }: PendingSignIn): Promise<SignedIn | undefined> => {
      const code = await provider.AuthorizationCode.find(value);
      if (!code || code.clientId !== OWN_CLIENT_ID || code.redirectUri !== callback) return undefined;
      if (code.codeChallenge !== challengeOf(verifier) || code.nonce !== nonce || code.isExpired) return undefined;
      const { accountId, sessionUid, grantId } = code;
      if (!accountId || !sessionUid || !grantId) return undefined;
      try {
        // If two requests redeem the code at the same time, this call fails for one of them.
        await code.consume();
      } catch (error) {
        if (error instanceof errors.InvalidGrant) return undefined;
        throw error;
      }
      const typedAt = await takeProof(records, state, accountId);
      // `typedAt` is when the person proved their identity for this sign-in. It counts only if the person logged in to the session of the
      // code at that time or later. Without this rule, an attacker with a stolen copy of an older session could begin a sign-in, make the
      // person open its address and prove their identity there, and then redeem a code of the stolen session, which would pass for a fresh
      // login.
      const isOfSession = typedAt !== undefined && (code.authTime ?? 0) >= typedAt;
      return { accountId, sessionUid, grantId, ...(isOfSession && { authTime: typedAt }) };
    },

    /** Resolves with the signed-in account. Undefined if the session has ended for any reason, or if the account is disabled. */
    account: async (signedIn: SignedIn): Promise<Account | undefined> => {
      // A session is valid for the account pages exactly as long as for the provider. If the account pages refused a session that the
      // provider accepts, the two would redirect the browser to each other without end.
      const session = await records.findLiveSession(signedIn.sessionUid);
      if (session?.accountId !== signedIn.accountId) return undefined;
      // Even if the session still exists, the person may have signed out of the account pages only, or the grant may have been revoked.
      const authorizations = session['authorizations'] as Record<string, { grantId?: string }> | undefined;
      if (authorizations?.[OWN_CLIENT_ID]?.grantId !== signedIn.grantId) return undefined;
      if (!(await records.find('Grant', signedIn.grantId))) return undefined;
      const account = await accounts.find(signedIn.accountId);
      return account?.status === 'active' ? account : undefined;
    },
  };
}

/** Returns 256 random bits as text. They cannot be guessed, and the text is long enough for a verifier (RFC 7636 section 4.1). */
function random(): string {
  return randomBytes(32).toString('base64url');
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
