// SEC-81: what each correction takes out of a resource, the version and date that the resource then has, and whether a query still finds it.

import { describe, expect, it } from '@jest/globals';
import { affectedIn } from '#directory/corrections/affected.ts';
import { matches, searched } from '#directory/corrections/matches.ts';
import { servedSpellings } from '#directory/corrections/served-spellings.ts';
import { correctionKey, hidesSomething, withoutHidden } from '#directory/corrections/without-hidden.ts';
import type { FieldClause, QueryWord, SearchQuery, Snapshot, StoredResource } from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';
import { corrected, correction, entriesOf } from '#support/directory/corrected.ts';
import { edition } from '#support/directory/edition.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';

const telecom = [
  { system: 'email', value: 'A@x.example' },
  { system: 'phone', value: '+33 1 23 45' },
  { system: 'fax', value: '01 99' },
  { system: 'url', value: 'https://x.example' },
  { system: 'url', value: 'https://user@x.example' },
  { value: 'b@x.example' },
  { system: 'other' },
];
const address = [{ line: ['12 RUE DE L ÉGLISE'], city: 'NANCY', postalCode: '54000' }, { city: 'PARIS' }];
const RESOURCE = {
  resourceType: 'Organization',
  id: 'o',
  telecom,
  address,
  contact: [{ telecom: [telecom[1]] }, { purpose: { text: 'x' }, telecom: [telecom[1]], address: { city: 'Nancy' } }],
};
type Hiding = Pick<Correction, 'what' | 'value'>;
const left = (...hiding: Hiding[]) => {
  const text = withoutHidden(JSON.stringify(RESOURCE), hiding);
  return text === undefined ? undefined : JSON.parse(text);
};
const but = (list: readonly object[], ...gone: number[]) => list.filter((_, at) => !gone.includes(at));

describe('SEC-81 what a correction takes out', () => {
  it.each<[Hiding[], object | undefined]>([
    [[], RESOURCE],
    [[{ what: 'record' }], undefined],
    [[{ what: 'mailbox' }], { ...RESOURCE, telecom: but(telecom, 0, 5) }],
    [[{ what: 'mailbox', value: 'a@x.example' }], { ...RESOURCE, telecom: but(telecom, 0) }],
    [[{ what: 'mailbox', value: 'c@x.example' }], RESOURCE],
    [
      [{ what: 'phone', value: '012345' }],
      {
        ...{ ...RESOURCE, telecom: but(telecom, 1) },
        contact: [{ purpose: { text: 'x' }, address: { city: 'Nancy' } }],
      },
    ],
    [
      [{ what: 'phone' }],
      {
        ...RESOURCE,
        telecom: but(telecom, 1, 2, 6),
        contact: [{ purpose: { text: 'x' }, address: { city: 'Nancy' } }],
      },
    ],
    [[{ what: 'address', value: 'eglise nancy' }], { ...RESOURCE, address: [address[1]] }],
    [[{ what: 'address', value: 'eglise paris' }], RESOURCE],
    [
      [{ what: 'address', value: 'nancy' }],
      {
        ...{ ...RESOURCE, address: [address[1]] },
        contact: [RESOURCE.contact[0], { purpose: { text: 'x' }, telecom: [telecom[1]] }],
      },
    ],
    [
      [{ what: 'address' }, { what: 'mailbox' }, { what: 'phone' }],
      {
        ...{ resourceType: 'Organization', id: 'o', telecom: [telecom[3], telecom[4]] },
        contact: [{ purpose: { text: 'x' } }],
      },
    ],
  ])('%j', (hiding, expected) => {
    expect(left(...hiding)).toEqual(expected);
    const [one] = hiding;
    if (one && hiding.length === 1) expect(hidesSomething(JSON.stringify(RESOURCE), one)).toBe(expected !== RESOURCE);
  });

  it('is compared by a key that another spelling has too', () => {
    expect([
      correctionKey('mailbox', ' A@X.example '),
      correctionKey('phone', '+33 1 23 45'),
      correctionKey('phone', 'none'),
      correctionKey('address', "12, rue de l'Église"),
    ]).toEqual(['a@x.example', '012345', 'none', '12 rue de l eglise']);
  });
});

