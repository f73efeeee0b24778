// Owns the real service as a child process on the bench's data, a token for it, and how long it takes until it is ready.

import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { accessToken, signInToHygie } from '../access.ts';
import { send } from '../load.ts';
import { type Running, start, startService } from '../processes.ts';
import type { Cleanup } from './cleanup.ts';
import type { Target } from './drive.ts';

export interface Serving {
  running: Running;
  /** Seconds from the start of the process until `/health/ready` answered 200. */
  readyAfter: number;
  stop(): Promise<void>;
}

/** Starts one process of the service and waits until it is ready. */
export async function serve(env: Record<string, string>, cleanup: Cleanup): Promise<Serving> {
  const began = performance.now();
  const running = await startService({ ...env, HYGIE_PROCESSES: '1' });
  const stop = cleanup.later(() => running.stop());
  const agent = new Agent();
  while ((await send(agent, `${running.address}/health/ready`)).status !== 200) await setTimeout(10);
  agent.destroy();
  return { running, readyAfter: (performance.now() - began) / 1000, stop };
}

/** The service as a target that a signed-in person asks with an access token. */
export async function signedIn({ running }: Serving, paths: readonly string[]): Promise<Target> {
  const token = await accessToken(running.address, await signInToHygie(running.address));
  return { address: running.address, pid: running.pid, headers: { authorization: `Bearer ${token}` }, paths };
}

/** A bare Express route that sends the bytes of the target's answer of median length. */
export async function startBareRoute(target: Target, cleanup: Cleanup): Promise<Target & { bytes: number }> {
  const agent = new Agent({ keepAlive: true });
  const bodies: string[] = [];
  for (const path of target.paths.slice(0, 200)) {
    const { status, body } = await send(agent, `${target.address}${path}`, { headers: { ...target.headers } });
    if (status !== 200) throw new Error(`${path} answered ${status}: ${body.slice(0, 500)}`);
    bodies.push(body);
  }
  agent.destroy();
  bodies.sort((a, b) => a.length - b.length);
  const input = bodies[Math.floor(bodies.length / 2)] ?? '';
  const route = await start(['test/bench/bare-route.ts'], { input, ready: (text) => text.match(/http:\S+/)?.[0] });
  cleanup.later(() => route.stop());
  return { address: route.address, pid: route.pid, headers: {}, paths: ['/'], bytes: Buffer.byteLength(input) };
}
