// The directory links of accounts: which are read, how they are stored while others change them, and which of them hold. On both engines.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Account } from '#store/accounts/account-row.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { type AccountLinks, type LinkedAccount, openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { LinkChange, LinkChanges } from '#store/accounts/links/link-changes.ts';
import { createChooseWorkspace, withLinksInForce, workspacesInForce } from '#store/accounts/links/links-in-force.ts';
import { allOf } from '#support/all-of.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const LEFT: LinkChange = { change: 'left', since: 'e2', holdsIn: ['e1'] };

describe.each(bothEngines('store/accounts/links'))('links of accounts on %s', (engine) => {
  const NOW = 1_800_000_000;
  const opened = openedForAll(() => openTestDatabase(engine));
  let links: AccountLinks;
  const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);
  beforeEach(async () => {
    links = openAccountLinks(opened.database);
    await opened.database('accounts').delete();
    at(NOW);
    await openAccounts(opened.database).create([
      { id: 'a', name: 'A', email: 'a@clinic.test', practitioners: ['1', '2'], workspaces: ['F1', 'F2'] },
      { id: 'b', name: 'B', practitioners: ['3'] },
      { id: 'c', name: 'C', workspaces: ['F3'] },
      { id: 'd', name: 'D' },
    ]);
  });
  afterEach(() => void jest.restoreAllMocks());
  const all = async (pages: AsyncIterable<LinkedAccount[]>) => (await allOf(pages)).flat();
  const idsOf = async (pages: AsyncIterable<LinkedAccount[]>) => (await all(pages)).map(({ id }) => id);
  const one = async (id: string) => (await links.withIds([id]))[0] as LinkedAccount;
  const change = (id: string, columns: object) => opened.database('accounts').where({ id }).update(columns);

  it('are read with what is known of them, from accounts that have any', async () => {
    const [first, second, ...others] = await all(links.pages());
    const row = { practitioners: '["1","2"]', workspaces: '["F1","F2"]', linked_as: null, link_changes: null };
    expect(first).toEqual({
      id: 'a',
      email: 'a@clinic.test',
      practitioners: ['1', '2'],
      workspaces: ['F1', 'F2'],
      currentWorkspace: 'F1',
      linkedAs: {},
      linkChanges: {},
      row: { id: 'a', email: 'a@clinic.test', ...row, current_workspace: 'F1' },
    });
    expect(second).toMatchObject({ id: 'b', practitioners: ['3'], workspaces: [] });
    expect([second && 'email' in second, others.map(({ id }) => id)]).toEqual([false, ['c']]);
    await change('c', { updated_at: NOW + 9 });
    expect(await idsOf(links.pages(NOW + 9))).toEqual(['c']);
    expect(await idsOf(links.pages(NOW + 10))).toEqual([]);
    expect((await links.withIds(['c', 'd', 'a', 'x'])).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(await links.linkedIds(['Practitioner/3', 'Organization/F1', 'Organization/3'])).toEqual(
      new Set(['Practitioner/3', 'Organization/F1']),
    );
    expect(await links.linkedIds([])).toEqual(new Set());
  });

  it('that changed are those of accounts that may sign in', async () => {
    for (const id of ['a', 'c']) await change(id, { link_changes: '{"Practitioner/1":{}}' });
    await change('c', { status: 'disabled' });
    expect(await idsOf(links.changed())).toEqual(['a']);
  });

  it('are stored unless somebody has changed them since they were read', async () => {
    const known = (account: LinkedAccount, linkChanges: LinkChanges = { 'Practitioner/1': LEFT }) => ({
      account,
      linkedAs: { 'Practitioner/1': { family: 'Essai' } } as const,
      linkChanges,
    });
    const [a, b, c] = [await one('a'), await one('b'), await one('c')];
    await change('b', { workspaces: '["F9"]' });
    expect(await links.store([known(a), known(b), known(c, {})])).toEqual(new Set(['a', 'c']));
    expect(await one('a')).toMatchObject({
      linkedAs: { 'Practitioner/1': { family: 'Essai' } },
      linkChanges: { 'Practitioner/1': LEFT },
    });
    expect((await one('b')).row.linked_as).toBeNull();
    expect((await one('c')).row).toMatchObject({ link_changes: null, linked_as: expect.stringContaining('Essai') });
    // What was just stored is another state than the one that was read before.
    expect(await links.store([known(a)])).toEqual(new Set());
    expect(await links.store([])).toEqual(new Set());
  });

  it.each(['practitioners', 'workspaces', 'linked_as', 'link_changes'])(
    'are not stored over other %s',
    async (column) => {
      const account = await one('a');
      await change('a', { [column]: '["9"]' });
      expect(await links.store([{ account, linkedAs: {}, linkChanges: {} }])).toEqual(new Set());
    },
  );

  it('are set by an operator; of records that are not linked any more, or confirmed, the state is forgotten', async () => {
    const identity = { family: 'Essai' };
    const references = ['Practitioner/1', 'Practitioner/2', 'Organization/F1'] as const;
    const state = (value: object) => JSON.stringify(Object.fromEntries(references.map((one) => [one, value])));
    await change('a', { linked_as: state(identity), link_changes: state(LEFT) });
    at(NOW + 5);
    const done = links.relink('a', (before) => {
      expect(before).toMatchObject({ practitioners: ['1', '2'], currentWorkspace: 'F1' });
      return { practitioners: ['2', '4'], workspaces: ['F1'], confirmed: ['Organization/F1'] };
    });
    expect(await done).toBe(true);
    const { row, currentWorkspace, ...found } = await one('a');
    expect(found).toEqual({
      id: 'a',
      email: 'a@clinic.test',
      practitioners: ['2', '4'],
      workspaces: ['F1'],
      linkedAs: { 'Practitioner/2': identity },
      linkChanges: { 'Practitioner/2': LEFT },
    });
    expect([currentWorkspace, row.current_workspace]).toEqual([undefined, null]);
    expect(Number((await opened.database('accounts').where({ id: 'a' }).first()).updated_at)).toBe(NOW + 5);
    await links.relink('a', () => ({ practitioners: [], workspaces: ['F7'], currentWorkspace: 'F7', confirmed: [] }));
    expect((await one('a')).row).toMatchObject({ current_workspace: 'F7', linked_as: null, link_changes: null });
    expect(await links.relink('nobody', () => expect(true).toBe(false) as never)).toBe(false);
  });

  it.each(['practitioners', 'workspaces', 'linked_as', 'link_changes', 'current_workspace'])(
    'are set anew where somebody else was faster with %s',
    async (column) => {
      let calls = 0;
      const slow = openAccountLinks(((table: string) => {
        const query = opened.database(table);
        const update = query.update.bind(query) as (values: object) => Promise<number>;
        const late = (values: object) => change('a', { [column]: '["9"]' }).then(() => update(values));
        query.update = ((values: object) => (calls > 1 ? update(values) : late(values))) as never;
        return query;
      }) as never);
      const done = await slow.relink('a', (before) => {
        calls += 1;
        return { ...before, confirmed: [] };
      });
      expect([done, calls]).toEqual([true, 2]);
    },
  );
});

