// Parses the value of `near` to a circle. Its form and the distance of a value without one stand in `resources/parameters.ts`,
// which messages and documentation read too.

import { parameterError, shownName } from '#directory/errors.ts';
import { NEAR_DISTANCE_KM, NEAR_FORM, type Parameter } from '#directory/resources/parameters.ts';
import type { Circle } from '#search-index/index.ts';
import { METRES } from './near.ts';

const DEGREES = /^[+-]?\d{1,3}(\.\d{1,15})?$/;
const DISTANCE = /^\d{1,9}(\.\d{1,9})?$/;

/**
 * The circle of one value.
 * @param parts the value, split at `|`
 * @throws FhirError 400 naming the parameter
 */
export function parseCircle({ name }: Parameter, parts: readonly string[]): Circle {
  const refused = (fault: string) =>
    parameterError(name, 'value', `is ${NEAR_FORM}: ${fault}. Degrees have a dot; a comma separates several circles.`);
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
