// Offers to end the session all the same when the sign-out that an application requested is refused.

import { randomBytes } from 'node:crypto';
import type { KoaContextWithOIDC } from 'oidc-provider';

/** The library's own form for the end of a session: where it is posted to, and its token (SEC-32). */
export interface OpenSession {
  action: string;
  xsrf: string;
}

/**
 * The session that is still open, with a new token for its end; undefined where nobody is signed in. Nothing of the refused
 * request is kept: the sign-out leads to no application.
 */
export function openSession(ctx: KoaContextWithOIDC): OpenSession | undefined {
  const { session } = ctx.oidc;
  if (!session?.accountId) return undefined;
  const secret = randomBytes(24).toString('hex');
  // Saved with the session after the answer is made, as the library's own question is.
  (session as unknown as { state: object }).state = { secret };
  return { action: ctx.oidc.urlFor('end_session_confirm'), xsrf: secret };
}
