// What is collected while an import runs: warnings by kind with examples, and lines that were left out.

import type { RegisterKind } from '#import/registers/register-kinds.ts';
import { printable, shorten } from '#shared/log/printable.ts';
import { type ColumnTally, createColumnTallies } from './column-tally.ts';
import { type ComparisonKey, createTallies, type Tally } from './consistency-tallies.ts';
import { addDepartments, type DepartmentCounts } from './departments.ts';
import { createNameVariety, type NameVariety } from './name-variety.ts';

/** Oddities that are accepted, by kind. */
export const WARNINGS = {
  'bad-check-digit': 'identifiers whose check digit is wrong (kept as published)',
  'duplicate-line': 'lines that repeat another one exactly (read once)',
  'control-character': 'lines with control characters (removed)',
  'invisible-character': 'lines with characters that nobody sees, such as zero-width blanks and soft hyphens (removed)',
  'unusual-form':
    'lines with no-break blanks or with accents apart from their letters (kept as blanks and accented letters)',
  'broken-character': 'lines with half a character, a lone surrogate (U+FFFD stands in its place)',
  'unknown-person': 'persons of other files without any line in the register of activities (left out)',
  'line-of-another':
    'persons of whom another register has lines with the name of somebody else (those lines are left out)',
  'fused-people': 'national identifiers with lines of two people in the register of activities',
  'unknown-structure': 'structures with a FINESS number that the FINESS files do not hold (kept)',
  'known-by-reference': 'legal entities known by their number only (kept without a name)',
  'mail-without-structure': 'structures known from their secure mail address only (kept)',
  'shared-siret': 'secure mail addresses of a SIRET number that stands under several structures (given to each)',
  'meaningless-number': 'telephone numbers without meaning (left out)',
  'not-an-address': 'mail addresses without @ (left out)',
  'no-name': 'persons without a name (kept)',
  'unreadable-previous': 'snapshots before this one that this release cannot read (versions begin anew)',
  'not-pruned': 'old snapshots that could not be deleted (tried again by the next import)',
  'drifted-header': 'columns recognised by most words of their header',
  'not-a-register': 'files of a folder that are not a register (left out)',
  'older-edition': 'files of a folder that hold an older edition than others there (left out)',
  'implausible-date': 'files of a folder whose date cannot be that of an edition (left out)',
  'repeated-file': 'files with the content of another one (read once)',
  'other-date': 'files whose name and content say different dates (that of the content counts)',
  'old-structures':
    'registers of structures much older than the newest register (read; FINESS text is no longer renewed, take its JSON)',
  'checksum-unread': 'checksum files in which no checksum is found (not compared)',
  'checksum-without-file': 'checksums of files that are not there',
  'checksum-of-platform':
    'files of the size that data.gouv.fr states, and not of its checksum (read: it may be an older one)',
  'windows-1252': 'lines in Windows-1252 (read as such)',
  'closed-structure': 'structures that FINESS has closed (left out, as in its text files)',
  'unknown-key': 'names of FINESS JSON that Hygie does not know (left out)',
  'respelled-key': 'names of FINESS JSON in another spelling (read)',
  'absent-key': 'names of FINESS JSON that not one structure of a large file has',
  'misfit-value': 'names of FINESS JSON whose value is not of the expected kind (read where it can be)',
  'later-schema': 'files of FINESS JSON of a later version (read by the names that are known)',
  'fused-structures': 'structures of FINESS that share a number with another one',
  'both-finess-forms': 'structures in the FINESS text files and in its JSON flow (the JSON flow is kept)',
  'repeated-resource': 'FHIR resources given more than once, the same each time (kept once)',
  'conflicting-resource':
    'FHIR resources given in several versions (the latest by meta.lastUpdated, else the first, is kept)',
  'resource-over-register': 'FHIR resources that registers describe too (the FHIR resource is kept as it is)',
  'rewritten-number': 'FHIR resources with a number such as 1.00 (kept as 1)',
  'invisible-in-resource': 'FHIR resources with characters that nobody sees (kept; searches do not see them either)',
  'implausible-birth-date': 'FHIR resources with a birth date in the future or more than 130 years ago (kept as given)',
  'further-pages': 'search results with further pages (only the page that was given is read)',
} as const;

export type WarningKind = keyof typeof WARNINGS;

/** What every published edition holds some of: no reason to look at one twice. */
const ORDINARY: ReadonlySet<WarningKind> = new Set([
  'bad-check-digit',
  'duplicate-line',
  'unknown-person',
  'unknown-structure',
  'known-by-reference',
  'mail-without-structure',
  'shared-siret',
  'meaningless-number',
  'not-an-address',
  'not-a-register',
  'older-edition',
  'closed-structure',
  'both-finess-forms',
  'repeated-resource',
  'resource-over-register',
]);

/** Those of the warnings that are worth a look at the edition, as sentences. */
export function notable(warnings: readonly WarningSummary[]): string[] {
  return warnings
    .filter(({ kind }) => !ORDINARY.has(kind))
    .map(({ count, meaning, examples: [example] }) => `${count} ${meaning}, such as ${example}`);
}

/** Reports one oddity; the example names what and, where known, file and line. */
export type Warn = (kind: WarningKind, example: string) => void;

