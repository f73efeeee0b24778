// `npm run upgrades:fixtures [-- [--fill] COMMIT...]`: makes `test/fixtures/schemas/` again, one database for each schema that was ever on
// the main branch and each engine. The code of that time makes it: its migrations, its service, people who sign in there, and its store for
// what else people do (`fill.ts`; with `--fill` that alone, anew).

import '#support/script-help.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Settings } from '#config/settings.ts';
import { openDatabase } from '#store/database/connection.ts';
import { ENGINES, type Engine, newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { createPerson } from '#support/person.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { migrateWith, rowsAsSql, tablesOf } from './dump.ts';
import { fillTables } from './fill.ts';
import {
  type Facts,
  KEY_SECRET,
  LOGINS,
  PEOPLE,
  readFixture,
  runSql,
  SCHEMAS,
  TOTP_SECRET,
  writeFixture,
} from './fixtures.ts';
import {
  CALLBACK,
  CLIENT,
  CLIENT_SECRET,
  type Instance,
  type Place,
  SCOPE,
  startRelease,
  unpackRelease,
  writeClients,
} from './old-release.ts';

const PASSWORD = 'demonstration-hygie';

/** As the first release wrote people, before there was a command or a service. */
const PERSON = {
  id: PEOPLE[0],
  email: LOGINS[0],
  email_key: LOGINS[0],
  email_verified: true,
  name: 'Mathilde Du Chardey',
  practitioners: '["819082680976"]',
  workspaces: '[]',
  status: 'active',
  created_at: 1_795_000_000,
  updated_at: 1_795_000_000,
};

const { values, positionals: chosen } = parseArgs({ options: { fill: { type: 'boolean' } }, allowPositionals: true });
const work = mkdtempSync(join(process.env['UPGRADE_WORK'] ?? tmpdir(), 'hygie-upgrades-'));
await startPostgres();
try {
  for (const schema of SCHEMAS) {
    if (chosen.length > 0 && !chosen.includes(schema.commit)) continue;
    const release = unpackRelease(schema.commit, join(work, schema.commit));
    for (const engine of ENGINES) {
      try {
        const signedIn = values.fill
          ? readFixture(engine, schema.commit).signedIn
          : await inNewDatabase(engine, (settings) => signIn(release, schema, engine, settings));
        await inNewDatabase(engine, (settings) => fill(release, schema.commit, engine, settings, signedIn));
        process.stdout.write(`${schema.commit} ${engine}\n`);
      } catch (error) {
        process.stdout.write(`${schema.commit} ${engine} FAILED ${String((error as Error).stack).slice(0, 1500)}\n`);
      }
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
  await stopPostgres();
}

type Schema = (typeof SCHEMAS)[number];

async function inNewDatabase<Result>(engine: Engine, work: (settings: Settings['database']) => Promise<Result>) {
  const { settings, remove } = await newDatabase(engine);
  try {
    return await work(settings);
  } finally {
    await remove();
  }
}

/** The database of a service at which two people signed in, as SQL text. */
async function signIn(
  release: string,
  { commit, service, keySecret }: Schema,
  engine: Engine,
  settings: Settings['database'],
): Promise<string> {
  const folder = mkdtempSync(join(work, `${commit}-${engine}-`));
  const database =
    settings.engine === 'sqlite' ? { ...settings, file: join(folder, 'data', 'hygie.sqlite') } : settings;
  mkdirSync(join(folder, 'data'));
  const statements = migrateWith(release, database);
  const facts: Facts = { madeAt: Math.floor(Date.now() / 1000) };
  const port = await freePort();
  const env = keySecret ? { HYGIE_KEY_SECRET: KEY_SECRET } : {};
  const place: Place = {
    config: writeClients(join(folder, 'config')),
    data: join(folder, 'data'),
    port,
    database,
    env,
  };
  if (service) {
    const instance = await startRelease(release, place);
    Object.assign(facts, await signInAt(instance).finally(() => instance.end()));
  }
  const knex = openDatabase(database);
  const tables = await tablesOf(knex);
  if (!service) await knex('accounts').insert(PERSON);
  if (tables.includes('second_factors')) {
    await knex('second_factors').insert({
      account_id: PEOPLE[1],
      secret: TOTP_SECRET,
      last_step: 0,
      created_at: facts.madeAt,
    });
    facts.secondFactor = true;
  }
  if (service) await knex('accounts').whereNotIn('id', PEOPLE).delete();
  await knex.destroy();
  // From the release on that encrypts them: it does so at its start.
  if (service && keySecret && tables.includes('second_factors')) await (await startRelease(release, place)).end();
  const rows = await rowsAsSql(database);
  const text = [`-- ${JSON.stringify(facts)}`, ...statements.map((sql) => `${sql};`), ...rows].join('\n');
  return `${text}\n`;
}

/** Writes that database with the rows that the store of the release adds to it. */
async function fill(
  release: string,
  commit: string,
  engine: Engine,
  settings: Settings['database'],
  signedIn: string,
): Promise<void> {
  const knex = openDatabase(settings);
  await runSql(knex, engine, signedIn);
  await knex.destroy();
  const before = new Set(await rowsAsSql(settings));
  const filled = await fillTables(release, settings);
  const after = await rowsAsSql(settings);
  const changed = [...before].filter((row) => row.startsWith('insert ') && !after.includes(row));
  if (changed.length > 0) throw new Error(`rows that were there changed: ${changed.join('\n')}`);
  const rows = after.filter((row) => !before.has(row)).join('\n');
  writeFixture(engine, commit, { signedIn, filled, rows: `${rows}\n` });
}

/** Both people sign in and allow the client everything; a refresh token is used once, and one is left. */
async function signInAt({ origin }: Instance): Promise<Partial<Facts>> {
  const ask = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: CLIENT, client_secret: CLIENT_SECRET, ...fields });
    const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { refresh_token: string; access_token: string };
  };
  const facts: Partial<Facts> = {};
  for (const login of LOGINS) {
    const url = new URL(`${origin}/authorize`);
    const asked = { client_id: CLIENT, redirect_uri: CALLBACK, response_type: 'code', scope: SCOPE, prompt: 'consent' };
    for (const [name, value] of Object.entries({ ...asked, state: 's-0S6_WzA2Mj', nonce: 'n-0S6_WzA2Mj' })) {
      url.searchParams.set(name, value);
    }
    const person = createPerson(origin);
    const callback = await person.signIn(url, { login, password: PASSWORD });
    const code = callback.searchParams.get('code') ?? '';
    const tokens = await ask({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    const next = await ask({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    if (login === LOGINS[0])
      Object.assign(facts, { refreshToken: next.refresh_token, accessToken: next.access_token, origin });
  }
  return facts;
}
