// SEC-58 the clean-up of counted failures: its statements follow an index, so that a flood's rows hold up nobody.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSignInLimiters } from '#store/accounts/sign-in-limiters.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

const LIMITS = { accountFailures: 10, addressFailures: 100, failureWindow: 900 };

let opened: TestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase('sqlite');
});
afterAll(() => opened.close());

it('SEC-58 no statement of the clean-up reads the whole table of counted failures', async () => {
  const { database } = opened;
  const { prune } = openSignInLimiters(database, LIMITS);
  const statements: { sql: string; bindings: readonly unknown[] }[] = [];
  const note = (query: { sql: string; bindings: readonly unknown[] }) => void statements.push(query);
  database.on('query', note);
  await prune();
  database.removeListener('query', note);
  const removals = statements.filter(({ sql }) => sql.startsWith('delete'));
  expect(removals.length).toBeGreaterThan(0);
  for (const { sql, bindings } of removals) {
    const plan: { detail: string }[] = await database.raw(`explain query plan ${sql}`, [...bindings] as string[]);
    const ofRows = plan.map(({ detail }) => detail).filter((detail) => detail.includes('rate_limits'));
    expect(ofRows.length).toBeGreaterThan(0);
    for (const detail of ofRows) expect(detail).toMatch(/^SEARCH/);
  }
});
