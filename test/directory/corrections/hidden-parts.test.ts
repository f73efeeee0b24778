// SEC-81: what each correction takes out of a resource, the version and date that the resource then has, and whether a query still finds it.

import { describe, expect, it } from '@jest/globals';
import { affectedIn, correctionKey, hidesSomething, withoutHidden } from '#directory/corrections/affected.ts';
import type { Snapshot } from '#search-index/index.ts';
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
        ...RESOURCE,
        telecom: but(telecom, 1),
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
        ...RESOURCE,
        address: [address[1]],
        contact: [RESOURCE.contact[0], { purpose: { text: 'x' }, telecom: [telecom[1]] }],
      },
    ],
    [
      [{ what: 'address' }, { what: 'mailbox' }, { what: 'phone' }],
      {
        resourceType: 'Organization',
        id: 'o',
        telecom: [telecom[3], telecom[4]],
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
    ...correction(record, what),
    id: 1,
    madeAt: LATER,
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

  it('counts codes as they are served', async () => {
    const served = corrected(raw, () => [
      made('Practitioner/prat-3', 'record'),
      made('Practitioner/prat-1', 'record', { id: 2 }),
    ]);
    const counts = async (snapshot: Snapshot) =>
      Object.fromEntries(
        (await snapshot.codes('Practitioner', 'qualification'))
          .filter(({ key }) => /^\d+$/.test(key))
          .map(({ key, count }) => [key, count]),
      );
    expect([await counts(raw), await counts(served)]).toEqual([
      { 10: 2, 21: 1, 26: 1, 50: 1 },
      { 10: 1, 21: 1, 26: 1 },
    ]);
  });
});
