// Begins operations at a steady rate, whatever the answers take (open loop): random gaps, as people come.

import { setTimeout } from 'node:timers/promises';
import { createDraw } from '#support/draw.ts';
import type { Operation } from '#tools/soak/operations/operation.ts';
import { signIn } from '#tools/soak/operations/sign-in.ts';
import type { World } from './world.ts';

const CLIENTS = ['portail', 'annuaire', 'hopital'] as const;

/** Operations that may be under way at once. One more is not begun and counts as failed: the service does not keep up. */
const MOST = 150;

/** Signs people in before the load begins, one after the other, so that every operation has somebody to do it with. */
export async function fill(world: World, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const client = CLIENTS[at % CLIENTS.length] ?? 'portail';
    world.members.add(await signIn(world, client, world.draw.one(world.people)));
  }
}

/** Resolves when the time is over and every operation has ended. */
export async function drive(
  world: World,
  operations: readonly Operation[],
  { rate, seconds, seed, signal }: { rate: number; seconds: number; seed: number; signal: AbortSignal },
): Promise<void> {
  const { recorder } = world;
  // A generator of its own: when something begins does not depend on what was drawn before.
  const draw = createDraw(seed + 1);
  const lots = operations.flatMap((operation) => Array.from({ length: operation.weight }, () => operation));
  const underWay = new Set<Promise<void>>();
  const end = performance.now() + seconds * 1000;
  for (let next = performance.now(); next < end && !signal.aborted; ) {
    await setTimeout(Math.max(0, next - performance.now()));
    const operation = draw.one(lots);
    if (underWay.size >= MOST) recorder.failed(operation.kind, new Error(`not begun: ${MOST} are under way`));
    else {
      const work = begin(world, operation).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    next -= (Math.log(draw.between(1, 1_000_000) / 1_000_000) / rate) * 1000;
  }
  await Promise.all(underWay);
}

/** One operation; where there is nobody to do it with, nothing is done. */
async function begin(world: World, { kind, run }: Operation): Promise<void> {
  const started = performance.now();
  try {
    const done = await run(world);
    if (done !== false) world.recorder.done(kind, performance.now() - started);
  } catch (error) {
    world.recorder.failed(kind, error);
  }
}
