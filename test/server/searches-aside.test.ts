// "Nothing holds up a sign-in": while a search stands still, as it does when the disk does not answer, the whole service
// goes on: health, a sign-in with its tokens, and other searches. Threads hold the search: on the main thread, nothing would end.

import * as threads from 'node:worker_threads';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { checksBefore, closedGate } from '#support/search-index/gated-checks.ts';
import type { RunningService } from '#support/service.ts';

const gate = closedGate();

// Threads of searches get checks that stand before the gate, also those that start when others are busy.
jest.unstable_mockModule('node:worker_threads', () => ({
  ...threads,
  default: threads,
  Worker: class extends threads.Worker {
    constructor(...[file, options]: ConstructorParameters<typeof threads.Worker>) {
      const searches = options?.workerData?.checks !== undefined;
      super(file, searches ? { ...options, workerData: { checks: checksBefore(gate.file) } } : options);
    }
  },
}));
const { signIn } = await import('#support/openid/relying-party.ts');
const { startService } = await import('#support/service.ts');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  gate.open();
  await service.stop();
});

it('/health/live, a sign-in and other searches are answered while a search stands still', async () => {
  const { tokens } = await signIn(service);
  const search = (query: string) =>
    fetch(`${service.issuer}/directory/v2/Practitioner?${query}`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
  const found = (await (await search('_count=1')).json()) as { entry: { resource: { name: { family: string }[] } }[] };
  const family = found.entry[0]?.resource.name[0]?.family ?? '';

  let answered = false;
  const held = search(`family:exact=${encodeURIComponent(family)}`).then((answer) => {
    answered = true;
    return answer;
  });
  for (let look = 0; look < 20; look++) expect((await fetch(`${service.issuer}/health/live`)).status).toBe(200);
  expect((await fetch(`${service.issuer}/health/ready`)).status).toBe(200);
  const other = await signIn(service);
  expect(other.tokens.access_token).toBeTruthy();
  const beside = await search(`family=${encodeURIComponent(family)}`);
  expect(beside.status).toBe(200);
  expect(((await beside.json()) as { total: number }).total).toBeGreaterThan(0);
  expect(answered).toBe(false);

  gate.open();
  expect((await held).status).toBe(200);
});
