// Decision 105: a start refuses libraries in which a member is missing that the store relies on.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '#store/database/connection.ts';
import { checkConnection, checkDrivers } from '#store/database/driver-check.ts';
import { ENGINES, openTestDatabase, type TestDatabase } from '#support/databases.ts';

describe.each(ENGINES)('the libraries of %s', (engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());

  it('that are installed have all members, and a service starts with them', async () => {
    const database = openDatabase(opened.settings, { warn: () => {} });
    await database.raw('select 1');
    await database.destroy();
  });

  it.each(['acquireConnection', 'pool'])('without %s are refused, with the remedy', (member) => {
    const client = Object.create(opened.database.client, { [member]: { value: undefined } });
    const changed = Object.create(opened.database, { client: { value: client } });
    expect(() => checkDrivers(changed)).toThrow(/has no function .*npm ci/);
  });
});

it('a connection of node-postgres whose socket is elsewhere is refused', () => {
  const client = { query: () => {}, getTransactionStatus: () => {}, once: () => {}, connection: {} };
  expect(() => checkConnection(client)).toThrow('the stream of pg.Client has no function destroy');
});
