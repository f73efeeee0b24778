// FHIR Bulk Data Access: a request for an export as it is understood or refused, word for word; the names of files; and the history that tells
// what changed.

import { describe, expect, it } from '@jest/globals';
import { createDownloadSlots } from '#directory/bulk-export/download.ts';
import { checkHistory, exportRequest } from '#directory/bulk-export/export-request.ts';
import { changedSince, createTurns, fileName, filesOf, parseFileName } from '#directory/bulk-export/files.ts';
import type { FhirError } from '#directory/errors.ts';
import type { Edition, SearchQuery, Snapshot } from '#search-index/index.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { thrownBy } from '#support/directory/thrown.ts';

const ALL = ['Practitioner', 'Organization', 'PractitionerRole'] as const;

function refusalOf(call: () => unknown) {
  const error = thrownBy(call);
  return error && shown(error);
}
const shown = ({ status, issues: [issue] }: FhirError) =>
  [status, issue?.code, issue?.location ?? '-', issue?.diagnostics].join(' ');

describe('a request for an export', () => {
  const SINCE = Date.UTC(2026, 10, 21, 8, 30);
  const since = '_since=2026-11-21T08%3A30%3A00.000Z';
  it.each<[string, 'Practitioner' | undefined, object]>([
    ['', undefined, { types: ALL, named: false, query: '' }],
    ['', 'Practitioner', { types: ['Practitioner'], named: true, query: '_type=Practitioner' }],
    ['_type=Practitioner', 'Practitioner', { types: ['Practitioner'], named: true, query: '_type=Practitioner' }],
    [
      '_type=Organization,+Practitioner',
      undefined,
      { types: ['Practitioner', 'Organization'], named: true, query: '_type=Practitioner%2COrganization' },
    ],
    [
      '_type=PractitionerRole&_type=Organization',
      undefined,
      { types: ['Organization', 'PractitionerRole'], named: true, query: '_type=Organization%2CPractitionerRole' },
    ],
    ['_since=2026-11-21T08:30Z', undefined, { types: ALL, named: false, since: SINCE, query: since }],
    ['_since=2026-11-21T09:30+01:00', undefined, { types: ALL, named: false, since: SINCE, query: since }],
    ['_outputFormat=NDJSON&_format=json', undefined, { types: ALL, named: false, query: '' }],
    ['_outputFormat=application/fhir+ndjson', undefined, { types: ALL, named: false, query: '' }],
  ])('?%s of %s is understood', (raw, type, request) => {
    expect(exportRequest(raw, type)).toEqual(request);
  });

  const FORMATS = 'is application/fhir+ndjson, application/ndjson, ndjson: nothing else is exported.';
  const not = (name: string, instead: string) =>
    `400 not-supported http.${name} ${name} is not supported in an export: ${instead}.`;
  it.each<[string, 'Practitioner' | undefined, string]>([
    ['_outputFormat=csv', undefined, `400 not-supported http._outputFormat _outputFormat ${FORMATS}`],
    [
      '_outputFormat=',
      undefined,
      '400 value http._outputFormat _outputFormat has no value: give it one, or leave it out.',
    ],
    ['_typeFilter=x', undefined, not('_typeFilter', 'search instead, or take the whole type')],
    ['_elements=x', undefined, not('_elements', 'resources are exported whole')],
    ['includeAssociatedData=x', undefined, not('includeAssociatedData', 'there is none')],
    ['patient=x', undefined, not('patient', 'the directory holds no patients')],
    ['name=x', undefined, not('name', 'known are _type, _since and _outputFormat')],
    [
      '_type=Organization',
      'Practitioner',
      '400 value http._type _type is Practitioner at this address: ask [base]/$export for other types.',
    ],
    [
      '_type=Practitioner,Patient',
      undefined,
      '400 not-supported http._type _type is one or more of Practitioner,Organization,PractitionerRole, not Patient.',
    ],
    [
      '_since=yesterday',
      undefined,
      '400 value http._since _since is an instant: the transactionTime of an earlier export, as 2026-11-21T08:30:00.000Z.',
    ],
    ['_since=2026&_since=2026', undefined, '400 value http._since _since stands more than once: send it once.'],
  ])('?%s of %s is refused', (raw, type, refusal) => {
    expect(refusalOf(() => exportRequest(raw, type))).toBe(refusal);
  });
});

