// Maps ContactPoints: telephone, fax, ordinary mail and secure mail. Secure mail addresses are accepted from any domain, because any domain
// can belong to MSSanté.

import type { ContactPoint, Extension } from 'fhir/r3.js';
import { cell, MAIL_ADDRESS, type Row } from '#import/collect/columns.ts';
import { M } from '#import/registers/person-columns.ts';
import { contactKey, nationalNumber, repeated } from '#search-index/index.ts';
import { CODE_SYSTEMS, EXTENSIONS } from './code-systems.ts';

export interface Contact {
  element: ContactPoint;
  /** A key that is the same for equal contacts. */
  identity: string;
}

/**
 * Maps a telephone or fax number and keeps it as it is published. Returns undefined if the text is empty, and `meaningless` if the number
 * has a single digit or repeats one digit, such as `0000`.
 */
export function numberContact(system: 'phone' | 'fax', value: string): Contact | 'meaningless' | undefined {
  if (value === '') return undefined;
  const national = nationalNumber(value);
  if (national.length < 2 || /^(\d)\1*$/.test(national)) return 'meaningless';
  return {
    element: { system, value, use: 'work' },
    identity: `${system}|${national}`,
  };
}

export function isMailAddress(value: string): boolean {
  return MAIL_ADDRESS.test(value);
}

export function mailContact(value: string): Contact | undefined {
  if (!isMailAddress(value)) return undefined;
  return { element: { system: 'email', value, use: 'work' }, identity: `email|${contactKey(value)}` };
}

/**
 * Maps the secure mail addresses of one owner. If addresses differ only by case, the first one is kept. The contacts are sorted by address,
 * because the register states no preference and the order of its lines means nothing.
 */
export function secureMail(rows: readonly Row[]): Contact[] {
  if (rows.length === 0) return [];
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const key = contactKey(cell(row, M.address));
    if (!byKey.has(key)) byKey.set(key, row);
  }
  const keys = byKey.size < 2 ? [...byKey.keys()] : [...byKey.keys()].sort();
  return keys.map((key, index) => {
    const row = byKey.get(key) ?? [];
    const extension = mailboxExtensions(cell(row, M.service), cell(row, M.paperless).toUpperCase());
    const value = cell(row, M.address);
    return { element: { extension, system: 'email', value, use: 'work', rank: index + 1 }, identity: `email|${key}` };
  });
}

const SECURE: Extension = { url: EXTENSIONS.mailType, valueCoding: { system: CODE_SYSTEMS.mailType, code: 'MSSANTE' } };

/**
 * Extensions of mailboxes for which the register states no service, by the cell that states whether the mailbox accepts paperless documents
 * (`O` or `N`). Nearly all mailboxes of people share these objects. They are marked as `repeated`, so that their text is made only once.
 */
const WITHOUT_SERVICE: ReadonlyMap<string, Extension[]> = new Map([
  ['O', repeated(mailboxMetadata([{ url: 'digitization', valueBoolean: true }]))],
  ['N', repeated(mailboxMetadata([{ url: 'digitization', valueBoolean: false }]))],
]);
const ONLY_SECURE = repeated([SECURE]);

function mailboxExtensions(service: string, paperless: string): Extension[] {
  if (service === '') return WITHOUT_SERVICE.get(paperless) ?? ONLY_SECURE;
  const facts: Extension[] = [{ url: 'service', valueString: service }];
  if (paperless === 'O' || paperless === 'N') facts.push({ url: 'digitization', valueBoolean: paperless === 'O' });
  return mailboxMetadata(facts);
}

function mailboxMetadata(facts: Extension[]): Extension[] {
  return [SECURE, { extension: facts, url: EXTENSIONS.mailbox }];
}
