// Searches around a place: parses a value of `near` to a circle, and computes distances for the order and for each match. The form of a
// value and the default distance are in `resources/parameters.ts`.

import { parameterError, shownName } from '#directory/errors.ts';
import { NEAR_DISTANCE_KM, NEAR_FORM, type Parameter } from '#directory/resources/parameters.ts';
import { type Circle, type Clause, millimetresTo, type Order, type StoredResource } from '#search-index/index.ts';
import { positionsIn } from '#shared/stu3/geolocation.ts';

/** Metres in each unit that a distance can have. */
const METRES = { km: 1000, m: 1 } as const;

/** The circles of all clauses of `near`. */
export function circlesOf(clauses: readonly Clause[]): readonly Circle[] {
  return clauses.flatMap((clause) => (clause.match === 'near' ? clause.anyOf : []));
}

/**
 * Makes a function that computes the value by which a search orders a resource: its last change in milliseconds since 1970, or its distance
 * in millimetres. The function returns undefined if the search has another order.
 */
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
 * Makes a function that writes the extension with the distance of a match (http://hl7.org/fhir/STU3/extension-location-distance.html). The
 * extension is put into the `search` of the match's entry. There is no function if the search has no circle, or several circles.
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

const DEGREES = /^[+-]?\d{1,3}(\.\d{1,15})?$/;
const DISTANCE = /^\d{1,9}(\.\d{1,9})?$/;

/**
 * Parses one value of `near` to a circle.
 * @param parts the value, split at `|`
 * @throws FhirError 400 that names the parameter
 */
export function parseCircle({ name }: Parameter, parts: readonly string[]): Circle {
  const refused = (fault: string) =>
    parameterError(name, `is ${NEAR_FORM}: ${fault}. Degrees have a dot; a comma separates several circles.`);
  const [north = '', east = '', distance = '', unit = '', ...more] = parts.map((part) => part.trim());
  if (parts.length < 2) throw refused(`"${shownName(north)}" has no longitude`);
  if (more.length > 0) throw refused('there are more than four parts');
  const degrees = (text: string, what: string, most: number) => {
    if (DEGREES.test(text) && Math.abs(Number(text)) <= most) return Number(text);
    throw refused(`the ${what} is a number from -${most} to ${most}, not "${shownName(text)}"`);
  };
  const [latitude, longitude] = [degrees(north, 'latitude', 90), degrees(east, 'longitude', 180)];
  const number = distance === '' ? NEAR_DISTANCE_KM : Number(distance);
  if (distance !== '' && !(DISTANCE.test(distance) && number > 0))
    throw refused(`the distance is a number above 0, not "${shownName(distance)}"`);
  if (distance === '' && unit !== '') throw refused('a unit needs a distance');
  const code = unit === '' ? 'km' : unit;
  if (code !== 'km' && code !== 'm') throw refused(`the unit is km or m, not "${shownName(unit)}"`);
  return { latitude, longitude, metres: number * METRES[code], unit: code };
}
