// Makes the keys by which exact values are found. The import writes the keys into the index, and searches look them up.

import { foldedWords, plainText } from './tokenizer.ts';

/**
 * The keys of a token (identifier or code) in the index: `value`, `system|value`, and `system|`, by which a search finds any value of the
 * system. A token without a system has the keys `value` and `|value`.
 */
export function tokenKeys({
  system,
  value: written,
}: {
  system?: string;
  value: string;
}): [string, string, ...string[]] {
  const value = plainText(written);
  return system === undefined ? [value, `|${value}`] : [value, `${system}|${value}`, systemKey(system)];
}

/** The key that all tokens of a system have, whatever their value is. */
export function systemKey(system: string): string {
  return `${system}|`;
}

/** The key of a display label. Case, accents and punctuation make no difference. */
export function labelKey(label: string): string {
  return `~${foldedWords(label)}`;
}

/** The key of a mail address or telephone number. Upper and lower case make no difference. */
export function contactKey(value: string): string {
  return plainText(value).trim().toLowerCase();
}

/**
 * The digits of a telephone number in the national form: 0 stands in place of +33 or 0033, and 00 in place of any other +. The index has
 * this form of a number in addition to the form in which it is written.
 */
export function nationalNumber(value: string): string {
  const digits = value.replace(/[^\d+]/g, '');
  return digits.replace(/^(\+33|0033)0?/, '0').replace('+', '00');
}

/** The values that FHIR defines for `ContactPoint.system` (http://hl7.org/fhir/STU3/valueset-contact-point-system.html). */
export const CONTACT_SYSTEMS = ['phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'] as const;
/** Secure mailboxes (MSSanté) have keys with this system, in addition to their keys with the system `email`. */
export const SECURE_MAIL = 'mss';

const NUMBERS: ReadonlySet<string | undefined> = new Set(['phone', 'fax', 'sms', 'pager']);

/** The elements of a FHIR ContactPoint that determine its keys. */
interface Contact {
  system?: string | undefined;
  value?: string | undefined;
  extension?: readonly { valueCoding?: { code?: string | undefined } | undefined }[] | undefined;
}

/**
 * The keys of a contact: its value and, for a telephone number, also the national form. If the contact has a system, each of these keys is
 * repeated with `system|` before it, and `system|` alone is one more key.
 */
export function contactKeys({ system, value, extension }: Contact): string[] {
  if (value === undefined) return [];
  const texts = NUMBERS.has(system) ? numberKeys(value) : [contactKey(value)];
  const keys = [...texts];
  const secure = extension?.some(({ valueCoding }) => valueCoding?.code === 'MSSANTE');
  for (const one of secure ? [system, SECURE_MAIL] : [system]) {
    if (one === undefined) continue;
    keys.push(systemKey(one));
    for (const text of texts) keys.push(`${one}|${text}`);
  }
  return keys;
}

/** The keys of a telephone number: the number as it is written, and its national form if that differs. */
export function numberKeys(value: string): string[] {
  const [written, national] = [contactKey(value), nationalNumber(value)];
  return national === '' || national === written ? [written] : [written, national];
}

const SYSTEM_OF_CONTACT = new RegExp(`^(?:${[...CONTACT_SYSTEMS, SECURE_MAIL].join('|')})\\|(?=.)`);

/**
 * Returns the key that is hashed to look up `key`. For a contact's key `system|value`, this is the value alone, because the index has only
 * one entry for each contact. The entry does not show the system, so a search checks the system in the resource.
 */
export function hashedKey(field: string, key: string): string {
  return field === 'telecom' ? key.replace(SYSTEM_OF_CONTACT, '') : key;
}

/** The key of a reference, `Type/id`. */
export function referenceKey(type: string, id: string): string {
  return `${type}/${id}`;
}
