// Whether a sign-in still counts: not once a new password, another second factor, a disabled account or "sign out everywhere" has
// ended those before it (SEC-55). Records are deleted then as well (`end-sessions.ts`); a request that has read them before
// cannot bring them back, because what it writes carries the time of the sign-in.

import { epochSeconds } from '#store/database/connection.ts';

/** What an account says about the sign-ins that count. */
export interface SignInLimit {
  /** Seconds since the epoch; undefined when they never ended all together. */
  sessionsNotBefore?: number;
  /** Public identifier (`uid`) of the session that was left then: the person's own. */
  keptSession?: string;
}

/** Whether what was given to a sign-in at this second, in the session with this public identifier, is still good. */
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
 * The second at which somebody signs in whose password was compared with this very reading of the account. `sessionsNotBefore` lies
 * in the second after the change: whoever signs in by what was set then is as late as that, whatever the clock says, and whoever
 * was checked before is too early, also within the same second.
 */
export function signInTime({ sessionsNotBefore = 0 }: SignInLimit): number {
  return Math.max(epochSeconds(), sessionsNotBefore);
}
