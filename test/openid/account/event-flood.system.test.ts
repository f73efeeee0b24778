// SEC-75: a person who is signed in cannot fill the disk: changes without end grow the database by what is kept of an hour, and a count.
// Two instances of the service on one SQLite file, of which one ends in between, so that its counts are written.

import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSeals } from '#shared/crypto/seals.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { appOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import type { Person, Visit } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

let service: RunningService;
let other: SecondInstance;
let otherRuns = true;
beforeAll(async () => {
  const clients = await testClients();
  service = await startService({ clients });
  other = await startSecondInstance(service, clients);
});
afterAll(async () => {
  await stopOther();
  await service.stop();
});

const CHANGES = 1500;
const MEGABYTE = 1_000_000;

it('SEC-75 1,500 changes of one profile grow the database by less than a quarter of a megabyte; all are counted, and what matters is kept and told', async () => {
  const { person } = await enteredBy(service.issuer, 0);
  const page = await openAccount(person, 0, '/account/profile');
  const before = await sizeOf(service);
  const { status } = await change(person, page, 'first');
  expect(status).toBe(303);
  const turns = Array.from({ length: CHANGES - 1 }, (_, turn) => turn);
  const worker = async () => {
    for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) await change(person, page, `name ${turn}`);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const setUp = await openAccount(person, 0, '/account/second-factor');
  await person.press(setUp, 'set-up', { code: appOf(setUp)() });
  const grown = (await sizeOf(service)) - before;
  expect(grown).toBeLessThan(MEGABYTE / 4);
  await stopOther();

  const of = (event: string) => service.database('audit_events').where({ account_id: idOf(0), event });
  const counts = (await of('audit.counted')) as { actor: string; details: string }[];
  expect(counts).toMatchObject([{ actor: `account:${idOf(0)}` }]);
  const { count } = JSON.parse(counts[0]?.details ?? '{}') as { count: number };
  const kept = (await of('account.profile-changed')).length;
  // The first instance, which runs on, has half of the rest in its memory.
  expect([kept, count]).toEqual([240, CHANGES / 2 - 120]);
  expect(await of('second-factor.added')).toHaveLength(1);
  expect(await service.database('mail_queue').where({ topic: 'second-factor.added' })).toHaveLength(1);
  expect((await verifyTrail(service.database, await openSeals([]))).faults).toEqual([]);

  const { html } = await person.visit('/account/activity');
  expect(html).toMatch(new RegExp(`More of the same</h2>[^]*?${count} × Profile changed`));
  const [record] = await openAuditEvents(service.database).search({ events: ['audit.counted'], limit: 1 });
  expect(record?.details).toEqual({ of: 'account.profile-changed', count });
});

it('SEC-75 an account has a thousand sessions at most where the settings set no limit; the oldest end', async () => {
  await enteredBy(service.issuer, 1);
  const sessions = () => service.database('oidc_records').where({ model: 'Session', account_id: idOf(1) });
  const row = (await sessions().first()) as { id: string; uid: string; payload: string };
  const older = Array.from({ length: 1004 }, (_, place) => ({
    ...row,
    id: `${row.id.slice(0, -5)}${String(place).padStart(5, '0')}`,
    uid: `older ${place}`,
    payload: JSON.stringify({ ...JSON.parse(row.payload), uid: `older ${place}`, loginTs: 1_700_000_000 + place }),
  }));
  await service.database.batchInsert('oidc_records', older, 100);
  await enteredBy(service.issuer, 1);
  expect(await sessions()).toHaveLength(1000);
  expect(await sessions().whereIn('uid', ['older 5', row.uid]).pluck('uid')).toEqual([row.uid]);
  expect(await sessions().where({ uid: 'older 6' })).toHaveLength(1);
});

async function stopOther(): Promise<void> {
  if (otherRuns) await other.stop();
  otherRuns = false;
}

let sent = 0;

/** Sends the form, to each instance in turn, without looking at the page that follows. */
async function change(person: Person, { html }: Visit, nickname: string): Promise<Response> {
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(html) ?? [];
  const [, name = ''] = /name="name"[^>]*? value="([^"]+)"/.exec(html) ?? [];
  const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
  const init = {
    method: 'POST',
    headers: { cookie, origin: service.issuer },
    body: new URLSearchParams({ csrf, name, nickname, language: 'en' }),
  };
  const address = `${service.issuer}/account/profile`;
  sent += 1;
  return sent % 2 ? fetch(address, { ...init, redirect: 'manual' }) : other.send(address, init);
}

/** Bytes of the file and of its log, once that is written into it. */
async function sizeOf({ database, settings }: RunningService): Promise<number> {
  await database.raw('pragma wal_checkpoint(truncate)');
  return settings.database.engine === 'sqlite' ? statSync(settings.database.file).size : 0;
}
