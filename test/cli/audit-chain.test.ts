// SEC-67, operations.md `audit verify`: an operator verifies the chain of the audit trail, in the database and in what was exported,
// and exports it as it grows.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { withoutTriggers } from '#support/audit-trail.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { launch } from '#support/cli/serving.ts';
import { ENGINES, newDatabase } from '#support/databases.ts';

const SECRET = 'a secret of the operator, long enough to be one';

describe.each(ENGINES)('SEC-67 hygie audit verify and export on %s', (engine) => {
  // Sealed on one of them: deriving the key takes each command some 60 ms.
  const notices = engine === 'postgresql' ? '' : expect.stringMatching(/^Records up to 4 \(\S+Z\) have no seal: .*\n$/);
  const secret = engine === 'postgresql' ? { HYGIE_KEY_SECRET: SECRET } : {};
  let place: Installation;
  let hygie: Installation['hygie'];
  let database: Database;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const { settings, remove: removeDatabase } = await newDatabase(engine);
    place = installation({
      ...secret,
      ...(settings.engine === 'postgresql' && { DATABASE_URL: settings.url }),
    });
    hygie = inProcess(place);
    await hygie(['migrate']);
    database = openDatabase(
      settings.engine === 'postgresql'
        ? settings
        : { engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') },
    );
    remove = async () => {
      await database.destroy();
      await removeDatabase();
    };
    for (const name of ['a', 'b', 'c', 'd']) {
      await hygie(['accounts', 'add', '--email', `${name}@clinic.example`, '--name', name]);
    }
  });
  afterAll(async () => {
    await remove();
    place.remove();
  });

  const audit = async (...args: string[]) => {
    const { code, stdout, stderr } = await hygie(['audit', ...args]);
    return { code, stdout, stderr };
  };
  const head = async () => JSON.parse((await audit('verify', '--json')).stdout).head as string;
  const exported = (name: string, change: (lines: string[]) => string[] = (lines) => lines) => {
    const file = join(place.folder, name);
    return async () => {
      const { stdout } = await audit('export');
      writeFileSync(file, change(stdout.split('\n')).join('\n'));
      return file;
    };
  };

  it('says that the chain holds, prints its head, and what nobody can know without one from elsewhere', async () => {
    const { code, stdout, stderr } = await audit('verify');
    expect([code, stderr]).toEqual([0, expect.stringContaining('--head')]);
    expect(stdout).toMatch(/^The chain holds: .* Records: 4, 1 to 4\.\nHead: 4:[\w-]{43}\n$/);
    expect(await audit('verify', '--head', await head())).toMatchObject({ code: 0, stderr: notices });
    expect(JSON.parse((await audit('verify', '--json')).stdout)).toMatchObject({
      intact: true,
      records: 4,
      sealed: engine === 'postgresql' ? 4 : 0,
      faults: [],
    });
  });

  it('an exported file verifies without the database; a changed or missing line is named', async () => {
    const whole = await exported('whole.ndjson')();
    expect(await audit('verify', whole, '--head', await head())).toMatchObject({ code: 0, stderr: notices });
    const lines = readFileSync(whole, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ sequence, event }) => [sequence, event])).toEqual(
      [1, 2, 3, 4].map((n) => [n, 'account.added']),
    );
    expect(lines.slice(1).map(({ previous }) => previous)).toEqual(lines.slice(0, -1).map(({ digest }) => digest));
    const edited = await exported('edited.ndjson', (all) =>
      all.map((line) => line.replace(/"sequence":3,(.*)operator:/, '"sequence":3,$1operator:x')),
    )();
    expect(await audit('verify', edited)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^record 3 \(.*account\.added\): changed/),
    });
    const short = await exported('short.ndjson', (all) => all.toSpliced(1, 1))();
    expect(await audit('verify', short)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^record 2: missing/),
    });
    const cut = await exported('cut.ndjson', (all) => all.slice(0, 3))();
    expect(await audit('verify', cut)).toMatchObject({ code: 0 });
    expect(await audit('verify', cut, '--head', await head())).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^record 4: missing/),
    });
    const torn = await exported('torn.ndjson', (all) => [...all.slice(0, 3), (all[3] ?? '').slice(0, 60)])();
    expect(await audit('verify', torn)).toMatchObject({ code: 1, stderr: expect.stringContaining('line 4') });
  });

  it('goes on after the record that a collector has, and is refused when that is not there or another', async () => {
    const last = (await audit('export', '--after', '3')).stdout;
    expect(JSON.parse(last)).toMatchObject({ sequence: 4 });
    const { previous } = JSON.parse(last);
    expect(await audit('export', '--after', `3:${previous}`)).toMatchObject({ code: 0, stdout: last });
    expect(await audit('export', '--after', await head())).toMatchObject({ code: 0, stdout: '' });
    expect(await audit('export', '--after', `3:${'x'.repeat(43)}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('rewritten'),
    });
    expect(await audit('export', '--after', '5')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the last one is 4'),
    });
  });

  it('follows the trail as it grows', async () => {
    const env = engine === 'postgresql' ? { DATABASE_URL: place.environment['DATABASE_URL'] as string } : {};
    const following = launch(place, ['audit', 'export', '--after', '4', '--follow'], {
      ...env,
      ...secret,
    });
    try {
      await hygie(['accounts', 'disable', 'a@clinic.example']);
      await following.outputMatching(/"sequence":5,.*"account\.disabled".*\n/);
      await hygie(['accounts', 'enable', 'a@clinic.example']);
      await following.outputMatching(/"sequence":6,.*"account\.enabled".*\n/);
    } finally {
      following.child.kill();
      await following.ended;
    }
  });

  it('names what was done to the database behind its back, and ends with 1', async () => {
    await withoutTriggers(database, async () => {
      await database('audit_events').where({ sequence: 2 }).update({ actor: 'operator:nobody' });
    });
    const { code, stdout } = await audit('verify');
    const { id } = await database('audit_events').where({ sequence: 2 }).first();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        `^record 2 \\(id ${id}, \\d{4}-.*Z, account\\.added\\): changed.*\nThe chain does not hold. Faults: 1; records: 6, 1 to 6`,
      ),
    );
    expect(JSON.parse((await audit('verify', '--json')).stdout)).toMatchObject({
      intact: false,
      faults: [{ sequence: 2, event: 'account.added' }],
    });
  });

  it.each([
    [['verify', '--head', '12'], 2],
    [['verify', 'one', 'two'], 2],
    [['verify', '/nowhere/at/all'], 1],
    [['export', '--after', 'last'], 2],
    [['export', 'file'], 2],
  ] as const)('audit %j is exit code %i', async (args, expected) => {
    const { code, stdout, stderr } = await audit(...args);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).not.toBe('');
  });
});
