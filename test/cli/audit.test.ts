// operations.md, SEC-48, SEC-67: commands leave their trace; `hygie audit` finds it, verifies its chain, and exports it.

import { userInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { recordByOperator } from '#server/audit/operator-audit.ts';
import type { AuditRecord } from '#store/audit/audit-events.ts';
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
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('HYGIE_OPERATOR\n    Is not a name') });
    }
  });
});