describe('the name of a file', () => {
  const since = Date.UTC(2026, 10, 20, 5, 0, 0, 1);
  it.each([
    [{ type: 'Practitioner', from: 0, to: 50, gone: false }, 'Practitioner-0000000-0000050.ndjson'],
    [{ type: 'Organization', from: 12345678, to: 23456789, gone: false }, 'Organization-12345678-23456789.ndjson'],
    [
      { type: 'PractitionerRole', from: 7, to: 9, gone: false, since },
      'PractitionerRole-changed-20261120T050000001Z-0000007-0000009.ndjson',
    ],
    [{ type: 'Practitioner', from: 0, to: 0, gone: true, since }, 'Practitioner-deleted-20261120T050000001Z.ndjson'],
  ] as const)('of %j says all of it', (file, name) => {
    expect(fileName(file)).toBe(name);
    expect(parseFileName(name)).toEqual(file);
  });

  it.each([
    'Patient-0000000-0000050.ndjson',
    'Practitioner-0000000-0000050.json',
    'xPractitioner-0-1.ndjson',
    'Practitioner-0-1.ndjsonx',
    'Practitioner-changed-20261320T050000001Z-0-1.ndjson',
    'Practitioner-deleted-20261120T250000001Z.ndjson',
    'Practitioner-12345678901-1.ndjson',
  ])('%s is none', (name) => {
    expect(parseFileName(name)).toBeUndefined();
  });
});

describe('the files of an export', () => {
  const turn = async () => {};
  interface Content {
    positions: number;
    changed?: number[];
    gone?: string[];
    state?: string;
  }
  function snapshotOf({ positions, changed = [], gone = [], state }: Content) {
    const queries: SearchQuery[] = [];
    const search = async (query: SearchQuery) => {
      queries.push(query);
      const found = changed.filter((position) => position > (query.after ?? -1));
      const matches = found.slice(0, query.limit).map((position) => ({ position }));
      return { matches, more: found.length > query.limit, ...(query.total && { total: found.length }) };
    };
    const snapshot = {
      ...(state && { state }),
      counts: async () => ({ Practitioner: positions, Organization: 1, PractitionerRole: 0 }),
      search,
      listGone: async () => gone.map((goneSince, at) => ({ id: `g${at}`, goneSince })),
    } as unknown as Snapshot;
    return { snapshot, queries };
  }
  const types = ['Practitioner', 'Organization'] as const;

  it('are parts of each type, with their counts unless something is hidden', async () => {
    const request = { types, named: true, query: '' };
    const parts = (counted: boolean) => [
      { file: { type: 'Practitioner', from: 0, to: 2, gone: false }, ...(counted && { count: 2 }) },
      { file: { type: 'Practitioner', from: 2, to: 4, gone: false }, ...(counted && { count: 2 }) },
      { file: { type: 'Practitioner', from: 4, to: 5, gone: false }, ...(counted && { count: 1 }) },
      { file: { type: 'Organization', from: 0, to: 1, gone: false }, ...(counted && { count: 1 }) },
    ];
    expect(await filesOf(snapshotOf({ positions: 5 }).snapshot, request, 2, turn)).toEqual(parts(true));
    expect(await filesOf(snapshotOf({ positions: 5, state: 'x' }).snapshot, request, 2, turn)).toEqual(parts(false));
  });

  it('of changes divide the positions evenly, leave out those without any, and tell who is gone', async () => {
    const since = Date.UTC(2026, 10, 20);
    const request = { types: ['Practitioner'], named: true, since, query: '' } as const;
    const changed = { type: 'Practitioner', gone: false, since };
    const { snapshot, queries } = snapshotOf({ positions: 10, changed: [1, 2, 9], gone: ['2026-11-20T00:00:00.001Z'] });
    expect(await filesOf(snapshot, request, 1, turn)).toEqual([
      { file: { ...changed, from: 0, to: 3 } },
      { file: { ...changed, from: 7, to: 10 } },
      { file: { ...changed, from: 0, to: 0, gone: true } },
    ]);
    const clauses = [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: since + 1 }] }];
    expect([changedSince(since)]).toEqual(clauses);
    const query = { type: 'Practitioner', clauses };
    expect(queries).toEqual([
      { ...query, limit: 0, total: true },
      { ...query, limit: 1, total: false },
      { ...query, limit: 1, total: false, after: 2 },
      { ...query, limit: 1, total: false, after: 6 },
    ]);
    const one = snapshotOf({ positions: 10, changed: [1, 2, 9], gone: ['2026-11-20T00:00:00.000Z'] });
    expect(await filesOf(one.snapshot, request, 3, turn)).toEqual([
      { file: { ...changed, from: 0, to: 10 }, count: 3 },
    ]);
    expect(await filesOf(snapshotOf({ positions: 10 }).snapshot, request, 3, turn)).toEqual([]);
  });

  it('are made in turns of the event loop, one after the other', async () => {
    const own = createTurns();
    const order: string[] = [];
    const first = own().then(() => {
      order.push('a');
      setImmediate(() => order.push('in between'));
    });
    await Promise.all([first, own().then(() => order.push('b'))]);
    expect(order).toEqual(['a', 'in between', 'b']);
  });
});