describe('links in force', () => {
  const ACCOUNT = {
    id: 'a',
    practitioners: ['1', '2', '3'],
    workspaces: ['F1', 'F2'],
    currentWorkspace: 'F2',
  } as unknown as Account;
  const HIDDEN = new Set(['Practitioner/3', 'Organization/1']);
  const linkChanges: LinkChanges = {
    'Practitioner/1': LEFT,
    'Practitioner/2': { ...LEFT, change: 'missing' },
    'Organization/F2': { ...LEFT, change: 'other' },
  };
  const CHANGED = { ...ACCOUNT, linkChanges };
  const NOWHERE = { ...CHANGED, currentWorkspace: undefined as never };
  const NONE = new Set<string>();

  it('are all, where nothing has changed and nothing is hidden: the account itself', () => {
    expect(withLinksInForce(ACCOUNT, { id: 'e2', hidden: NONE })).toBe(ACCOUNT);
  });

  it.each([
    ['in an edition in which they hold', CHANGED, 'e1', NONE, ['1', '2', '3'], ['F1', 'F2'], 'F2'],
    ['in a later edition', CHANGED, 'e2', NONE, ['2', '3'], ['F1'], undefined],
    ['without an edition', CHANGED, undefined, NONE, ['2', '3'], ['F1'], undefined],
    ['without hidden records', ACCOUNT, 'e2', HIDDEN, ['1', '2'], ['F1', 'F2'], 'F2'],
    ['without a current place', NOWHERE, 'e1', HIDDEN, ['1', '2'], ['F1', 'F2'], undefined],
  ])('%s', (_when, account, id, hidden, practitioners, workspaces, current) => {
    const { currentWorkspace, ...found } = withLinksInForce(account, { id, hidden });
    expect(found).toEqual({ id: 'a', practitioners, workspaces });
    expect(currentWorkspace).toBe(current);
    expect(workspacesInForce(account, { id, hidden })).toEqual({ ids: workspaces, ...(current && { current }) });
  });

  it('are those from which a person chooses a place of work', async () => {
    const relinked: unknown[] = [];
    let linked = ['F1', 'F2'];
    const choose = createChooseWorkspace({
      accounts: { find: async (id) => (id === 'a' ? ACCOUNT : undefined) },
      links: {
        relink: async (id, change) => {
          relinked.push([id, change({ practitioners: ['1'], workspaces: linked, currentWorkspace: 'F2' })]);
          return true;
        },
      },
      edition: () => ({ id: 'e1', hidden: new Set(['Organization/F9']) }),
    });
    const links = { practitioners: ['1'], confirmed: [] };
    expect([await choose('x', 'F1'), await choose('a', 'F9'), await choose('a', 'F3')]).toEqual(
      Array(3).fill('refused'),
    );
    expect([await choose('a', 'F2'), relinked]).toEqual(['unchanged', []]);
    expect(await choose('a', 'F1')).toBe('chosen');
    expect(relinked.pop()).toEqual(['a', { ...links, workspaces: ['F1', 'F2'], currentWorkspace: 'F1' }]);
    // An operator has just taken it away.
    linked = ['F2'];
    expect(await choose('a', 'F1')).toBe('refused');
    expect(relinked).toEqual([['a', { ...links, workspaces: ['F2'], currentWorkspace: 'F2' }]]);
  });
});
