// Finds the structures that own secure mail addresses. The mail register names an owner by its FINESS, SIRET or other number. Several
// structures may have the same SIRET number, so an address may have several owners.

import type { Collector } from '#import/collect/collector.ts';
import { cell } from '#import/collect/columns.ts';
import { printOf } from '#import/collect/frequent-values.ts';
import { isMailAddress } from '#import/mapping/contact-points.ts';
import { finessId, idFrom, siretId } from '#import/mapping/resource-ids.ts';
import { NATIONAL_PREFIX } from '#import/mapping/structure-facts.ts';
import { type Binding, cellCountIssue, rowOf } from '#import/registers/bind-header.ts';
import { M, MAILBOX_COLUMNS } from '#import/registers/person-columns.ts';
import type { Source } from '#import/registers/source.ts';
import { cleanText } from '#import/sources/clean-text.ts';
import { foldedWords } from '#search-index/index.ts';
import { STRUCTURE_RECORD, type StructureSpill } from './buckets.ts';
import { eachRecord, type SpillFiles } from './spill-file.ts';

/** The data by which the mail register can name a structure. */
interface StructureIdentity {
  siret: string;
  name: string;
  /** National identifier of structures (PA.46). */
  nationalId?: string;
}

/**
 * The identifiers by which the mail register names structures. Each kind of identifier has a set of its own. In a single set, the keys
 * would consist of kind and identifier, and each look-up would have to make such a key.
 */
export type MailboxKeys = Readonly<Record<'id' | 'siret' | 'national', ReadonlySet<string>>>;

/**
 * A structure that has the identifier in `key`, so that the mail register may mean it. It is plain data that can be sent to other threads.
 * `name` is without accents and case.
 */
export interface MailboxCandidate {
  key: string;
  id: string;
  name: string;
}

export type MailboxCandidates = ReturnType<typeof createMailboxCandidates>;

/** Collects the structures that have one of the identifiers in `keys`. */
export function createMailboxCandidates(keys: MailboxKeys) {
  const candidates: MailboxCandidate[] = [];
  return {
    /** Adds a structure if its data match one of the keys. */
    add(id: string, { siret, name, nationalId }: StructureIdentity): void {
      const take = (key: string) => candidates.push({ key, id, name: foldedWords(name) });
      if (keys.id.has(id)) take(`id:${id}`);
      if (keys.siret.has(siret)) take(`siret:${siret}`);
      if (nationalId !== undefined && keys.national.has(nationalId)) take(`national:${nationalId}`);
    },
    all: (): readonly MailboxCandidate[] => candidates,
  };
}

const CELL = '\u0001';

/** Reason for which a line of the mail register is left out. */
export const NO_ADDRESS = 'no mail address';

export type MailboxRegister = ReturnType<typeof createMailboxRegister>;

/**
 * @param waiting a spill with a single bucket. It holds the lines about structures until all structures are known, because only then the
 * lines can get their owners.
 */
export function createMailboxRegister(waiting: SpillFiles, collector: Collector) {
  const keys = { id: new Set<string>(), siret: new Set<string>(), national: new Set<string>() };
  const counted = new Set<number>();
  return {
    /**
     * The identifiers in all lines of the mail register. The structures of the other registers are looked up in these keys, so the mail
     * register is read first.
     */
    keys: keys as MailboxKeys,
    /** Reads a line of the mail register that is not about a person. Returns the reason if the line cannot be used. */
    read(published: string, binding: Binding, { report, file }: Source, line: number): string | undefined {
      const text = cleanText(published, (kind) => collector.warn(kind, `${report.name}, line ${line}`));
      const cells = text.split('|');
      const row = rowOf(binding, cells);
      if (!row) return cellCountIssue(binding, cells);
      const print = printOf(row);
      // A repeated line is counted only once, like the lines about people. So the shares of odd values stay the same if a file is given
      // twice.
      if (counted.has(print)) collector.repeat(report, line);
      else collector.columns.count(report.name, 'mailboxes', MAILBOX_COLUMNS, row, line);
      counted.add(print);
      if (!isMailAddress(cell(row, M.address))) return NO_ADDRESS;
      const number = cell(row, M.structureId);
      if (number === '') return 'neither a person nor a structure';
      for (const [kind, key] of keysOf(cell(row, M.structureIdType).toUpperCase(), number)) keys[kind].add(key);
      waiting.addText(0, STRUCTURE_RECORD.mailbox, file, line, row.join(CELL));
      return undefined;
    },
    /**
     * Assigns each waiting line to the structures that own its address. `candidates` are all structures that have one of the identifiers in
     * `keys`.
     */
    assign(candidates: readonly MailboxCandidate[], structures: StructureSpill): void {
      const byKey = Map.groupBy(candidates, ({ key }) => key);
      waiting.seal();
      const content = waiting.take(0);
      eachRecord(content, ({ file, line, start, end }) => {
        const row = content.toString('utf8', start, end).split(CELL);
        const type = cell(row, M.structureIdType).toUpperCase();
        const number = cell(row, M.structureId);
        const named = keysOf(type, number).flatMap(([kind, key]) => byKey.get(`${kind}:${key}`) ?? []);
        const name = foldedWords(cell(row, M.name));
        const sameName = named.filter((candidate) => candidate.name === name);
        const owners = [...new Set((sameName.length > 0 ? sameName : named).map(({ id }) => id))].sort();
        if (owners.length > 1) collector.warn('shared-siret', `${cell(row, M.address)}: ${owners.join(', ')}`);
        if (owners.length === 0) owners.push(idOfUnknown(type, number));
        for (const owner of owners) structures.add(owner, STRUCTURE_RECORD.mailbox, row, { file, line });
      });
    },
  };
}

function keysOf(type: string, number: string): (readonly [kind: keyof MailboxKeys, key: string])[] {
  const keys: (readonly [kind: keyof MailboxKeys, key: string])[] = [['id', number]];
  if (type === 'FINESS') keys.push(['id', finessId(number)]);
  if (type === 'SIRET') keys.push(['siret', number]);
  const prefix = NATIONAL_PREFIX.get(type);
  if (prefix !== undefined) keys.push(['national', prefix + number]);
  return keys;
}

function idOfUnknown(type: string, number: string): string {
  if (type === 'FINESS') return finessId(number);
  return type === 'SIRET' ? siretId(number) : idFrom(number, 'o-');
}
