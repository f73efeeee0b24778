// `npm run upgrades:fixtures [-- COMMIT...]`: makes `test/fixtures/schemas/` again, one database for each schema that was ever on the
// main branch and each engine. The code of that time makes it: its migrations, its service, and people who sign in there.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Settings } from '../../../src/config/settings.ts';
import { openDatabase } from '../../../src/store/database/connection.ts';
import { ENGINES, type Engine, newDatabase } from '../databases.ts';
import { freePort } from '../free-port.ts';
import { createPerson } from '../person.ts';
import { startPostgres, stopPostgres } from '../postgres.ts';
import { migrateWith, rowsAsSql, tablesOf } from './dump.ts';
import { type Facts, FIXTURES, KEY_SECRET, LOGINS, PEOPLE, SCHEMAS, TOTP_SECRET } from './fixtures.ts';
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

const chosen = process.argv.slice(2);
const work = mkdtempSync(join(process.env['UPGRADE_WORK'] ?? tmpdir(), 'hygie-upgrades-'));
await startPostgres();
try {
  for (const schema of SCHEMAS) {
    if (chosen.length > 0 && !chosen.includes(schema.commit)) continue;
    const release = unpackRelease(schema.commit, join(work, schema.commit));
    for (const engine of ENGINES) {
      try {
        await make(release, schema, engine);
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

async function make(release: string, schema: Schema, engine: Engine) {
  const folder = mkdtempSync(join(work, `${engine}-`));
  const { settings, remove } = await newDatabase(engine);
  try {
    await fill(release, schema, engine, folder, settings);
  } finally {
    await remove();
  }
}

async function fill(
  release: string,
  { commit, service, keySecret }: Schema,
  engine: Engine,
  folder: string,
  settings: Settings['database'],
) {
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
  mkdirSync(join(FIXTURES, engine), { recursive: true });
  writeFileSync(join(FIXTURES, engine, `${commit}.sql.gz`), gzipSync(`${text}\n`, { level: 9 }));
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
