// The real service as a child process on the bench's data, a token for it, and how long it takes until it is ready.

import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { accessToken } from '#tools/site/access.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { type Answer, send } from '#tools/site/load.ts';
import { type Running, start } from '#tools/site/processes.ts';
import { startService } from '#tools/site/service.ts';
import type { Target } from './drive.ts';

const FORM = 'application/x-www-form-urlencoded';

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
  const token = await accessToken(running.address);
  return { address: running.address, pid: running.pid, headers: { authorization: `Bearer ${token}` }, paths };
}

/**
 * A bare Express route that sends the bytes of the target's answer of median length, with the same Content-Type and
 * Content-Encoding, by the same method.
 */
export async function startBareRoute(target: Target, cleanup: Cleanup): Promise<Target & { bytes: number }> {
  const agent = new Agent({ keepAlive: true });
  const answers: Answer[] = [];
  for (const path of target.paths.slice(0, 200)) answers.push(await answerOf(agent, target, path));
  agent.destroy();
  answers.sort((a, b) => a.bytes.length - b.bytes.length);
  const median = answers[Math.floor(answers.length / 2)];
  const input = median?.bytes ?? Buffer.alloc(0);
  const { 'content-type': type = '', 'content-encoding': encoding } = median?.headers ?? {};
  const script = ['tools/bench/bare-route.ts', type, ...(encoding === undefined ? [] : [encoding])];
  const route = await start(script, { input, ready: (text) => text.match(/http:\S+/)?.[0] });
  cleanup.later(() => route.stop());
  const { method } = target;
  const form = method === 'POST' ? `?${target.paths[0]?.split('?')[1] ?? ''}` : '';
  const address = { address: route.address, pid: route.pid, ...(method && { method }) };
  return { ...address, headers: {}, paths: [`/${form}`], bytes: input.length };
}

async function answerOf(agent: Agent, { address, headers, method = 'GET' }: Target, path: string): Promise<Answer> {
  const [target = '', form = ''] = path.split('?', 2);
  const answer = await (method === 'GET'
    ? send(agent, address + path, { headers: { ...headers } })
    : send(agent, address + target, { method, headers: { ...headers, 'content-type': FORM }, body: form }));
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body.slice(0, 500)}`);
  return answer;
}
