// The codes of the edition in force as CodeSystem resources, made from the index when they are first asked for.

import type { CodeableConcept } from 'fhir/r3.js';
import { type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import type { ResourceType, Snapshot } from '#search-index/index.ts';
import { synonymsOfLabel } from './label-synonyms.ts';
import { markOf, type Shelved, shelfSnapshot, shelved } from './shelf.ts';

/** An element of codes that people search by. */
interface Source {
  type: ResourceType;
  field: string;
  title: string;
  /** Checks whether the codes of a system are worth a list. */
  picks(system: string): boolean;
  concepts(resource: Held): readonly CodeableConcept[];
}

interface Held {
  qualification?: { code: CodeableConcept }[];
  specialty?: CodeableConcept[];
  code?: CodeableConcept[];
  type?: CodeableConcept[];
}

const SOURCES: readonly Source[] = [
  {
    ...{ type: 'Practitioner', field: 'qualification', title: 'Professions' },
    // The other qualifications are diplomas, and skills that roles have too.
    picks: (system) => /ProfessionSante$/.test(system),
    concepts: ({ qualification = [] }) => qualification.map(({ code }) => code),
  },
  {
    ...{ type: 'PractitionerRole', field: 'specialty', title: 'Specialties and skills' },
    // The second coding of a skill says which kind of skill it is.
    picks: (system) => !/TypeSavoirFaire$/.test(system),
    concepts: ({ specialty = [] }) => specialty,
  },
  {
    ...{ type: 'PractitionerRole', field: 'role', title: 'Roles' },
    picks: () => true,
    concepts: ({ code = [] }) => code,
  },
  {
    ...{ type: 'Organization', field: 'type', title: 'Kinds of structures' },
    picks: () => true,
    concepts: ({ type = [] }) => type,
  },
];

/** A code, and the number of resources that have it. */
interface Counted {
  system: string;
  code: string;
  count: number;
}

/** Codes whose labels are looked up at the same time. */
const TOGETHER = 16;

interface CodeSystem {
  resourceType: 'CodeSystem';
  id: string;
  url: string;
  name: string;
  [element: string]: unknown;
}

const PREFIX = 'codes-';

/** Snapshots that hold the code systems of the given ones. Each is made once. */
export function codeSystemSnapshots(snapshots: Snapshots): Snapshots {
  const made = new WeakMap<Snapshot, Snapshot>();
  const codesOf = (snapshot: Snapshot | undefined) => {
    if (!snapshot) return undefined;
    let shelf: Promise<readonly Shelved[]> | undefined;
    const makeOnce = () => {
      shelf ??= codeSystems(snapshot);
      // After a failure, the next request tries again.
      shelf.catch(() => {
        shelf = undefined;
      });
      return shelf;
    };
    const known = made.get(snapshot) ?? {
      ...shelfSnapshot(PREFIX + snapshot.id, makeOnce),
      state: PREFIX + stateOf(snapshot),
    };
    made.set(snapshot, known);
    return known;
  };
  return {
    current: () => codesOf(snapshots.current()),
    byId: async (id) => (id.startsWith(PREFIX) ? codesOf(await snapshots.byId(id.slice(PREFIX.length))) : undefined),
  };
}

async function codeSystems(snapshot: Snapshot): Promise<readonly Shelved[]> {
  const created = (await snapshot.history()).at(-1)?.created ?? new Date(0).toISOString();
  const bySystem = new Map<string, CodeSystem>();
  for (const source of SOURCES) {
    const codes = (await snapshot.codes(source.type, source.field)).flatMap(({ key, count }) => {
      const at = key.lastIndexOf('|');
      const [system, code] = [key.slice(0, Math.max(0, at)), key.slice(at + 1)];
      return system !== '' && code !== '' && source.picks(system) ? [{ system, code, count }] : [];
    });
    for (const [system, counted] of Map.groupBy(codes, (one) => one.system)) {
      if (!bySystem.has(system)) bySystem.set(system, await codeSystem(snapshot, source, system, counted, created));
    }
  }
  return shelved([...bySystem.values()], created, ({ url, name }) => ({
    url: [url],
    name: [name],
  }));
}

async function codeSystem(
  snapshot: Snapshot,
  source: Source,
  system: string,
  codes: readonly Counted[],
  created: string,
): Promise<CodeSystem> {
  const concept: object[] = [];
  for (let from = 0; from < codes.length; from += TOGETHER) {
    const some = codes.slice(from, from + TOGETHER);
    const labels = await Promise.all(some.map((one) => labelOf(snapshot, source, one)));
    concept.push(...some.map(({ code, count }, at) => conceptOf(code, labels[at], count)));
  }
  const [last = ''] = /[A-Za-z0-9.-]{1,64}$/.exec(system) ?? [];
  const { type, field, title } = source;
  return {
    resourceType: 'CodeSystem',
    id: last === '' ? markOf(system) : last,
    url: system,
    name: last.replace(/^TRE-[A-Z]\d+-/, '') || system,
    title,
    status: 'active',
    experimental: false,
    date: created,
    description: `The codes of this system in ${type}.${field === 'role' ? 'code' : field} of the edition in force.`,
    caseSensitive: true,
    // The edition has the codes that are in use.
    content: 'fragment',
    property: [
      {
        code: 'count',
        description: `How many ${type} resources ${type}?${field}= finds by the code.`,
        type: 'integer',
      },
    ],
    concept,
  };
}

function conceptOf(code: string, display: string | undefined, count: number): object {
  const synonyms = display === undefined ? [] : synonymsOfLabel(display);
  return {
    code,
    ...(display !== undefined && { display }),
    ...(synonyms.length > 0 && { designation: synonyms.map((value) => ({ value })) }),
    property: [{ code: 'count', valueInteger: count }],
  };
}

/** The label of a code, from the first resource that has it. */
async function labelOf(snapshot: Snapshot, { type, field, concepts }: Source, { system, code }: Counted) {
  const clauses = [{ field, match: 'exact' as const, anyOf: [`${system}|${code}`] }];
  const { matches } = await snapshot.search({ type, clauses, limit: 1, total: false });
  const found = matches.flatMap(({ json }) => concepts(JSON.parse(json) as Held));
  const codings = found.flatMap(({ coding = [] }) => coding);
  return codings.find((one) => one.system === system && one.code === code)?.display;
}
