// SEC-77: production refuses the data of a demonstration and a sandbox everybody else, each with the remedy; what the shared people of a
// sandbox cannot be given.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '#config/settings.ts';
import {
  holdsFictionalPeople,
  keepConsents,
  keepFactors,
  keepSandboxApart,
  onlyRealPeople,
  refuseForeignDatabase,
  refusesFictionalPeople,
  sharedPeople,
} from '#server/start/fictional-people.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { isSandbox } from '#store/database/sandbox-mark.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { newFolder } from '#support/new-folder.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { copyTemplate } from '#support/service-template.ts';

const AFRESH = 'Or start afresh: with an empty folder in HYGIE_DATA and, if DATABASE_URL is set, an empty database.';
const OF_A_SANDBOX = [
  'The database is that of a sandbox: everybody in it is fictional.',
  '  Remedy: set HYGIE_SANDBOX=1, or DATABASE_URL and HYGIE_DATA to those of production.',
];

describe('data of a demonstration and of production', () => {
  const own = process.env;
  let folder: string;
  let database: Database;
  beforeEach(async () => {
    process.env = { ...own, HYGIE_COMMAND: 'hygie' };
    folder = newFolder();
    // With the fictional accounts and directory.
    await copyTemplate('sqlite', folder);
    database = openDatabase({ engine: 'sqlite', file: `${folder}/hygie.sqlite` });
  });
  afterEach(async () => {
    process.env = own;
    await database.destroy();
  });

  const settings = (mode: 'production' | 'development', sandbox: boolean) =>
    ({ mode, sandbox, dataFolder: folder }) as Settings;
  const refused = (check: typeof keepSandboxApart, mode: 'production' | 'development', sandbox: boolean) =>
    check(database, settings(mode, sandbox)).then(
      () => [],
      (error: Error) => error.message.split('\n'),
    );
  const withoutDirectory = () => database('directory_pointer').update({ current: null });

  it('production refuses people whose password is published, and a directory in which nobody exists', async () => {
    const accounts = openAccounts(database);
    const [first, second, ...rest] = DEMO_ACCOUNTS;
    for (const { id } of rest) await accounts.update(id, { status: 'disabled' });
    const people = [
      `Demo accounts can sign in here, with a password that everybody knows: ${first?.email}, ${second?.email}`,
      '  Remedy: run `hygie accounts disable EMAIL` for each of them.',
    ];
    const directory = [
      'The directory holds the fictional people of the demonstration.',
      '  Remedy: import the real registers with `hygie directory import --accept other-people PATH...`.',
    ];
    const left = 'Production refuses what a demonstration left in its data.';
    expect(await refused(keepSandboxApart, 'production', false)).toEqual([left, ...people, ...directory, AFRESH]);
    for (const one of [first, second]) await accounts.update(one?.id ?? '', { status: 'disabled' });
    expect(await refused(keepSandboxApart, 'production', false)).toEqual([left, ...directory, AFRESH]);
    await withoutDirectory();
    expect(await refused(keepSandboxApart, 'production', false)).toEqual([]);
    await accounts.update(first?.id ?? '', { status: 'active' });
    expect(await refused(keepSandboxApart, 'production', false)).toEqual([
      left,
      String(people[0]).replace(`, ${second?.email}`, ''),
      people[1],
      AFRESH,
    ]);
    expect(await refused(keepSandboxApart, 'development', false)).toEqual([]);
    expect(await isSandbox(database)).toBe(false);
  });

  it('a sandbox takes the fictional people alone, and marks the database that is its own from then on', async () => {
    const accounts = openAccounts(database);
    const refusal = (what: string) => [
      `A sandbox refuses this database: it has ${what} that a sandbox did not make, perhaps of real people.`,
      '  Remedy: remove HYGIE_SANDBOX, or give the sandbox data of its own.',
      AFRESH,
    ];
    const [one] = await accounts.create([{ email: 'ann@clinic.example', name: 'Ann' }]);
    for (const check of [keepSandboxApart, refuseForeignDatabase])
      expect(await refused(check, 'production', true)).toEqual(refusal('1 account'));
    const [two] = await accounts.create([{ email: 'bob@clinic.example', name: 'Bob' }]);
    // A directory that cannot be read is taken for one of real people.
    rmSync(join(folder, 'directory'), { recursive: true });
    expect(await refused(keepSandboxApart, 'production', true)).toEqual(refusal('2 accounts and a directory'));
    await database('accounts')
      .whereIn('id', [one?.id ?? '', two?.id ?? ''])
      .delete();
    expect(await refused(keepSandboxApart, 'production', true)).toEqual(refusal('a directory'));
    expect(await isSandbox(database)).toBe(false);
    await withoutDirectory();
    expect(await refused(refuseForeignDatabase, 'production', true)).toEqual([]);
    expect(await isSandbox(database)).toBe(true);
    await accounts.create([{ email: 'tester@clinic.example', name: 'Tester' }]);
    expect(await refused(keepSandboxApart, 'production', true)).toEqual([]);
    expect(await refused(keepSandboxApart, 'production', false)).toEqual([...OF_A_SANDBOX, AFRESH]);
    expect(await refused(refuseForeignDatabase, 'production', false)).toEqual(OF_A_SANDBOX);
    for (const check of [keepSandboxApart, refuseForeignDatabase])
      expect(await refused(check, 'development', false)).toEqual([]);
  });

  it('a sandbox takes the fictional directory as its own', async () => {
    expect(await holdsFictionalPeople(await findCurrentSnapshot(database), { dataFolder: folder })).toBe(true);
    expect(await holdsFictionalPeople(undefined, { dataFolder: folder })).toBe(false);
    expect(await refused(keepSandboxApart, 'production', true)).toEqual([]);
    expect(await isSandbox(database)).toBe(true);
  });

  it('a command of production writes to no database of a sandbox, and to others', async () => {
    expect(await refused(refuseForeignDatabase, 'production', false)).toEqual([]);
    expect(await isSandbox(database)).toBe(false);
  });
});

