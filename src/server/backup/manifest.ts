// The manifest of a backup. It describes the files, the origin of the data, and all else that a restore needs to know.

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Seals } from '#shared/crypto/seals.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { unknownMigrations } from '#store/database/migration-source.ts';

export const MANIFEST = 'manifest.json';
/** Version of the format. A change must raise it if earlier releases cannot read the new backups. */
const FORMAT = 1;

/**
 * The form of the names of releases, migrations and tables. A name of this form cannot contain a path to another folder or control
 * characters for a terminal.
 */
const NAME = z.string().regex(/^\w[\w.+-]{0,99}$/);
/** The form of paths. A path begins at the folder of the backup, does not leave it, and has `/` on every system. */
const PATH = z.string().regex(/^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/);
const FILE = z.object({ path: PATH, bytes: z.int().min(0), sha256: z.string() });
const SNAPSHOT = z.object({ id: NAME, file: z.string().regex(/^[A-Za-z0-9-]+\.sqlite$/), created: z.iso.datetime() });

const SHAPE = z.object({
  format: z.number(),
  /** Version of the service that made the backup. */
  hygie: NAME,
  /** UTC, RFC 3339. */
  created: z.iso.datetime(),
  issuer: z.string().regex(/^[\x21-\x7e]+$/),
  sandbox: z.boolean(),
  database: z.object({
    engine: z.enum(['sqlite', 'postgresql']),
    /**
     * `sqlite`: a file of SQLite. `pg_dump`: a dump in the program's custom format. `copy`: a file `database/TABLE.ndjson.gz` for each
     * table.
     */
    kind: z.enum(['sqlite', 'pg_dump', 'copy']),
    /** Names of the applied migrations, in their order. */
    schema: z.array(NAME),
    /** Rows by table. */
    tables: z.record(NAME, z.int().min(0)),
    /** The last value of each sequence of PostgreSQL. */
    sequences: z.record(NAME, z.int().min(0)).optional(),
  }),
  /** Last record of the audit trail, for `audit verify --head` after a restore. */
  auditHead: z
    .string()
    .regex(/^\d{1,15}:[\w-]{43}$/)
    .optional(),
  keys: z.object({
    encrypted: z.boolean(),
    /** Fingerprints of the secrets that decrypt the keys; empty if the secrets of the settings do not decrypt all of them. */
    secrets: z.array(z.string()),
    /** True if the file `key-secret` is in the backup. */
    fileIncluded: z.boolean(),
  }),
  directory: z.object({
    current: SNAPSHOT.optional(),
    previous: SNAPSHOT.optional(),
    /** True if the files of these snapshots are in the backup. */
    included: z.boolean(),
  }),
  files: z.array(FILE),
  /** Seal of all members before this one, with a key derived from HYGIE_KEY_SECRET. Absent if this secret was not set. */
  seal: z.string().optional(),
});

export type Manifest = z.infer<typeof SHAPE>;
export type BackupFile = z.infer<typeof FILE>;

/** Seals and writes the manifest. Returns it with its seal. */
export async function writeManifest(
  folder: string,
  content: Omit<Manifest, 'format' | 'seal'>,
  seals: Seals,
): Promise<Manifest> {
  const all = { format: FORMAT, ...content };
  const { error } = SHAPE.safeParse(all);
  if (error) throw new Refusal(`Nobody could read this backup: ${faultOf(error)}.`);
  const seal = seals.seal(sealed(all));
  const manifest = seal === undefined ? all : { ...all, seal };
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  });
  return manifest;
}

/** Result of checking the seal. `unsealed`: the manifest has no seal. `unchecked`: the secret that the seal was made with is not set. */
export type SealState = 'valid' | 'wrong' | 'unsealed' | 'unchecked';

/** Reads the manifest and checks its seal. Throws a `Refusal` if the folder has no manifest that this release can read. */
export async function readManifest(folder: string, seals: Seals): Promise<{ manifest: Manifest; seal: SealState }> {
  const file = join(folder, MANIFEST);
  let written: Record<string, unknown>;
  try {
    written = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Refusal([`${file} is damaged: ${error.message}`, OTHER_BACKUP]);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new Refusal(`${file} cannot be read (${code}).`);
    throw new Refusal([
      `${folder} is no backup: it has no ${MANIFEST}.`,
      'Remedy: name the folder that `backup` has made.',
    ]);
  }
  if (typeof written?.['format'] === 'number' && written['format'] > FORMAT) {
    throw new Refusal([
      `${folder} was made by a newer release (${written['hygie']}), in a format that this one does not know.`,
      'Remedy: use that release, or a newer one.',
    ]);
  }
  const parsed = SHAPE.safeParse(written);
  if (!parsed.success) {
    throw new Refusal([`${file} is damaged: ${faultOf(parsed.error)}`, OTHER_BACKUP]);
  }
  if (unknownMigrations(parsed.data.database.schema).early.length > 0) {
    throw new Refusal([
      `A version before 1.0.0 (${parsed.data.hygie}) made the backup ${folder}, and no release can restore it.`,
      'Remedy: start with an empty database, and add the accounts and the directory again.',
    ]);
  }
  const { seal, ...content } = written;
  return { manifest: parsed.data, seal: stateOf(seal as string | undefined, content, seals) };
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.')}: ${issue?.message}`;
}

const OTHER_BACKUP = 'Remedy: use another backup.';

function stateOf(seal: string | undefined, content: object, seals: Seals): SealState {
  if (seal === undefined) return 'unsealed';
  const state = seals.available ? seals.check(sealed(content), seal) : 'unknown key';
  return state === 'unknown key' ? 'unchecked' : state;
}

function sealed(content: object): string {
  return `backup ${createHash('sha256').update(JSON.stringify(content)).digest('base64url')}`;
}
