// Compares answers with the truth of fictional editions: `truth_counts.json` (numbers of hits), `truth.ndjson` (people) and
// `truth_organizations.ndjson` (structures) beside the files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synonymsOf } from '#search-index/abbreviations.ts';
import type { Clause, ResourceType, Snapshot } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import type { Row } from './table.ts';

interface Field {
  type: ResourceType;
  field: string;
  equivalents: boolean;
}

const FIELDS: Readonly<Record<string, Field>> = {
  practitionerName: { type: 'Practitioner', field: 'name', equivalents: false },
  practitionerAddress: { type: 'Practitioner', field: 'address', equivalents: true },
  organizationName: { type: 'Organization', field: 'name', equivalents: true },
};

interface TruePerson {
  idnps: string;
  family: string;
  given: string;
  telecom: string[];
  qualifications: { code: string }[];
  addresses: { street: string; bureauCedex: string }[];
}

interface TrueStructure {
  technicalId: string;
  name: string;
  partOfFinessEj: string;
  telecom: string[];
}

/** Compares the snapshot with the truth beside the data; no rows where there is none. */
export async function checkExactness(snapshot: Snapshot, folder: string): Promise<Row[]> {
  return [
    ...(await checkCounts(snapshot, join(folder, 'truth_counts.json'))),
    ...(await checkOwners(snapshot, 'people', join(folder, 'truth.ndjson'), personQuery)),
    ...(await checkOwners(snapshot, 'structures', join(folder, 'truth_organizations.ndjson'), structureQuery)),
  ];
}

async function checkCounts(snapshot: Snapshot, file: string): Promise<Row[]> {
  if (!existsSync(file)) return [];
  const truth = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, number>>;
  const wrong: string[] = [];
  let asked = 0;
  for (const [kind, { type, field, equivalents }] of Object.entries(FIELDS)) {
    for (const [probe, hits] of Object.entries(truth[kind] ?? {})) {
      asked++;
      const clauses = [wordsClause(field, probe, equivalents)];
      const { total } = await snapshot.search({ type, clauses, limit: 0, total: true });
      if (total !== hits) wrong.push(`${kind} "${probe}": ${total} instead of ${hits}`);
    }
  }
  return [{ what: 'exact numbers of hits', note: verdict(asked, wrong) }];
}

type Owned = { type: ResourceType; id: string; clauses: Clause[] };

/** Each resource must be found, alone or among few, by everything that is known of it. */
async function checkOwners<Truth>(
  snapshot: Snapshot,
  what: string,
  file: string,
  query: (truth: Truth) => Owned,
): Promise<Row[]> {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const wrong: string[] = [];
  for (const line of lines) {
    const { type, id, clauses } = query(JSON.parse(line) as Truth);
    const { matches } = await snapshot.search({ type, clauses, limit: 200, total: false });
    if (!matches.some((match) => match.id === id)) wrong.push(`${type}/${id}`);
  }
  return [{ what: `${what} found by all that is known of them`, note: verdict(lines.length, wrong) }];
}

function personQuery({ idnps, family, given, telecom, qualifications, addresses }: TruePerson): Owned {
  return {
    type: 'Practitioner',
    id: idnps,
    clauses: [
      { field: 'identifier', match: 'exact', anyOf: [idnps] },
      wordsClause('name', `${family} ${given}`, false),
      ...telecom.map((value) => exactClause('telecom', value.toLowerCase())),
      ...qualifications.map(({ code }) => exactClause('qualification', code)),
      ...addresses
        .map(({ street, bureauCedex }) => `${street} ${bureauCedex}`)
        .filter((text) => tokenize(text).length > 0)
        .map((text) => wordsClause('address', text, true)),
    ],
  };
}

function structureQuery({ technicalId, name, partOfFinessEj, telecom }: TrueStructure): Owned {
  return {
    type: 'Organization',
    id: technicalId,
    clauses: [
      ...(name === '' ? [] : [wordsClause('name', name, true)]),
      ...telecom.map((value) => exactClause('telecom', value.toLowerCase())),
      ...(partOfFinessEj === '' ? [] : [exactClause('part-of', `Organization/F${partOfFinessEj}`)]),
      exactClause('id', technicalId),
    ],
  };
}

const exactClause = (field: string, key: string): Clause => ({ field, match: 'exact', anyOf: [key] });

function wordsClause(field: string, text: string, equivalents: boolean): Clause {
  const words = tokenize(text).map((prefix) => ({ prefix, whole: equivalents ? synonymsOf(prefix) : [] }));
  return { field, match: 'words', anyOf: [words] };
}

function verdict(asked: number, wrong: readonly string[]): string {
  const examples = wrong.length === 0 ? '' : `; wrong: ${wrong.slice(0, 5).join(', ')}`;
  return `**${asked - wrong.length} of ${asked} right**${examples}`;
}
