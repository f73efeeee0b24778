// SEC-48, SEC-16: starts of the service and edits of `clients.yaml` are in the audit trail, once for all its processes, without
// any secret.

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { VERSION } from '#shared/version.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, type Serving, serve } from '#support/cli/serving.ts';
import { freePort } from '#support/free-port.ts';

/** A service with several processes starts several times. */
const SLOW = 60_000;

const SECRET = 'a secret of the test run that opens nothing';
const KEY_SECRET = 'a key secret of the test run, long enough';

let place: Installation;
let serving: Serving | undefined;
let port: string;
beforeAll(async () => {
  port = String(await freePort());
  place = filledInstallation();
});
afterAll(() => place.remove());
afterEach(async () => {
  serving?.child.kill('SIGKILL');
  await serving?.ended;
});

async function runService(processes: string, meanwhile = async (_serving: Serving) => {}): Promise<void> {
  const env = { HYGIE_PORT: port, HYGIE_PROCESSES: processes, LOG_FORMAT: 'json' };
  serving = await serve(place, { ...env, SECRET_OF_A_TEST: SECRET, HYGIE_KEY_SECRET: KEY_SECRET });
  await serving.outputMatching(/"event":"service\.started"/);
  await meanwhile(serving);
  serving.child.kill('SIGTERM');
  expect(await serving.ended).toBe(0);
}

const settings = (rest: string) => place.configure('service.yaml', `demo: false\n${rest}`);
const clients = (name: string) =>
  place.configure(
    'clients.yaml',
    `clients:
  - { id: web, name: ${name}, type: browser, callbackUrls: ["https://w.example/cb"] }
  # Its hash is another one at each start.
  - { id: server, name: Server, type: server, callbackUrls: ["https://s.example/cb"], secrets: [{ env: SECRET_OF_A_TEST }] }`,
  );

it(
  'SEC-48 a start and an edit of a running service are recorded once; the digests differ after a change; SEC-16 no secret is stored',
  async () => {
    settings('');
    clients('Web');
    await runService('1');
    clients('Portal');
    await runService('1', async ({ outputMatching }) => {
      clients('Portal of old');
      await outputMatching(/clients\.yaml: the edit is in force/);
    });
    await runService('2');

    const { stdout } = await inProcess(place)(['audit', '--json', '--event', 'service', '--event', 'clients']);
    const records = stdout.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text) as AuditRecord]));
    expect(records.map(({ client, event }) => client ?? event)).toEqual([
      'service.started',
      'service.started',
      'web',
      'service.started',
    ]);
    const starts = records.flatMap(({ event, details }) => (event === 'service.started' ? [details] : []));
    const instance = expect.stringMatching(new RegExp(`:${port}$`));
    for (const start of starts) expect(start).toMatchObject({ version: VERSION, instance });
    const digests = (part: string) => starts.map((start) => start?.[part]);
    const [first, second, third] = digests('settings');
    expect([second === first, third === first]).toEqual([true, false]);
    expect(new Set(digests('clients')).size).toBe(3);
    expect(serving?.output().match(/"event":"service\.started"/g)).toHaveLength(1);
    for (const secret of [SECRET, KEY_SECRET]) expect(stdout + serving?.output()).not.toContain(secret);
  },
  SLOW,
);
