// Finds the owner of a secure mail address of an organization: the register names it by FINESS, SIRET or another number,
// and one SIRET number can stand under several structures.

import { eachRecord, type SpillFiles } from '../passes/spill-file.ts';
import { STRUCTURE_RECORD, type StructureSpill } from '../passes/structure-spill.ts';
import type { Collector } from '../publish/report.ts';
import { type Binding, cell, cellCountIssue, rowOf } from '../registers/columns.ts';
import { M, MAILBOX_COLUMNS } from '../registers/mailbox.ts';
import { createShapeCheck, type ShapeCheck } from '../registers/swapped-columns.ts';
import { withoutControls } from '../sources/lines.ts';
import type { Source } from '../sources/sources.ts';
import {
  folded,
  type MailboxCandidate,
  mailboxCandidatesOf,
  type StructureIdentity,
  type WantedKeys,
} from './mailbox-candidates.ts';
import { idFrom } from './resource-ids.ts';
import { NATIONAL_PREFIX } from './structure-facts.ts';
import { finessId, siretId } from './structure-id.ts';

const CELL = '\u0001';

export type MailboxOwners = ReturnType<typeof createMailboxOwners>;

/** `waiting`: a spill of one bucket for lines whose owner is not known before all structures are known. */
export function createMailboxOwners(waiting: SpillFiles, collector: Collector) {
  /** Structures by wanted key, each wording of a name once. */
  const wanted = new Map<string, MailboxCandidate[] | undefined>();
  const shapes = new Map<Source, ShapeCheck>();

  function take(candidate: MailboxCandidate): void {
    const candidates = wanted.get(candidate.key);
    if (candidates?.some(({ id, name }) => id === candidate.id && name === candidate.name)) return;
    if (candidates) candidates.push(candidate);
    else wanted.set(candidate.key, [candidate]);
  }

  /** Owners of a mailbox: nearly always one; none when no register knows the structure. */
  function ownersOf(type: string, number: string, name: string): string[] {
    const candidates = keysOf(type, number).flatMap((key) => wanted.get(key) ?? []);
    const sameName = candidates.filter((candidate) => candidate.name === folded(name));
    return [...new Set((sameName.length > 0 ? sameName : candidates).map((candidate) => candidate.id))].sort();
  }

  return {
    shapes,
    /** Takes a line that is not personal; returns why it cannot be used, if so. */
    read(published: string, binding: Binding, source: Source, line: number): string | undefined {
      const text = withoutControls(published);
      if (text !== published) collector.warn('control-character', `${source.report.name}, line ${line}`);
      const cells = text.split('|');
      const row = rowOf(binding, cells);
      if (!row) return cellCountIssue(binding, cells);
      const check = shapes.get(source) ?? createShapeCheck(MAILBOX_COLUMNS);
      shapes.set(source, check);
      check.look(row);
      if (!cell(row, M.address).includes('@')) return 'no mail address';
      const number = cell(row, M.structureId);
      if (number === '') return 'neither a person nor a structure';
      for (const key of keysOf(cell(row, M.structureIdType).toUpperCase(), number)) {
        if (!wanted.has(key)) wanted.set(key, undefined);
      }
      waiting.addText(0, STRUCTURE_RECORD.mailbox, source.file, line, row.join(CELL));
      return undefined;
    },
    /** The keys of all lines: complete once the mail register was read, and therefore it is read first. */
    wantedKeys: (): WantedKeys => new Set(wanted.keys()),
    /** A structure that a line names. */
    add(id: string, structure: StructureIdentity): void {
      for (const candidate of mailboxCandidatesOf(id, structure)) {
        if (wanted.has(candidate.key)) take({ ...candidate, name: folded(candidate.name) });
      }
    },
    /** Structures that other threads found. */
    addAll(candidates: readonly MailboxCandidate[]): void {
      for (const candidate of candidates) if (wanted.has(candidate.key)) take(candidate);
    },
    /** Deals the waiting lines out to their owners, once every structure is known. */
    assign(structures: StructureSpill): void {
      waiting.seal();
      const content = waiting.take(0);
      eachRecord(content, ({ start, end }) => {
        const row = content.toString('utf8', start, end).split(CELL);
        const type = cell(row, M.structureIdType).toUpperCase();
        const number = cell(row, M.structureId);
        const owners = ownersOf(type, number, cell(row, M.name));
        if (owners.length > 1) collector.warn('shared-siret', `${cell(row, M.address)}: ${owners.join(', ')}`);
        if (owners.length === 0) owners.push(idOfUnknown(type, number));
        for (const owner of owners) structures.add(owner, STRUCTURE_RECORD.mailbox, row);
      });
      wanted.clear();
    },
  };
}

function keysOf(type: string, number: string): string[] {
  const keys = [`id:${number}`];
  if (type === 'FINESS') keys.push(`id:${finessId(number)}`);
  if (type === 'SIRET') keys.push(`siret:${number}`);
  const prefix = NATIONAL_PREFIX[type];
  if (prefix !== undefined) keys.push(`national:${prefix}${number}`);
  return keys;
}

function idOfUnknown(type: string, number: string): string {
  if (type === 'FINESS') return finessId(number);
  return type === 'SIRET' ? siretId(number) : idFrom(number, 'o-');
}
