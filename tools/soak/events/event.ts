// Events are an operator's work while the service is used: one after the other, each with its time and its result.

import { setTimeout } from 'node:timers/promises';
import type { World } from '#tools/soak/load/world.ts';
import { directRequest } from '#tools/soak/site/direct.ts';

export interface SoakEvent {
  name: string;
  /** Resolves with a note for the table; rejects when it went wrong. */
  run(world: World): Promise<string>;
}

export interface EventRow {
  /** Seconds since the load began. */
  at: number;
  seconds: number;
  name: string;
  note: string;
  failed: boolean;
}

/** Answers in a row that have to be right: worker processes of an instance take turns. */
const IN_A_ROW = 6;

/**
 * Asks both instances, past the proxy, until each has given the right answer several times in a row.
 * @param seconds within which it has to
 */
export async function onBoth(
  { site }: World,
  what: string,
  seconds: number,
  ask: (port: number) => Promise<boolean>,
): Promise<void> {
  const late = performance.now() + seconds * 1000;
  for (const { port, name } of site.instances) {
    for (let right = 0; right < IN_A_ROW; ) {
      right = (await ask(port)) ? right + 1 : 0;
      if (right > 0) continue;
      if (performance.now() > late) throw new Error(`instance ${name} after ${seconds} s: not ${what}`);
      await setTimeout(200);
    }
  }
}

/** A token of a service account, or the status of the refusal. */
export async function clientToken(port: number, id: string, secret: string): Promise<number> {
  const fields = { grant_type: 'client_credentials', scope: 'PRACTITIONER_READ', client_id: id, client_secret: secret };
  return (await directRequest(port, '/oauth/token', { form: new URLSearchParams(fields) })).status;
}
