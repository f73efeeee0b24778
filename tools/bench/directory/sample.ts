// Samples the people and structures of a snapshot from whom the bench draws its queries: evenly spread over the alphabet, so
// the same data always gives the same ones.

import type { Address } from 'fhir/r3.js';
import type { ResourceType, Snapshot } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';

/** What a resource can be found by. */
export interface Sampled {
  id: string;
  name: string[];
  /** Words of each address, each once. */
  addresses: string[][];
  /** `system|value`. */
  identifiers: string[];
  /** `system|code`; of a role, its specialities. */
  qualifications: string[];
  telecom: string[];
  partOf?: string;
  /** `latitude|longitude` */
  position?: string;
}

interface Concept {
  coding?: { system?: string; code?: string }[];
}

interface Fhir {
  id: string;
  name?: string | { family?: string; given?: string[] }[];
  address?: Address[];
  identifier?: { system?: string; value: string }[];
  qualification?: { code?: Concept }[];
  specialty?: Concept[];
  telecom?: { system?: string; value: string }[];
  partOf?: { reference?: string };
}

/** Up to `wanted` resources of a type. */
export async function sample(snapshot: Snapshot, type: ResourceType, wanted: number): Promise<Sampled[]> {
  const all = (await snapshot.counts())[type];
  const size = Math.min(wanted, all);
  const found: Sampled[] = [];
  for (let index = 0; index < size; index++) {
    const after = Math.floor(((index + 0.5) * all) / size) - 1;
    const { matches } = await snapshot.search({
      type,
      clauses: [],
      limit: 1,
      total: false,
      ...(after >= 0 && { after }),
    });
    for (const { json } of matches) found.push(sampled(JSON.parse(json) as Fhir));
  }
  return found;
}

function sampled(resource: Fhir): Sampled {
  const { id, name = '', address = [], identifier = [], qualification = [], telecom = [], partOf } = resource;
  const [position] = positionsIn(address);
  const concepts = [...qualification.map(({ code }) => code), ...(resource.specialty ?? [])];
  const names = typeof name === 'string' ? [name] : name.flatMap(({ family = '', given = [] }) => [family, ...given]);
  const codes = concepts.flatMap((concept) => concept?.coding ?? []).filter(({ code }) => code !== undefined);
  return {
    id,
    name: [...new Set(names.flatMap(tokenize))],
    addresses: address.map(({ line = [], postalCode = '', city = '' }) => [
      ...new Set([...line, postalCode, city].flatMap(tokenize)),
    ]),
    identifiers: identifier.map(({ system, value }) => `${system ?? ''}|${value}`),
    qualifications: codes.map(({ system, code }) => `${system ?? ''}|${code}`),
    telecom: telecom.filter(({ system }) => system === 'email').map(({ value }) => value),
    ...(partOf?.reference !== undefined && { partOf: partOf.reference }),
    ...(position && { position: `${position.latitude}|${position.longitude}` }),
  };
}

/** The words that come most often, the commonest first. */
export function commonest(words: readonly string[], wanted: number): string[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .slice(0, wanted)
    .map(([word]) => word);
}
