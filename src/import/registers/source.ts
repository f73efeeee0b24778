// The sources of an edition: its inputs, each with the register that was recognised in it. Also adds up lines and dates of all sources.

import { hash } from 'node:crypto';
import type { FileReport } from '#import/collect/collector.ts';
import type { RegisterKind } from '#import/collect/columns.ts';
import type { Input } from '#import/sources/input.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Binding } from './bind-header.ts';
import type { FinessJsonNotes } from './finess-json-keys.ts';

/** The register in an input, and the facts that are needed to read it. */
export interface Recognised {
  kind: RegisterKind;
  /** Form of a JSON file. Absent for a file of lines with cells. */
  form?: 'ndjson' | 'bundle' | 'finess-json';
  /** Positions of the columns. Only set for a file with a header. */
  binding?: Binding;
  /** Number of lines before the data: 1 if the file has a header, otherwise 0. */
  headerLines: number;
  /** Date of the edition that the content states. Only FINESS files state one. */
  edition?: string;
  /** Version of the schema that a FINESS JSON file states. */
  schema?: string;
}

/** An input of the edition, with the register that was recognised in it. */
export interface Source {
  input: Input;
  recognised: Recognised;
  report: FileReport;
  /** Number of the source. In the spill files (`passes/spill-file.ts`), each record has the number of the source from which it came. */
  file: number;
  /** Checksum of the decompressed content. Empty until the source has been read. */
  checksum: string;
  /** Number of lines of a FINESS text file that were read, by their first cell. */
  finessLines?: Record<string, number>;
  /** Statistics about the names in a FINESS JSON file. Set when the file has been read. */
  finessJson?: FinessJsonNotes;
}

/** Kinds of sources that contain several registers. */
const WITH_PARTS: readonly RegisterKind[] = ['finess', 'fhir'];

/** Number of lines of one register, and the date of its edition if the sources state one. */
type RegisterEdition = SnapshotEntry['editions'][string];

/**
 * Returns the number of lines and the date of each register: `activities`, `finess structureet`, `fhir Practitioner`. The lines of all
 * files of a register are added up, even if the files have different forms. Repeated lines are counted once. If the files of a register
 * have different dates, the newest is returned.
 */
export function editionsOf(sources: readonly Source[]): Record<string, RegisterEdition> {
  const editions: Record<string, RegisterEdition> = {};
  for (const { recognised, report } of sources) {
    const { kind } = recognised;
    const parts = Object.entries(report.parts ?? {}).map(([part, lines]) => [`${kind} ${part}`, lines] as const);
    const whole = [[kind, report.lines - (report.repeated ?? 0)] as const];
    for (const [register, lines] of WITH_PARTS.includes(kind) ? parts : whole) {
      const known = editions[register];
      const dates = [known?.date, report.edition].filter((date) => date !== undefined).sort();
      const date = dates.at(-1);
      editions[register] = { lines: lines + (known?.lines ?? 0), ...(date !== undefined && { date }) };
    }
  }
  return editions;
}

/** Returns the number of legal entities and establishments in the FINESS files. */
export function finessStructures(sources: readonly Source[]): number {
  const finess = Object.entries(editionsOf(sources)).filter(([register]) => register.startsWith('finess '));
  return finess.reduce((sum, [, { lines }]) => sum + lines, 0);
}

/**
 * Returns a checksum of the settings and of the kinds and contents of all sources. An edition that was imported before is recognised by
 * this checksum.
 */
export function sourcesChecksum(sources: readonly Source[], settings: string): string {
  const parts = sources.map(({ recognised, checksum }) => `${recognised.kind} ${checksum}`).sort();
  return hash('sha256', [settings, ...parts].join('\n'), 'hex');
}

/** Returns the number of lines with data in all sources. */
export function linesOf(sources: readonly Source[]): number {
  return sources.reduce((total, source) => total + source.report.lines, 0);
}
