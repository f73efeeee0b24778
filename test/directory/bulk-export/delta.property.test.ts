// Delta feed: whatever editions come, and whatever is taken back, a copy that is kept by $export?_since is the directory:
// nothing missing, nothing twice, nothing that was removed.

import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type IndexedResource, RESOURCE_TYPES } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { ask, bringUpToDate, type Copy, linesOf, manifestOf } from '#support/directory/exporting.ts';
import { startRenewedDirectory } from '#support/directory/renewing.ts';
import { openedForAll, openedForEach } from '#support/opened.ts';
import { runs } from '#support/seed.ts';

const ALL = edition();
/** A few of each type. */
const SOME = RESOURCE_TYPES.flatMap((type) => ALL.filter((one) => one.type === type).slice(0, 5));
const DAY = 86_400_000;
const BEGINNING = Date.parse('2026-01-01T03:00:00.007Z');

type Step = { do: 'publish'; states: readonly number[] } | { do: 'roll back' } | { do: 'synchronise'; copy: number };

/** State 0 is: not in the edition. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom(0, 1, 1, 1, 2), { minLength: SOME.length, maxLength: SOME.length })
      .map((states): Step => ({ do: 'publish', states })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'roll back' }) },
  { weight: 4, arbitrary: fc.nat({ max: 2 }).map((copy): Step => ({ do: 'synchronise', copy })) },
);

function inState(state: number) {
  return (one: IndexedResource): IndexedResource => ({
    ...one,
    resource: { ...one.resource, language: `x-${state}` },
  });
}

function editionOf(states: readonly number[]): IndexedResource[] {
  return SOME.flatMap((one, number) => (states[number] ? [inState(states[number])(one)] : []));
}

/** `Type/id state` of all that is there, sorted. */
function expected(states: readonly number[]): string[] {
  return SOME.flatMap(({ type, id }, number) =>
    states[number] ? [`${type}/${id} x-${states[number]}`] : [],
  ).toSorted();
}

function held({ resources }: Copy): string[] {
  return [...resources].map(([reference, { language }]) => `${reference} ${language}`).toSorted();
}

/** What changed stands so close together that a file of its place alone would be empty. */
const ALL_CHANGES_IN_ONE_PLACE: [Step[]][] = [
  [
    [
      { do: 'synchronise', copy: 0 },
      { do: 'publish', states: [1, 1, 1, 1, 1, 2, 1, 1, 0, 1, 1, 1, 1, 1] },
      { do: 'synchronise', copy: 0 },
    ],
  ],
];

describe('delta feed', () => {
  const renewed = openedForAll(() => startRenewedDirectory({ exports: { resources: 2 } }));

  it('three copies, kept at their own pace over random editions and rollbacks, are the directory each time', async () => {
    const { address } = renewed.directory;
    const outcomes = { whole: 0, deltas: 0, sent: 0 };
    let day = 0;
    let current: readonly number[] = [];
    let previous: readonly number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
        const publish = async (states: readonly number[]) => {
          await renewed.publish(editionOf(states), new Date(BEGINNING + day++ * DAY).toISOString());
          previous = current;
          current = states;
        };
        await publish(SOME.map(() => 1));
        await publish(SOME.map((_, number) => number % 2));
        const copies: Copy[] = [0, 1, 2].map(() => ({ resources: new Map() }));
        for (const next of steps) {
          if (next.do === 'publish') await publish(next.states);
          else if (next.do === 'roll back') {
            await renewed.rollBack();
            [current, previous] = [previous, current];
          } else {
            const copy = copies[next.copy] as Copy;
            const { whole, sent } = await bringUpToDate(copy, address);
            outcomes[whole ? 'whole' : 'deltas']++;
            if (!whole) outcomes.sent += sent;
            expect(held(copy)).toEqual(expected(current));
          }
        }
      }),
      // The example and one random chain go both ways, whole and by deltas, which the expectation below checks.
      { numRuns: runs(2), endOnFailure: true, examples: ALL_CHANGES_IN_ONE_PLACE },
    );
    // Both ways were gone.
    expect(Math.min(outcomes.whole, outcomes.deltas, outcomes.sent)).toBeGreaterThan(0);
  });
});

