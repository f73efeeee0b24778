// Checks the token that a request presents to our own directory (RFC 9449 section 7, SEC-46). A token that is bound to a key (DPoP) needs a
// fresh proof of that key. Any other token is accepted as Bearer only. The library does the same checks at userinfo.

import type { IncomingMessage } from 'node:http';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { algorithmsOf } from '#openid/clients/fapi2.ts';
import { digest } from '#shared/crypto/digest.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { AlreadyThere, type OidcRecords } from '#store/oidc/oidc-records.ts';
import { checkProof, InvalidProof, PROOF_REMEMBERED } from './dpop-proof.ts';
import type { TokenState, UsableToken } from './introspection.ts';

type Refused = { active: false; reason: 'bound' | 'unbound' | 'proof'; detail?: string };

/**
 * Makes the function that tells the state of the token in a request.
 * @param base public base address, to which `req.url` is appended; the request's Host header is not used
 */
export function createPresentedTokenCheck(
  introspect: (token: string) => Promise<TokenState>,
  records: Pick<OidcRecords, 'insertOnce'>,
  base: string,
  clients: Pick<ClientRegistry, 'find'>,
): (token: string, req: IncomingMessage) => Promise<TokenState | Refused> {
  return async (token, req) => {
    const state = await introspect(token);
    if (!state.active) return state;
    const withProof = /^DPoP /i.test(req.headers.authorization ?? '');
    if (state.boundTo === undefined) return withProof ? { active: false, reason: 'unbound' } : state;
    if (!withProof) return { active: false, reason: 'bound' };
    try {
      await prove(state, token, req);
      return state;
    } catch (error) {
      if (!(error instanceof InvalidProof)) throw error;
      return { active: false, reason: 'proof', detail: error.message };
    }
  };

  async function prove({ boundTo, clientId }: UsableToken, accessToken: string, req: IncomingMessage): Promise<void> {
    const sent = req.headers['dpop'];
    if (typeof sent !== 'string') throw new InvalidProof('the DPoP header is missing');
    const algorithms = algorithmsOf(clients.find(clientId)?.profile);
    const now = epochSeconds();
    const target = { method: req.method ?? '', url: `${base}${req.url}`, accessToken, algorithms, now };
    const { thumbprint, jti } = await checkProof(sent, target);
    if (thumbprint !== boundTo) throw new InvalidProof('its key is not the one that the token is bound to');
    // The record has the same id as the library's own, so that a proof is valid only once across all endpoints.
    const seen = { kind: 'ReplayDetection', iss: clientId, iat: now, exp: now + PROOF_REMEMBERED };
    try {
      await records.insertOnce('ReplayDetection', digest(`${clientId}${jti}`), seen, PROOF_REMEMBERED);
    } catch (error) {
      throw error instanceof AlreadyThere
        ? new InvalidProof('it was used before: make a proof for each request')
        : error;
    }
  }
}
