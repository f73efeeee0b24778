// Maps ContactPoints: telephone, fax, ordinary mail and secure mail. Secure mail is never filtered by its domain, since any domain may take
// part in MSSanté.

import type { ContactPoint, Extension } from 'fhir/r3.js';
import { cell, MAIL_ADDRESS, type Row } from '#import/collect/columns.ts';
import { M } from '#import/registers/person-columns.ts';
import { contactKey, nationalNumber, repeated } from '#search-index/index.ts';
import { CODE_SYSTEMS, EXTENSIONS } from './code-systems.ts';

export interface Contact {
  element: ContactPoint;
  /** A key that equal contacts share. */
  identity: string;
}

/** Maps a telephone or fax number as it is published. Returns undefined if it is empty, and `meaningless` for a number such as `0000`. */
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
 * Maps the secure mail addresses of one owner. Of addresses that differ only by case, one is kept. They are sorted, because the register
 * states no preference and its lines have no order.
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
 * Extensions of mailboxes without a service. Nearly all mailboxes of persons share them. They are frozen, so that their text is made once.
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
