// The rows of the directory's tables for `rows.ts`.

import type { DIRECTORY_TABLES } from '#store/schema-directory.ts';
import { addCorrections, listCorrections } from '#store/snapshots/corrections.ts';
import { judgementOf, keepJudgement } from '#store/snapshots/judgements.ts';
import { digestOf, fetchPart, listParts, storePart } from '#store/snapshots/parts.ts';
import { activateSnapshot, findCurrentSnapshot, registerSnapshot } from '#store/snapshots/registry.ts';
import type { Rows } from './written.ts';

const SNAPSHOT = {
  id: '20261008-083000-1',
  engine: 'sqlite',
  file: '20261008-083000-1.sqlite',
  createdAt: new Date('2026-10-08T08:30:00Z'),
  editions: { activities: { lines: 12, date: '2026-10-08' } },
  counts: { Practitioner: 3, PractitionerRole: 4, Organization: 2, HealthcareService: 0, Device: 0 },
  sourcesChecksum: 'sources',
  bytes: 4096,
} as const;
const PART = Buffer.from('a part of a file');
const JUDGEMENT = {
  snapshot: SNAPSHOT.id,
  counts: SNAPSHOT.counts,
  editions: SNAPSHOT.editions,
  statistics: { columns: {}, values: {}, departments: {} },
  report: '{"verdict":"loaded"}',
  accepted: ['fewer'],
  removed: { ...SNAPSHOT.counts, Practitioner: 1 },
};
const CORRECTION = { record: 'Organization/F1', what: 'phone', reason: 'wrong', madeBy: 'operator:ops' } as const;

export const DIRECTORY_ROWS: Record<keyof typeof DIRECTORY_TABLES, Rows> = {
  directory_snapshots: {
    write: (database) => registerSnapshot(database, SNAPSHOT),
    use: async (database) => [await findCurrentSnapshot(database), SNAPSHOT],
  },
  directory_snapshot_parts: {
    write: (database) => storePart(database, SNAPSHOT.id, 0, PART),
    use: async (database) => [await listParts(database, SNAPSHOT), new Map([[0, digestOf(PART)]])],
  },
  // Written with the list above.
  directory_parts: {
    write: async () => {},
    use: async (database) => [await fetchPart(database, digestOf(PART), PART.length), PART],
  },
  directory_pointer: {
    write: (database) => activateSnapshot(database, SNAPSHOT.id),
    use: async () => [undefined, undefined],
  },
  directory_judgements: {
    write: (database) => keepJudgement(database, JUDGEMENT),
    use: async (database) => [await judgementOf(database, SNAPSHOT.id), JUDGEMENT],
  },
  directory_corrections: {
    write: (database) => addCorrections(database, [CORRECTION]),
    use: async (database) => [await listCorrections(database), [CORRECTION]],
  },
};
