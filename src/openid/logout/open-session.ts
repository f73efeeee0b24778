// Offers to end the session anyway if the sign-out that an application requested is refused.

import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';

/** The library's own form to end a session: its address and its token (SEC-32). */
export interface OpenSession {
  action: string;
  xsrf: string;
}

/**
 * The session that is still open, with a new token for its end; undefined if nobody is signed in. Nothing of the refused request is kept,
 * so the sign-out does not lead to an application.
 */
export function openSession(ctx: KoaContextWithOIDC): OpenSession | undefined {
  const { session } = ctx.oidc;
  if (!session?.accountId) return undefined;
  const secret = randomBytes(24).toString('hex');
  // Saved with the session after the answer is made, as the library's own question is.
  (session as unknown as { state: object }).state = { secret };
  return { action: ctx.oidc.urlFor('end_session_confirm'), xsrf: secret };
}
