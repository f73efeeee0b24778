// SEC-62, SEC-16: no key is in plain text in a dump of the database, whatever the operator set. The key file of the service has one secret,
// whatever else starts in the same folder.

import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { createMissingKeys } from '#openid/keys/key-changes.ts';
import { openKeyRing } from '#openid/keys/key-ring.ts';
import { withOpenDatabase } from '#server/open-database.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { takeKeyFile } from '#server/start/key-file.ts';
import { secureKeys as secureKeysOf } from '#server/start/secure-keys.ts';
import { createLog, type Logger } from '#shared/log/log.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { SHIPPED_CONFIG } from '#support/config/shipped.ts';
import { openTestDatabase } from '#support/databases.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForEach } from '#support/opened.ts';

const SECRET = 'a secret of the tests that opens nothing';

const secureKeys = (settings: Settings, log: Logger) =>
  withOpenDatabase(settings, (database) => secureKeysOf(database, settings, log));

// On PostgreSQL, where each instance may have a data folder of its own: on SQLite they share it, and so the key file.
describe('SEC-62 keys at rest', () => {
  let folder: string;
  let lines: string[];
  const opened = openedForEach(() => openTestDatabase('postgresql'));
  beforeEach(() => {
    folder = newFolder();
    lines = [];
  });

  const log = createLog({ level: 'info', format: 'json' }, { write: (line: string) => void lines.push(line) });
  const settingsOf = async (data: string, env = {}) => {
    mkdirSync(join(folder, data), { recursive: true });
    const settings = await loadSettings({ HYGIE_CONFIG: SHIPPED_CONFIG, HYGIE_DATA: join(folder, data), ...env });
    return { ...settings, mode: 'production' as const, database: opened.settings };
  };
  const start = async (data: string, env = {}) => secureKeys(await settingsOf(data, env), log);
  const stored = async (): Promise<string[]> => [
    ...(await opened.database('service_keys').whereNot({ purpose: 'lock' })).map(({ material }) => material),
    ...(await opened.database('second_factors')).map(({ secret }) => secret),
  ];
  const plainKeys = async () => createMissingKeys(openKeyVault(opened.database, await settingsOf('plain')));

  it('keys of an earlier release are encrypted at the next start, which is recorded, while an instance of that release goes on', async () => {
    await plainKeys();
    for (const material of await stored()) expect(material).not.toMatch(/^sealed/);
    const ring = await openKeyRing({
      vault: openKeyVault(opened.database, await settingsOf('plain')),
      rotateAfter: 0,
      log,
    });
    const inForce = JSON.stringify(ring.current());
    await start('data');
    for (const material of await stored()) expect(material).toMatch(/^sealed/);
    await ring.look();
    expect(JSON.stringify(ring.current())).toBe(inForce);
    await ring.close();
    expect(lines.filter((line) => line.includes('they are encrypted now'))).toHaveLength(1);
    const records = await openAuditEvents(opened.database).search({ limit: 20, events: ['key.encrypted'] });
    expect(records.map(({ actor, details }) => [actor, details?.['kind']])).toEqual(
      ['RS256', 'ES256', 'EdDSA', 'cookies'].map(() => ['service', expect.any(String)]),
    );
  });

  it('of instances that make files of their own at the same time, one wins, and the keys are of that one', async () => {
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((data) => start(data)));
    const winners = ends.filter(({ status }) => status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const files = ['a', 'b', 'c'].flatMap((data) => readdirSync(join(folder, data)));
    expect(files).toEqual(['key-secret']);
    expect(await stored()).toHaveLength(4);
    const winner = ['a', 'b', 'c'][ends.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    await start(winner);
  });
});

describe('SEC-62 from the key file to a variable, and back', () => {
  const place = openedForEach(installation);

  it('keys encrypt changes to the variable; then the file is no longer needed', async () => {
    const hygie = inProcess(place);
    const file = join(place.folder, 'data', 'key-secret');
    expect((await hygie(['migrate'])).code).toBe(0);
    const settings = await loadSettings(place.environment);
    const log = createLog({ level: 'silent', format: 'json' });
    await secureKeys(settings, log);
    const opens = async (env = {}) =>
      (JSON.parse((await hygie(['keys', 'list', '--json'], { env })).stdout) as { opens: boolean }[]).map(
        (key) => key.opens,
      );
    expect(await opens()).toEqual([true, true, true, true]);

    const env = { HYGIE_KEY_SECRET: SECRET };
    expect(await opens(env)).toEqual([true, true, true, true]);
    expect((await hygie(['keys', 'encrypt'], { env })).stderr).toContain('Encrypted: 4.');
    const secret = readFileSync(file, 'utf8');
    rmSync(file);
    expect(await opens(env)).toEqual([true, true, true, true]);

    // Without both, nothing is made anew.
    await expect(secureKeys(await loadSettings(place.environment), log)).rejects.toThrow(/no secret is set/);
    expect(readdirSync(join(place.folder, 'data'))).not.toContain('key-secret');
    expect(secret).not.toContain(SECRET);
  });
});

describe('SEC-62 the key file of the service', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = newFolder();
    file = join(folder, 'key-secret');
  });

  const stored = () => readFileSync(file, 'utf8').trim();
  const refusing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };

  it('SEC-62 of processes with the same number, as in containers, all take what one has made', async () => {
    // Threads of a process have its number, and run at the same time.
    const program = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.module).then(({ takeKeyFile }) => {
      parentPort.once('message', async () => parentPort.postMessage(await takeKeyFile(workerData.file)));
      parentPort.postMessage('ready');
    });`;
    const module = new URL('../../../src/server/start/key-file.ts', import.meta.url).href;
    const workers = Array.from({ length: 4 }, () => new Worker(program, { eval: true, workerData: { module, file } }));
    const answerOf = (worker: Worker) =>
      new Promise<{ secret: string; made: boolean }>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
      });
    try {
      await Promise.all(workers.map(answerOf));
      const answers = workers.map(answerOf);
      for (const worker of workers) worker.postMessage('take');
      const taken = await Promise.all(answers);
      expect(taken.filter(({ made }) => made)).toHaveLength(1);
      for (const { secret } of taken) expect(secret).toBe(stored());
      expect(readdirSync(folder)).toEqual(['key-secret']);
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  });

  it('SEC-62 what another process of the same number is writing is left alone', async () => {
    const other = `${file}.${process.pid}`;
    writeFileSync(other, 'of another one');
    await takeKeyFile(file);
    expect(readFileSync(other, 'utf8')).toBe('of another one');
  });

  it.each(['EPERM', 'ENOTSUP'])('a file system without second names (%s) has a key file all the same', async (code) => {
    const { secret, made } = await takeKeyFile(file, refusing(code));
    expect(made).toBe(true);
    expect(stored()).toBe(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await takeKeyFile(file, refusing(code))).toEqual({ secret, made: false });
    expect(readdirSync(folder)).toEqual(['key-secret']);
  });

  it('half a file is refused, not taken for a secret; other faults are not hidden', async () => {
    writeFileSync(file, 'half');
    await expect(takeKeyFile(file, linkSync)).rejects.toThrow(/only a part of a secret/);
    await expect(takeKeyFile(file, refusing('ENOSPC'))).rejects.toThrow('ENOSPC');
    expect(readdirSync(folder)).toEqual(['key-secret']);
  });
});
