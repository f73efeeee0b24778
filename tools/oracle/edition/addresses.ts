// Addresses of the registers: lines above the street, the street, a mention, the post office line.

import type { Address } from './entry.ts';
import type { Line } from './registers.ts';

/** An address, with the text by which two are the same, and that of its site alone. */
export interface Stated extends Address {
  whole: string;
  site: string;
}

const some = (texts: readonly (string | undefined)[]) =>
  texts.filter((text) => text !== undefined && text !== '') as string[];

function stated(
  above: readonly string[],
  street: string,
  {
    mention = '',
    cedex = '',
    postalCode = '',
    city = '',
  }: Partial<Record<'mention' | 'cedex' | 'postalCode' | 'city', string>>,
  area: readonly string[],
): Stated | undefined {
  const lines = some([...above, street, mention, cedex]);
  if (lines.length === 0 && postalCode === '' && city === '') return undefined;
  const site = [street, mention, cedex, postalCode, city].join('|');
  return { lines, postalCode, city, site, whole: [above.join('|'), site, ...area].join('|') };
}

/** The address of an activity. */
export function ofActivity(line: Line): Stated | undefined {
  const { addressee = '', locality = '', number, index, streetType, street } = line;
  const { commune = '', department = '', country = '' } = line;
  return stated(some([addressee, locality]), some([number, index, streetType, street]).join(' '), line, [
    commune,
    department,
    country,
  ]);
}

/** The address of a line of FINESS, by its cells. */
export function ofFiness(
  above: readonly (string | undefined)[],
  street: readonly (string | undefined)[],
  mention = '',
  routing = '',
): Stated | undefined {
  const postalCode = /^\d{5}(?=\s|$)/.exec(routing)?.[0] ?? '';
  const city = routing.replace(/^\d{5}\s*/, '').replace(/\s+CEDEX(\s+\d+)?$/i, '');
  return stated(some(above), some(street).join(' '), { mention, cedex: routing, postalCode, city }, []);
}

/** Each address once, in the order of their texts. */
export function distinct(all: readonly (Stated | undefined)[], by: 'whole' | 'site'): Stated[] {
  const sorted = all.filter((one) => one !== undefined).sort((a, b) => (a.whole < b.whole ? -1 : 1));
  return sorted.filter((one, at) => sorted.findIndex((other) => other[by] === one[by]) === at);
}
