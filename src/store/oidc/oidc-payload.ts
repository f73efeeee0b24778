// Converts oidc-provider's payloads between the library's form and the form of a row: JSON without the id, which is a secret.

import { deepFreeze } from '#config/settings.ts';
import { digest } from '#shared/crypto/digest.ts';
import { epochSeconds } from '#store/database/connection.ts';

export interface OidcPayload {
  jti?: string;
  uid?: string;
  grantId?: string;
  sessionUid?: string;
  accountId?: string;
  consumed?: number | true;
  session?: { cookie?: string };
  [claim: string]: unknown;
}

/** A record as stored. */
interface StoredRecord {
  /** JSON, without the id. */
  payload: string;
  /** Seconds since the epoch; 0 for a record that never expires. */
  expiresAt: number;
}

/** `id` is the stored digest, since the secret id of a session is not kept. */
export interface StoredSession extends StoredRecord {
  id: string;
}

/** Returns the part of a payload that is stored: JSON without the id, and without the value of the session cookie. */
export function storedPayload(payload: OidcPayload): string {
  const stored = { ...payload };
  delete stored.jti;
  delete stored.consumed;
  if (stored.session?.cookie) {
    stored.session = { ...stored.session };
    delete stored.session.cookie;
  }
  return JSON.stringify(stored);
}

/**
 * Returns the values of a row's columns, except `id` and `model`. They are in the order of the columns' names, which is also that of Knex.
 */
export function storedColumns(payload: OidcPayload, expiresIn: number | undefined) {
  const expiresAt = expiresIn === undefined ? null : epochSeconds() + expiresIn;
  const grant = payload.grantId === undefined ? null : digest(payload.grantId);
  const uid = payload.uid ?? payload.sessionUid ?? null;
  return { account: payload.accountId ?? null, expiresAt, grant, payload: storedPayload(payload), uid };
}

/** Parses a stored payload that several readers share. It is frozen, so that an attempt to change it throws. */
export function sharedPayload(payload: string): Readonly<OidcPayload> {
  return deepFreeze(JSON.parse(payload) as OidcPayload);
}

/**
 * Restores a payload as the library stored it, with its id, and with `consumed` if it was used. `payload` is JSON or the parsed content.
 */
export function restoreRecord(
  payload: string | Readonly<OidcPayload>,
  id: string,
  consumedAt: number | string | null,
): OidcPayload {
  const content = typeof payload === 'string' ? (JSON.parse(payload) as OidcPayload) : payload;
  const restored: OidcPayload = { ...content, jti: id };
  if (consumedAt !== null) restored.consumed = Number(consumedAt);
  return restored;
}

/** Restores the payload of a session that was found by its public identifier, in the form that `findSession` describes. */
export function restoreSession({ id, payload, expiresAt }: StoredSession): OidcPayload {
  return { ...restoreRecord(payload, id, null), exp: expiresAt };
}
