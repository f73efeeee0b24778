// A source of an edition, and what all of them hold by register.

import { hash } from 'node:crypto';
import type { FileReport } from '#import/collect/collector.ts';
import type { RegisterKind } from '#import/collect/columns.ts';
import type { Input } from '#import/sources/input.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';
import type { Binding } from './bind-header.ts';
import type { FinessJsonNotes } from './finess-json-keys.ts';

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

/** An input and what it was recognised as. */
export interface Source {
  input: Input;
  recognised: Recognised;
  report: FileReport;
  /** Number under which the spill knows it. */
  file: number;
  /** Checksum of the decompressed content, once it was read. */
  checksum: string;
  /** Of FINESS text: lines read, by their first cell. */
  finessLines?: Record<string, number>;
  /** Of FINESS JSON, once it was read. */
  finessJson?: FinessJsonNotes;
}

/** Kinds of sources that hold several registers. */
const WITH_PARTS: readonly RegisterKind[] = ['finess', 'fhir'];

/** Lines of one register, and the date of its edition where the sources name one. */
export type RegisterEdition = SnapshotEntry['editions'][string];

/**
 * What the sources hold, by register: `activities`, `finess structureet`, `fhir Practitioner`; files of one register are
 * added up, whatever their form.
 */
export function editionsOf(sources: readonly Source[]): Record<string, RegisterEdition> {
  const editions: Record<string, RegisterEdition> = {};
  for (const { recognised, report } of sources) {
    const { kind } = recognised;
    const parts = Object.entries(report.parts ?? {}).map(([part, lines]) => [`${kind} ${part}`, lines] as const);
    for (const [register, lines] of WITH_PARTS.includes(kind) ? parts : [[kind, report.lines] as const]) {
      const known = editions[register];
      const dates = [known?.date, report.edition].filter((date) => date !== undefined).sort();
      const date = dates.at(-1);
      editions[register] = {
        lines: lines + (known?.lines ?? 0),
        ...(date !== undefined && { date }),
        ...(kind === 'finess' && { distinct: true }),
      };
    }
  }
  return editions;
}

/** Kinds and checksums of all sources: an edition that was loaded already is recognised by it. */
export function sourcesChecksum(sources: readonly Source[], settings: string): string {
  const parts = sources.map(({ recognised, checksum }) => `${recognised.kind} ${checksum}`).sort();
  return hash('sha256', [settings, ...parts].join('\n'), 'hex');
}

/** Lines with data, in all sources. */
export function linesOf(sources: readonly Source[]): number {
  return sources.reduce((total, source) => total + source.report.lines, 0);
}
