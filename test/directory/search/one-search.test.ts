// The stations of one search: what the index is asked, when it is not asked at all, which totals are remembered, and what a trace tells.

import { describe, expect, it } from '@jest/globals';
import type { FhirError } from '#directory/errors.ts';
import type { DirectoryRequest } from '#directory/middleware/interaction.ts';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { encodePage, queryHash } from '#directory/search/page-token.ts';
import { linkedScopes, search } from '#directory/search/search.ts';
import { type SearchPage, type SearchQuery, type Snapshot, TooCostly } from '#search-index/index.ts';
import { type Attributes, type Span, type Tracer, withinContext } from '#shared/request-context.ts';
import { own, stored } from './understanding.ts';

const BOTH = ['PRACTITIONER_READ', 'ORGANIZATION_READ'];

function searching(table: ParameterTable, answer: (query: SearchQuery) => SearchPage) {
  const queries: SearchQuery[] = [];
  const abandoned = () => false;
  const snapshot = {
    id: 's-1',
    search: async (query: SearchQuery, options: { abandoned?: unknown }) => {
      queries.push(query);
      expect(options?.abandoned).toBe(abandoned);
      return answer(query);
    },
    spellings: async () => ({ known: true, near: [], apart: [] }),
  } as unknown as Snapshot;
  const snapshots = { current: () => snapshot, byId: async () => snapshot };
  // No help where nothing is found, which would search more.
  const interaction = search(table, { ...own, snapshots, suggestions: { within: 0, share: 1 } });
  const ask = async (query: string, more: Partial<DirectoryRequest> & { scopes?: string[] } = {}) => {
    const { scopes = BOTH, ...others } = more;
    const token = { active: true, accountId: 'a', clientId: 'c', scopes: new Set(scopes) } as const;
    const asked = { url: `/x?${query}`, headers: {}, params: {}, form: '', token, abandoned, ...others };
    const { json, representation } = await interaction(asked);
    return { ...JSON.parse(json), representation };
  };
  return { ask, queries };
}
const found = (total?: number, more = false): SearchPage => ({
  matches: [stored(4, 'r4')],
  more,
  ...(total !== undefined && { total }),
});
const name = { field: 'name', match: 'words', anyOf: [[{ prefix: 'zyx', whole: [], joined: ['zyx'] }]] };
const page = (query: string, position: object) =>
  `${query}&_page=${encodePage({ snapshot: 's-1', number: 2, query: queryHash('Practitioner', query), ...position })}`;

describe('what the index is asked', () => {
  it.each<[query: string, asked: object]>([
    ['name=zyx', { limit: 50, total: 'unless-costly' }],
    ['name=zyx&_count=7&_total=none', { limit: 7, total: false }],
    ['name=zyx&_total=accurate', { limit: 50, total: true }],
    ['name=zyx&_summary=count&_count=7', { limit: 0, total: true }],
    [
      'name=zyx&_sort=-given',
      { limit: 50, total: 'unless-costly', order: { by: 'field', field: 'given', descending: true } },
    ],
    [page('name=zyx', { after: 3 }), { limit: 50, total: 'unless-costly', after: 3 }],
    [page('name=zyx', { before: 9 }), { limit: 50, total: 'unless-costly', before: 9 }],
    [page('name=zyx', {}), { limit: 50, total: 'unless-costly' }],
    [
      page('name=zyx&_sort=_lastUpdated', { after: 3, instant: 5 }),
      { limit: 50, total: 'unless-costly', after: 3, instant: 5, order: { by: 'updated', descending: false } },
    ],
  ])('?%s', async (query, asked) => {
    const { ask, queries } = searching(PRACTITIONER, () => found(1));
    await ask(query);
    expect(queries).toEqual([{ type: 'Practitioner', clauses: [name], ...asked }]);
  });

  it('texts that a resource must hold letter for letter, and the form before the address', async () => {
    const { ask, queries } = searching(PRACTITIONER, () => found(1));
    const { link } = await ask('name=zyx', { form: 'family:exact=AB' });
    const family = { field: 'family', match: 'words', anyOf: [[{ whole: ['ab'] }]] };
    expect(queries).toEqual([
      {
        type: 'Practitioner',
        clauses: [family, name],
        limit: 50,
        total: 'unless-costly',
        exactly: [{ field: 'family', texts: ['AB'] }],
      },
    ]);
    expect(link[0].url).toBe(`${own.base}/Practitioner?family%3Aexact=AB&name=zyx`);
  });

  it.each<[ParameterTable, string]>([
    [PRACTITIONER, 'address=--'],
    [PRACTITIONER, 'name=zyx&identifier=a%5C%7Cb'],
    [ORGANIZATION, 'partof=https://x.example/a'],
    [PRACTITIONER_ROLE, 'organization.partof=https://x.example/a'],
  ])('nothing where a criterion can match nothing: %#: %s', async (table, query) => {
    const { ask, queries } = searching(table, () => found(1));
    const { total, entry } = await ask(query);
    expect([total, entry, queries]).toEqual([0, undefined, []]);
  });

  it('where a criterion only excludes what can match nothing, everything', async () => {
    const { ask, queries } = searching(PRACTITIONER, () => found(1));
    await ask('identifier:not=a%5C%7Cb');
    expect(queries[0]?.clauses).toEqual([{ field: 'identifier', match: 'exact', anyOf: [], not: true }]);
  });

  it('is refused where it is too costly, with the remedy; another error is one of the directory', async () => {
    const costly = searching(PRACTITIONER, () => {
      throw new TooCostly('too many match: narrow it');
    });
    const refused = (await costly.ask('name=zyx').catch((error) => error)) as FhirError;
    expect([refused.status, refused.issues]).toEqual([
      400,
      [{ severity: 'error', code: 'too-costly', diagnostics: 'Too costly: too many match: narrow it.' }],
    ]);
    const broken = searching(PRACTITIONER, () => {
      throw new Error('disk');
    });
    await expect(broken.ask('name=zyx')).rejects.toThrow('disk');
  });
});

