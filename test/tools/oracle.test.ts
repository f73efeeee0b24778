// The oracle on the shipped edition: the directory answers as the files of the registers say, and the oracle sees it where it does not.

import { describe, expect, it } from '@jest/globals';
import { startDirectory } from '#support/directory/service.ts';
import { EDITION } from '#support/edition-truth.ts';
import { openedForAll } from '#support/opened.ts';
import { runs } from '#support/seed.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';
import { createClient } from '#tools/oracle/ask.ts';
import { runChecks } from '#tools/oracle/checks.ts';
import { readEdition } from '#tools/oracle/edition/edition.ts';
import type { Edition, Entry, Type } from '#tools/oracle/edition/entry.ts';

describe('the oracle of searches', () => {
  const snapshot = openedForAll(openShippedSnapshot);
  const directory = openedForAll(() => startDirectory(snapshot, { namespace: NAMESPACE }));
  const client = openedForAll(() => createClient(directory.address, 'both'));

  /** Fifteen hundred answers and more: reading and validating them takes some seconds. */
  const PATIENCE = 60_000;
  const SEED = 27;
  /** As the files say it. Nobody changes it: a broken one is another one. */
  const TRUTH = readEdition(EDITION);

  const changed =
    (type: Type, change: (entry: Entry, other: Entry) => Entry) =>
    (edition: Edition): Edition => ({
      ...edition,
      entries: {
        ...edition.entries,
        [type]: edition.entries[type].map((entry, at, all) => change(entry, all.at(at - 1) as Entry)),
      },
    });

  const differencesOf = async (edition: Edition, checks: number, only = '') =>
    (await runChecks(client, edition, { checks, seed: SEED, only })).flatMap(({ differences }) => differences);

  describe('the oracle on the shipped edition', () => {
    it(
      '2.3, 2.4 finds no difference between the answers and the files, in checks of every kind',
      async () => {
        expect(await differencesOf(TRUTH, runs(62))).toEqual([]);
      },
      PATIENCE,
    );

    it.each<[fault: string, kind: string, broken: (edition: Edition) => Edition]>([
      ['names', 'sorted as a whole', changed('Practitioner', (entry) => ({ ...entry, alphabet: entry.id }))],
      [
        'places',
        'near, sorted',
        changed('Organization', ({ place, ...entry }) => ({
          ...entry,
          ...(place && { place: { ...place, latitude: place.latitude + 0.1 } }),
        })),
      ],
      [
        'references',
        'chains forwards',
        changed('PractitionerRole', (entry, { references }) => ({ ...entry, references })),
      ],
      ['codes', 'codes of the edition', changed('Organization', (entry) => ({ ...entry, concepts: {} }))],
    ])('sees %s that differ', async (_, kind, broken) => {
      expect(await differencesOf(broken(TRUTH), 20, kind)).not.toEqual([]);
    });
  });
});
