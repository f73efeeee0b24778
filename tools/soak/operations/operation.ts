// The type of an operation, and the members that it may draw.

import type { Member } from '#tools/soak/load/members.ts';
import type { World } from '#tools/soak/load/world.ts';

export interface Operation {
  kind: string;
  /** How often it is drawn, beside the others. */
  weight: number;
  /** Rejects when a client would have noticed something. Resolves with `false` where there was nobody to do it with. */
  run(world: World): Promise<unknown>;
}

/** Milliseconds before the end of what is used: requests take their time, and clocks differ. */
const MARGIN = 10_000;

/** Milliseconds by which a session may end early, because its last use need not be stored (`openid/sessions/save-session.ts`). */
const UNWRITTEN = 60_000;

export const hasAccess = ({ accessUntil }: Member) => Date.now() + MARGIN < accessUntil;

export const hasSession =
  ({ lifetimes }: World) =>
  ({ signedInAt, usedAt }: Member) =>
    Date.now() + MARGIN + UNWRITTEN < Math.min(signedInAt + lifetimes.session, usedAt + lifetimes.sessionIdle);

export const canRefresh =
  ({ lifetimes }: World) =>
  ({ refreshToken, signedInAt, refreshedAt }: Member) =>
    refreshToken !== undefined &&
    Date.now() + MARGIN < Math.min(signedInAt + lifetimes.refresh, refreshedAt + lifetimes.refreshIdle);

/** The access token is not used any more: from `at` on (milliseconds since 1970) nobody may take it. */
export function retire({ ended }: World, { dpop, accessToken }: Member, at: number): void {
  // One that is bound to a key would be refused for the missing proof already.
  if (!dpop) ended.push({ token: accessToken, at });
  if (ended.length > 500) ended.shift();
}