describe('the total of a search with several pages', () => {
  it('is counted once, and again for another mode, search or snapshot', async () => {
    const { ask, queries } = searching(PRACTITIONER, ({ total }) => found(total === false ? undefined : 120, true));
    const totals = [];
    for (const query of ['name=zyx', page('name=zyx', { after: 3 }), page('name=zyx', { after: 9 })])
      totals.push((await ask(query)).total);
    totals.push((await ask(page('name=zyx', { after: 3 }).replace('&_page', '&_total=accurate&_page'))).total);
    totals.push((await ask('name=zyx')).total);
    expect(totals).toEqual([120, 120, 120, 120, 120]);
    expect(queries.map(({ total }) => total)).toEqual(['unless-costly', false, false, true, 'unless-costly']);
  });

  it('is not remembered where there is one page, and not told where it is not wanted', async () => {
    const { ask, queries } = searching(PRACTITIONER, ({ total }) => found(total === false ? undefined : 1));
    await ask('name=zyx');
    await ask(page('name=zyx', { after: 3 }));
    expect(queries.map(({ total }) => total)).toEqual(['unless-costly', 'unless-costly']);
    const { total } = await ask(page('name=zyx', { after: 3 }).replace('&_page', '&_total=none&_page'));
    expect([total, queries.at(-1)?.total]).toEqual([undefined, false]);
  });
});

describe('SEC-20 the scopes of a search', () => {
  it.each<[ParameterTable, string, string[], string | undefined]>([
    [PRACTITIONER, 'name=zyx', ['PRACTITIONER_READ'], undefined],
    [PRACTITIONER, '_has:PractitionerRole:practitioner:role=L', ['PRACTITIONER_READ'], 'scope ORGANIZATION_READ'],
    [PRACTITIONER, '_revinclude=*', ['PRACTITIONER_READ'], 'scope ORGANIZATION_READ'],
    [ORGANIZATION, 'partof.name=ab', ['ORGANIZATION_READ'], undefined],
    [ORGANIZATION, 'name=ab', [], 'scope ORGANIZATION_READ'],
  ])('%#: %s', async (table, query, scopes, lacking) => {
    const { ask } = searching(table, () => found(1));
    const answer = ask(query, { scopes });
    if (lacking === undefined) expect((await answer).total).toBe(1);
    else await expect(answer).rejects.toThrow(`The access token lacks the ${lacking}:`);
  });

  it('beside its own are those of what it includes or reaches, and none while it cannot be understood', () => {
    const others = linkedScopes(PRACTITIONER, own);
    expect(
      [
        'name=zyx',
        '_revinclude=*',
        '_has:PractitionerRole:practitioner:role=L',
        '_revinclude=*&name=a',
        'foo=1&_revinclude=*',
      ].map((query) => others({ url: `/Practitioner?${query}` })),
    ).toEqual([[], BOTH, BOTH, [], BOTH]);
  });
});

describe('the trace of a search', () => {
  it('has numbers, and nothing that was searched', async () => {
    const spans: { name: string; attributes: Attributes }[] = [];
    const start: Tracer['start'] = ({ name: of, attributes }) => {
      const one = { name: of, attributes: { ...attributes } };
      spans.push(one);
      return {
        traceId: '',
        spanId: '',
        end: () => {},
        rename: () => {},
        set: (more: Attributes) => Object.assign(one.attributes, more),
      } as Span;
    };
    const tracer = { start };
    const { ask } = searching(PRACTITIONER, () => found(1));
    await withinContext({ tracer, span: start({ name: 'request' }) }, () => ask('name=zyx&_revinclude=*'));
    expect(spans).toEqual([
      { name: 'request', attributes: {} },
      { name: 'directory search Practitioner', attributes: { 'hygie.search.clauses': 1, 'hygie.search.matches': 1 } },
      { name: 'directory include Practitioner', attributes: {} },
    ]);
  });
});
