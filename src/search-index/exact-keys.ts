// The keys under which exact values are indexed. The import writes them, searches look them up.

import { foldedWords, plainText } from './tokenizer.ts';

/**
 * Keys of a token (identifier, code) that the import writes: its value alone, `system|value`, and `system|` for a search for any value of
 * the system. A token without a system gets its value alone and `|value`.
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

/** Key of every token of one system. */
export function systemKey(system: string): string {
  return `${system}|`;
}

/** Key of a display label, compared without case, accents and punctuation. */
export function labelKey(label: string): string {
  return `~${foldedWords(label)}`;
}

/** Key of a mail address or telephone number, compared without case. */
export function contactKey(value: string): string {
  return plainText(value).trim().toLowerCase();
}

/** The digits of a telephone number, with +33 and 0033 written as 0. A search finds the number in this form too. */
export function nationalNumber(value: string): string {
  const digits = value.replace(/[^\d+]/g, '');
  return digits.replace(/^(\+33|0033)0?/, '0').replace('+', '00');
}

/** The systems of FHIR's contacts (http://hl7.org/fhir/STU3/valueset-contact-point-system.html). */
export const CONTACT_SYSTEMS = ['phone', 'fax', 'email', 'pager', 'url', 'sms', 'other'] as const;
/** The system in keys of secure mailboxes (MSSanté). These mailboxes also have the keys of `email`. */
export const SECURE_MAIL = 'mss';

const NUMBERS: ReadonlySet<string | undefined> = new Set(['phone', 'fax', 'sms', 'pager']);

/** A FHIR ContactPoint, as far as its keys depend on it. */
interface Contact {
  system?: string | undefined;
  value?: string | undefined;
  extension?: readonly { valueCoding?: { code?: string | undefined } | undefined }[] | undefined;
}

/** Keys of a contact: the text and the national form of a number, both alone and after `system|`, and `system|` itself. */
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

/** Keys of a telephone number: as it is written, and in its national form. */
export function numberKeys(value: string): string[] {
  const [written, national] = [contactKey(value), nationalNumber(value)];
  return national === '' || national === written ? [written] : [written, national];
}

const SYSTEM_OF_CONTACT = new RegExp(`^(?:${[...CONTACT_SYSTEMS, SECURE_MAIL].join('|')})\\|(?=.)`);

/**
 * The key that is hashed to look up this one. A contact with its system is looked up by its text alone, so that the index has one entry for each
 * contact; the resource then tells whether its system is the right one.
 */
export function hashedKey(field: string, key: string): string {
  return field === 'telecom' ? key.replace(SYSTEM_OF_CONTACT, '') : key;
}

/** Key of a reference, `Type/id`. */
export function referenceKey(type: string, id: string): string {
  return `${type}/${id}`;
}