describe('SEC-81 a resource that is served in part', () => {
  const LATER = new Date('2026-11-20T09:00:00Z');
  const raw = scanSnapshot('one', edition());
  const made = (record: string, what: Correction['what'], more: Partial<Correction> = {}): Correction => ({
    ...{ ...correction(record, what), id: 1, madeAt: LATER },
    ...more,
  });
  const affected = async (...corrections: Correction[]) => {
    const { Practitioner, Organization, PractitionerRole } = await affectedIn(raw, corrections, entriesOf);
    return [...Practitioner.values(), ...Organization.values(), ...PractitionerRole.values()].map(
      ({ id, before, after, changed }) => [
        id,
        changed,
        after?.stored.versionId,
        after?.stored.lastUpdated,
        after?.stored.position === before.stored.position,
        after && JSON.parse(after.stored.json).meta,
      ],
    );
  };
  const SERVED = '2026-11-20T09:00:00.000Z';
  const whole = (id: string, version: string, changed = SERVED) => [
    ...[id, changed, version, changed, true, { versionId: version, lastUpdated: changed }],
  ];
  const hidden = (id: string, changed = SERVED) => [id, changed, undefined, undefined, false, undefined];

  it('has a version by the last correction and by those that ended, dated by the last change', async () => {
    const mailbox = made('Practitioner/prat-1', 'mailbox', { id: 7 });
    const ended = { endedAt: new Date('2026-11-21T09:00:00Z') };
    expect(await affected(mailbox)).toEqual([whole('prat-1', '1.7.0')]);
    expect(await affected(mailbox, made('Practitioner/prat-1', 'address', { id: 3, ...ended }))).toEqual([
      whole('prat-1', '1.7.1', '2026-11-21T09:00:00.000Z'),
    ]);
    expect(await affected({ ...mailbox, ...ended })).toEqual([whole('prat-1', '1.7.1', '2026-11-21T09:00:00.000Z')]);
    const before = { madeAt: new Date('2026-10-01T00:00:00Z') };
    expect(await affected({ ...mailbox, ...before })).toEqual([whole('prat-1', '1.7.0', '2026-11-02T05:00:00.250Z')]);
    const over = { ...before, endedAt: new Date('2026-11-02T05:00:00.250Z') };
    expect(await affected({ ...mailbox, ...over })).toEqual([]);
    expect(await affected({ ...mailbox, ...over, endedAt: new Date('2026-11-02T05:00:00.251Z') })).toEqual([
      whole('prat-1', '1.7.1', '2026-11-02T05:00:00.251Z'),
    ]);
  });

  it('is not there with its roles where the record is hidden; what a correction does not touch is as it was', async () => {
    expect(await affected(made('Practitioner/prat-1', 'record'))).toEqual(
      ['prat-1', 'prat-1-a', 'prat-1-b'].map((id) => hidden(id)),
    );
    expect(await affected(made('Organization/org-1', 'record'))).toEqual([hidden('org-1')]);
    expect(await affected(made('Practitioner/prat-4', 'mailbox'), made('Practitioner/nobody', 'record'))).toEqual([]);
    expect(await affected(made('Organization/prat-1', 'record'))).toEqual([]);
  });

  it('is gone since its correction, and listed among those that are', async () => {
    const gone = { id: 'a0', goneSince: '2026-11-01T00:00:00.000Z' };
    const more = { ...gone, id: 'z0' };
    const file: Snapshot = {
      ...raw,
      listGone: async () => [gone, more],
      gone: async (_, id) => (id === 'a0' ? gone : undefined),
    };
    const served = corrected(file, () => [
      made('Practitioner/prat-1', 'record'),
      made('Practitioner/prat-2', 'mailbox'),
    ]);
    const prat1 = { id: 'prat-1', goneSince: SERVED };
    expect([
      await served.gone('Practitioner', 'prat-1'),
      await served.gone('Practitioner', 'a0'),
      await served.gone('Practitioner', 'prat-2'),
      await served.listGone('Practitioner', { limit: 9 }),
      await served.listGone('Practitioner', { limit: 2 }),
      await served.listGone('Practitioner', { after: 'prat-1', limit: 9 }),
      await served.listGone('Organization', { limit: 1 }),
    ]).toEqual([prat1, gone, undefined, [gone, prat1, more], [gone, prat1], [gone, more], [gone]]);
    expect([served.id, served.state, await served.read('Practitioner', 'prat-1')]).toEqual([
      'one',
      'one~2.0',
      undefined,
    ]);
    const lines = (await served.scan('Practitioner', { from: 0, to: 200 })).split('\n');
    expect([lines.length, lines.at(-1), lines.some((line) => line.includes('"prat-1"'))]).toEqual([128, '', false]);
    expect(await served.scan('Organization', { from: 0, to: 9 })).toBe(
      await raw.scan('Organization', { from: 0, to: 9 }),
    );
  });

  it('SEC-81 without any correction a snapshot is as it is', () => {
    expect(corrected(raw, () => [])).toBe(raw);
  });
});

