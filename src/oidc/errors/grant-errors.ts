// Owns why a grant was refused (`invalid_grant`), as far as the client may hear it: it has proved who it is, or holds the code
// or token itself. Does not own other refusals (`explanations.ts`).

import type { KoaContextWithOIDC } from 'oidc-provider';
import { differenceOf, inWords } from './callback-difference.ts';

// One sentence whether it is nobody's or another client's: who tries codes does not learn which of them there are.
const UNKNOWN = 'it is mistyped, too old, was taken back, or was given to another client';
const ENDED =
  'what the person agreed to has ended, by signing out, by withdrawing it or with time: the person has to sign in again';
const REQUESTED_WITH_KEY =
  'the authorization request was bound to a key (dpop_jkt, or a DPoP proof when it was pushed)';

/** By the library's detail. */
const GRANTS: Record<string, string> = {
  'authorization code not found': `the code is not known: ${UNKNOWN}`,
  'authorization code is expired': 'the code has expired: exchange it as soon as it arrives',
  'authorization code already consumed': 'the code was used before: it is good for one exchange',
  'code_verifier does not match code_challenge': 'code_verifier does not belong to the code_challenge of the request',
  'code_verifier must be provided': 'code_verifier is missing: the authorization request had a code_challenge',
  // S256 alone is taken: without it, the request had none.
  'unsupported code_challenge_method':
    'code_verifier is sent, but the authorization request had no code_challenge: send it there, with code_challenge_method=S256',
  'refresh token not found': `the refresh token is not known: ${UNKNOWN}`,
  'refresh token is expired': 'the refresh token has expired: the person has to sign in again',
  'refresh token already used': 'the refresh token was used before: all that came of it has been taken back',
  'grant not found': ENDED,
  'grant is expired': ENDED,
  'accountId mismatch': ENDED,
  'authorization code invalid (referenced account not found)': ENDED,
  'refresh token invalid (referenced account not found)': ENDED,
  'DPoP proof JWT not provided': 'this client must send a DPoP proof with its token requests (dpop: required)',
  'DPoP proof JWT Replay detected': 'the DPoP proof was used before: make a proof for each request',
  'missing DPoP proof JWT': `${REQUESTED_WITH_KEY}: send a DPoP proof of that key`,
  'DPoP proof key thumbprint does not match dpop_jkt': `${REQUESTED_WITH_KEY}: the DPoP proof is of another one`,
};

/** Undefined where nothing more is said than that the grant is invalid. */
export function grantReason(ctx: KoaContextWithOIDC, detail: string): string | undefined {
  switch (detail) {
    case 'authorization code redirect_uri mismatch':
      return callbackReason(ctx);
    case 'client mismatch':
      return GRANTS[`${ctx.oidc.params?.['code'] === undefined ? 'refresh token' : 'authorization code'} not found`];
    case 'failed jkt verification':
      return ctx.get('DPoP')
        ? 'the key of the DPoP proof is not the one that the refresh token is bound to'
        : 'the refresh token is bound to a key: send a DPoP proof of that key';
    default:
      return GRANTS[detail];
  }
}

function callbackReason({ oidc }: KoaContextWithOIDC): string {
  const sent = String(oidc.params?.['redirect_uri']);
  const { redirectUris: registered = [], applicationType } = oidc.client ?? {};
  if (registered.includes(sent)) return 'redirect_uri is registered, but is not that of the authorization request';
  return inWords('redirect_uri', differenceOf(sent, registered, { loopbackPorts: applicationType === 'native' }));
}
