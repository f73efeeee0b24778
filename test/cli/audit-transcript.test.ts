// operations.md: all that an operator reads of `audit`, `audit verify` and `audit export`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { transcript } from '#support/cli/transcript.ts';

describe('commands, word for word', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  const begin = (installed: Installation) => {
    place = installed;
    hygie = inProcess(place);
  };
  beforeEach(async () => begin(await migratedInstallation()));
  const said = async (...steps: Parameters<typeof transcript>[1]) =>
    (await transcript({ ...place, hygie }, steps))
      .replaceAll(/(?<=^.*(?:RS256|ES256|EdDSA|cookies):? +)[\w-]{16}(?= )/gm, 'KEY')
      .replaceAll(/(fingerprint )[\w-]{16}|(secret: |before: )[\w-]{16}$/gm, '$1$2PRINT')
      .replaceAll(/\b(\d+:)[\w-]{43}/g, '$1DIGEST')
      .replaceAll(/(settings|clients) [0-9a-f]{12}\b/g, '$1 DIGEST')
      .replaceAll(/ +$/gm, '');

  it('audit', async () => {
    const database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
    const at = (day: number, hour = 12) => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
    const record = { outcome: 'failure', actor: 'unknown' } as const;
    await openAuditEvents(database).append([
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
    await database.destroy();
    expect(
      await said(
        'audit',
        'audit --limit 1',
        'audit --since 2026-01-02',
        'audit --until 2026-01-01T12:00:00Z',
        'audit --since "2026-01-01 12:00" --until 2026-01-02T12:00:00+00:00',
        'audit --event sign-in',
        'audit --event sign-in --address 192.0.2.9',
        'audit --address 192.0.2.0/24',
        'audit --client app',
        'audit --client ap',
        'audit --request r1',
        'audit --account nobody@n.example',
        'audit --account 6F1A2C9E-0b7d-4c53-9a41-3d5e8f700001',
        'audit --event sign',
        'audit --since 2026-13-01',
        'audit --until 1w',
        'audit --limit 0',
        'audit verify',
        'audit verify --head 2:x',
        'audit export --after x',
        'audit export --after 9',
        'audit verify DIR/nothing',
      ),
    ).toBe(`$ audit
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
$ audit --until TIME
! No record fits.
$ audit --since "2026-01-01 12:00" --until 2026-01-02T12:00:00+00:00
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
$ audit --event sign-in
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
! 3 more were only counted, in that time: --event audit.counted --event audit.dropped
$ audit --event sign-in --address 192.0.2.9
! No record fits.
! 3 more were only counted, in that time: --event audit.counted --event audit.dropped
$ audit --address 192.0.2.0/24
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS       REQUEST  DETAILS
> TIME  audit.counted  unknown                   192.0.2.0/24           of=sign-in.failed count=3
$ audit --client app
> TIME                      EVENT          ACTOR    ACCOUNT  CLIENT  ADDRESS  REQUEST  DETAILS
> TIME  token.refused  unknown           app                       list=a; b
$ audit --client ap
! No record fits: there is no client "ap" in clients.yaml, and no record of one.
$ audit --request r1
> TIME                      EVENT           ACTOR    ACCOUNT  CLIENT  ADDRESS    REQUEST  DETAILS
> TIME  sign-in.failed  unknown                   192.0.2.7  r1       reason=x tries=2
$ audit --account nobody@n.example
! There is no account "nobody@n.example". One that is gone is found by its UUID.
exit 1
$ audit --account 6F1A2C9E-0b7d-4c53-9a41-3d5e8f700001
! No record fits.
$ audit --event sign
! Unknown event "sign".
! See: hygie audit --help
exit 2
$ audit --since 2026-13-01
! --since is no time: "2026-13-01". Write 2026-11-21, TIME, yesterday or 12h.
! See: hygie audit --help
exit 2
$ audit --until 1w
! --until is no time: "1w". Write 2026-11-21, TIME, yesterday or 12h.
! See: hygie audit --help
exit 2
$ audit --limit 0
! --limit is a number from 1 to 1000000, not "0".
! See: hygie audit --help
exit 2
$ audit verify
> The chain holds: each record follows from the one before. Records: 3, 1 to 3.
> Head: 3:DIGEST
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
! Whether records at the end were removed together with the head, only --head can tell, with a head kept elsewhere.
$ audit verify --head 2:x
! --head is a number and a digest, 12345:DIGEST, as audit verify and the log print them.
! See: hygie audit verify --help
exit 2
$ audit export --after x
! --after is the number of a record, or number and digest: 12345:DIGEST.
! See: hygie audit export --help
exit 2
$ audit export --after 9
! There is no record 9: the last one is 3.
! Either its end was cut off (hygie audit verify --head N:DIGEST), or the number is of another database.
exit 1
$ audit verify DIR/nothing
! DIR/nothing cannot be read (ENOENT).
exit 1`);
    const ago = async (time: string) =>
      (await hygie(['audit', '--json', '--since', time])).stdout.split('\n').filter(Boolean).length;
    expect([await ago('10000d'), await ago('60s'), await ago('60m'), await ago('1h')]).toEqual([3, 0, 0, 0]);
  });

  it('audit verify and export, of what was changed', async () => {
    for (const name of ['a', 'b', 'c'])
      await hygie(['accounts', 'add', '--email', `${name}@n.example`, '--name', name]);
    const { stdout } = await hygie(['audit', 'export']);
    const lines = stdout.split('\n');
    const file = (name: string, text: string) => writeFileSync(join(place.folder, name), text);
    file('whole', stdout);
    file('later', lines.slice(1).join('\n'));
    file('gap', [lines[0], lines[2], ''].join('\n'));
    file('torn', [lines[0], '', '{"sequence":0}'].join('\n'));
    file('empty', '\n');
    const { head } = JSON.parse((await hygie(['audit', 'verify', '--json'])).stdout);
    const [, digest = ''] = head.split(':');
    expect(
      await said(
        'audit verify DIR/whole',
        `audit verify DIR/whole --head ${head}`,
        `audit verify DIR/whole --head 3:${'A'.repeat(43)}`,
        `audit verify DIR/whole --head 5:${digest}`,
        'audit verify DIR/later',
        `audit verify DIR/later --head 1:${digest}`,
        'audit verify DIR/gap',
        'audit verify DIR/torn',
        'audit verify DIR/empty',
        `audit export --after 2:${digest}`,
      ),
    ).toBe(`$ audit verify DIR/whole
> The chain holds: each record follows from the one before. Records: 3, 1 to 3.
> Head: 3:DIGEST
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
! Whether records at the end were removed together with the head, only --head can tell, with a head kept elsewhere.
$ audit verify DIR/whole --head 3:DIGEST
> The chain holds: each record follows from the one before. Records: 3, 1 to 3.
> Head: 3:DIGEST
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
$ audit verify DIR/whole --head 3:DIGEST
> record 3 (TIME, account.added): another record than the one whose digest was kept elsewhere: rewritten
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
exit 1
$ audit verify DIR/whole --head 5:DIGEST
> record 4: missing, and all up to 5: the end is cut off
> The chain does not hold. Faults: 1; records: 3, 1 to 3.
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
exit 1
$ audit verify DIR/later
> The chain holds: each record follows from the one before. Records: 2, 2 to 3.
> Head: 3:DIGEST
! The file begins with record 2: what came before is in the file before, whose last digest it names.
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
! Whether records at the end were removed together with the head, only --head can tell, with a head kept elsewhere.
$ audit verify DIR/later --head 1:DIGEST
> The chain holds: each record follows from the one before. Records: 2, 2 to 3.
> Head: 3:DIGEST
! The file begins with record 2: what came before is in the file before, whose last digest it names.
! Record 1 is not here any more: it could not be compared with --head.
! Records up to 3 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
$ audit verify DIR/gap
> record 2: missing (before id ?, TIME)
> The chain does not hold. Faults: 1; records: 2, 1 to 3.
! Records up to 2 (TIME) have no seal: they were written without HYGIE_KEY_SECRET. Later ones: who owns the database has taken the seals away. Earlier ones: only a head kept elsewhere tells.
! Whether records at the end were removed together with the head, only --head can tell, with a head kept elsewhere.
exit 1
$ audit verify DIR/torn
! DIR/torn, line 3: is no record as audit export prints it (cut off?).
exit 1
$ audit verify DIR/empty
! DIR/empty holds no record.
exit 1
$ audit export --after 2:DIGEST
! Record 2 has another digest than the one given: the trail was rewritten.
exit 1`);
  });
});
