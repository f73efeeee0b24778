// Converts payloads of oidc-provider to what a row stores, and back. A row stores JSON without the id, because the id is a secret.

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

/** A session as stored. `id` is the digest of the secret session id, which itself is not stored. */
export interface StoredSession extends StoredRecord {
  id: string;
}

/**
 * Returns the JSON that is stored for a payload. Two secrets are left out: the id and, in an interaction, the value of the session cookie.
 * `consumed` is left out because it has a column of its own.
 */
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
 * Returns the values of a row's columns, except `id` and `model`. Callers pass the values to a statement in the alphabetical order of the
 * columns, because Knex sorts the columns in this way.
 */
export function storedColumns(payload: OidcPayload, expiresIn: number | undefined) {
  const expiresAt = expiresIn === undefined ? null : epochSeconds() + expiresIn;
  const grant = payload.grantId === undefined ? null : digest(payload.grantId);
  const uid = payload.uid ?? payload.sessionUid ?? null;
  return { account: payload.accountId ?? null, expiresAt, grant, payload: storedPayload(payload), uid };
}

/** Parses a stored payload that several readers share. The result is frozen, so that an attempt to change it throws. */
export function sharedPayload(payload: string): Readonly<OidcPayload> {
  return deepFreeze(JSON.parse(payload) as OidcPayload);
}

/**
 * Restores a payload as oidc-provider stored it, with its id, and with `consumed` if the record was used. `payload` is the stored JSON or
 * its parsed content.
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

/**
 * Restores the payload of a session that was found by its public identifier, in the form that `findSession` (`oidc-records.ts`) describes.
 */
export function restoreSession({ id, payload, expiresAt }: StoredSession): OidcPayload {
  return { ...restoreRecord(payload, id, null), exp: expiresAt };
}
