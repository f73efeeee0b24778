// Makes FHIR ids that stay the same from edition to edition. Also verifies check digits.

import { hash } from 'node:crypto';
import { cell, type Row } from '#import/collect/columns.ts';
import { A } from '#import/registers/person-columns.ts';

const { imul } = Math;

const LEGAL_ID = /^[A-Za-z0-9.-]{1,64}$/;

/** Returns the value itself if FHIR allows it as an id. Otherwise returns the prefix and a hash of the value. */
export function idFrom(value: string, prefix: string): string {
  return LEGAL_ID.test(value) ? value : hashedId(value, prefix);
}

/** Returns the prefix and the first 128 bits of the SHA-256 hash of the value, as 32 hexadecimal digits. */
function hashedId(value: string, prefix: string): string {
  return prefix + hash('sha256', value, 'hex').slice(0, 32);
}

/**
 * Returns a hash of 64 bits (cyrb53) in base 36, with 14 characters. It is fast, and sufficient because it only has to distinguish the few
 * roles of one person.
 */
export function shortHash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 124;
    a = imul(a ^ code, 2654435761);
    b = imul(b ^ code, 1597334677);
  }
  a = imul(a ^ (a >>> 16), 2246822507) ^ imul(b ^ (b >>> 13), 3266489909);
  b = imul(b ^ (b >>> 16), 2246822507) ^ imul(a ^ (a >>> 13), 3266489909);
  return inBase36(b >>> 0) + inBase36(a >>> 0);
}

const BASE = 36;
/** All pairs of base-36 digits. The pair at index n is the number n. */
const PAIRS = Array.from({ length: BASE ** 2 }, (_, value) => value.toString(BASE).padStart(2, '0'));

/**
 * Returns 32 bits as seven base-36 digits. `Number.prototype.toString` would take ten times as long, because it divides floating-point
 * numbers.
 */
function inBase36(bits: number): string {
  const upper = Math.floor(bits / BASE ** 4);
  const lower = bits - upper * BASE ** 4;
  const first = (upper / BASE ** 2) | 0;
  const third = (lower / BASE ** 2) | 0;
  const pair = (value: number) => PAIRS[value] as string;
  return first.toString(BASE) + pair(upper - first * BASE ** 2) + pair(third) + pair(lower - third * BASE ** 2);
}

/**
 * Returns the id of the structure in a line of activities. It is the technical identifier. If the line has none, the id is built like the
 * technical identifiers of the register: `F` and the FINESS number or, without a FINESS number, `C` and the SIRET number. Without these
 * numbers, it is a hash of the name and address or, if both are empty, of the other cells about the structure. Undefined if the line names
 * no structure.
 */
export function structureId(row: Row): string | undefined {
  const technical = cell(row, A.technicalId);
  if (technical !== '') return idFrom(technical, 'o-');
  const finess = cell(row, A.finess);
  if (finess !== '') return finessId(finess);
  const siret = cell(row, A.siret);
  if (siret !== '') return siretId(siret);
  if (!namesStructure(row)) return undefined;
  const nameAndAddress = textOf(row, A.name, A.country);
  return hashedId(/[^|]/.test(nameAndAddress) ? nameAndAddress : textOf(row, A.siren, A.formerId), 'o-');
}

function textOf(row: Row, from: number, to: number): string {
  return row
    .slice(from, to + 1)
    .map((text) => text.trim())
    .join('|');
}

/** Tells whether any of the columns PA.19-46, which describe the structure, is filled. */
function namesStructure(row: Row): boolean {
  for (let column = A.siret; column <= A.formerId; column++) if (cell(row, column) !== '') return true;
  return false;
}

export function finessId(finess: string): string {
  return idFrom(`F${finess}`, 'o-');
}

export function siretId(siret: string): string {
  return idFrom(`C${siret}`, 'o-');
}

const LA_POSTE = '356000000';

/**
 * Checks the Luhn check digit of an RPPS, FINESS, SIREN or SIRET number. In Corsican FINESS numbers, the letter A has the value 1, and B
 * the value 2. For SIRET numbers of La Poste, it is also sufficient that the sum of the digits is a multiple of five.
 */
export function luhnValid(number: string): boolean {
  let sum = 0;
  let plain = 0;
  for (let at = number.length - 1, double = false; at >= 0; at--, double = !double) {
    const code = number.charCodeAt(at);
    const digit = code >= 65 ? code - 64 : code - 48;
    if (digit < 0 || digit > 9) return false;
    plain += digit;
    sum += double ? doubled(digit) : digit;
  }
  if (number.length === 14 && number.startsWith(LA_POSTE)) return plain % 5 === 0 || sum % 10 === 0;
  return sum % 10 === 0;
}

/** Doubles a digit. If the result has two digits, returns their sum. */
function doubled(digit: number): number {
  return digit > 4 ? digit * 2 - 9 : digit * 2;
}
