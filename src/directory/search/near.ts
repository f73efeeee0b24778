// Searches around a place: the order by distance, and the distances of what is found. `parse-circle.ts` reads the value of `near`.

import { type Circle, type Clause, millimetresTo, type Order, type StoredResource } from '#search-index/index.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';

/** Metres of a unit of distance. */
export const METRES = { km: 1000, m: 1 } as const;

/** The circles of the clauses. */
export function circlesOf(clauses: readonly Clause[]): readonly Circle[] {
  return clauses.flatMap((clause) => (clause.match === 'near' ? clause.anyOf : []));
}

/** Gives the value by which an order goes, besides the alphabet: the instant of a resource, or its distance in millimetres. */
export function orderValue(order: Order | undefined, clauses: readonly Clause[]) {
  const [circle] = circlesOf(clauses);
  return ({ lastUpdated, json }: Pick<StoredResource, 'lastUpdated' | 'json'>): number | undefined => {
    if (order?.by === 'updated') return Date.parse(lastUpdated);
    return order?.by === 'distance' && circle ? millimetresIn(json, circle) : undefined;
  };
}

function millimetresIn(json: string, circle: Circle): number {
  return millimetresTo(circle, positionsIn(JSON.parse(json).address));
}

/**
 * Makes the text of the extension that gives the distance of a match (http://hl7.org/fhir/STU3/extension-location-distance.html), for the
 * `search` of its entry; undefined if the search has no circle or several.
 */
export function distanceExtension(clauses: readonly Clause[]): ((json: string) => string) | undefined {
  const [circle, ...others] = circlesOf(clauses);
  if (!circle || others.length > 0) return undefined;
  const { unit = 'km' } = circle;
  return (json) => {
    const value = Math.round(millimetresIn(json, circle) / 1000) / METRES[unit];
    const valueDistance = { value, unit, system: 'http://unitsofmeasure.org', code: unit };
    const url = 'http://hl7.org/fhir/StructureDefinition/location-distance';
    return `"extension":${JSON.stringify([{ url, valueDistance }])},`;
  };
}