describe('SEC-81 whether a query finds a resource', () => {
  const stored: StoredResource = {
    ...{ position: 0, id: 'o', versionId: '1', lastUpdated: '2026-11-02T05:00:00.250Z' },
    json: JSON.stringify({ resourceType: 'Organization', id: 'o', name: 'LE GALL' }),
  };
  const resource = searched('Organization', stored, {
    ...{ name: ['LE GALL', 'Zoé'], alias: [], address: ['--'], type: ['s|10', '10', '~hopital'] },
    near: ['46|6'],
  });
  const AT = Date.parse(stored.lastUpdated);
  const words = (...some: Partial<QueryWord>[]): FieldClause => ({
    ...{ field: 'name', match: 'words' },
    anyOf: [some.map((word) => ({ whole: [], ...word }))],
  });
  it.each<[FieldClause, boolean]>([
    [{ field: 'name', match: 'present', present: true }, true],
    [{ field: 'name', match: 'present', present: false }, false],
    [{ field: 'address', match: 'present', present: true }, false],
    [{ field: 'telecom', match: 'present', present: false }, true],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: AT, to: AT + 1 }] }, true],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ from: AT + 1 }] }, false],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ to: AT }] }, false],
    [{ field: '_lastUpdated', match: 'range', anyOf: [{ to: AT }, {}] }, true],
    [{ field: 'type', match: 'exact', anyOf: ['x', 's|10'] }, true],
    [{ field: 'type', match: 'exact', anyOf: ['x'] }, false],
    [{ field: 'type', match: 'exact', anyOf: ['x'], not: true }, true],
    [{ field: 'type', match: 'exact', anyOf: ['10'], not: true }, false],
    [{ field: 'id', match: 'exact', anyOf: ['o'] }, true],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 46, longitude: 6, metres: 0 }] }, true],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 47, longitude: 6, metres: 111_000 }] }, false],
    [{ field: 'near', match: 'near', anyOf: [{ latitude: 47, longitude: 6, metres: 112_000 }] }, true],
    [{ field: 'type', match: 'beginning', anyOf: ['~hop'] }, true],
    [{ field: 'type', match: 'beginning', anyOf: ['~clin'] }, false],
    [{ field: 'type', match: 'beginning', anyOf: ['~clin'], whole: ['~hopital'] }, true],
    [words({ prefix: 'ga' }, { prefix: 'le' }), true],
    [words({ prefix: 'ga' }, { prefix: 'zo' }), false],
    [words({ prefix: 'all' }), false],
    [words({ whole: ['gall'] }), true],
    [words({ whole: ['gal'] }), false],
    [words({ prefix: 'legall', joined: ['legall'] }), true],
    [words({ prefix: 'legal', joined: ['legal'] }), false],
  ])('%j: %j', (clause, found) => {
    expect(matches(resource, { clauses: [clause] })).toBe(found);
  });

  it('has all clauses and all exact texts', () => {
    const [yes, no] = [words({ prefix: 'le' }), words({ prefix: 'x' })];
    const exactly = (...texts: string[]) => [{ field: 'name', texts }];
    expect([
      matches(resource, { clauses: [] }),
      matches(resource, { clauses: [yes, no] }),
      matches(resource, { clauses: [yes], exactly: exactly('LE GALL') }),
      matches(resource, { clauses: [yes], exactly: exactly('Le Gall') }),
    ]).toEqual([true, false, true, false]);
  });
});

describe('SEC-81 spellings', () => {
  const of = (id: string, name?: string) => {
    const stored = { position: 0, id, versionId: '1', lastUpdated: '2026-11-02T05:00:00Z', json: '{}' };
    return searched('Practitioner', stored, name === undefined ? {} : { name: [name] });
  };
  const affected = new Map(
    [
      { id: '1', before: of('1', 'DUPONR Eve'), after: undefined, changed: '' },
      { id: '2', before: of('2', 'DUPONR'), after: of('2', 'DUPONS'), changed: '' },
      { id: '3', before: of('3', 'MARTIN'), after: of('3', 'MARTIN'), changed: '' },
    ].map((one) => [one.id, one]),
  );

  it('count what is served, and lead to nothing that is hidden alone', async () => {
    const queries: SearchQuery[] = [];
    const served = (found: boolean) => ({
      search: async (query: SearchQuery) => {
        queries.push(query);
        return { matches: found ? [{} as StoredResource] : [], more: false };
      },
    });
    const near = [
      { key: 'duponr', count: 2 },
      { key: 'dupont', count: 3 },
      { key: 'martin', count: 4 },
    ];
    const apart: [string, string][] = [
      ['eve', 'duponr'],
      ['a', 'du'],
      ['a', 'b'],
    ];
    const spellings = (found: boolean, known = true) =>
      servedSpellings(
        served(found),
        'Practitioner',
        { field: 'name', word: 'dup', within: 5 },
        { known, near, apart },
        affected,
      );
    const left = [
      { key: 'martin', count: 4 },
      { key: 'dupont', count: 3 },
    ];
    expect(await spellings(true)).toEqual({ known: true, near: left, apart });
    expect(queries[0]).toEqual({
      ...{ type: 'Practitioner', limit: 1, total: false, within: 5 },
      clauses: [{ field: 'name', match: 'words', anyOf: [[{ whole: ['eve'] }]] }],
    });
    expect(await spellings(false)).toEqual({ known: false, near: left, apart: [['a', 'b']] });
    expect((await spellings(true, false)).known).toBe(false);
    const other = { field: 'name', word: 'mart', within: 5 };
    const more = { known: true, near: [{ key: 'duponr', count: 5 }], apart: [] };
    expect(await servedSpellings(served(false), 'Practitioner', other, more, affected)).toEqual({
      ...{ known: true, near: [{ key: 'duponr', count: 3 }], apart: [] },
    });
  });
});
