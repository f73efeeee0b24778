// SEC-48: the service is stopped, its files are edited, it is started again: `hygie audit` says what changed. What is told when,
// on both engines: `configuration-memory.test.ts`; for several instances: `configuration-instances.test.ts`.

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { AuditRecord } from '../../src/store/audit/audit-events.ts';
import type { Installation } from '../support/cli/hygie.ts';
import { inProcess } from '../support/cli/in-process.ts';
import { filledInstallation, type Serving, serve } from '../support/cli/serving.ts';

const SECRET = 'a secret of the test run that opens nothing';

let place: Installation;
let serving: Serving | undefined;
beforeAll(() => {
  place = filledInstallation();
});
afterAll(() => place.remove());
afterEach(async () => {
  serving?.child.kill('SIGKILL');
  await serving?.ended;
});

async function served(processes: string, meanwhile = async (_serving: Serving) => {}): Promise<void> {
  serving = await serve(place, { HYGIE_PROCESSES: processes, LOG_FORMAT: 'json', SECRET_OF_A_TEST: SECRET });
  await serving.says(/answers at/);
  await meanwhile(serving);
  serving.child.kill('SIGTERM');
  expect(await serving.ended).toBe(0);
}

const settings = (rest: string) => place.configure('service.yaml', `demo: false\n${rest}`);
const clients = (name: string, logoutUrls: string) =>
  place.configure(
    'clients.yaml',
    `clients:
  - { id: web, name: ${name}, type: browser, callbackUrls: ["https://w.example/cb"], logoutUrls: [${logoutUrls}] }
  # Its hash is another one at each start.
  - { id: server, name: Server, type: server, callbackUrls: ["https://s.example/cb"], secrets: [{ env: SECRET_OF_A_TEST }] }`,
  );

it('SEC-48 what is edited before a start is audited after it, once, as edits of a running service are', async () => {
  settings('');
  clients('Web', '');
  await served('1');

  settings('lifetimes: { accessToken: 30m }\naudit: { keep: 30d }');
  clients('Portal', '"https://w.example/bye"');
  await served('1', async ({ says }) => {
    await says(/"event":"clients\.changed"/);
    clients('Portal of old', '"https://w.example/bye"');
    await says(/clients\.yaml: the edit is in force/);
  });

  settings('lifetimes: { accessToken: 30m }\naudit: { keep: 30d }\nsecondFactor: required');
  await served('2');

  const { stdout } = await inProcess(place)(['audit', '--json', '--event', 'service.changed', '--event', 'clients']);
  const records = stdout.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text) as AuditRecord]));
  const at = expect.stringMatching(/^start of .+:\d+$/);
  expect(records.map(({ event, client, details }) => [client ?? event, details])).toEqual([
    ['service.changed', { edit: 'first start: later ones are compared with it', at }],
    [
      'service.changed',
      { edit: 'changed', at, keys: ['audit.keep 31536000 -> 2592000', 'lifetimes.accessToken 3600 -> 1800'] },
    ],
    ['web', { edit: 'changed', at, keys: ['logoutUrls +https://w.example/bye', 'name Web -> Portal'] }],
    ['web', { edit: 'changed', keys: ['name Portal -> Portal of old'] }],
    ['service.changed', { edit: 'changed', at, keys: ['secondFactor optional -> required'] }],
  ]);
  for (const record of records) expect(record).toMatchObject({ actor: 'service', outcome: 'success' });
  const logged = serving
    ?.said()
    .split('\n')
    .filter((text) => text.includes('"service.changed"'));
  expect(logged).toHaveLength(1);
});
