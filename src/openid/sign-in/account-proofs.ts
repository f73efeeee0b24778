// Proves that a person gave a password or passkey for their own account pages, and not for another application in the same browser. The
// proof is stored under the `state` of the request. Only the browser that sent the request can take it, and only once.

import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';

/** The model of these proofs in the provider's records. */
const MODEL = 'AccountProof';

/** Seconds within which the browser must arrive at the account pages. Redirects lead it there at once. */
const VALID_FOR = 300;

/** Stores the proof after a right password or passkey. `params` are those of the request. */
export async function keepProof(
  records: Pick<OidcRecords, 'upsert'>,
  params: Readonly<Record<string, unknown>>,
  accountId: string,
): Promise<void> {
  const { client_id: clientId, state } = params;
  if (clientId !== OWN_CLIENT_ID || typeof state !== 'string') return;
  await records.upsert(MODEL, state, { accountId, iat: epochSeconds() }, VALID_FOR);
}

/** Takes the proof for the request with this state. Returns when it was given, in seconds since 1970; undefined if there is none. */
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
