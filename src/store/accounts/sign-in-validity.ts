// Decides whether a sign-in is still valid. A new password, another second factor, a disabled account or "sign out everywhere" invalidates
// all earlier sign-ins (SEC-55) and deletes their records (`end-sessions.ts`). A request that had read such a record before cannot bring it
// back, because the record carries the time of the sign-in.

import { epochSeconds } from '#store/database/connection.ts';

/** The data of an account that decide whether a sign-in is valid. */
export interface SignInLimit {
  /** Seconds since the epoch from which sign-ins are valid; undefined if nothing has ended all sessions yet. */
  sessionsNotBefore?: number;
  /** Public identifier (`uid`) of the session that was kept when the others ended: the person's own. */
  keptSession?: string;
}

/**
 * Checks whether codes and tokens are still valid if they come from a sign-in at this second, in the session with this public identifier.
 */
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
 * Returns the second with which a sign-in is dated, after its password was compared with this reading of the account. `sessionsNotBefore`
 * is the second after a change. A sign-in with the new password gets at least this second, whatever the clock says. A sign-in that was
 * checked before the change gets an earlier one, even within the same second.
 */
export function signInTime({ sessionsNotBefore = 0 }: SignInLimit): number {
  return Math.max(epochSeconds(), sessionsNotBefore);
}
