// directory-data.md 3 "Practitioner.id ... stable for ever": which records of the directory sign-in accounts are linked to.

import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { ENGINES, openTestDatabase } from '#support/databases.ts';

describe.each(ENGINES)('linked records on %s', (engine) => {
  it('are found by type and id, beyond the first page of accounts', async () => {
    const { database, close } = await openTestDatabase(engine);
    const people = Array.from({ length: 1001 }, (_, index) => ({ practitioners: [`81${index}`] }));
    const works = { practitioners: ['A', 'B'], workspaces: ['F1'] };
    const accounts = [...people, works, {}].map((one, index) => ({ email: `${index}@a.example`, name: 'A', ...one }));
    await openAccounts(database).create(accounts);
    const every = accounts.map((_, index) => `Practitioner/81${index}`);
    const wanted = [...every, 'Practitioner/B', 'Practitioner/F1', 'Organization/F1', 'Organization/A'];
    const linked = await openAccountLinks(database).linkedIds(wanted);
    await close();
    expect([...linked].sort()).toEqual([...every.slice(0, 1001), 'Organization/F1', 'Practitioner/B'].sort());
  });
});
