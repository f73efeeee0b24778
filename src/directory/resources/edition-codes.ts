// Makes CodeSystem resources with the codes that the current edition uses. They are made from the index at the first request for them.

import type { CodeableConcept } from 'fhir/r3.js';
import { type Snapshots, stateOf } from '#directory/resolve-snapshot.ts';
import type { ResourceType, Snapshot } from '#search-index/index.ts';
import { oncePromised } from '#shared/promises.ts';
import { synonymsOfLabel } from './label-synonyms.ts';
import { markOf, type Shelved, shelfSnapshot, shelved } from './shelf.ts';

/**
 * An element with codes that people search for. Only the codes in systems that match `systems` are kept. Each of these systems becomes one
 * CodeSystem resource.
 */
type Source = readonly [type: ResourceType, field: string, element: string, title: string, systems: RegExp];

const SOURCES: readonly Source[] = [
  // The codes in other systems are left out. They are diplomas, or skills that are also listed with the specialties of roles.
  ['Practitioner', 'qualification', 'qualification', 'Professions', /ProfessionSante$/],
  // A skill has a second coding with the kind of the skill. The system of these codings is left out, because its codes are no skills.
  ['PractitionerRole', 'specialty', 'specialty', 'Specialties and skills', /(?<!TypeSavoirFaire)$/],
  ['PractitionerRole', 'role', 'code', 'Roles', /$/],
  ['Organization', 'type', 'type', 'Kinds of structures', /$/],
];

/** A code, and the number of resources that have it. */
interface Counted {
  system: string;
  code: string;
  count: number;
}

/** Number of labels that are looked up at the same time. */
const TOGETHER = 16;

interface CodeSystem {
  resourceType: 'CodeSystem';
  id: string;
  url: string;
  name: string;
  [element: string]: unknown;
}

const PREFIX = 'codes-';

/**
 * Wraps the snapshots of the directory. In place of each snapshot, the result gives another one, which holds the code systems with the
 * codes that the first one uses. The code systems of a snapshot are made only once.
 */
export function codeSystemSnapshots(snapshots: Snapshots): Snapshots {
  const made = new WeakMap<Snapshot, Snapshot>();
  const codesOf = (snapshot: Snapshot | undefined) => {
    const known = snapshot && made.get(snapshot);
    if (!snapshot || known) return known;
    const shelf = oncePromised(() => codeSystems(snapshot));
    const codes = { ...shelfSnapshot(PREFIX + snapshot.id, shelf), state: PREFIX + stateOf(snapshot) };
    made.set(snapshot, codes);
    return codes;
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
    const [type, field, , , systems] = source;
    const codes = (await snapshot.codes(type, field)).flatMap(({ key, count }) => {
      const at = key.lastIndexOf('|');
      const [system, code] = [key.slice(0, Math.max(0, at)), key.slice(at + 1)];
      return system !== '' && code !== '' && systems.test(system) ? [{ system, code, count }] : [];
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
  const [type, field, element, title] = source;
  return {
    resourceType: 'CodeSystem',
    id: last === '' ? markOf(system) : last,
    url: system,
    name: last.replace(/^TRE-[A-Z]\d+-/, '') || system,
    title,
    status: 'active',
    experimental: false,
    date: created,
    description: `The codes of this system in ${type}.${element} of the edition in force.`,
    caseSensitive: true,
    // The resource lists only the codes that the edition uses, and not all codes of the code system. FHIR calls this a fragment.
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

/** Finds the label of a code in the first resource that has the code. */
async function labelOf(snapshot: Snapshot, [type, field, element]: Source, { system, code }: Counted) {
  const clauses = [{ field, match: 'exact' as const, anyOf: [`${system}|${code}`] }];
  const { matches } = await snapshot.search({ type, clauses, limit: 1, total: false });
  const found = matches.flatMap(
    ({ json }): (CodeableConcept & { code?: CodeableConcept })[] => JSON.parse(json)[element],
  );
  const codings = found.flatMap((one) => (one.code ?? one).coding ?? []);
  return codings.find((one) => one.system === system && one.code === code)?.display;
}
