// The state that the passes over an edition share: its spill files and the owners of mailboxes. `load-edition.ts` calls `read` for the
// first pass. Then `build-snapshot.ts` lets mappers map the people, calls `assignMailboxes`, and lets them map the structures.

import type { Collector } from '#import/collect/collector.ts';
import type { Progress } from '#import/collect/progress.ts';
import { createDepartmentAreas } from '#import/mapping/department-areas.ts';
import type { Source } from '#import/registers/source.ts';
import { createContentMeter, refuseLarge, requireImportSpace } from '#import/sources/limits.ts';
import { createStructureSpill } from './buckets.ts';
import { createMailboxCandidates, createMailboxRegister, type MailboxCandidate } from './mailbox-owners.ts';
import { PEOPLE, STRUCTURES } from './mapper.ts';
import { readSource } from './read-sources.ts';
import { createSpillFiles } from './spill-file.ts';
import type { PoolJob } from './worker-pool.ts';

interface PassesOptions {
  /** Folder for temporary files. */
  folder: string;
  sources: readonly Source[];
  namespace: string;
  collector: Collector;
  /** Maximum number of bytes of all sources together, after decompression. */
  largestUnpacked: number;
  /** File of the snapshot in force. Absent if the edition is not compared with it. */
  previous?: string;
  /** Target size of one bucket of people, in decompressed bytes. Several buckets of the default size fit into memory at the same time. */
  bucketBytes?: number;
}

const BUCKET_BYTES = 6 << 20;
const MOST_BUCKETS = 256;
/**
 * Minimum number of decompressed bytes of a large edition. If an edition is large, the memory of each phase is freed at its end, which
 * takes up to a second.
 */
const LARGE = 64 << 20;

/**
 * Returns the number of buckets as a power of two. The next edition, which is a little larger or smaller, then has the same number of
 * buckets, and so its people come in the same order. The comparison of the two editions is then faster, because it does not have to look up
 * each person.
 */
function bucketsFor(full: number): number {
  return Math.min(MOST_BUCKETS, 2 ** Math.ceil(Math.log2(Math.max(1, full))));
}

export type Passes = ReturnType<typeof openPasses>;

export function openPasses(options: PassesOptions) {
  const { folder, sources, namespace, collector, largestUnpacked, previous, bucketBytes = BUCKET_BYTES } = options;
  const size = sources.reduce((total, source) => total + source.input.size, 0);
  const inputs = sources.map((source) => source.input);
  refuseLarge(inputs, largestUnpacked);
  const plain = inputs.reduce((total, input) => total + input.plainSize, 0);
  const inPeople = bucketsFor(plain / bucketBytes);
  const buckets = { people: inPeople, structures: Math.ceil(inPeople / 2) };
  const people = createSpillFiles(folder, PEOPLE, buckets.people, {
    nameOf: (number) => sources.find(({ file }) => file === number)?.input.name,
  });
  const structures = createStructureSpill(createSpillFiles(folder, STRUCTURES.read, buckets.structures));
  const waiting = createSpillFiles(folder, 'mail', 1);
  const mailboxes = createMailboxRegister(waiting, collector);
  const mail = createMailboxCandidates(mailboxes.keys);
  const areas = createDepartmentAreas();

  return {
    /**
     * First pass: writes every line into its bucket. Only lines about mailboxes of structures go into `waiting`, until `assignMailboxes` is
     * called.
     */
    async read(onProgress: (progress: Progress) => void): Promise<void> {
      let bytes = 0;
      let lines = 0;
      await requireImportSpace(folder, plain);
      const targets = {
        people,
        structures,
        mailboxes,
        mail,
        areas,
        counted: new Set<string>(),
        collector,
        meter: createContentMeter(largestUnpacked, () => requireImportSpace(folder, 0)),
        onProgress(moreBytes: number, moreLines: number) {
          bytes += moreBytes;
          lines += moreLines;
          onProgress({ phase: 'reading', done: Math.min(1, bytes / Math.max(1, size)), lines, resources: 0 });
        },
      };
      for (const source of sources) await readSource(source, targets);
      people.seal();
    },

    /** Returns the input of the mappers. Call this after `read`. */
    job: (): PoolJob => ({
      folder,
      // The mappers get copies of the reports, because a mapper changes the reports that it gets. It returns its own counts with its
      // findings.
      sources: sources.map(({ file, recognised, report }) => ({ file, recognised, report: { ...report } })),
      namespace,
      buckets,
      large: plain >= LARGE,
      mailboxKeys: mailboxes.keys,
      areas: areas.areas(),
      finess: new Set(
        sources.flatMap(({ recognised, report }) =>
          recognised.kind === 'finess' ? Object.keys(report.parts ?? {}) : [],
        ),
      ),
      ...(previous !== undefined && { previous }),
    }),

    /**
     * Assigns mailboxes to the structures that own them. `candidates` are the structures from the lines of people. So all people must have
     * been mapped before.
     */
    assignMailboxes(candidates: readonly MailboxCandidate[]): void {
      mailboxes.assign([...mail.all(), ...candidates], structures);
      structures.seal();
    },

    [Symbol.dispose](): void {
      people.close();
      structures.close();
      waiting.close();
    },
  };
}
