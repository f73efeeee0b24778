// operations.md: all that an operator reads of `audit`, `audit verify` and `audit export`.

import { describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { withoutTriggers } from '#support/audit-trail.ts';
import { transcripts } from '#support/cli/transcript.ts';

const UNSEALED =
  '! Records up to 3 (TIME) have no seal. If HYGIE_KEY_SECRET was set by then, somebody has taken the seals away in the database. If it was not, only a head kept elsewhere shows changes.';
const HOLDS = `> The chain holds: each record follows from the one before. Records: 3, 1 to 3.
> Head: 3:DIGEST
${UNSEALED}`;
const ALONE =
  '! Only --head, with a head kept elsewhere, can tell whether records at the end were removed together with the head.';

describe('commands, word for word', () => {
  const { hygie, database, file, says } = transcripts();

  it('audit', async () => {
    const at = (day: number, hour = 12) => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
    const record = { outcome: 'failure', actor: 'unknown' } as const;
    await openAuditEvents(database()).append([
      {
        ...record,
        time: at(1),
        event: 'sign-in.failed',
        address: '192.0.2.7',
        requestId: 'r1',
        details: { reason: 'x', tries: 2 },
      },
      { ...record, time: at(2), event: 'token.refused', client: 'app', details: { list: ['a', 'b'] } as never },
      {
        ...record,
        time: at(3),
        event: 'audit.counted',
        address: '192.0.2.0/24',
        details: { of: 'sign-in.failed', count: 3 },
      },
    ]);
    await says(
      `$ audit
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7     r1       reason=x tries=2
> TIME  token.refused   unknown           app                            list=a; b
> TIME  audit.counted   unknown                   192.0.2.0/24           of=sign-in.failed count=3
$ audit --limit 1
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  audit.counted  unknown                   192.0.2.0/24           of=sign-in.failed count=3
! The newest 1; more with --limit.
$ audit --since 2026-01-02
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  token.refused  unknown           app                            list=a; b
> TIME  audit.counted  unknown                   192.0.2.0/24           of=sign-in.failed count=3
$ audit --until {noon}
! No record matches.
$ audit --since "2026-01-01 12:00" --until 2026-01-02T12:00:00+00:00
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
$ audit --event sign-in
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
! 3 more were only counted in that time: --event audit.counted --event audit.dropped
$ audit --event sign-in --address 192.0.2.9
! No record matches.
! 3 more were only counted in that time: --event audit.counted --event audit.dropped
$ audit --address 192.0.2.0/24
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  audit.counted  unknown                   192.0.2.0/24           of=sign-in.failed count=3
$ audit --event audit.counted --event token
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  token.refused  unknown           app                            list=a; b
> TIME  audit.counted  unknown                   192.0.2.0/24           of=sign-in.failed count=3
$ audit --client app
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS  REQUEST  DETAILS
> TIME  token.refused  unknown           app                       list=a; b
$ audit --client ap
! No record matches: there is no client "ap" in clients.yaml, and no record of one.
$ audit --request r1
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
$ audit --account nobody@n.example
! There is no account "nobody@n.example". A deleted account is found by its UUID.
exit 1
$ audit --account 6F1A2C9E-0b7d-4c53-9a41-3d5e8f700001
! No record matches.
$ audit --event sign
! Unknown event "sign".
exit 2: audit --help
$ audit --since 2026-13-01
! --since is no time: "2026-13-01". Write 2026-11-21, TIME, yesterday or 12h.
exit 2: audit --help
$ audit --until 1w
! --until is no time: "1w". Write 2026-11-21, TIME, yesterday or 12h.
exit 2: audit --help
$ audit something
! audit does not take "something".
exit 2: audit --help
$ audit --limit 0
! --limit is a number from 1 to 1000000, not "0".
exit 2: audit --help
$ audit verify
${HOLDS}
${ALONE}
$ audit verify --head 2:x
! --head is a number and a digest, 12345:DIGEST, as audit verify and the log print them.
exit 2: audit verify --help
$ audit export --after x
! --after is the number of a record, or number and digest: 12345:DIGEST.
exit 2: audit export --help
$ audit export --after 9
! There is no record 9: the last one is 3.
! Either its end was cut off (hygie audit verify --head N:DIGEST), or the number is of another database.
exit 1
$ audit verify DIR/nothing
! DIR/nothing cannot be read (ENOENT).
exit 1`,
      { noon: '2026-01-01T12:00:00Z' },
    );
    const ago = async (time: string) =>
      (await hygie(['audit', '--json', '--since', time])).stdout.split('\n').filter(Boolean).length;
    expect([await ago('10000d'), await ago('60s'), await ago('60m'), await ago('1h')]).toEqual([3, 0, 0, 0]);
  });

  it('SEC-67 audit verify and export, of what was changed', async () => {
    for (const name of ['a', 'b', 'c'])
      await hygie(['accounts', 'add', '--email', `${name}@n.example`, '--name', name]);
    const { stdout } = await hygie(['audit', 'export']);
    const lines = stdout.split('\n');
    file('whole', stdout);
    file('later', lines.slice(1).join('\n'));
    file('gap', [lines[0], lines[2], ''].join('\n'));
    file('torn', [lines[0], '', '{"sequence":0}'].join('\n'));
    file('empty', '\n');
    file('edited', stdout.replace(/("sequence":2,.*)operator:/, '$1operator:x'));
    const { head } = JSON.parse((await hygie(['audit', 'verify', '--json'])).stdout);
    const [, digest = ''] = head.split(':');
    await says(
      `$ audit verify DIR/whole
${HOLDS}
${ALONE}
$ audit verify DIR/whole --head {head}
${HOLDS}
$ audit verify DIR/whole --head 3:{another}
> record 3 (TIME, account.added): another record than the one whose digest was kept elsewhere: rewritten
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
${UNSEALED}
exit 1
$ audit verify DIR/whole --head 5:{digest}
> record 4: missing, and all up to 5: the end is cut off
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
${UNSEALED}
exit 1
$ audit verify DIR/later
> The chain holds: each record follows from the one before. Records: 2, 2 to 3.
> Head: 3:DIGEST
! The file begins with record 2. It names the last digest of the file before, which has the earlier records.
${UNSEALED}
${ALONE}
$ audit verify DIR/later --head 1:{digest}
> The chain holds: each record follows from the one before. Records: 2, 2 to 3.
> Head: 3:DIGEST
! The file begins with record 2. It names the last digest of the file before, which has the earlier records.
! Record 1 is not here any more: it could not be compared with --head.
${UNSEALED}
$ audit verify DIR/gap
> record 2: missing (before the record of TIME)
> The chain does not hold. Faults: 1; records: 2, 1 to 3.
${UNSEALED.replace('3', '2')}
${ALONE}
exit 1
$ audit verify DIR/edited
> record 2 (TIME, account.added): changed: its content does not give its digest (or the record before it was changed, and its digest made anew)
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
${UNSEALED}
${ALONE}
exit 1
$ audit verify DIR/torn
! DIR/torn, line 3 is not a record of audit export (cut off?).
exit 1
$ audit verify DIR/empty
! DIR/empty holds no record.
exit 1
$ audit export --after 2:{digest}
! Record 2 has another digest than the one given: the trail was rewritten.
exit 1
$ audit export --after {head}`,
      { head, another: 'A'.repeat(43), digest },
    );
    const records = lines.filter(Boolean).map((line) => JSON.parse(line));
    expect(records.map(({ sequence, event }) => [sequence, event])).toEqual([1, 2, 3].map((n) => [n, 'account.added']));
    expect(records.slice(1).map(({ previous }) => previous)).toEqual(
      records.slice(0, -1).map(({ digest: one }) => one),
    );
    for (const after of ['2', `2:${records[1].digest}`])
      expect(await hygie(['audit', 'export', '--after', after])).toMatchObject({ code: 0, stdout: `${lines[2]}\n` });
    const change = (actor: string) =>
      withoutTriggers(database(), async () => {
        await database()('audit_events').where({ sequence: 2 }).update({ actor });
      });
    await change('operator:nobody');
    await says(`$ audit verify
> record 2 (id 2, TIME, account.added): changed: its content does not give its digest (or the record before it was changed, and its digest made anew)
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
${UNSEALED}
${ALONE}
exit 1
$ audit verify --json
> {"intact":false,"head":"3:DIGEST","first":{"sequence":1,"digest":"DIGEST"},"last":{"sequence":3,"digest":"DIGEST"},"records":3,"sealed":0,"unsealed":3,"unchecked":0,"matched":false,"unsealedUntil":"TIME","pruned":{"sequence":0,"digest":"DIGEST"},"faults":[{"sequence":2,"id":2,"time":"TIME","event":"account.added","problem":"changed: its content does not give its digest (or the record before it was changed, and its digest made anew)"}]}
exit 1`);
  });

  it('SEC-67 an export has the seals of its records, which audit verify checks with the secret', async () => {
    const secret = 'a-secret-of-the-tests-that-opens-nothing';
    const record = { outcome: 'success', actor: 'operator:x', time: '2026-01-01T12:00:00.000Z' } as const;
    await openAuditEvents(database(), [secret]).append([{ ...record, event: 'account.added' }]);
    const { stdout } = await hygie(['audit', 'export']);
    file('sealed', stdout);
    await says(
      `$ HYGIE_KEY_SECRET={secret} audit verify DIR/sealed
> The chain holds: each record follows from the one before. Records: 1, 1 to 1.
> Head: 1:DIGEST
${ALONE}`,
      { secret },
    );
  });
});
