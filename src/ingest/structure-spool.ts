// Owns the records about structures that wait in buckets by the structure's FHIR id.
// Does not own how they become Organizations (`structures.ts`).

import type { Row } from './columns.ts';
import { bucketOfText, eachRecord, type Spool } from './spool.ts';

/** Kinds of records about structures. */
export const STRUCTURE_RECORD = {
  activity: 1,
  establishment: 2,
  legalEntity: 3,
  reference: 4,
  mailbox: 5,
  jsonEstablishment: 6,
  jsonLegalEntity: 7,
  /** An Organization as FHIR: number of its file, line, and JSON text. */
  resource: 8,
} as const;

export interface StructureRecord {
  kind: number;
  row: Row;
}

export type StructureSpool = ReturnType<typeof createStructureSpool>;

const CELL = '\u0001';

export function createStructureSpool(spool: Spool) {
  return {
    add(id: string, kind: number, row: Row): void {
      spool.addText(bucketOfText(id, spool.buckets), kind, 0, 0, id + CELL + row.join(CELL));
    },
    seal: () => spool.seal(),
    close: () => spool.close(),
    buckets: spool.buckets,
  };
}

/** Records of a bucket's content, grouped by structure. */
export function groupStructures(content: Buffer): Map<string, StructureRecord[]> {
  const byId = new Map<string, StructureRecord[]>();
  eachRecord(content, ({ kind, start, end }) => {
    const [id = '', ...row] = content.toString('utf8', start, end).split(CELL);
    const records = byId.get(id);
    if (records) records.push({ kind, row });
    else byId.set(id, [{ kind, row }]);
  });
  return byId;
}