describe('delta feed: _since', () => {
  const DAYS = ['2026-11-18T08:00:00.001Z', '2026-11-19T08:00:00.002Z', '2026-11-20T08:00:00.003Z'] as const;
  const NAMED = ALL.filter(({ id }) => !id.startsWith('crowd-'));
  const without = (...ids: string[]) => NAMED.filter(({ id }) => !ids.includes(id));
  let base: string;
  const renewed = openedForEach(startRenewedDirectory);
  beforeEach(async () => {
    base = renewed.directory.address;
    await renewed.publish(without('prat-5'), DAYS[0]);
    await renewed.publish(without('prat-1', 'org-4'), DAYS[1]);
  });

  const changesSince = async (since: string, options = {}) => {
    const manifest = await manifestOf(`${base}/$export?_since=${encodeURIComponent(since)}`, options);
    const ids = async (items: readonly { url: string }[]) => {
      const all = [];
      for (const { url } of items) all.push(...(await linesOf(url)));
      return all;
    };
    return { manifest, changed: await ids(manifest.output), deleted: await ids(manifest.deleted ?? []) };
  };

  it('new and changed ones in output, removed ones as Bundles of DELETE', async () => {
    const { manifest, changed, deleted } = await changesSince(DAYS[0]);
    expect(manifest.transactionTime).toBe(DAYS[1]);
    expect(manifest.request).toBe(`${base}/$export?_since=${encodeURIComponent(DAYS[0])}`);
    expect(changed.map(({ id }) => id)).toEqual(['prat-5']);
    expect(deleted).toEqual(
      ['Practitioner/prat-1', 'Organization/org-4'].map((url) => ({
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [{ request: { method: 'DELETE', url } }],
      })),
    );
  });

  it('files are told apart by their names alone, whoever keeps them: whole ones, changes, deletions, times', async () => {
    const nameIn = ({ url }: { url: string }) => new URL(url).pathname.split('/').at(-1) ?? '';
    const { manifest } = await changesSince(DAYS[0]);
    const other = (await changesSince('2026-11-18T09:00:00Z')).manifest;
    const whole = (await manifestOf(`${base}/$export`)).output;
    const files = [manifest, other].flatMap(({ output, deleted = [] }) => [...output, ...deleted]).concat(whole);
    expect(files.map(({ url }) => new URL(url).search).join('')).toBe('');
    expect(new Set(files.map(nameIn)).size).toBe(files.length);
    expect([...manifest.output, ...(manifest.deleted ?? [])].map(nameIn)).toEqual([
      expect.stringMatching(/^Practitioner-changed-20261118T080000001Z-0000000-\d{7}\.ndjson$/),
      'Practitioner-deleted-20261118T080000001Z.ndjson',
      'Organization-deleted-20261118T080000001Z.ndjson',
    ]);
  });

  it('a time between two editions means the one before it', async () => {
    for (const between of ['2026-11-18T20:00:00Z', '2026-11-18T21:00:00+01:00', '2026-11-19']) {
      const { changed, deleted } = await changesSince(between);
      expect([changed.length, deleted.length]).toEqual([1, 2]);
    }
    const { changed, deleted, manifest } = await changesSince('2026-11-19T12:00:00Z');
    expect([changed, deleted, manifest.output, manifest.deleted]).toEqual([[], [], [], []]);
  });

  it('a walk that began before a new edition ends in its own; the next one begins where it ended', async () => {
    const { manifest } = await changesSince(DAYS[0]);
    await renewed.publish(without('prat-1', 'prat-2', 'org-4'), DAYS[2]);
    expect((await linesOf(manifest.output[0]?.url ?? '')).map(({ id }) => id)).toEqual(['prat-5']);
    const next = await manifestOf(manifest.extension.next);
    expect([next.transactionTime, next.output.length]).toEqual([DAYS[2], 0]);
    expect(await linesOf<{ entry: unknown }>(next.deleted?.[0]?.url ?? '')).toMatchObject([
      { entry: [{ request: { method: 'DELETE', url: 'Practitioner/prat-2' } }] },
    ]);
  });

  it('410 before the first edition that is known, and for one that was taken back: export everything', async () => {
    const refused = async (since: string, text: RegExp) => {
      const answer = await ask(`${base}/$export?_since=${since}`);
      expect([since, answer.status]).toEqual([since, 410]);
      expect(await answer.text()).toMatch(text);
    };
    await refused('2026-11-17', /known since the edition of 2026-11-18T08:00:00.001Z only: export everything/);
    await renewed.publish(without('prat-1', 'prat-2', 'org-4'), DAYS[2]);
    await renewed.rollBack();
    await refused(DAYS[2], /went back to an edition before that time: export everything/);
    await changesSince(DAYS[1]);
    await renewed.publish(without('prat-3'), '2026-11-21T08:00:00.004Z');
    await refused(DAYS[2], /went back/);
    await refused('2026-11-20T23:00:00Z', /went back/);
    expect((await changesSince(DAYS[1])).deleted).toHaveLength(1);
  });

  it('an edition made with a clock that went back is later than the one before it', async () => {
    const { manifest } = await changesSince(DAYS[0]);
    await renewed.publish(without('prat-3'), '2026-11-01T00:00:00.000Z');
    const next = await manifestOf(manifest.extension.next);
    expect(next.transactionTime > manifest.transactionTime).toBe(true);
    expect(next.deleted).toHaveLength(1);
  });
});
