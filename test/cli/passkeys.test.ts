// SEC-70 as operators meet it: what a person's passkeys are, and how those that were lost are removed.

import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation } from '#support/cli/serving.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';

const [{ email: WHO = '', id: ID = '' } = {}, { email: OTHER = '' } = {}] = DEMO_ACCOUNTS;

const place = filledInstallation();
const hygie = inProcess(place);
let database: Database;
beforeAll(() => {
  database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
});
afterAll(async () => {
  await database.destroy();
  place.remove();
});

const add = (credentialId: string, name: string) =>
  openPasskeys(database).add(
    ID,
    {
      ...{ credentialId, name, userHandle: 'of-the-user', publicKey: 'of-the-key', counter: 0 },
      ...{ transports: [], synced: true, aaguid: '' },
    },
    undefined,
  );

it('accounts passkeys lists them without keys; remove-passkeys removes one, or all, and is in the audit trail', async () => {
  expect((await hygie(['accounts', 'passkeys', WHO])).stdout).not.toContain('Phone');
  await add('first', 'Phone');
  await add('second', 'Ward computer');
  const listed = await hygie(['accounts', 'passkeys', WHO]);
  expect(listed.stdout).toMatch(/Phone +\d{4}-\d\d-\d\dT\S+Z +never +yes/);
  expect(listed.stdout).not.toMatch(/of-the-(user|key)/);
  const parsed = JSON.parse((await hygie(['accounts', 'passkeys', WHO, '--json'])).stdout) as {
    id: string;
    name: string;
  }[];
  expect(parsed.map(({ name }) => name).sort()).toEqual(['Phone', 'Ward computer']);
  expect((await hygie(['accounts', 'show', WHO])).stdout).toMatch(/^passkeys +2/m);

  // That of nobody, and somebody else's account: nothing is changed.
  const [{ id = '' } = {}] = parsed;
  for (const args of [[WHO, '--passkey', 'unknown'], [OTHER, '--passkey', id], [OTHER]]) {
    const refused = await hygie(['accounts', 'remove-passkeys', ...args]);
    expect([args, refused.code, refused.stderr.includes('Nothing was changed')]).toEqual([args, 1, true]);
  }
  expect((await hygie(['accounts', 'remove-passkeys', WHO, '--passkey', id])).stderr).toContain('1 passkey(s) removed');
  expect((await hygie(['accounts', 'remove-passkeys', WHO])).stderr).toContain('sessions and tokens in use have ended');
  expect((await hygie(['accounts', 'remove-passkeys', WHO])).code).toBe(1);
  const events = await openAuditEvents(database).search({ limit: 9, events: ['passkey.removed'] });
  expect(events.map(({ account, details }) => [account, details?.['passkeys']])).toEqual([
    [ID, 1],
    [ID, 1],
  ]);
  expect((await hygie(['accounts', 'remove-passkeys'])).code).toBe(2);
});
