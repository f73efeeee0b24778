// SEC-81: an order by a field does not show what is hidden: who has a hidden town comes where those without one are.

import { describe, expect, it } from '@jest/globals';
import { correctionKey } from '#directory/corrections/affected.ts';
import type { Order, ResourceType, Snapshot } from '#search-index/index.ts';
import { corrected, correction, indexedEdition } from '#support/directory/corrected.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { openedForAll } from '#support/opened.ts';
import { walked } from '#support/search-index/written-snapshot.ts';

const hidden = (record: string, address: string) => correction(record, 'address', correctionKey('address', address));

const walk = async (served: Snapshot, type: ResourceType, order: Order, limit: number) =>
  (await walked(served, { type, clauses: [], order }, limit)).ids;

describe('SEC-81 an order by a field', () => {
  const raw = openedForAll(() => openIndex(indexedEdition()));

  const order = { by: 'field', field: 'address-city', descending: false } as const;
  const named = (ids: readonly string[]) => ids.filter((id) => !id.startsWith('crowd'));

  it.each([1, 2, 7, 200])('has people with a hidden town last, in pages of %i', async (limit) => {
    expect(named(await walk(raw, 'Practitioner', order, limit))).toEqual([
      ...['prat-2', 'prat-3', 'prat-1', 'prat-4', 'prat-5'],
    ]);
    const made = [hidden('Practitioner/prat-2', 'NANCY'), hidden('Practitioner/prat-1', 'PONTARLIER')];
    const served = corrected(raw, () => made);
    const up = await walk(served, 'Practitioner', order, limit);
    expect(named(up)).toEqual(['prat-3', 'prat-1', 'prat-2', 'prat-4', 'prat-5']);
    expect(up.slice(-4)).toEqual(['prat-1', 'prat-2', 'prat-4', 'prat-5']);
    expect(await walk(served, 'Practitioner', { ...order, descending: true }, limit)).toEqual(up.toReversed());
  });

  it('keeps the place of people with another hidden address, and drops hidden people', async () => {
    const made = [hidden('Practitioner/prat-1', 'PARIS'), correction('Practitioner/prat-2', 'record')];
    const up = await walk(
      corrected(raw, () => made),
      'Practitioner',
      order,
      3,
    );
    expect(named(up)).toEqual(['prat-3', 'prat-1', 'prat-4', 'prat-5']);
  });

  it('has the roles of people in the order of the people', async () => {
    const made = [correction('Practitioner/prat-2', 'record')];
    const roles = { by: 'field', field: 'practitioner', descending: false } as const;
    const up = await walk(
      corrected(raw, () => made),
      'PractitionerRole',
      roles,
      3,
    );
    expect(named(up)).toEqual(['prat-1-a', 'prat-1-b', 'prat-3-a', 'gone-a']);
    expect(up.at(-1)).toBe('gone-a');
  });
});
