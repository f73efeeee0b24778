// When what happens: all events spread over the time, once at least, and again in longer runs; both restarts in the first third.

import { setTimeout } from 'node:timers/promises';
import type { World } from '#tools/soak/load/world.ts';
import type { AccountOfSoak } from '#tools/soak/site/accounts.ts';
import { addClient, faultyEdit, rotateSecret } from './clients.ts';
import { renewByCommand, renewByFolder } from './directory.ts';
import type { EventRow, SoakEvent } from './event.ts';
import { pruneKeys, rotateCookieKeys, rotateSigningKeys } from './keys.ts';
import { backup, disableAccount, joinAndLeave, restart, verifyAll } from './operations.ts';

interface Planned {
  /** Share of the time at which it begins, at the earliest: one event is under way at a time. */
  at: number;
  event: SoakEvent;
}

/** Seconds for a whole round of the events, so that clients and instances are at rest between them. */
const ROUND = 420;

/** The restarts come early: what is judged is the memory of processes that live to the end. */
export function plan(seconds: number, reserved: AccountOfSoak): Planned[] {
  const first: SoakEvent[] = [rotateSigningKeys, renewByFolder, restart(0), addClient, restart(1)];
  const then: SoakEvent[] = [
    faultyEdit,
    joinAndLeave,
    rotateCookieKeys,
    disableAccount(reserved),
    renewByCommand,
    rotateSecret,
    backup,
    pruneKeys,
  ];
  const rounds = Math.max(0, Math.floor((seconds * 0.6) / ROUND) - 1);
  const again = [rotateSigningKeys, addClient, faultyEdit, renewByFolder, ...then.slice(1)];
  const late = [...then, ...Array.from({ length: rounds }, () => again).flat(), verifyAll];
  return [
    ...first.map((event, index) => ({ at: 0.03 + (index / first.length) * 0.27, event })),
    ...late.map((event, index) => ({ at: 0.33 + (index / late.length) * 0.6, event })),
  ];
}

/** Runs the events in their order; one that fails is told and ends nothing. */
export async function runEvents(
  world: World,
  planned: readonly Planned[],
  { seconds, signal, tell }: { seconds: number; signal: AbortSignal; tell(row: EventRow): void },
): Promise<EventRow[]> {
  const { recorder } = world;
  const rows: EventRow[] = [];
  for (const { at, event } of planned) {
    await setTimeout(Math.max(0, at * seconds - recorder.seconds()) * 1000, undefined, { signal }).catch(() => {});
    if (signal.aborted) break;
    const began = recorder.seconds();
    const outcome = await event.run(world).then(
      (note) => ({ note, failed: false }),
      (error: Error) => ({ note: error.message, failed: true }),
    );
    const row = { at: began, seconds: recorder.seconds() - began, name: event.name, ...outcome };
    rows.push(row);
    tell(row);
  }
  return rows;
}
