// Owns postal addresses: the FHIR element, and the text and words under which one address is found.
// Does not own whose address it is.

import { CODE_SYSTEMS, EXTENSIONS } from './code-systems.ts';
import { cell, type Row } from './columns.ts';
import { A } from './registers/activity.ts';
import type { E, J } from './registers/finess.ts';
import { M } from './registers/mailbox.ts';

export interface AddressParts {
  /** Addressee, building, place: the lines above the street. */
  above: readonly string[];
  /** "number index type street". */
  street: string;
  mention: string;
  /** Post office line: "25304 PONTARLIER CEDEX". */
  cedex: string;
  postalCode: string;
  city: string;
  commune: string;
  district: string;
  country: string;
}

export interface MappedAddress {
  element: Record<string, unknown>;
  /** Text that is searched: everything but district and country. */
  text: string;
  city: string;
  postalCode: string;
  /** Two addresses with the same one are the same. */
  identity: string;
  /** The same without the lines above the street: services of one hospital share it. */
  site: string;
}

/** Builds the element and its search text; nothing when every part is empty. */
export function mapAddress(parts: AddressParts): MappedAddress | undefined {
  const line = [...parts.above, parts.street, parts.mention, parts.cedex].filter((text) => text !== '');
  const { city, postalCode, commune, district, country } = parts;
  if (line.length === 0 && city === '' && postalCode === '') return undefined;
  const site = `${parts.street}|${parts.mention}|${parts.cedex}|${postalCode}|${city}`;
  return {
    element: {
      ...(commune !== '' && {
        extension: [{ url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: commune } }],
      }),
      use: 'work',
      ...(line.length > 0 && { line }),
      ...(city !== '' && { city }),
      ...(district !== '' && { district }),
      ...(postalCode !== '' && { postalCode }),
      ...(country !== '' && { country }),
    },
    text: [...line, postalCode, city].filter((text) => text !== '').join(' '),
    city,
    postalCode,
    identity: `${parts.above.join('|')}|${site}|${commune}|${district}|${country}`,
    site,
  };
}

function joined(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ');
}

/** PA.26-39 and 45. */
export function activityAddress(row: Row): MappedAddress | undefined {
  return mapAddress({
    above: [cell(row, A.addressee), cell(row, A.place)].filter((text) => text !== ''),
    street: joined(cell(row, A.number), cell(row, A.numberIndex), cell(row, A.streetTypeLabel), cell(row, A.street)),
    mention: cell(row, A.mention),
    cedex: cell(row, A.cedex),
    postalCode: cell(row, A.postalCode),
    city: cell(row, A.city),
    commune: cell(row, A.commune),
    district: cell(row, A.department),
    country: cell(row, A.country),
  });
}

/** Address of a FINESS line, establishment (`E`) or legal entity (`J`): the same cells at other places. */
export function finessAddress(row: Row, at: typeof E | typeof J): MappedAddress | undefined {
  const routing = cell(row, at.routing);
  return mapAddress({
    above: [cell(row, at.place), cell(row, at.distribution)].filter((text) => text !== ''),
    street: joined(cell(row, at.number), cell(row, at.streetMore), cell(row, at.streetType), cell(row, at.street)),
    mention: cell(row, at.mention),
    cedex: routing,
    postalCode: /^\d{5}(?=\s|$)/.exec(routing)?.[0] ?? '',
    city: routing.replace(/^\d{5}\s*/, '').replace(/\s+CEDEX(\s+\d+)?$/i, ''),
    commune: communeCode(cell(row, at.departmentCode), cell(row, at.commune)),
    district: cell(row, at.department),
    country: '',
  });
}

/** Address of a line of the mail register. */
export function mailboxAddress(row: Row): MappedAddress | undefined {
  const routing = cell(row, M.routing);
  return mapAddress({
    above: [cell(row, M.place), cell(row, M.distribution)].filter((text) => text !== ''),
    street: joined(cell(row, M.number), cell(row, M.numberIndex), cell(row, M.streetType), cell(row, M.street)),
    mention: cell(row, M.mention),
    cedex: routing,
    postalCode: cell(row, M.postalCode),
    city: routing.replace(/^\d{5}\s*/, '').replace(/\s+CEDEX(\s+\d+)?$/i, ''),
    commune: '',
    district: '',
    country: cell(row, M.country),
  });
}

/**
 * INSEE code of a commune from FINESS: department (`69`, `2A`, overseas `9A`-`9F` or `971`-`978`) and the last three
 * digits of the code.
 */
export function communeCode(department: string, commune: string): string {
  if (!/^\d{3}$/.test(commune)) return '';
  if (/^(\d\d|2[AB])$/.test(department)) return department + commune;
  return /^9([A-F]|[78]\d)$/.test(department) ? `97${commune}` : '';
}

/** Addresses without repetition, in the order of their identities, so that the order of lines does not matter. */
export function distinctAddresses(
  addresses: readonly (MappedAddress | undefined)[],
  by: 'identity' | 'site',
): MappedAddress[] {
  const sorted = addresses
    .filter((address) => address !== undefined)
    .sort((a, b) => (a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0));
  const seen = new Set<string>();
  return sorted.filter((address) => !seen.has(address[by]) && seen.add(address[by]));
}
