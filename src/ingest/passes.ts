// Owns the passes over an edition and what they share: the spools, and what one pass must know of another.
// Does not own the passes themselves (`read.ts`, `people.ts`, `structures.ts`) nor where resources go (`import.ts`).

import type { IndexedResource } from '../store/directory/snapshot.ts';
import { createFinessLines } from './finess-lines.ts';
import { createLegalEntities } from './legal-entities.ts';
import { createMailOwners } from './mail-owners.ts';
import { createPeople } from './people.ts';
import { readSource } from './read.ts';
import type { Collector } from './report.ts';
import type { ShapeCheck } from './shapes.ts';
import type { Source } from './sources.ts';
import { createSpool } from './spool.ts';
import { finessId } from './structure-id.ts';
import { createStructureSpool, STRUCTURE_RECORD } from './structure-spool.ts';
import { organizationOf } from './structures.ts';

export interface PassesOptions {
  /** Temporary folder. */
  folder: string;
  sources: readonly Source[];
  namespace: string;
  collector: Collector;
}

export interface Bucket {
  resources: Iterable<IndexedResource>;
  /** Share of the pass that is done with this bucket, 0-1. */
  done: number;
}

/** Plain bytes that one bucket of persons should hold: what fits well into memory several times. */
const BUCKET_BYTES = 6 << 20;
const MOST_BUCKETS = 192;
/** Plain bytes for one byte on disk of a compressed register. */
const COMPRESSION = 9;

export type Passes = ReturnType<typeof openPasses>;

export function openPasses({ folder, sources, namespace, collector }: PassesOptions) {
  const size = sources.reduce((total, source) => total + source.input.size, 0);
  const compressed = sources.some((source) => !/\.(txt|csv|json|ndjson)$/i.test(source.input.name));
  const buckets = Math.min(MOST_BUCKETS, Math.ceil((size * (compressed ? COMPRESSION : 1)) / BUCKET_BYTES) || 1);
  const people = createSpool(folder, 'people', buckets);
  const structures = createStructureSpool(createSpool(folder, 'structures', Math.ceil(buckets / 2)));
  const waiting = createSpool(folder, 'mail', 1);
  const legalEntities = createLegalEntities();
  const mail = createMailOwners(waiting, collector);
  const finess = createFinessLines(structures, legalEntities, mail, collector);
  const persons = createPeople({ namespace, sources, structures, legalEntities, mail, collector });
  const finessGiven = sources.some((source) => source.recognised.kind === 'finess');

  return {
    /** First pass: every line into its bucket. */
    async read(onProgress: (done: number, lines: number) => void): Promise<void> {
      let bytes = 0;
      let lines = 0;
      const targets = {
        people,
        structures,
        legalEntities,
        finess,
        mail,
        collector,
        onProgress(moreBytes: number, moreLines: number) {
          bytes += moreBytes;
          lines += moreLines;
          onProgress(Math.min(1, bytes / Math.max(1, size)), lines);
        },
      };
      for (const source of sources) await readSource(source, targets);
      people.seal();
    },

    /** Second pass, bucket by bucket. Each bucket's resources must be taken before the next is asked for. */
    *people(): Generator<Bucket> {
      for (let bucket = 0; bucket < buckets; bucket++) {
        yield { resources: persons.resources(people.take(bucket)), done: (bucket + 1) / buckets };
      }
      persons.end();
    },

    /** Last pass, once all people are through: only then is it known which structures there are. */
    *structures(): Generator<Bucket> {
      for (const number of legalEntities.missing()) {
        structures.add(finessId(number), STRUCTURE_RECORD.reference, [number]);
      }
      mail.settle(structures);
      structures.seal();
      const context = { namespace, finessGiven, collector };
      for (let bucket = 0; bucket < structures.buckets; bucket++) {
        const groups = structures.take(bucket);
        yield {
          resources: [...groups].values().map(([id, records]) => organizationOf(id, records, context)),
          done: (bucket + 1) / structures.buckets,
        };
      }
    },

    /** The checks of columns, for all sources read so far. */
    shapes(): [Source, ShapeCheck][] {
      const ofFiness = [...finess.shapes].flatMap(([source, checks]) =>
        [...checks.values()].map((check): [Source, ShapeCheck] => [source, check]),
      );
      return [...persons.shapes, ...mail.shapes, ...ofFiness];
    },

    close(): void {
      people.close();
      structures.close();
      waiting.close();
    },
  };
}