describe('fictional people', () => {
  it.each([
    ['production', false, true],
    ['production', true, false],
    ['development', false, false],
    ['development', true, false],
  ] as const)('in %s, sandbox %j: refused %j', async (mode, sandbox, isRefused) => {
    expect(refusesFictionalPeople({ mode, sandbox })).toBe(isRefused);
    const { checkPeople } = onlyRealPeople({ mode, sandbox });
    const reads: unknown[] = [];
    const snapshot = (held: boolean) => ({
      read: async (type: string, id: string) => {
        reads.push([type, id]);
        return held && reads.length === 2 ? {} : undefined;
      },
    });
    const refusal =
      'these are the fictional people of the demonstration, which production refuses. Remedy: import the registers.';
    expect(await checkPeople?.(snapshot(true) as never)).toBe(isRefused ? refusal : undefined);
    expect(await checkPeople?.(snapshot(false) as never)).toBeUndefined();
    const ids = DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []).map((id) => ['Practitioner', id]);
    expect(reads).toEqual(isRefused ? [...ids, ...ids] : []);
  });

  it('of a sandbox are shared, by id and by login; nobody is elsewhere', () => {
    const [{ id = '', email = '' } = {}] = DEMO_ACCOUNTS;
    const names = [id, email, ` ${email.toUpperCase()} `, 'ann@clinic.example', ''];
    expect(names.map(sharedPeople({ sandbox: true }))).toEqual([true, true, true, false, false]);
    expect(names.map(sharedPeople({ sandbox: false }))).toEqual([false, false, false, false, false]);
  });

  it('have neither second factors nor consents of their own, and everybody else has', async () => {
    const calls: unknown[][] = [];
    const told =
      <Result>(name: string, result: Result) =>
      async (...given: unknown[]) => {
        calls.push([name, ...given]);
        return result;
      };
    const isShared = (id: string) => id === 'shared';
    const factors = keepFactors({ setUp: told('setUp', 'added'), other: 1 } as never, isShared) as unknown as {
      setUp(...given: unknown[]): Promise<unknown>;
      other: number;
    };
    expect([await factors.setUp('shared', 'proposal'), await factors.setUp('own', 'proposal'), factors.other]).toEqual([
      undefined,
      'added',
      1,
    ]);
    const all = { find: told('find', ['x']), give: told('give', 'given'), list: told('list', ['y']) };
    const consents = keepConsents(all as never, isShared) as unknown as Record<
      'find' | 'give' | 'list',
      (...given: unknown[]) => Promise<unknown>
    >;
    const results = [];
    for (const id of ['shared', 'own'])
      for (const name of ['find', 'give', 'list'] as const) results.push(await consents[name](id, 'client', 'more'));
    expect(results).toEqual([[], undefined, ['y'], ['x'], 'given', ['y']]);
    expect(calls).toEqual([
      ['setUp', 'own', 'proposal'],
      ['list', 'shared', 'client', 'more'],
      ['find', 'own', 'client', 'more'],
      ['give', 'own', 'client', 'more'],
      ['list', 'own', 'client', 'more'],
    ]);
  });
});
