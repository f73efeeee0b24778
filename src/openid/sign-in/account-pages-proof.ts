// Proves that a person gave a password or passkey for their own account pages, and not for another application in the same browser. The
// proof is stored under the `state` of the request. Only the browser that sent the request can use the proof, and only once.

import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** The model of these proofs in the provider's records. */
const MODEL = 'AccountProof';

/** Seconds for which a proof is valid. This is more than enough, because redirects take the browser to the account pages at once. */
const VALID_FOR = 300;

/**
 * Stores the proof that the person has just given a right password or passkey. Does nothing if the authorization request does not come
 * from the account pages. `params` are the parameters of this request.
 */
export async function keepProof(
  records: Pick<OidcRecords, 'upsert'>,
  params: Readonly<Record<string, unknown>>,
  accountId: string,
): Promise<void> {
  const { client_id: clientId, state } = params;
  if (clientId !== OWN_CLIENT_ID || typeof state !== 'string') return;
  await records.upsert(MODEL, state, { accountId, iat: epochSeconds() }, VALID_FOR);
}

/**
 * Uses up the proof for the request with this state. Returns the time at which the proof was given, in seconds since 1970; undefined if the
 * account has no valid proof.
 */
export async function takeProof(
  records: Pick<OidcRecords, 'find' | 'destroy'>,
  state: string,
  accountId: string,
): Promise<number | undefined> {
  const proof = await records.find(MODEL, state);
  if (proof?.accountId !== accountId) return undefined;
  await records.destroy(MODEL, state);
  const at = Number(proof['iat']);
  return epochSeconds() - at <= VALID_FOR ? at : undefined;
}
