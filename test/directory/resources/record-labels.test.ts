// Labels of records on the pages of accounts: name, work, the number that people know, town.

import { describe, expect, it } from '@jest/globals';
import { createRecordLabels } from '#directory/resources/record-names.ts';

describe('the label of a record', () => {
  const [RPPS, FINESS, SIRENE] = ['https://rpps.esante.gouv.fr', 'https://finess.esante.gouv.fr', 'https://sirene.fr'];
  const labelOf = (record: object) => {
    const read = async () => ({ json: JSON.stringify(record) });
    return createRecordLabels({ current: () => ({ read }) as never })('Organization', 'x');
  };
  const work = (name: string, display?: string) => ({
    code: { coding: [{ system: `urn:${name}`, ...(display && { display }) }] },
  });

  it.each<[string, object, object]>([
    [
      'a name in its order',
      { name: [{ family: 'MARTIN', given: ['Jeanne', ''], prefix: ['DR'] }, { family: 'X' }] },
      { name: 'DR Jeanne MARTIN' },
    ],
    ['the name of a structure', { name: 'CHU' }, { name: 'CHU' }],
    ['no name', { name: [] }, {}],
    ['an empty name', { name: [{}] }, {}],
    ['an address', { address: [{ postalCode: '75002', city: 'PARIS' }, { city: 'LYON' }] }, { town: '75002 PARIS' }],
    ['a town alone', { address: [{ city: 'PARIS' }] }, { town: 'PARIS' }],
    [
      'work, each once, and no diploma',
      {
        qualification: [
          work('TRE-ProfessionSante', 'Médecin'),
          work('TRE-ProfessionSante', 'Médecin'),
          work('TRE-SpecialiteOrdinale', 'Cardiologie'),
          work('TRE-ProfessionSante'),
          work('TRE-Diplome', 'Diplôme'),
          { code: {} },
        ],
      },
      { work: 'Médecin, Cardiologie' },
    ],
    [
      'the RPPS number first',
      {
        identifier: [
          { system: FINESS, value: '1' },
          { system: RPPS, value: '2' },
        ],
      },
      { number: 'RPPS 2' },
    ],
    [
      'then FINESS',
      {
        identifier: [
          { system: SIRENE, value: '1'.repeat(14) },
          { system: FINESS, value: '3' },
        ],
      },
      { number: 'FINESS 3' },
    ],
    [
      'a SIRET, no SIREN',
      {
        identifier: [
          { system: SIRENE, value: '1'.repeat(9) },
          { system: SIRENE, value: '2'.repeat(14) },
        ],
      },
      { number: `SIRET ${'2'.repeat(14)}` },
    ],
    ['a SIREN alone', { identifier: [{ system: SIRENE, value: '1'.repeat(9) }, { system: RPPS }] }, {}],
  ])('shows %s', async (_what, record, label) => {
    expect(await labelOf(record)).toEqual(label);
  });

  it('is empty without directory, without record, and while it cannot be read', async () => {
    const empty = [undefined, async () => undefined, () => Promise.reject(new Error('disk'))];
    for (const read of empty) {
      const labels = createRecordLabels({ current: () => read && ({ read } as never) });
      expect(await labels('Practitioner', 'x')).toEqual({});
    }
  });
});