describe('the history of a copy', () => {
  const editions = (...all: [created: string, apart?: boolean][]): Edition[] =>
    all.map(([created, apart = false]) => ({ created, apart }));
  const HISTORY = editions(
    ['2026-11-18T08:00:00.000Z'],
    ['2026-11-19T08:00:00.000Z', true],
    ['2026-11-20T08:00:00.000Z'],
  );
  const check = async (since: number, history = HISTORY, overtaken = false) => {
    const snapshot = { history: async () => history } as unknown as Snapshot;
    return checkHistory(snapshot, since, async () => overtaken).then(() => undefined, shown);
  };
  const at = (text: string) => Date.parse(text);
  const ANEW = 'export everything, without _since, and replace the copy.';
  const BACK = `410 not-found http._since The directory went back to an edition before that time: ${ANEW}`;

  it('is known since its first edition, and not across a way back', async () => {
    expect(await check(at('2026-11-18T08:00:00.000Z'))).toBeUndefined();
    expect(await check(at('2026-11-18T07:59:59.999Z'))).toBe(
      `410 not-found http._since What was removed is known since the edition of 2026-11-18T08:00:00.000Z only: ${ANEW}`,
    );
    expect(await check(0, [])).toBe(
      `410 not-found http._since What was removed is known since the edition only: ${ANEW}`,
    );
    expect(await check(at('2026-11-18T09:00:00.000Z'))).toBe(BACK);
    expect(await check(at('2026-11-19T08:00:00.000Z'))).toBeUndefined();
    expect(await check(at('2026-11-19T09:00:00.000Z'))).toBeUndefined();
    expect(await check(at('2026-11-20T09:00:00.000Z'))).toBeUndefined();
    expect(await check(at('2026-11-20T09:00:00.000Z'), HISTORY, true)).toBe(BACK);
    expect(await check(at('2026-11-20T08:00:00.000Z'), HISTORY, true)).toBeUndefined();
  });

  it('has no time to come, a minute aside', async () => {
    const future = editions(['2999-01-01T00:00:00.000Z']);
    const latest = at('2999-01-01T00:00:00.000Z');
    expect(await check(latest + 60_000, future)).toBeUndefined();
    expect(await check(latest + 60_001, future)).toBe(
      '400 value http._since _since is a time to come: is a clock wrong? The edition here is of 2999-01-01T00:00:00.000Z. Send the transactionTime of the export that the copy was made from.',
    );
    expect(await check(Date.now() + 50_000)).toBeUndefined();
    expect(await check(Date.now() + 3_600_000)).toMatch(/^400 value .* of 2026-11-20T08:00:00.000Z\. Send/);
  });
});

describe('SEC-58 the slots for downloads', () => {
  it('are the client’s and shared among its people, given back once, and reported where they are full', () => {
    const reached: string[] = [];
    const stop = onLimitReached((limit) => reached.push(limit));
    const slots = createDownloadSlots(2);
    const token = (accountId?: string) =>
      ({ active: true, clientId: 'c', scopes: new Set(), ...(accountId && { accountId }) }) as never;
    const TEXT = '429 throttled - Not more than 2 files of an export at a time';
    try {
      const release = slots.take(token('a'));
      expect(refusalOf(() => slots.take(token('a')))).toBe(
        `${TEXT}, and one person no more than are left for others: wait until one has ended.`,
      );
      slots.take(token('b'));
      expect(refusalOf(() => slots.take(token('d')))).toBe(`${TEXT}: wait until one has ended.`);
      release();
      release();
      slots.take(token('e'));
      expect(refusalOf(() => slots.take(token('f')))).toBe(`${TEXT}: wait until one has ended.`);
      const itself = [slots.take(token()), slots.take(token())];
      for (const give of itself) give();
      expect([slots.take(token()), slots.take(token())]).toHaveLength(2);
    } finally {
      stop();
    }
    expect(reached).toEqual(['export-downloads', 'export-downloads', 'export-downloads']);
  });
});
