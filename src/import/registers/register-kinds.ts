// Recognises which register an input is, by its content and never by its name alone.

import { basename } from 'node:path';
import { ImportError } from '#import/collect/import-error.ts';
import { ACTIVITY_COLUMNS } from './activity-columns.ts';
import { type Binding, bindColumns, type Column, headerLikeness } from './bind-header.ts';
import { COORDINATE_CELLS, ESTABLISHMENT_CELLS, LEGAL_ENTITY_CELLS, splitFinessLine } from './finess-text-columns.ts';
import { looksLikeJson, recogniseJson } from './json-kinds.ts';
import { MAILBOX_COLUMNS } from './mailbox-columns.ts';
import { DIPLOMA_COLUMNS, SKILL_COLUMNS } from './qualification-columns.ts';

export type RegisterKind = 'activities' | 'diplomas' | 'skills' | 'mailboxes' | 'finess' | 'fhir';

export interface Register {
  kind: RegisterKind;
  title: string;
  /** Columns by header; for FINESS by the first cell of a line; none for FHIR. */
  columns: Readonly<Record<string, readonly Column[]>>;
}

const HEADER = '';

export const REGISTERS: Readonly<Record<RegisterKind, Register>> = {
  activities: { kind: 'activities', title: 'PS_LibreAcces_Personne_activite', columns: { [HEADER]: ACTIVITY_COLUMNS } },
  diplomas: { kind: 'diplomas', title: 'PS_LibreAcces_Dipl_AutExerc', columns: { [HEADER]: DIPLOMA_COLUMNS } },
  skills: { kind: 'skills', title: 'PS_LibreAcces_SavoirFaire', columns: { [HEADER]: SKILL_COLUMNS } },
  mailboxes: { kind: 'mailboxes', title: 'Extraction_Correspondance_MSSante', columns: { [HEADER]: MAILBOX_COLUMNS } },
  finess: {
    kind: 'finess',
    title: 'FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)',
    columns: {
      structureej: LEGAL_ENTITY_CELLS,
      structureet: ESTABLISHMENT_CELLS,
      geolocalisation: COORDINATE_CELLS,
    },
  },
  fhir: { kind: 'fhir', title: 'FHIR STU3 resources as Bundle or NDJSON', columns: {} },
};

/** A recognised input: how to read it. */
export interface Recognised {
  kind: RegisterKind;
  /** Lines of cells when it is not one of these. */
  form?: 'ndjson' | 'bundle' | 'finess-json';
  /** For files with a header. */
  binding?: Binding;
  /** Number of the header line; 0 without one. */
  headerLines: number;
  /** Date of the edition as its content says, as FINESS does. */
  edition?: string;
  /** Version of its schema, as FINESS JSON names it. */
  schema?: string;
}

const LIKE_ENOUGH = 0.5;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g;
/** A byte order mark, in Latin-1. */
const MARK = /^\u00ef\u00bb\u00bf/;
/** The first line of a FINESS text file: any of its cells may be in quotes, and a byte order mark may stand before it. */
const FINESS_TEXT = /^(\u00ef\u00bb\u00bf)?("?finess"?;"?etalab"?;|"?(structure(ej|et)|geolocalisation)"?;)/;
const LOOKS_LIKE_A_REGISTER = /PS_LibreAcces|Extraction_Correspondance|etalab-cs11005|finess(?!-activites)/i;

/** Whether the name promises a register, so that an unreadable content is an error and not another file of the folder. */
export function promisesRegister(name: string): boolean {
  return LOOKS_LIKE_A_REGISTER.test(basename(name));
}

/**
 * Recognises an input by its first bytes. Nothing is returned for what is not a register at all; a register whose needed
 * column is missing is an `ImportError`.
 */
export function recognise(name: string, head: Buffer): Recognised | undefined {
  if (looksLikeJson(head)) return recogniseJson(head);
  const lines = head
    .subarray(0, 1 << 16)
    .toString('latin1')
    .split(/\r?\n/);
  const first = lines[0] ?? '';
  if ((first.match(CONTROL)?.length ?? 0) > 0) return undefined;
  if (FINESS_TEXT.test(first)) return recogniseFiness(lines);
  const header = firstLineOf(head);
  if (header === undefined) {
    if (likeliest(first.split('|')).likeness < LIKE_ENOUGH / 2) return undefined;
    throw new ImportError(
      { file: name, line: 1 },
      'the header is not UTF-8.',
      'Take the file as published, or convert it: iconv -f WINDOWS-1252 -t UTF-8.',
    );
  }
  return recogniseHeader(name, header.split('|'));
}

function recogniseFiness(lines: readonly string[]): Recognised {
  const [line, , , date = ''] = splitFinessLine((lines[0] ?? '').replace(MARK, '')).map((value) => value.trim());
  const edition = line === 'finess' ? /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] : undefined;
  return { kind: 'finess', headerLines: line === 'finess' ? 1 : 0, ...(edition !== undefined && { edition }) };
}

function recogniseHeader(name: string, headers: readonly string[]): Recognised | undefined {
  const { register, likeness } = likeliest(headers);
  const columns = register.columns[HEADER] ?? [];
  if (likeness < LIKE_ENOUGH) return undefined;
  const quoted = headers.find((header) => /^\s*".*"\s*$/.test(header));
  if (quoted !== undefined) {
    throw new ImportError(
      { file: name, line: 1, column: quoted.replaceAll('"', '').trim() },
      `cells are in quotes: ${register.title} is published without, and there a quote is content.`,
      'Take the file as published; another program has written this one anew.',
    );
  }
  const { binding, missing } = bindColumns(columns, headers);
  const [column] = missing;
  if (column) {
    const others = missing.slice(1).map((other) => `"${other.label}"`);
    throw new ImportError(
      { file: name, line: 1, column: column.label },
      `the header of ${register.title} lacks this column${others.length > 0 ? ` and ${others.join(', ')}` : ''}.`,
      'Take the file as published; if its layout has changed, Hygie needs an update.',
    );
  }
  return { kind: register.kind, binding, headerLines: 1 };
}

function likeliest(headers: readonly string[]): { register: Register; likeness: number } {
  const [best] = Object.values(REGISTERS)
    .filter((register) => register.columns[HEADER] !== undefined)
    .map((register) => ({ register, likeness: headerScore(register.columns[HEADER] ?? [], headers) }))
    .sort((a, b) => b.likeness - a.likeness);
  if (!best) throw new Error('no register has a header');
  return best;
}

/** The register that explains most headers, and of those the one of which least is missing. */
function headerScore(columns: readonly Column[], headers: readonly string[]): number {
  const share = headerLikeness(columns, headers);
  const explained = (share * columns.length) / Math.max(1, headers.filter((header) => header !== '').length);
  return share * Math.min(1, explained);
}

function firstLineOf(head: Buffer): string | undefined {
  const end = head.indexOf(10);
  const bytes = head.subarray(0, end < 0 ? head.length : end);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r$/, '');
  } catch {
    return undefined;
  }
}
