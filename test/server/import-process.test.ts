// The child process of an import or of a rebuild: what it answers to its parent and records, and when it gives up. Here it runs within the
// process of the test; real ones: `directory-watch.system.test.ts`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openDatabase } from '#store/database/connection.ts';
import { takeImportLock } from '#store/snapshots/import-lock.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { activity, registerText } from '#support/import/register-files.ts';
import { makeCurrentOlder } from '#support/search-index/older-layout.ts';
import { until } from '#support/until.ts';

const place = await migratedInstallation();
const dataFolder = join(place.folder, 'data');
const database = openDatabase({ engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') });
const own = { env: process.env, send: process.send, connected: process.connected, disconnect: process.disconnect };
let answers: unknown[] = [];
let left: true[] = [];

beforeAll(async () => {
  process.env = { ...process.env, ...place.environment };
  place.configure('service.yaml', 'directory: { guards: { expected: [], coverage: 1 } }\n');
  const send = (answer: unknown, _handle: unknown, _options: unknown, sent: () => void) => {
    answers.push(answer);
    sent();
  };
  Object.assign(process, { send, connected: true, disconnect: () => void left.push(true) });
});
afterAll(async () => {
  Object.assign(process, own);
  await database.destroy();
});
async function begin(): Promise<void> {
  jest.resetModules();
  for (const event of ['message', 'disconnect', 'SIGINT', 'SIGTERM']) process.removeAllListeners(event);
  await import('#server/directory-watch/import-process.ts');
}
beforeEach(begin);

const tell = (request: unknown) => process.emit('message', request, undefined);
async function answer(request: unknown): Promise<unknown> {
  [answers, left] = [[], []];
  tell(request);
  await until(() => left.length > 0, 'an answer');
  return answers[0];
}
const events = async () => {
  const rows = await database('audit_events').orderBy('sequence');
  return rows.map(({ event, actor, outcome }) => `${event} by ${actor}: ${outcome}`);
};
const edition = (...people: Parameters<typeof activity>) => {
  const path = join(place.folder, 'pa.txt');
  writeFileSync(path, registerText('activities', people.map(activity)));
  return { paths: [path], folder: place.folder };
};

it('imports what a watched folder holds, and records that the service did', async () => {
  const { length } = await events();
  expect(await answer(edition({}))).toMatchObject({
    report: { outcome: 'imported', resources: { Practitioner: 1 }, linkedAccounts: { accounts: 0 } },
  });
  expect([answers.length, (await events()).slice(length)]).toEqual([1, ['directory.imported by service: success']]);
  expect(await answer('rebuild')).toEqual({ rebuilt: null });
});

it('records that the service suspended the links of records which are of others now', async () => {
  await answer(edition({ 8: 'Lou' }));
  const [created] = await openAccounts(database).create([
    { email: 'a@c.example', name: 'A', practitioners: ['819000000018'] },
  ]);
  const { length } = await events();
  await answer(edition({ 7: 'DURAND', 8: 'Paul' }));
  expect((await events()).slice(length)).toEqual([
    'account.link-suspended by service: success',
    'directory.imported by service: success',
  ]);
  await database('accounts').where({ id: created?.id }).delete();
});

it('has imported also where the audit trail does not take the record', async () => {
  await database.raw("create trigger full before insert on audit_events begin select raise(abort, 'no room'); end");
  const result = await answer(edition({ 8: 'Eva' }));
  await database.raw('drop trigger full');
  expect(result).toMatchObject({
    report: { outcome: 'imported' },
    notRecorded: expect.stringMatching(/^It is done, but the audit trail has no record of it/),
  });
});

it('says whether the files are at fault, or the machine, or who imports already', async () => {
  const { paths, folder } = edition({});
  writeFileSync(paths[0] as string, 'x\n');
  const message = expect.stringMatching(/pa\.txt: is not a register that Hygie knows/);
  expect(await answer({ paths, folder })).toEqual({ cause: 'files', message });
  const { HYGIE_CONFIG } = process.env;
  process.env['HYGIE_CONFIG'] = join(place.folder, 'nothing');
  for (const request of [edition({}), 'rebuild'])
    expect(await answer(request)).toEqual({ cause: 'machine', message: expect.stringContaining('nothing') });
  process.env['HYGIE_CONFIG'] = HYGIE_CONFIG;
  const lock = await takeImportLock(dataFolder, database);
  expect(await answer(edition({}))).toEqual({
    cause: 'busy',
    message: expect.stringMatching(`process ${process.pid}`),
  });
  await lock.release();
});

it('rebuilds the index of an earlier layout; what is abandoned, or has no parent any more, ends at its next step', async () => {
  await answer(edition({ 8: 'Zoé' }));
  await makeCurrentOlder(dataFolder, database);
  const { current } = await readPointer(database);
  for (const abandon of [() => tell('abandon'), () => process.emit('disconnect')]) {
    await begin();
    abandon();
    for (const request of ['rebuild', edition({ 8: 'Ana' })])
      expect(await answer(request)).toEqual({ cause: 'machine', message: 'The import is abandoned.' });
  }
  expect((await readPointer(database)).current).toBe(current);
  await begin();
  expect(await answer('rebuild')).toEqual({ rebuilt: expect.not.stringContaining(current ?? '') });
});
