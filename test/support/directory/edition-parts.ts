// Contacts and coded concepts of the small edition (`edition.ts`), with their keys.

import { locatedAddress } from '#import/mapping/addresses.ts';
import { contactKeys, labelKey, tokenKeys } from '#search-index/exact-keys.ts';

export interface Contact {
  system: string;
  value: string;
  use: string;
  extension?: readonly { url: string; valueCoding: { system: string; code: string } }[];
}

/** Secure mail, if its address says so. */
export function mailbox(value: string): Contact {
  const url = 'https://hl7.fr/ig/fhir/core/StructureDefinition/fr-core-contact-point-email-type';
  const valueCoding = { system: 'https://mos.esante.gouv.fr/NOS/TRE_R256-TypeMessagerie', code: 'MSSANTE' };
  const secure = value.includes('@mail.') ? { extension: [{ url, valueCoding }] } : {};
  return { ...secure, system: 'email', value, use: 'work' };
}

export const number = (system: 'phone' | 'fax', value: string): Contact => ({ system, value, use: 'work' });

export function contactKeysOf(contacts: readonly Contact[]): string[] {
  return [...new Set(contacts.flatMap(contactKeys))];
}

/** The labels of some codes. */
const LABELS: Readonly<Record<string, string>> = {
  '355': 'Centre Hospitalier (C.H.)',
  '500': 'Établissement pour personnes âgées',
  'FON-01': 'Titulaire de cabinet',
  SM40: 'Radio-diagnostic et imagerie',
};

export function concepts(tokens: readonly Token[]) {
  return tokens.map(({ system, value }) => {
    const display = LABELS[value];
    return { coding: [{ system, code: value, ...(display !== undefined && { display }) }] };
  });
}

export function conceptKeys(tokens: readonly Token[]): string[] {
  return [...keysOf(tokens), ...tokens.flatMap(({ value }) => LABELS[value] ?? []).map(labelKey)];
}

export type Token = { system?: string; value: string };

export function keysOf(tokens: readonly Token[]): string[] {
  return [...new Set(tokens.flatMap((token) => tokenKeys(token)))];
}

/** An address, with its position in degrees if it has one. */
export function addressAt(
  [line, postalCode, city]: readonly [line: string, postalCode: string, city: string],
  at: readonly [latitude: number, longitude: number] | undefined,
) {
  const address = { line: [line], postalCode, city };
  return at ? locatedAddress(address, { latitude: at[0], longitude: at[1] }) : address;
}
