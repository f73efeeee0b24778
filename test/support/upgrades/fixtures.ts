// The databases of every schema that was ever on the main branch, and how a test loads one.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Database } from '#store/database/connection.ts';
import type { Engine } from '#support/databases.ts';
import type { Filled } from './fill.ts';

/** One folder for each engine, one file of SQL for each commit. */
const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'schemas');

/**
 * The last commit with each schema, oldest first: also where a migration was changed, or taken back, after it had been on the branch.
 * `service`: it could be started (a file was missing in some). `keySecret`: it knew HYGIE_KEY_SECRET.
 */
export const SCHEMAS = [
  { commit: 'bcdbb2d', service: false, keySecret: false },
  { commit: 'cc93ec2', service: false, keySecret: false },
  { commit: 'b21e280', service: false, keySecret: false },
  { commit: '4aaaccf', service: true, keySecret: false },
  { commit: '9236c6e', service: true, keySecret: false },
  { commit: 'da14e9c', service: true, keySecret: false },
  { commit: 'd883fe7', service: true, keySecret: false },
  { commit: 'a37e64d', service: true, keySecret: false },
  { commit: 'a2860fc', service: true, keySecret: true },
  { commit: 'ffbe250', service: false, keySecret: true },
  { commit: '5dfa546', service: true, keySecret: true },
  { commit: '1f01450', service: true, keySecret: true },
  { commit: 'c2801b2', service: true, keySecret: true },
  { commit: 'db27127', service: true, keySecret: true },
  { commit: 'bb83242', service: true, keySecret: true },
  { commit: '0a9b890', service: true, keySecret: true },
  { commit: '348f8a6', service: true, keySecret: true },
  { commit: 'c244ad0', service: true, keySecret: true },
  { commit: '8da975c', service: true, keySecret: true },
  { commit: '13c6a86', service: true, keySecret: true },
  { commit: '963f32e', service: true, keySecret: true },
  { commit: 'd68b879', service: true, keySecret: true },
  { commit: '3b0e321', service: true, keySecret: true },
  { commit: '517f127', service: true, keySecret: true },
  { commit: 'f263765', service: true, keySecret: true },
  { commit: '52cff45', service: true, keySecret: true },
  { commit: '1ffcaf4', service: true, keySecret: true },
  { commit: '39c2a5a', service: true, keySecret: true },
  { commit: '6661b72', service: true, keySecret: true },
  { commit: '6f88e89', service: true, keySecret: true },
  { commit: '8785322', service: true, keySecret: true },
  { commit: '9b19b9f', service: true, keySecret: true },
  { commit: 'c6af367', service: true, keySecret: true },
  { commit: 'dfdadc1', service: true, keySecret: true },
] as const;

/** With which these databases are encrypted; it opens nothing else. */
export const KEY_SECRET = 'a-secret-of-the-fixtures-that-opens-nothing';
/** Of the authenticator app of the second person: 160 bits in base64url. */
export const TOTP_SECRET = 'aHlnaWUtdXBncmFkZXMtdGVzdHM';

/** What is known of a database, in its first line. */
export interface Facts {
  /** Seconds since the epoch. */
  madeAt: number;
  origin?: string;
  /** Of the first person. */
  refreshToken?: string;
  accessToken?: string;
  /** Whether the second person has an authenticator app. */
  secondFactor?: boolean;
}

/** Begins the second part of a database: rows of `fill.ts`. */
const FILLED = '-- filled ';

interface Fixture {
  facts: Facts;
  /** Many statements: the schema, and what a service and two people who signed in there left. */
  signedIn: string;
  filled: Filled;
  /** Rows besides. */
  rows: string;
}

export function readFixture(engine: Engine, commit: string): Fixture {
  const sql = gunzipSync(readFileSync(fileOf(engine, commit))).toString();
  const [signedIn = '', rest = ''] = sql.split(`\n${FILLED}`);
  const end = rest.indexOf('\n');
  return {
    facts: JSON.parse(signedIn.slice(3, signedIn.indexOf('\n'))),
    signedIn: `${signedIn.trimEnd()}\n`,
    filled: JSON.parse(rest.slice(0, end)),
    rows: rest.slice(end + 1),
  };
}

/** Compressed one by one: Git stores of a changed second part no more than that. */
export function writeFixture(engine: Engine, commit: string, { signedIn, filled, rows }: Omit<Fixture, 'facts'>): void {
  const parts = [signedIn, `${FILLED}${JSON.stringify(filled)}\n${rows}`];
  mkdirSync(join(FIXTURES, engine), { recursive: true });
  writeFileSync(fileOf(engine, commit), Buffer.concat(parts.map((part) => gzipSync(part, { level: 9 }))));
}

function fileOf(engine: Engine, commit: string): string {
  return join(FIXTURES, engine, `${commit}.sql.gz`);
}

/** The people of every fixture; the second one has an authenticator app where there were any. */
export const PEOPLE = ['6f1a2c9e-0b7d-4c53-9a41-3d5e8f700001', '6f1a2c9e-0b7d-4c53-9a41-3d5e8f700002'] as const;

export const LOGINS = ['mathilde.duchardey@demo.example', 'loic.pelletier@demo.example'] as const;

/** Runs several statements in one text, which Knex does not take. */
export async function runSql(database: Database, engine: Engine, sql: string): Promise<void> {
  const connection = await database.client.acquireConnection();
  try {
    if (engine === 'sqlite') connection.exec(sql);
    else await connection.query(sql);
  } finally {
    await database.client.releaseConnection(connection);
  }
}

/** Fills an empty database, as if the release had been stopped just now: tokens, links and sessions live on. */
export async function loadFixture(
  database: Database,
  engine: Engine,
  commit: string,
): Promise<{ facts: Facts; filled: Filled }> {
  const { facts, filled, signedIn, rows } = readFixture(engine, commit);
  await runSql(database, engine, signedIn + rows);
  const later = Math.floor(Date.now() / 1000) - facts.madeAt;
  for (const row of await database('oidc_records')) {
    const payload = JSON.parse(row.payload);
    for (const time of TIMES) if (typeof payload[time] === 'number') payload[time] += later;
    await database('oidc_records')
      .where({ model: row.model, id: row.id })
      .update({ payload: JSON.stringify(payload), expires_at: Number(row.expires_at) + later });
  }
  await database('page_sessions').increment('expires_at', later);
  if (filled.link !== undefined) await database('action_tokens').increment('expires_at', later);
  return { facts, filled };
}

/** In the payload of a record of oidc-provider. */
const TIMES = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'];
