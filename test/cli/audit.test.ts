// operations.md, SEC-48, SEC-67: commands leave their trace; `hygie audit` finds it, verifies its chain, and exports it.

import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { recordByOperator } from '#server/audit/operator-audit.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
import { withoutTriggers } from '#support/audit-trail.ts';
import { transcripts } from '#support/cli/transcript.ts';

describe('hygie audit', () => {
  const { hygie, database, add } = transcripts();

  it('says who did what to which account, and never the password', async () => {
    const id = (await add('zoe', '--password-stdin')).stdout.trim();
    await hygie(['accounts', 'link', id, '--practitioner', '810000000001']);
    await hygie(['accounts', 'disable', id]);
    await hygie(['keys', 'rotate', 'ES256']);
    const { stdout } = await hygie(['audit', '--json', '--account', 'Zoe@n.example']);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const done = { outcome: 'success', account: id, actor: expect.stringMatching(/^operator:./) };
    const events = ['account.added', 'account.linked', 'account.disabled'];
    expect(records).toMatchObject(events.map((event) => ({ event, ...done })));
    expect(stdout).not.toContain('tortue violette');
    expect(await hygie(['audit', '--json', '--account', id.toUpperCase()])).toMatchObject({ stdout });
  });

  it('SEC-60 says how many of the events were only counted', async () => {
    await recordByOperator(database(), { secrets: [] }, [
      { event: 'audit.counted', address: '192.0.2.0/24', details: { of: 'sign-in.failed', count: 70 } },
      { event: 'audit.counted', details: { of: 'sign-in.failed', count: 7 } },
      { event: 'audit.counted', details: { of: 'token.refused', count: 100 } },
    ]);
    const { stderr } = await hygie(['audit', '--event', 'sign-in']);
    expect(stderr).toContain('77 more were only counted');
    expect((await hygie(['audit', '--event', 'sign-in', '--address', '192.0.2.9'])).stderr).toContain('70 more');
  });

  it('names who acted: HYGIE_OPERATOR, else SUDO_USER, else the account; a name that is none is refused', async () => {
    const id = (await add('zoe')).stdout.trim();
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
});

// SEC-67, operations.md `audit verify`: an operator verifies the chain of the audit trail, in the database and in what was exported,
// and exports it as it grows.
describe('SEC-67 hygie audit verify and export', () => {
  // Without a secret there are no seals. Those with one: `keys.test.ts`, `processes.system.test.ts`.
  const notices = expect.stringMatching(/^Records up to 4 \(\S+Z\) have no seal: .*\n$/);
  const { hygie, at, database, add } = transcripts();
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd']) await add(name);
  });

  const audit = async (...args: string[]) => {
    const { code, stdout, stderr } = await hygie(['audit', ...args]);
    return { code, stdout, stderr };
  };
  const head = async () => JSON.parse((await audit('verify', '--json')).stdout).head as string;
  const exported = (name: string, change: (lines: string[]) => string[] = (lines) => lines) => {
    const file = at(name);
    return async () => {
      const { stdout } = await audit('export');
      writeFileSync(file, change(stdout.split('\n')).join('\n'));
      return file;
    };
  };

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

  it('names what was done to the database behind its back, and ends with 1', async () => {
    const { id, actor } = await database()('audit_events').where({ sequence: 2 }).first();
    const change = (to: string) =>
      withoutTriggers(database(), async () => {
        await database()('audit_events').where({ sequence: 2 }).update({ actor: to });
      });
    await change('operator:nobody');
    const { code, stdout } = await audit('verify');
    const json = JSON.parse((await audit('verify', '--json')).stdout);
    await change(actor);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        `^record 2 \\(id ${id}, \\d{4}-.*Z, account\\.added\\): changed.*\nThe chain does not hold. Faults: 1; records: 4, 1 to 4`,
      ),
    );
    expect(json).toMatchObject({
      intact: false,
      faults: [{ sequence: 2, event: 'account.added' }],
    });
  });
});
