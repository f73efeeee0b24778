// Owns ContactPoints: telephones, fax, ordinary mail, secure mail, and the keys under which they are found.
// Does not own whose they are. Secure mail is never filtered by domain: any domain may take part in MSSanté.

import { contactKey } from '../shared/index-keys.ts';
import { CODE_SYSTEMS, EXTENSIONS } from './code-systems.ts';
import { cell, type Row } from './columns.ts';
import { M } from './registers/mailbox.ts';

export interface Contact {
  element: Record<string, unknown>;
  keys: readonly string[];
  /** Two contacts with the same one are the same. */
  identity: string;
}

/** A telephone or fax number as published; nothing when it is empty or, like `0000`, means nothing. */
export function numberContact(system: 'phone' | 'fax', value: string): Contact | 'meaningless' | undefined {
  if (value === '') return undefined;
  const national = nationalNumber(value);
  if (national.length < 2 || /^(\d)\1*$/.test(national)) return 'meaningless';
  return {
    element: { system, value, use: 'work' },
    keys: [...new Set([contactKey(value), national])],
    identity: `${system}|${national}`,
  };
}

export function mailContact(value: string): Contact | undefined {
  if (!value.includes('@')) return undefined;
  const key = contactKey(value);
  return { element: { system: 'email', value, use: 'work' }, keys: [key], identity: `email|${key}` };
}

/** Digits of a French number in its national form: +33 and 0033 become 0. */
export function nationalNumber(value: string): string {
  const digits = value.replace(/[^\d+]/g, '');
  return digits.replace(/^(\+33|0033)0?/, '0').replace('+', '00');
}

/**
 * Secure mail addresses of the lines of one owner, each once whatever its case, in alphabetical order: the register
 * has no preference among the addresses of one owner, and its lines have no order.
 */
export function secureMail(rows: readonly Row[]): Contact[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    const key = contactKey(cell(row, M.address));
    if (!byKey.has(key)) byKey.set(key, row);
  }
  const keys = byKey.size < 2 ? [...byKey.keys()] : [...byKey.keys()].sort();
  return keys.map((key, index) => {
    const row = byKey.get(key) ?? [];
    const element = {
      extension: mailboxExtensions(row),
      system: 'email',
      value: cell(row, M.address),
      use: 'work',
      rank: index + 1,
    };
    return { element, keys: [key], identity: `email|${key}` };
  });
}

const SECURE = { url: EXTENSIONS.mailType, valueCoding: { system: CODE_SYSTEMS.mailType, code: 'MSSANTE' } };

function mailboxExtensions(row: Row): unknown[] {
  const service = cell(row, M.service);
  const paperless = cell(row, M.paperless).toUpperCase();
  const facts = [
    ...(service !== '' ? [{ url: 'service', valueString: service }] : []),
    ...(paperless === 'O' || paperless === 'N' ? [{ url: 'digitization', valueBoolean: paperless === 'O' }] : []),
  ];
  return facts.length > 0 ? [SECURE, { extension: facts, url: EXTENSIONS.mailbox }] : [SECURE];
}
