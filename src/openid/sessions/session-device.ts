// Keeps the device in which a session began. The session's record holds it, so that it costs no statement and ends with the session.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { deviceOf } from '#shared/device.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { SessionPayload } from './merge-session.ts';

/** Field of a stored session. The library does not know it, and drops it when it saves. */
export const DEVICE = 'device';

/** A session ready to be stored: with the device of this request if it completes a sign-in, otherwise with its earlier device. */
export function withDevice(
  { oidc, req }: KoaContextWithOIDC,
  payload: OidcPayload,
  before: SessionPayload | undefined,
): OidcPayload {
  const device = oidc.result?.['login'] ? deviceOf(req.headers['user-agent']) : before?.[DEVICE];
  return device === undefined ? payload : { ...payload, [DEVICE]: device };
}
