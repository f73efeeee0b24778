// A source of an edition, and the sums of all sources by register.

import { hash } from 'node:crypto';
import type { FileReport } from '#import/collect/collector.ts';
import type { RegisterKind } from '#import/collect/columns.ts';
import type { Input } from '#import/sources/input.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Binding } from './bind-header.ts';
import type { FinessJsonNotes } from './finess-json-keys.ts';

/** What was recognised about an input, and how to read it. */
export interface Recognised {
  kind: RegisterKind;
  /** Form of a file that does not consist of lines with cells. */
  form?: 'ndjson' | 'bundle' | 'finess-json';
  /** Columns of a file with a header. */
  binding?: Binding;
  /** Number of the header line; 0 if there is none. */
  headerLines: number;
  /** Date of the edition in the content. Only FINESS has one. */
  edition?: string;
  /** Version of the schema, in FINESS JSON. */
  schema?: string;
}

/** An input, and what was recognised about it. */
export interface Source {
  input: Input;
  recognised: Recognised;
  report: FileReport;
  /** Number of the source in the spill files. */
  file: number;
  /** Checksum of the decompressed content. It is set when the source has been read. */
  checksum: string;
  /** Number of lines that were read of FINESS text, by the first cell of a line. */
  finessLines?: Record<string, number>;
  /** Notes about FINESS JSON. They are set when it has been read. */
  finessJson?: FinessJsonNotes;
}

/** Kinds of sources that hold several registers. */
const WITH_PARTS: readonly RegisterKind[] = ['finess', 'fhir'];

/** Number of lines of one register, and the date of its edition if a source states one. */
type RegisterEdition = SnapshotEntry['editions'][string];

/**
 * Returns the number of lines by register: `activities`, `finess structureet`, `fhir Practitioner`. Files of one register are added up,
 * even if their forms differ. Repeated lines are counted once.
 */
export function editionsOf(sources: readonly Source[]): Record<string, RegisterEdition> {
  const editions: Record<string, RegisterEdition> = {};
  for (const { recognised, report } of sources) {
    const { kind } = recognised;
    const parts = Object.entries(report.parts ?? {}).map(([part, lines]) => [`${kind} ${part}`, lines] as const);
    for (const [register, lines] of WITH_PARTS.includes(kind)
      ? parts
      : [[kind, report.lines - (report.repeated ?? 0)] as const]) {
      const known = editions[register];
      const dates = [known?.date, report.edition].filter((date) => date !== undefined).sort();
      const date = dates.at(-1);
      editions[register] = { lines: lines + (known?.lines ?? 0), ...(date !== undefined && { date }) };
    }
  }
  return editions;
}

/** Returns the number of structures and legal entities in the FINESS files. */
export function finessStructures(sources: readonly Source[]): number {
  const finess = Object.entries(editionsOf(sources)).filter(([register]) => register.startsWith('finess '));
  return finess.reduce((sum, [, { lines }]) => sum + lines, 0);
}

/** Returns a checksum of the kinds and contents of all sources. It recognises an edition that was imported before. */
export function sourcesChecksum(sources: readonly Source[], settings: string): string {
  const parts = sources.map(({ recognised, checksum }) => `${recognised.kind} ${checksum}`).sort();
  return hash('sha256', [settings, ...parts].join('\n'), 'hex');
}

/** Returns the number of lines with data in all sources. */
export function linesOf(sources: readonly Source[]): number {
  return sources.reduce((total, source) => total + source.report.lines, 0);
}
