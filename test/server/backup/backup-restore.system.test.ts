// "Backup and restore" on both engines: a service at work is backed up while others write; what is restored is the same row by row,
// signs in, refreshes and searches, and its audit trail holds up to the head of the backup.

import { hash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import type { Manifest } from '#server/backup/manifest.ts';
import { listTables } from '#store/backup/database-contents.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { addCorrections } from '#store/snapshots/corrections.ts';
import { bothEngines } from '#support/both-engines.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { type Engine, newDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { OFFLINE, refreshing } from '#support/openid/refreshing.ts';
import { obtainCode } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { until } from '#support/until.ts';

/** A person whom the operator hides, and another who is hidden only after the restore. */
const [HIDDEN = '', LATER = ''] = DEMO_ACCOUNTS.slice(1).flatMap(({ practitioners = [] }) => practitioners);
const hide = (id: string) =>
  ({ record: `Practitioner/${id}`, what: 'record', reason: 'x', madeBy: 'operator:ops' }) as const;

const SECRET = 'a secret of the operator, long enough to be one';
/** Bytes, for several steps of SQLite's copy: a commit in between makes it begin anew, unless it reads one state. */
const REPORT = { sqlite: 2 ** 20, postgresql: 2 ** 14 };

/** Changed by the commands and the service themselves. */
const OWN_CHANGES = ['audit_chain', 'leases', 'knex_migrations_lock'];

describe.each(bothEngines('server/backup/backup-restore.system'))('backup and restore on %s', (engine: Engine) => {
  const { on, obtain, ask } = refreshing(engine);
  const folder = newFolder();
  const backup = join(folder, 'backup');
  const restored = { data: join(folder, 'restored') };
  const tokens = { before: '', ended: '' };
  let environment: Record<string, string>;
  let elsewhere: Record<string, string>;
  let hygie: ReturnType<typeof inProcess>;
  let manifest: Manifest;
  let removeDatabase: () => Promise<void>;
  let written = 0;
  /** Of each table, soon after the backup. */
  const rows = new Map<string, Set<string>>();
  /** What the command said that restored the backup into `elsewhere`, and the rows of each table right after it. */
  let restoring: Awaited<ReturnType<typeof hygie>>;
  const restoredRows = new Map<string, string[]>();

  beforeAll(async () => {
    const { settings, database } = on.service;
    const { configFolder, dataFolder, issuer } = settings;
    const place = await newDatabase(engine);
    removeDatabase = place.remove;
    const common = { HYGIE_CONFIG: configFolder, HYGIE_ISSUER: issuer, HYGIE_KEY_SECRET: SECRET };
    environment = { ...common, HYGIE_DATA: dataFolder, ...urlOf(settings.database) };
    elsewhere = { ...common, HYGIE_DATA: restored.data, ...urlOf(place.settings) };
    hygie = inProcess({ environment });
    tokens.before = (await obtain()).refresh_token;
    await fillTables(database, engine);
    expect((await hygie(['keys', 'encrypt'])).code).toBe(0);
    let done = false;
    const writing = (async () => {
      while (!done) {
        await writeBoth(database, written + 1);
        written += 1;
        // As the service does: not in one turn of the event loop with the backup.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const made = await hygie([
      'backup',
      backup,
      '--with-directory',
      '--json',
      ...(engine === 'sqlite' ? [] : ['--format', 'copy']),
    ]);
    done = true;
    await writing;
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('NOT in the backup: the secret of the keys'),
    });
    manifest = JSON.parse(made.stdout);
    for (const table of await listTables(database)) rows.set(table, new Set(await rowsOf(database, table, engine)));
    tokens.ended = (await obtain()).refresh_token;
    restoring = await hygie(['restore', backup], { env: elsewhere });
    const copy = openDatabase((await settingsOf(elsewhere)).database);
    for (const table of rows.keys()) restoredRows.set(table, await rowsOf(copy, table, engine));
    await copy.destroy();
  }, 60_000);

  afterAll(async () => {
    await removeDatabase();
  });

  it('the backup is one state of the database, private, and sound', async () => {
    const { page_sessions: sessions, rate_limits: limits } = manifest.database.tables;
    expect(sessions).toBe(limits);
    expect(written).toBeGreaterThan(sessions ?? 0);
    const [file = ''] = manifest.files.map(({ path }) => path).filter((path) => path.startsWith('directory/'));
    for (const path of [join(backup, file), join(backup, 'manifest.json')])
      expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const path of [backup, join(backup, 'directory')]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(existsSync(join(backup, 'key-secret'))).toBe(false);
    expect(readFileSync(join(backup, 'manifest.json'), 'utf8')).not.toContain(SECRET);
    expect(await hygie(['backup', '--verify', backup])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The backup is sound\./),
    });
    const [event] = await on.service.database('audit_events').where({ event: 'backup.made' });
    expect(JSON.parse(event.details)).toMatchObject({ head: manifest.auditHead, directory: true });
    const verified = await on.service.database('audit_events').where({ event: 'backup.verified' });
    expect(verified.map(({ details }) => JSON.parse(details))).toEqual([{ folder: backup }]);
  });

  it('every row is restored as it was; a place that is not empty is refused', async () => {
    expect([restoring.code, restoring.stderr]).toEqual([0, expect.stringContaining('since is back')]);
    expect(restoring.stderr).toContain('What was hidden in the directory since the backup is shown again');
    for (const [table, before] of rows) {
      if (OWN_CHANGES.includes(table)) continue;
      const kept = restoredRows.get(table) ?? [];
      const strange = kept.filter((row) => !before.has(row));
      // The audit trail goes on with the restore.
      expect([table, strange.length]).toEqual([table, table === 'audit_events' ? 1 : 0]);
      if (table !== 'audit_events') expect([table, kept.length]).toEqual([table, manifest.database.tables[table]]);
    }
    // On PostgreSQL, the data folder would be a new one.
    const data = engine === 'sqlite' ? restored.data : join(folder, 'never-made');
    rmSync(join(data, 'directory-import.lock'), { force: true });
    const filesIn = () => (existsSync(data) ? readdirSync(data) : 'no folder');
    const files = filesIn();
    const again = await hygie(['restore', backup], { env: { ...elsewhere, HYGIE_DATA: data } });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/needs an empty place.*already/s) });
    expect(filesIn()).toEqual(files);
  });

  it('SEC-67 the restored audit trail holds, up to the head of the backup', async () => {
    const verified = await hygie(['audit', 'verify', '--head', manifest.auditHead ?? ''], { env: elsewhere });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The chain holds/) });
    const { stdout } = await hygie(['audit', '--event', 'restore.done', '--json'], { env: elsewhere });
    expect(JSON.parse(stdout.trim().split('\n')[0] ?? '')).toMatchObject({
      details: { made: manifest.created, head: manifest.auditHead },
    });
  });

  it('the restored installation refreshes, signs in, searches and hides what was hidden; new tokens since the backup are unknown to it', async () => {
    const instance = await restoredInstance();
    try {
      const { status, tokens: fresh } = await ask(tokens.before, {}, instance.send);
      expect(status).toBe(200);
      expect((await ask(tokens.ended, {}, instance.send)).status).toBe(400);
      const headers = { authorization: `Bearer ${fresh.access_token}` };
      const found = await instance.send(`${on.service.issuer}/directory/v2/Practitioner?name=martin`, { headers });
      expect([found.status, ((await found.json()) as { total: number }).total]).toEqual([200, expect.any(Number)]);
      const statusOf = async (id: string) =>
        (await instance.send(`${on.service.issuer}/directory/v2/Practitioner/${id}`, { headers })).status;
      expect([await statusOf(HIDDEN), await statusOf(LATER)]).toEqual([410, 200]);
      const copy = openDatabase((await settingsOf(elsewhere)).database);
      await addCorrections(copy, [hide(LATER)]).finally(() => copy.destroy());
      await until(async () => (await statusOf(LATER)) === 410, 'another person is hidden');
      const person = createPerson(on.service.issuer, instance.send);
      expect(await obtainCode(on.service, { scope: OFFLINE, prompt: 'consent', nonce: 'n-1' }, person)).toMatch(
        /^[\w-]{20,}$/,
      );
    } finally {
      await instance.stop();
    }
  });

  // The steps after the database is there are the same on both.
  const onSqlite = engine === 'sqlite' ? it : () => {};
  onSqlite(
    'SEC-49 --end-sessions ends what would live again; a lost secret: new keys, and people as they were',
    async () => {
      const env = { ...elsewhere, HYGIE_DATA: join(folder, 'ended'), HYGIE_KEY_SECRET: '' };
      const command = ['restore', backup, '--end-sessions', '--lost-secret', '--json'];
      const without = await hygie(command, { env });
      expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('--lost-secret needs a new secret') });
      const { code, stdout } = await hygie(command, {
        env: { ...env, HYGIE_KEY_SECRET: 'a new secret of the operator, long enough' },
      });
      expect([code, JSON.parse(stdout).endedSessions]).toEqual([0, 1]);
      const database = openDatabase((await settingsOf(env)).database);
      const left = await database('oidc_records').whereIn('model', ['RefreshToken', 'Session', 'AccessToken', 'Grant']);
      const keys = await database('service_keys').pluck('id');
      const people = await database('accounts').pluck('id');
      await database.destroy();
      expect([left, keys, people.length]).toEqual([[], ['lock'], manifest.database.tables['accounts']]);
    },
  );

  async function restoredInstance(): Promise<SecondInstance> {
    const settings = await settingsOf(elsewhere);
    const { listen, issuer } = on.service.settings;
    return startSecondInstance({ ...on.service, settings: { ...settings, listen, issuer } }, on.clients);
  }
});

