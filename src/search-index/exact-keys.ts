// The keys of exact values. The import writes them into the index, and searches look them up.

import { foldedWords, plainText } from './tokenizer.ts';

/**
 * The keys of a token (identifier or code) in the index: its value, `system|value`, and `system|` for searches for any value of the system.
 * A token without a system has its value and `|value`.
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

/** The key that every token of a system has. */
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

/** The digits of a telephone number, with 0 in place of +33 and 0033. The index also has numbers in this form. */
export function nationalNumber(value: string): string {
  const digits = value.replace(/[^\d+]/g, '');
  return digits.replace(/^(\+33|0033)0?/, '0').replace('+', '00');
}

/** The systems of FHIR's contacts (http://hl7.org/fhir/STU3/valueset-contact-point-system.html). */
export const CONTACT_SYSTEMS = ['phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'] as const;
/** The system in the keys of secure mailboxes (MSSanté). These mailboxes also have the keys of `email`. */
export const SECURE_MAIL = 'mss';

const NUMBERS: ReadonlySet<string | undefined> = new Set(['phone', 'fax', 'sms', 'pager']);

/** The parts of a FHIR ContactPoint that its keys depend on. */
interface Contact {
  system?: string | undefined;
  value?: string | undefined;
  extension?: readonly { valueCoding?: { code?: string | undefined } | undefined }[] | undefined;
}

/** The keys of a contact: the value, the national form of a number, each of the two also after `system|`, and `system|` itself. */
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

/** The keys of a telephone number: the number as it is written, and its national form. */
export function numberKeys(value: string): string[] {
  const [written, national] = [contactKey(value), nationalNumber(value)];
  return national === '' || national === written ? [written] : [written, national];
}

const SYSTEM_OF_CONTACT = new RegExp(`^(?:${[...CONTACT_SYSTEMS, SECURE_MAIL].join('|')})\\|(?=.)`);

/**
 * Gives the key to be hashed when `key` is looked up. For a contact with its system it is the value alone, so that the index has one entry
 * for each contact. The resource then shows whether the system is right.
 */
export function hashedKey(field: string, key: string): string {
  return field === 'telecom' ? key.replace(SYSTEM_OF_CONTACT, '') : key;
}

/** The key of a reference, `Type/id`. */
export function referenceKey(type: string, id: string): string {
  return `${type}/${id}`;
}
