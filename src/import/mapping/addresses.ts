// Maps postal addresses.

import type { Address } from 'fhir/r3.js';
import { cell, type Row } from '#import/collect/columns.ts';
import { F } from '#import/registers/finess-row.ts';
import { A, M } from '#import/registers/person-columns.ts';
import type { Position } from '#search-index/index.ts';
import { GEOLOCATION } from '#shared/stu3/geolocation.ts';
import { CODE_SYSTEMS, EXTENSIONS } from './code-systems.ts';
import { codeOf } from './codeable-concepts.ts';

interface AddressParts {
  /** The lines above the street: addressee, building and locality. */
  above: readonly string[];
  /** Number of the house, its index (such as BIS), type of the street and name of the street, in this order. */
  street: string;
  mention: string;
  /** The line with the post office: "25304 PONTARLIER CEDEX". */
  cedex: string;
  postalCode: string;
  city: string;
  commune: string;
  district: string;
  country: string;
}

export interface MappedAddress {
  element: Address;
  parts: AddressParts;
}

/** Builds an address from its parts. Returns undefined if there is no line, no town and no postal code. */
function mapAddress(parts: AddressParts): MappedAddress | undefined {
  const { above, street, mention, cedex, city, postalCode, commune, district, country } = parts;
  const line = [...above];
  if (street !== '') line.push(street);
  if (mention !== '') line.push(mention);
  if (cedex !== '') line.push(cedex);
  if (line.length === 0 && city === '' && postalCode === '') return undefined;
  const element: Address = {};
  if (commune !== '') {
    element.extension = [
      { url: EXTENSIONS.commune, valueCoding: { system: CODE_SYSTEMS.commune, code: codeOf(commune) } },
    ];
  }
  element.use = 'work';
  if (line.length > 0) element.line = line;
  if (city !== '') element.city = city;
  if (district !== '') element.district = district;
  if (postalCode !== '') element.postalCode = postalCode;
  if (country !== '') element.country = country;
  return { element, parts };
}

/** Adds the position to an address, as HL7's extension `geolocation`. */
export function locatedAddress({ extension = [], ...rest }: Address, { latitude, longitude }: Position): Address {
  const degrees = [
    { url: 'latitude', valueDecimal: latitude },
    { url: 'longitude', valueDecimal: longitude },
  ];
  return { extension: [...extension, { url: GEOLOCATION, extension: degrees }], ...rest };
}

/** Returns a key that is the same for equal addresses. */
export function identityOf(address: MappedAddress): string {
  const { above, commune, district, country } = address.parts;
  return `${above.join('|')}|${siteOf(address)}|${commune}|${district}|${country}`;
}

/**
 * Returns a key of the address without the lines above the street. These lines differ between the services of one hospital, although the
 * place is the same.
 */
export function siteOf({ parts: { street, mention, cedex, postalCode, city } }: MappedAddress): string {
  return `${street}|${mention}|${cedex}|${postalCode}|${city}`;
}

function joined(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ');
}

/** Maps the address in the columns PA.26-39 and 45 of a line of activities. Returns undefined if these columns state no address. */
export function activityAddress(row: Row): MappedAddress | undefined {
  return mapAddress({
    above: [cell(row, A.addressee), cell(row, A.locality)].filter((text) => text !== ''),
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

/** Maps the address of a structure in FINESS. Returns undefined if the line states no address. */
export function finessAddress(row: Row): MappedAddress | undefined {
  const routing = cell(row, F.routing);
  const postalCode = cell(row, F.postalCode) || (/^\d{5}(?=\s|$)/.exec(routing)?.[0] ?? '');
  return mapAddress({
    above: [cell(row, F.locality), cell(row, F.distribution)].filter((text) => text !== ''),
    street: joined(cell(row, F.number), cell(row, F.streetMore), cell(row, F.streetType), cell(row, F.street)),
    mention: cell(row, F.mention),
    cedex: routing,
    postalCode,
    city: townOf(routing.startsWith(`${postalCode} `) ? routing.slice(postalCode.length).trim() : routing),
    commune: communeCode(cell(row, F.departmentCode), cell(row, F.commune)),
    district: cell(row, F.department),
    country: '',
  });
}

/** Returns the town from a post office line: "PONTARLIER" from "25304 PONTARLIER CEDEX 2". */
function townOf(routing: string): string {
  return routing.replace(/^\d{5}\s*/, '').replace(/\s+CEDEX(\s+\d+)?$/i, '');
}

/** Maps the address in a line of the mail register. Returns undefined if the line states no address. */
export function mailboxAddress(row: Row): MappedAddress | undefined {
  const routing = cell(row, M.routing);
  return mapAddress({
    above: [cell(row, M.locality), cell(row, M.distribution)].filter((text) => text !== ''),
    street: joined(cell(row, M.number), cell(row, M.numberIndex), cell(row, M.streetType), cell(row, M.street)),
    mention: cell(row, M.mention),
    cedex: routing,
    postalCode: cell(row, M.postalCode),
    city: townOf(routing),
    commune: '',
    district: '',
    country: cell(row, M.country),
  });
}

/**
 * Returns the INSEE code of a commune in FINESS, or an empty text if the cells hold none. The text files have the department (`69`, `2A`,
 * overseas `9A`-`9F` or `971`-`978`) and the last three digits of the code. The JSON feed has the whole code and no department.
 */
export function communeCode(department: string, commune: string): string {
  if (department === '') return /^(\d\d|2[AB])\d{3}$/.test(commune) ? commune : '';
  if (!/^\d{3}$/.test(commune)) return '';
  if (/^(\d\d|2[AB])$/.test(department)) return department + commune;
  return /^9([A-F]|[78]\d)$/.test(department) ? `97${commune}` : '';
}

/**
 * Returns the addresses without repetitions. `by` returns the key by which they are compared: of several addresses with the same key, only
 * the first is kept. The addresses are sorted, so that the order of the lines does not matter.
 */
export function distinctAddresses(
  addresses: readonly (MappedAddress | undefined)[],
  by: (address: MappedAddress) => string,
): MappedAddress[] {
  const some = addresses.filter((address) => address !== undefined);
  if (some.length < 2) return some;
  const byIdentity = new Map(some.map((address) => [identityOf(address), address]));
  const sorted = [...byIdentity].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
  if (by === identityOf) return sorted;
  const seen = new Set<string>();
  return sorted.filter((address) => !seen.has(by(address)) && seen.add(by(address)));
}
