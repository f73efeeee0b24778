// The registers that Hygie reads, with their titles, their columns, and the names under which they are published.

import { basename } from 'node:path';
import type { Column, RegisterKind } from '#import/collect/columns.ts';
import { RESOURCE_TYPES } from '#search-index/index.ts';
import { FINESS_TEXT_CELLS } from './finess-text.ts';
import { ACTIVITY_COLUMNS, DIPLOMA_COLUMNS, MAILBOX_COLUMNS, SKILL_COLUMNS } from './person-columns.ts';

interface Register {
  kind: RegisterKind;
  title: string;
  /**
   * Columns of the register. For FINESS, the keys are the first cells of its lines. A register with a header has the single key `HEADER`.
   * FHIR has no columns.
   */
  columns: Readonly<Record<string, readonly Column[]>>;
}

/** The key of the columns of a register if its files have a header. */
export const HEADER = '';

export const REGISTERS: Readonly<Record<RegisterKind, Register>> = {
  activities: { kind: 'activities', title: 'PS_LibreAcces_Personne_activite', columns: { [HEADER]: ACTIVITY_COLUMNS } },
  diplomas: { kind: 'diplomas', title: 'PS_LibreAcces_Dipl_AutExerc', columns: { [HEADER]: DIPLOMA_COLUMNS } },
  skills: { kind: 'skills', title: 'PS_LibreAcces_SavoirFaire', columns: { [HEADER]: SKILL_COLUMNS } },
  mailboxes: { kind: 'mailboxes', title: 'Extraction_Correspondance_MSSante', columns: { [HEADER]: MAILBOX_COLUMNS } },
  finess: {
    kind: 'finess',
    title: 'FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON)',
    columns: FINESS_TEXT_CELLS,
  },
  fhir: { kind: 'fhir', title: 'FHIR STU3 resources as Bundle or NDJSON', columns: {} },
};

/** All names of registers that reports and the snapshot registry use, such as `skills` and `finess structureet`. */
export const REGISTER_NAMES: readonly string[] = Object.values(REGISTERS).flatMap(({ kind, columns }) => {
  const parts = kind === 'fhir' ? RESOURCE_TYPES : Object.keys(columns).filter((part) => part !== HEADER);
  return [kind, ...parts.map((part) => `${kind} ${part}`)];
});

/**
 * Returns the title of a register. `register` is its name in the snapshot registry: the kind and, for FINESS, the first cell of the lines.
 */
export function titleOf(register: string): string {
  const [kind, part] = register.split(' ');
  const title = REGISTERS[kind as RegisterKind].title;
  return part === undefined ? title : `${title}, lines "${part}"`;
}

/** Patterns of published file names, each with the register that such a file holds. */
const PROMISES: readonly (readonly [name: RegExp, register: string])[] = [
  [/Personne_activite/i, 'activities'],
  [/Dipl_AutExerc/i, 'diplomas'],
  [/SavoirFaire/i, 'skills'],
  [/Correspondance_MSSante/i, 'mailboxes'],
  [/cs1100501(?!\d)/i, 'finess structureej'],
  [/cs110050[27](?!\d)/i, 'finess structureet'],
  [/finess-structures/i, 'finess'],
];

/** Returns the register that the file should hold according to its published name. Undefined if the name is that of no register. */
export function promisedRegister(name: string): string | undefined {
  const file = basename(name.split('!').at(-1) ?? name);
  return PROMISES.find(([pattern]) => pattern.test(file))?.[1];
}

const LOOKS_LIKE_A_REGISTER = /PS_LibreAcces|Extraction_Correspondance|etalab-cs11005|finess(?!-activites)/i;

/**
 * Tells whether a file name looks like that of a register. If such a file cannot be recognised, the import fails. Other unrecognised files
 * of a folder are left out.
 */
export function promisesRegister(name: string): boolean {
  return LOOKS_LIKE_A_REGISTER.test(basename(name));
}