function urlOf(database: Settings['database']): Record<string, string> {
  return database.engine === 'postgresql' ? { DATABASE_URL: database.url } : {};
}

function settingsOf(env: Record<string, string>): Promise<Settings> {
  return loadSettings(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
}

/** In one transaction two rows: a backup has both or neither. */
async function writeBoth(database: Database, number: number): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction('page_sessions').insert({ id: `row-${number}`, payload: '{}', expires_at: 4e9 });
    await transaction('rate_limits').insert({ key: `row-${number}`, points: 1, expire: 4e12 });
  });
}

/** What a sign-in leaves empty: corrections, second factors, passkeys, mails, applications that are to be told; and judgements, which are large. */
async function fillTables(database: Database, engine: Engine): Promise<void> {
  await addCorrections(database, [hide(HIDDEN)]);
  await database('page_sessions').delete();
  await database('rate_limits').delete();
  const [first, second] = DEMO_ACCOUNTS.map(({ id }) => id);
  const json = { counts: '{}', editions: '{}', statistics: '{}', removed: '{}', accepted: '[]' };
  for (let made = 0; made < 6; made += 1) {
    const report = randomBytes(REPORT[engine]).toString('base64');
    await database('directory_judgements').insert({ made_at: made, snapshot: `${made}`, report, ...json });
  }
  const secret = randomBytes(20).toString('base64url');
  await database('second_factors').insert({ account_id: second, secret, last_step: 1, created_at: 1 });
  await database('recovery_codes').insert({ account_id: second, digest: 'a digest' });
  const used = { created_at: 1, last_used_at: null };
  const key = { credential_id: 'credential', user_handle: 'handle', public_key: 'key', counter: 2 ** 40 };
  const told = { transports: '["usb"]', synced: true, aaguid: 'none', name: 'Clé « été »\n\\' };
  await database('passkeys').insert({ id: 'passkey', account_id: second, ...key, ...told, ...used });
  const mail = { kind: 'notice', topic: '', account_id: first, created_at: 1, due_at: 4e9, attempts: 0 };
  await database('mail_queue').insert(mail);
  await database('logout_deliveries').insert({
    client_id: 'server',
    account_id: first,
    sid: 'sid',
    created_at: 1,
    due_at: 4e9,
    attempts: 0,
  });
  await database('seen_devices').insert({ account_id: first, device: 'Firefox, Windows', seen_at: 1 });
}

/** The rows as text, with bytes in full. */
async function rowsOf(database: Database, table: string, engine: Engine): Promise<string[]> {
  const as = (value: unknown) => (Buffer.isBuffer(value) ? hash('sha256', value) : value);
  const rows: Record<string, unknown>[] =
    engine === 'sqlite' ? await database(table) : (await database.raw('select * from ??', [table])).rows;
  return rows.map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, as(value)])));
}
