// Specification 2.3 "qualification: exact value only", and the words that people say for a profession or speciality, on the shipped edition.

import { describe, expect, it } from '@jest/globals';
import { knownWords, labelKeysFrom, labelsMeant, synonymsOfLabel } from '#directory/resources/label-synonyms.ts';
import { labelKey } from '#search-index/exact-keys.ts';
import { PROFESSIONS, SPECIALITIES } from '#support/directory/official-labels.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('words for professions and specialities', () => {
  const snapshot = openedForAll(openShippedSnapshot);
  const directory = openedForAll(() => startDirectory(snapshot));

  async function totalOf(searchParams: Record<string, string>): Promise<unknown> {
    const query = { ...searchParams, _summary: 'count' };
    return (await directory.client().search({ resourceType: 'Practitioner', searchParams: query }))['total'];
  }

  it.each([
    ['infirmières', 'Infirmier'],
    ['Chirurgiennes-dentistes', 'Chirurgien-Dentiste'],
    ['KINES', 'Masseur-Kinésithérapeute'],
    ['ORL', 'Oto-rhino-laryngologie'],
    ['généraliste', 'Qualifié en Médecine Générale,Médecine Générale,Spécialiste en Médecine Générale'],
    ['infirmière,dentiste', 'Infirmier,Chirurgien-Dentiste'],
  ])('specification 2.3 qualification=%s finds whom the label finds: %s', async (said, label) => {
    const labelled = await totalOf({ qualification: label });
    expect(labelled).toBeGreaterThan(0);
    expect(await totalOf({ qualification: said })).toBe(labelled);
    expect(await totalOf({ 'qualification:not': said })).toBe(await totalOf({ 'qualification:not': label }));
  });

  it.each([
    ['pediatr', 'Pédiatrie'],
    ['masseuse', 'Masseur-Kinésithérapeute'],
  ])('specification 2.3 qualification:text=%s finds whom the label finds: %s', async (said, label) => {
    expect(await totalOf({ 'qualification:text': said })).toBe(await totalOf({ qualification: label }));
  });

  it('specification 2.3 a label of the register finds its own alone, and part of a word finds nobody', async () => {
    const three = Number(await totalOf({ qualification: 'généraliste' }));
    for (const label of ['Médecine Générale', 'Qualifié en Médecine Générale', 'Spécialiste en Médecine Générale'])
      expect(Number(await totalOf({ qualification: label }))).toBeLessThan(three);
    expect(await totalOf({ qualification: 'cardiolo' })).toBe(0);
  });

  it('specification 2.3 a word is no code: with a system it finds nobody', async () => {
    const system = 'https://mos.esante.gouv.fr/NOS/TRE_G15-ProfessionSante/FHIR/TRE-G15-ProfessionSante';
    expect(await totalOf({ qualification: `${system}|60` })).toBeGreaterThan(0);
    expect(await totalOf({ qualification: `${system}|infirmière` })).toBe(0);
  });
});

describe('the table of synonyms', () => {
  it('tells the words of a label, whatever the register puts behind it', () => {
    expect(synonymsOfLabel('PEDIATRIE (SM)')).toEqual(synonymsOfLabel('Pédiatrie'));
    expect(synonymsOfLabel('Pédiatrie')).toContain('pédiatre');
    expect(synonymsOfLabel('Astrologie')).toEqual([]);
  });

  it.each(['SM', 'SCD', 'SP', 'SI', 'C', 'CEX', 'CAPA', 'DNQ', 'DEC', 'OP', 'SST'])(
    'knows a label with the kind of skill that the register puts behind it: %s',
    (kind) => {
      expect(synonymsOfLabel(`Pédiatrie (${kind})`)).toEqual(synonymsOfLabel('Pédiatrie'));
      expect(labelsMeant('pédiatre')).toContain(`Pédiatrie (${kind})`);
      expect(labelKeysFrom(['pédiatre'])).toContain(labelKey(`Pédiatrie (${kind})`));
      expect(synonymsOfLabel('Pédiatrie (X)')).toEqual([]);
    },
  );

  it.each([
    ['profession', PROFESSIONS],
    ['speciality', SPECIALITIES],
  ])('has words for every %s of the official tables, as they write it', (_, labels) => {
    expect(labels.filter((label) => synonymsOfLabel(label).length === 0)).toEqual([]);
    for (const label of labels) {
      // The label itself stays exact, and each word leads back to it.
      expect([label, labelsMeant(label)]).toEqual([label, []]);
      const [word = ''] = synonymsOfLabel(label).filter((one) => labelsMeant(one).length > 0);
      expect(labelsMeant(word).map(labelKey)).toContain(labelKey(label));
    }
  });

  it('leads from each word to its label, and from its beginning as well', () => {
    for (const word of knownWords()) {
      expect(labelKeysFrom([word])).not.toEqual([]);
      for (const label of labelsMeant(word)) expect(labelKeysFrom(['qqqq', word])).toContain(labelKey(label));
    }
    expect(labelsMeant('astrologue')).toEqual([]);
  });
});
