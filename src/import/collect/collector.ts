// Collects the findings of a running import: warnings by kind with examples, lines that were left out, and tallies.

import { shorten } from '#shared/log/printable.ts';
import { type ColumnTally, createColumnTallies } from './column-tally.ts';
import type { RegisterKind } from './columns.ts';
import {
  type ComparisonKey,
  createNameVariety,
  createTallies,
  type NameVariety,
  type Tally,
} from './consistency-tallies.ts';
import { addDepartments, type DepartmentCounts } from './departments.ts';
import { createPairs, type PairTally } from './pairs.ts';
import type { PopulationNotes } from './population-counts.ts';
import { createPopulations } from './population-figures.ts';
import {
  exampleText,
  LONGEST_EXAMPLE,
  WARNINGS,
  type Warn,
  type WarningKind,
  type WarningSummary,
} from './warnings.ts';

export interface FileReport {
  name: string;
  kind: RegisterKind;
  edition?: string;
  lines: number;
  leftOut: number;
  /** Number of lines that repeat an earlier line word for word. Such lines change nothing in the directory. */
  repeated?: number;
  /** Names of the checksum files that the file was compared with. */
  comparedWith?: readonly string[];
  /** The unit that `lines` counts, if it does not count lines. */
  unit?: 'entry' | 'legal entity';
  /**
   * For a file that holds several registers: the number of resources (FHIR) or structures (FINESS) in each register. The key of a FHIR
   * register is the type of its resources. The key of a FINESS register is the kind of its lines, which is the first cell of each line in
   * the text files. Structures that an earlier file has as well are not counted again.
   */
  parts?: Record<string, number>;
}

/** A line (or other unit) that was left out. */
interface LeftOut {
  file: string;
  line: number;
  unit?: NonNullable<FileReport['unit']>;
  reason: string;
}

export interface LinesLeftOut {
  count: number;
  examples: LeftOut[];
}

/** A resource that may be wrong in this edition, because registers contradict each other about it, or because its data cannot be right. */
export interface DoubtfulResource {
  kind: WarningKind;
  /** Reference to the resource, such as `Practitioner/810000000001`. */
  reference: string;
  /** Why the resource is doubtful, and how the import treats it. */
  reason: string;
  /** Set if a sign-in account is linked to the resource. */
  linked?: true;
}

const EXAMPLES = 5;
const LINES_LISTED = 200;
/** Maximum number of doubtful resources of one kind that are listed. */
const DOUBTFUL_LISTED = 1000;

/** All findings of one thread, as plain data. The collector of another thread adds them to its own. */
export interface CollectorNotes {
  columns: ColumnTally[];
  departments: DepartmentCounts;
  warnings: [WarningKind, { count: number; examples: string[] }][];
  lines: LeftOut[];
  /** Number of lines that were left out, and number of lines that repeat another line. The keys are names of files. */
  leftOut: ReadonlyMap<string, number>;
  repeated: ReadonlyMap<string, number>;
  consistency: Readonly<Record<ComparisonKey, Tally>>;
  nameVariety: NameVariety;
  pairs: PairTally[];
  populations: PopulationNotes;
  doubtful: DoubtfulResource[];
}

export type Collector = ReturnType<typeof createCollector>;

/** Collects warnings, lines left out and tallies of columns while an import runs. */
export function createCollector() {
  const columns = createColumnTallies();
  const departments: DepartmentCounts = {};
  const warnings = new Map<WarningKind, { count: number; examples: string[] }>();
  const lines: LeftOut[] = [];
  const leftOut = new Map<string, number>();
  const repeated = new Map<string, number>();
  const consistency = createTallies();
  const nameVariety = createNameVariety();
  const pairs = createPairs();
  const populations = createPopulations();
  const doubtful: DoubtfulResource[] = [];
  const listed: Partial<Record<WarningKind, number>> = {};

  function warningsOf(kind: WarningKind): { count: number; examples: string[] } {
    const known = warnings.get(kind) ?? { count: 0, examples: [] };
    warnings.set(kind, known);
    return known;
  }

  const warn: Warn = (kind, example) => {
    const known = warningsOf(kind);
    known.count++;
    if (known.examples.length < EXAMPLES) known.examples.push(exampleText(example));
  };

  function list(one: DoubtfulResource): void {
    const count = (listed[one.kind] ?? 0) + 1;
    listed[one.kind] = count;
    if (count <= DOUBTFUL_LISTED) doubtful.push(one);
  }

  function addLeftOut(file: FileReport, count: number): void {
    file.leftOut += count;
    leftOut.set(file.name, (leftOut.get(file.name) ?? 0) + count);
  }

  function addRepeated(file: FileReport, count: number): void {
    file.repeated = (file.repeated ?? 0) + count;
    repeated.set(file.name, (repeated.get(file.name) ?? 0) + count);
  }

  return {
    columns,
    /** Tallies of how far the registers agree with each other. */
    consistency,
    nameVariety,
    /** Tallies of how often two values that belong together fit, such as a code and its label (`pairs.ts`). */
    pairs,
    populations,
    departments,
    warn,
    /** Warns of a doubtful resource, and lists it. */
    doubt(kind: WarningKind, reference: string, reason: string): void {
      warn(kind, `${reference}: ${reason}`);
      list({ kind, reference, reason: exampleText(reason) });
    },
    doubtful: (): readonly DoubtfulResource[] => doubtful,
    leaveOut(file: FileReport, line: number, reason: string) {
      addLeftOut(file, 1);
      if (lines.length < LINES_LISTED)
        lines.push({
          file: file.name,
          line,
          ...(file.unit && { unit: file.unit }),
          reason: shorten(reason, LONGEST_EXAMPLE),
        });
    },
    repeat(file: FileReport, line: number): void {
      warn('duplicate-line', `${file.name}, line ${line}`);
      addRepeated(file, 1);
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
      leftOut,
      repeated,
      consistency: consistency.all,
      nameVariety: nameVariety.all(),
      pairs: pairs.all(),
      populations: populations.notes(),
      doubtful,
    }),
    /**
     * Adds the findings of another thread. `files` are the reports of all files of the import. The lines that the other thread left out, or
     * found repeated, are added to the counts in these reports.
     */
    add(notes: CollectorNotes, files: readonly FileReport[]): void {
      columns.add(notes.columns);
      consistency.add(notes.consistency);
      nameVariety.add(notes.nameVariety);
      pairs.add(notes.pairs);
      populations.add(notes.populations);
      notes.doubtful.forEach(list);
      addDepartments(departments, notes.departments);
      for (const [kind, { count, examples }] of notes.warnings) {
        const known = warningsOf(kind);
        known.count += count;
        known.examples.push(...examples.slice(0, EXAMPLES - known.examples.length));
      }
      lines.push(...notes.lines.slice(0, LINES_LISTED - lines.length));
      for (const file of files) {
        const repeats = notes.repeated.get(file.name);
        addLeftOut(file, notes.leftOut.get(file.name) ?? 0);
        if (repeats !== undefined) addRepeated(file, repeats);
      }
    },
  };
}