export interface FileReport {
  name: string;
  kind: RegisterKind;
  edition?: string;
  lines: number;
  leftOut: number;
  /** Names of the checksum files with which it was compared. */
  comparedWith?: readonly string[];
  /** What is counted where it is not lines. */
  unit?: 'entry' | 'legal entity';
  /**
   * Of a kind that holds several registers, each with its count: FHIR by type; FINESS by the first cell of a line in the text
   * files, structures that no file before it held.
   */
  parts?: Record<string, number>;
}

/** A line that was left out, or whatever else `unit` says. */
interface LeftOut {
  file: string;
  line: number;
  unit?: NonNullable<FileReport['unit']>;
  reason: string;
}

export interface WarningSummary {
  kind: WarningKind;
  meaning: string;
  count: number;
  examples: string[];
}

export interface LinesLeftOut {
  count: number;
  examples: LeftOut[];
}

/** A resource of which the edition does not say clearly what it is. */
export interface DoubtfulResource {
  /** `Practitioner/810000000001`. */
  reference: string;
  /** Why, and what was made of it. */
  reason: string;
  /** A sign-in account is linked to it. */
  linked?: true;
}

const EXAMPLES = 5;
/** Characters of an example; what a file calls something may be as long as the file. */
const LONGEST_EXAMPLE = 1000;
const LINES_LISTED = 200;
const DOUBTFUL_LISTED = 1000;

/** What a collector has collected, for another one. */
export interface CollectorNotes {
  columns: ColumnTally[];
  departments: DepartmentCounts;
  warnings: [WarningKind, { count: number; examples: string[] }][];
  lines: LeftOut[];
  /** Lines left out, by name of file. */
  leftOut: [string, number][];
  consistency: Readonly<Record<ComparisonKey, Tally>>;
  nameVariety: NameVariety;
  doubtful: DoubtfulResource[];
}

function shown(example: string): string {
  return printable(shorten(example, LONGEST_EXAMPLE));
}

export type Collector = ReturnType<typeof createCollector>;

/** Collects warnings, lines left out and what the values of columns look like while an import runs. */
export function createCollector() {
  const columns = createColumnTallies();
  const departments: DepartmentCounts = {};
  const warnings = new Map<WarningKind, { count: number; examples: string[] }>();
  const lines: LeftOut[] = [];
  const leftOut = new Map<string, number>();
  const consistency = createTallies();
  const nameVariety = createNameVariety();
  const doubtful: DoubtfulResource[] = [];

  const warn: Warn = (kind, example) => {
    const known = warnings.get(kind);
    if (!known) {
      warnings.set(kind, { count: 1, examples: [shown(example)] });
      return;
    }
    known.count++;
    if (known.examples.length < EXAMPLES) known.examples.push(shown(example));
  };

  return {
    columns,
    /** How far the registers agree with each other. */
    consistency,
    nameVariety,
    departments,
    warn,
    /** Warns of a resource that is doubtful, and lists it. */
    doubt(kind: WarningKind, reference: string, reason: string): void {
      warn(kind, `${reference}: ${reason}`);
      if (doubtful.length < DOUBTFUL_LISTED) doubtful.push({ reference, reason: shown(reason) });
    },
    doubtful: (): readonly DoubtfulResource[] => doubtful,
    leaveOut(file: FileReport, line: number, reason: string) {
      file.leftOut++;
      leftOut.set(file.name, (leftOut.get(file.name) ?? 0) + 1);
      if (lines.length < LINES_LISTED)
        lines.push({
          file: file.name,
          line,
          ...(file.unit && { unit: file.unit }),
          reason: shorten(reason, LONGEST_EXAMPLE),
        });
    },
    reasonsFor(file: FileReport): LeftOut[] {
      return lines.filter((entry) => entry.file === file.name);
    },
    warnings(): WarningSummary[] {
      return [...warnings].map(([kind, { count, examples }]) => ({ kind, meaning: WARNINGS[kind], count, examples }));
    },
    linesLeftOut(): LinesLeftOut {
      return { count: leftOut.values().reduce((sum, count) => sum + count, 0), examples: lines };
    },
    notes: (): CollectorNotes => ({
      columns: columns.all(),
      departments,
      warnings: [...warnings],
      lines,
      leftOut: [...leftOut],
      consistency: consistency.all,
      nameVariety: nameVariety.all(),
      doubtful,
    }),
    /** Takes what another thread has collected about these files. */
    add(notes: CollectorNotes, files: readonly FileReport[]): void {
      columns.add(notes.columns);
      consistency.add(notes.consistency);
      nameVariety.add(notes.nameVariety);
      doubtful.push(...notes.doubtful.slice(0, DOUBTFUL_LISTED - doubtful.length));
      addDepartments(departments, notes.departments);
      for (const [kind, { count, examples }] of notes.warnings) {
        const known = warnings.get(kind) ?? { count: 0, examples: [] };
        known.count += count;
        known.examples.push(...examples.slice(0, EXAMPLES - known.examples.length));
        warnings.set(kind, known);
      }
      lines.push(...notes.lines.slice(0, LINES_LISTED - lines.length));
      for (const [name, count] of notes.leftOut) {
        leftOut.set(name, (leftOut.get(name) ?? 0) + count);
        const file = files.find((one) => one.name === name);
        if (file) file.leftOut += count;
      }
    },
  };
}
