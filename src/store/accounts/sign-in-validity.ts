// Decides whether a sign-in is still valid. A new password, another second factor, a disabled account or "sign out everywhere" invalidates
// all earlier ones (SEC-55). Records are deleted then as well (`end-sessions.ts`). A request that has read them before cannot bring them
// back, because its records carry the time of the sign-in.

import { epochSeconds } from '#store/database/connection.ts';

/** An account's data on the validity of sign-ins. */
export interface SignInLimit {
  /** Seconds since the epoch from which sign-ins are valid; undefined if sessions were never ended all together. */
  sessionsNotBefore?: number;
  /** Public identifier (`uid`) of the session that was kept then: the person's own. */
  keptSession?: string;
}

/** Checks whether codes and tokens of a sign-in at this second, in the session with this public identifier, are still valid. */
export function isSignInValid(
  { sessionsNotBefore, keptSession }: SignInLimit,
  signedInAt: number | undefined,
  sessionUid: string | undefined,
): boolean {
  if (sessionsNotBefore === undefined) return true;
  if (sessionUid !== undefined && sessionUid === keptSession) return true;
  return signedInAt !== undefined && signedInAt >= sessionsNotBefore;
}

/**
 * The second of a sign-in whose password was compared with this very reading of the account. `sessionsNotBefore` is the second after a
 * change. A sign-in with the new password is dated at least as late, whatever the clock says, and one that was checked before is too early,
 * even within the same second.
 */
export function signInTime({ sessionsNotBefore = 0 }: SignInLimit): number {
  return Math.max(epochSeconds(), sessionsNotBefore);
}
