// The current tables of the directory. `schema.ts` includes them, and its first comment applies to them as well.

import {
  bigInteger,
  binary,
  boolean,
  byDefault,
  increments,
  indexed,
  integer,
  nullable,
  primary,
  references,
  string,
  type Table,
  text,
  time,
} from './table-definition.ts';

const DISTRIBUTION = '20261128000000_distribution.ts';

export const DIRECTORY_TABLES = {
  /** Snapshots of the directory. Each is a file; this table describes it. */
  directory_snapshots: {
    columns: {
      id: primary(string(64)),
      engine: string(16),
      // The name of the file within the folder of snapshots.
      file: string(128),
      created_at: time(),
      // JSON. `editions` has the number of lines and the date of each register; `counts` has the number of resources of each type.
      editions: text(),
      counts: text(),
      sources_checksum: string(128),
      bytes: bigInteger(),
      file_checksum: nullable(string(64)),
      // When a check found the file damaged, and when the linked accounts were last compared with the snapshot.
      damaged_at: nullable(time()),
      links_compared_at: nullable(time()),
      // Proves that an instance with a secret of this service stored all parts of the snapshot in the database. Null as long as no such
      // instance has done so. An instance with a secret fetches no snapshot without a seal.
      seal: { ...nullable(string(40)), since: DISTRIBUTION },
    },
  },
  /** The parts of each snapshot's file, in their order. They are stored before the row of the snapshot. */
  directory_snapshot_parts: {
    since: DISTRIBUTION,
    columns: {
      snapshot: string(64),
      number: integer(),
      digest: indexed(references(string(64), 'directory_parts')),
    },
    primary: ['snapshot', 'number'],
  },
  /** Parts of files, compressed. `id` is the SHA-256 of the part before compression. */
  directory_parts: { since: DISTRIBUTION, columns: { id: primary(string(64)), content: binary() } },
  /** Row 1 names the current snapshot. A switch to another one is one update of this row. */
  directory_pointer: {
    columns: {
      id: primary(integer()),
      current: nullable(references(string(64), 'directory_snapshots')),
      previous: nullable(references(string(64), 'directory_snapshots')),
      changed_at: time(),
    },
  },
  /** The judgement of each edition that was loaded or refused. Its statistics are compared with those of later editions. */
  directory_judgements: {
    columns: {
      id: increments(),
      made_at: indexed(time()),
      // Null if the edition was refused.
      snapshot: nullable(indexed(string(64))),
      // JSON: counts by resource type, editions by register, statistics, the report.
      counts: text(),
      editions: text(),
      statistics: text(),
      report: text(),
      // JSON by resource type: number of resources of the previous edition that are missing in this one.
      removed: text(),
      // JSON: names of the reasons that spoke against the edition, but were accepted by the operator.
      accepted: text(),
      left_by_rollback: byDefault(boolean(), false),
    },
  },
  /**
   * The records, mailboxes, telephones and addresses that the operator hides although the register publishes them. A row stays for a while
   * after the correction has ended, because the records that it changed are then dated by its end. So clients notice that they changed
   * again.
   */
  directory_corrections: {
    since: '20261126000000_directory_corrections.ts',
    columns: {
      id: increments(),
      // `Practitioner/ID` or `Organization/ID`.
      record: string(80),
      // What is hidden: record, mailbox, phone or address.
      what: string(8),
      // The key of the hidden mailbox, phone or address. Null if all mailboxes, phones or addresses of the record are hidden, or the record
      // itself.
      value: nullable(text()),
      reason: text(),
      made_by: string(160),
      made_at: time(),
      // When the correction ends by itself. The clean-up then sets `ended_at` to the same second.
      ends_at: nullable(time()),
      ended_at: nullable(time()),
      ended_by: nullable(string(160)),
    },
  },
} satisfies Record<string, Table>;
