// Owns how a command reaches the database: settings, connection, a schema that fits, and closing at the end.
// Does not own the schema (`migrate`) nor what is asked.

import { loadSettings } from '../shared/config/index.ts';
import { redactText } from '../shared/redaction.ts';
import type { Settings } from '../shared/settings.ts';
import { type Database, migrationStatus, openDatabase } from '../store/connection.ts';
import { Refusal } from './command.ts';

type Work<Result> = (database: Database, settings: Settings) => Promise<Result>;

/** Runs `work` with a database of any schema. A database that does not answer is a `Refusal`. */
export async function withDatabase<Result>(work: Work<Result>): Promise<Result> {
  const settings = await loadSettings(process.env);
  return withOpenDatabase(settings, (database) => work(database, settings));
}

/** As `withDatabase`, for settings that are loaded already. */
export async function withOpenDatabase<Result>(
  settings: Pick<Settings, 'database'>,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  let database: Database | undefined;
  try {
    database = openDatabase(settings.database);
    return await work(database);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== undefined && UNREACHABLE.has(code)) {
      const place = settings.database.engine === 'sqlite' ? settings.database.file : 'the server of DATABASE_URL';
      throw new Refusal(
        `The database does not answer (${code}): ${redactText(message || place)}\nRemedy: look at ${place}.`,
      );
    }
    throw error;
  } finally {
    await database?.destroy();
  }
}

/** As `withDatabase`, but refuses a database whose schema is not the newest. */
export function withCurrentDatabase<Result>(work: Work<Result>): Promise<Result> {
  return withDatabase(async (database, settings) => {
    const { pending } = await migrationStatus(database);
    if (pending.length > 0) {
      throw new Refusal(`The database lacks ${pending.length} migration(s).\nRemedy: run \`hygie migrate\` first.`);
    }
    return work(database, settings);
  });
}

const UNREACHABLE = new Set([
  'EACCES',
  'EEXIST',
  'ENOTDIR',
  'EROFS',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'SQLITE_CANTOPEN',
  'SQLITE_NOTADB',
  'SQLITE_READONLY',
  '28P01',
  '28000',
  '3D000',
  '57P03',
]);
