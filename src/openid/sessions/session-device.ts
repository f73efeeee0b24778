// Keeps with a session in which device it began: the session's record holds it, so that it costs no statement and ends with it.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { deviceOf } from '#shared/device.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import type { SessionPayload } from './merge-session.ts';

/** Field of a stored session. The library does not know it, and leaves it out of what it saves. */
export const DEVICE = 'device';

/** A session as it is to be stored: with the device of this request where it ends a sign-in, else with the one it had. */
export function withDevice(
  { oidc, req }: KoaContextWithOIDC,
  payload: OidcPayload,
  before: SessionPayload | undefined,
): OidcPayload {
  const device = oidc.result?.['login'] ? deviceOf(req.headers['user-agent']) : before?.[DEVICE];
  return device === undefined ? payload : { ...payload, [DEVICE]: device };
}
