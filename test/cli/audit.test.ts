// operations.md: commands leave their trace, and `hygie audit` finds it (SEC-48).

import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordByOperator } from '#server/audit/operator-audit.ts';
import { type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { ENGINES, newDatabase } from '#support/databases.ts';
import '#support/hash-cost.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';

const PASSWORD = 'tortue violette 87';

describe.each(ENGINES)('hygie audit on %s', (engine) => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let remove: () => Promise<void>;
  let id: string;
  let database: Database;

  beforeAll(async () => {
    const { settings, remove: removeDatabase } = await newDatabase(engine);
    remove = removeDatabase;
    place = installation(settings.engine === 'postgresql' ? { DATABASE_URL: settings.url } : {});
    hygie = inProcess(place);
    await hygie(['migrate']);
    database = openDatabase(
      settings.engine === 'postgresql'
        ? settings
        : { engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') },
    );
    const add = ['accounts', 'add', '--email', 'e@clinic.example', '--name', 'N', '--password-stdin'];
    id = (await hygie(add, { input: `${PASSWORD}\n` })).stdout.trim();
    await hygie(['accounts', 'link', id, '--practitioner', '810000000001']);
    await hygie(['accounts', 'disable', id]);
    await hygie(['keys', 'rotate', 'ES256']);
  });
  afterAll(async () => {
    await database.destroy();
    await remove();
    place.remove();
  });

  it('says who did what to which account, and never the password', async () => {
    const records = await audit('--account', 'E@clinic.example');
    expect(names(records)).toEqual(['account.added', 'account.linked', 'account.disabled']);
    for (const record of records) {
      expect(record).toMatchObject({ outcome: 'success', account: id, actor: expect.stringMatching(/^operator:./) });
      expect(JSON.stringify(record)).not.toContain(PASSWORD);
    }
    expect(await audit('--account', id.toUpperCase())).toEqual(records);
  });

  it('searches by event, time and number, as a table or as JSON lines', async () => {
    expect(names(await audit('--event', 'key'))).toEqual(['key.created']);
    expect(names(await audit('--event', 'account.linked', '--event', 'key.created'))).toEqual([
      'account.linked',
      'key.created',
    ]);
    expect(names(await audit('--limit', '1'))).toEqual(['key.created']);
    expect(await audit('--since', '1h')).toHaveLength(4);
    expect(await audit('--until', '2020-01-01')).toEqual([]);
    expect(await audit('--client', 'nobody')).toEqual([]);
    const { code, stdout, stderr } = await place.hygie(['audit']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^TIME +EVENT +ACTOR +ACCOUNT .*\n\d{4}-\d\d-\d\dT.*Z +account\.added +operator:/);
  });

  it('SEC-60 says how many of the events were only counted', async () => {
    await recordByOperator(database, { secrets: [] }, [
      { event: 'audit.counted', address: '192.0.2.0/24', details: { of: 'sign-in.failed', count: 70 } },
      { event: 'audit.counted', details: { of: 'sign-in.failed', count: 7 } },
      { event: 'audit.counted', details: { of: 'token.refused', count: 100 } },
    ]);
    const { stderr } = await hygie(['audit', '--event', 'sign-in']);
    expect(stderr).toContain('77 more were only counted');
    expect((await hygie(['audit', '--event', 'sign-in', '--address', '192.0.2.9'])).stderr).toContain('70 more');
  });

  it.each([
    [['--since', 'last week'], 2],
    [['--limit', '0'], 2],
    [['--event', 'sign-inn'], 2],
    [['something'], 2],
    [['--account', 'nobody@clinic.example'], 1],
  ] as const)('%j is exit code %i', async (args, expected) => {
    const { code, stdout, stderr } = await hygie(['audit', ...args]);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).not.toBe('');
  });

  it('finds the records of one request by its id, also by that of a proxy', async () => {
    const requestId = '0b3c1f5e-7d2a-4c8e-9f10-5a6b7c8d9e0f';
    const record = {
      time: new Date().toISOString(),
      event: 'token.refused',
      outcome: 'failure',
      actor: 'unknown',
    } as const;
    await openAuditEvents(database).append([
      { ...record, requestId },
      { ...record, requestId: `${requestId.slice(0, -1)}e` },
    ]);
    expect(await audit('--request', requestId)).toEqual([{ ...record, requestId }]);
  });

  it('names who acted: HYGIE_OPERATOR, else SUDO_USER, else the account; a name that is none is refused', async () => {
    const acted = async (env: Record<string, string>) => {
      expect(await hygie(['accounts', 'enable', id], { env })).toMatchObject({ code: 0 });
      expect(await hygie(['accounts', 'disable', id], { env })).toMatchObject({ code: 0 });
      const { stdout } = await hygie(['audit', '--json', '--limit', '1']);
      return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as AuditRecord).actor;
    };
    expect(await acted({ HYGIE_OPERATOR: 'Zoé Martin', SUDO_USER: 'root' })).toBe('operator:Zoé Martin');
    expect(await acted({ SUDO_USER: 'z.martin' })).toBe('operator:z.martin');
    const account = `operator:${userInfo().username}`;
    expect(await acted({})).toBe(account);
    expect(await acted({ SUDO_USER: 'two\nlines' })).toBe(account);
    for (const name of ['two\nlines', 'x'.repeat(65), 'turned\u202e']) {
      const refused = await hygie(['keys', 'rotate'], { env: { HYGIE_OPERATOR: name } });
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('HYGIE_OPERATOR\n    Is no name') });
    }
  });

  const audit = async (...args: string[]) => {
    const { code, stdout, stderr } = await hygie(['audit', '--json', ...args]);
    expect([code, stderr.replace(/^(No record fits|The newest).*\n/, '')]).toEqual([0, '']);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditRecord]));
  };
  const names = (records: AuditRecord[]) => records.map(({ event }) => event);
});
