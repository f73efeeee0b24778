// STU3 search 3.1.1.5.6 and 3.1.1.5.7 on the shipped edition: what chains find is what the lines of the registers' files say of who works
// where, read here by nothing of the import.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { TABLES } from '#directory/resources/resource-types.ts';
import { createSearchParser } from '#directory/search/parse-search.ts';
import type { ResourceType } from '#search-index/snapshot.ts';
import { EDITION } from '#support/edition-truth.ts';
import { openedForAll } from '#support/opened.ts';
import { someOf } from '#support/seed.ts';
import { NAMESPACE, openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('chained searches and the truth', () => {
  /** Columns of the file, counted from 0: what a line says of one activity of a person. */
  const [PERSON, FAMILY, GIVEN, SPECIALTY, STRUCTURE] = [2, 7, 8, 15, 23] as const;

  interface Activity {
    person: string;
    family: string;
    /** Of the family name. */
    words: readonly string[];
    given: string;
    specialty: string;
    structure: string;
  }

  function linesOf(beginning: string): string[] {
    const name = readdirSync(EDITION).find((one) => one.startsWith(beginning)) ?? '';
    return gunzipSync(readFileSync(join(EDITION, name)))
      .toString()
      .split('\n')
      .slice(1)
      .filter(Boolean);
  }

  /** Activities in a structure. Those without one are no roles. */
  const ACTIVITIES = linesOf('PS_LibreAcces_Personne_activite')
    .map((line) => line.split('|'))
    .map((cells): Activity => {
      const [person, family, given, specialty, structure] = [PERSON, FAMILY, GIVEN, SPECIALTY, STRUCTURE].map(
        (column) => cells[column] ?? '',
      ) as [string, string, string, string, string];
      return { person, family, words: wordsOf(family), given, specialty, structure };
    })
    .filter(({ structure }) => structure !== '');

  /** A structure of FINESS, and the legal entity that it is a part of. */
  const PARTS = linesOf('etalab-cs1100507')
    .filter((line) => line.startsWith('structureet;'))
    .map((line) => line.split(';'))
    .map(([, structure = '', entity = '']) => ({ structure: `F${structure}`, entity: `F${entity}` }));

  const OWN = { base: 'https://d.example', namespace: NAMESPACE };
  const PARSERS = new Map(TABLES.map((table) => [table.type, createSearchParser(table, OWN)]));

  const snapshot = openedForAll(openShippedSnapshot);

  /** All that a search finds: ids, or what the references of roles lead to. */
  async function found(
    type: ResourceType,
    query: Record<string, string>,
    shown: (one: Found) => string = ({ id }) => id,
  ) {
    const { clauses } = PARSERS.get(type)?.(new URLSearchParams(query).toString(), { lenient: false }) ?? {};
    const page = await snapshot.search({ type, clauses: clauses ?? [], limit: 10_000, total: true });
    expect(page.total).toBe(page.matches.length);
    return sorted(page.matches.map(({ json }) => shown(JSON.parse(json) as Found)));
  }

  interface Found {
    id: string;
    practitioner?: { reference: string };
    organization?: { reference: string };
  }

  const structureOf = ({ organization }: Found) => organization?.reference.slice('Organization/'.length) ?? '';
  const personOf = ({ practitioner }: Found) => practitioner?.reference.slice('Practitioner/'.length) ?? '';

  function sorted(texts: Iterable<string>): string[] {
    return [...new Set(texts)].sort();
  }

  function wordsOf(name: string): string[] {
    return name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toUpperCase()
      .replaceAll('Œ', 'OE')
      .replaceAll('Æ', 'AE')
      .split(/[^A-Z]+/);
  }

  /** The activities by one of their columns. */
  function by(column: Exclude<keyof Activity, 'words'>) {
    return [...Map.groupBy(ACTIVITIES, (one) => one[column])].filter(([value]) => value !== '');
  }

  const HAS_ROLE = '_has:PractitionerRole:practitioner';
  const HAS_STAFF = '_has:PractitionerRole:organization';

  describe('chains on the shipped edition', () => {
    it('lead from people to the structures of the lines, both ways', async () => {
      for (const [person, activities] of someOf(by('person'), 4)) {
        const structures = sorted(activities.map(({ structure }) => structure));
        expect([person, await found('Organization', { [`${HAS_STAFF}:practitioner`]: person })]).toEqual([
          person,
          structures,
        ]);
        const roles = await found('PractitionerRole', { 'practitioner.identifier': person }, structureOf);
        expect([person, roles]).toEqual([person, structures]);
      }
    });

    it('lead from structures to the people of the lines, both ways', async () => {
      for (const [structure, activities] of someOf(by('structure'), 4)) {
        const people = sorted(activities.map(({ person }) => person));
        const staff = await found('Practitioner', { [`${HAS_ROLE}:organization`]: `Organization/${structure}` });
        expect([structure, staff]).toEqual([structure, people]);
        expect([structure, await found('PractitionerRole', { 'organization._id': structure }, personOf)]).toEqual([
          structure,
          people,
        ]);
      }
    });

    it('lead from each speciality to people and structures', async () => {
      const specialties = by('specialty');
      expect(specialties.length).toBeGreaterThan(10);
      for (const [code, activities] of specialties) {
        const people = sorted(activities.map(({ person }) => person));
        expect([code, await found('Practitioner', { [`${HAS_ROLE}:specialty`]: code })]).toEqual([code, people]);
        const structures = sorted(activities.map(({ structure }) => structure));
        expect([code, await found('Organization', { [`${HAS_STAFF}:specialty`]: code })]).toEqual([code, structures]);
      }
    });

    it('join names of people with their structures', async () => {
      let several = 0;
      for (const [family] of someOf(by('family'), 3)) {
        // Only names of one word, so that the rule of words needs no words of its own here.
        if (!/^[A-Z]+$/.test(family)) continue;
        const namesakes = ACTIVITIES.filter(({ words }) => words.some((word) => word.startsWith(family)));
        const structures = sorted(namesakes.map(({ structure }) => structure));
        if (structures.length > 1) several++;
        expect([family, await found('PractitionerRole', { 'practitioner.family': family }, structureOf)]).toEqual([
          family,
          structures,
        ]);
        const [{ structure } = { structure: '' }] = namesakes;
        const people = sorted(namesakes.filter((one) => one.structure === structure).map(({ person }) => person));
        const pair = { 'practitioner.family': family, 'organization._id': structure };
        expect([pair, await found('PractitionerRole', pair, personOf)]).toEqual([pair, people]);
      }
      expect(several).toBeGreaterThan(20);
    });

    it('lead from each legal entity to its structures', async () => {
      for (const [entity, parts] of Map.groupBy(PARTS, (one) => one.entity)) {
        const structures = sorted(parts.map(({ structure }) => structure));
        expect([entity, await found('Organization', { 'partof._id': entity })]).toEqual([entity, structures]);
        expect(await found('Organization', { '_has:Organization:partof:_id': structures[0] ?? '' })).toEqual([entity]);
      }
    });
  });
});
