// Guards on a finished snapshot: what is found in it again, whose the mailboxes of others are, and whether a rollback left the edition.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { guardUnattended } from '#import/guards/editions.ts';
import { checkFinished } from '#import/guards/finished-snapshot.ts';
import { hygie } from '#shared/operator-messages.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { told } from '#support/import/judged-edition.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForAll } from '#support/opened.ts';

describe('guards on a finished snapshot', () => {
  const bench = openedForAll(openBench);
  let entry: SnapshotEntry;
  let file: string;
  beforeAll(async () => {
    const people = [
      activity(),
      activity({ 1: '19000000026', 7: 'PETIT', 8: 'Zoé Anne' }),
      activity({ 1: '19000000034' }),
    ];
    await bench.run([bench.file('pa.txt', registerText('activities', people))]);
    entry = (await findCurrentSnapshot(bench.database)) as SnapshotEntry;
    file = join(snapshotFolder(bench.dataFolder), entry.file);
  });
  const canary = (id: string, name?: string, identifier?: string) => ({
    type: 'Practitioner' as const,
    id,
    sortKey: '',
    resource: { resourceType: 'Practitioner', id },
    index: {
      ...(name !== undefined && { name: [name] }),
      ...(identifier !== undefined && { identifier: [identifier] }),
    },
  });
  const check = (canaries: ReturnType<typeof canary>[], people?: string) =>
    checkFinished(file, { canaries: canaries as never, doubtful: [] }, async () => people);

  it('resources are found by id, identifier and name together', async () => {
    const found = [
      canary('819000000018', 'MARTIN\nJeanne', '19000000018'),
      canary('819000000026'),
      canary('819000000026', '-'),
    ];
    expect(told(await check(found))).toEqual(['passed: canaries: 3 of 3 sample resources found again']);
    const lost = ['a', 'b', 'c', 'd'].map((id) => canary(id));
    const others = [canary('819000000018', 'PETIT'), canary('819000000018', 'MARTIN', '19000000026')];
    expect(told(await check([...found, ...others, ...lost]))).toEqual([
      'refused: canaries: 3 of 9 sample resources found again; lost: Practitioner/819000000018, Practitioner/819000000018, Practitioner/a, Practitioner/b, Practitioner/c',
    ]);
  });

  it('people who may not be served are a fault of their own', async () => {
    expect(told(await check([], 'fictional people'))).toEqual([
      'passed: canaries: 0 of 0 sample resources found again',
      'refused: people: fictional people',
    ]);
  });

  it('the first 200 mailboxes with another name are given the person of that name', async () => {
    const doubt = (local: string, reference = 'Practitioner/1', kind = 'mailbox-of-another') => ({
      kind,
      reference,
      reason: `"${local}@x.example" beside "DURAND Luc"`,
    });
    const doubtful = [
      doubt('petit.zoe.3'),
      doubt('martin.jeanne', 'Practitioner/819000000018'),
      doubt('nobody.here'),
      doubt('martin'),
      doubt('m.martin'),
      doubt('petit.zoe', 'Practitioner/1', 'fused-people'),
      ...Array.from({ length: 194 }, () => doubt('martin')),
      doubt('petit.zoe'),
      doubt('petit.zoe'),
    ];
    const before = doubtful.map(({ reason }) => reason);
    await checkFinished(file, { canaries: [], doubtful: doubtful as never }, async () => undefined);
    const added = doubtful.map(({ reason }, at) => reason.slice(before[at]?.length));
    const petit = '; Practitioner/819000000026 is "PETIT Zoé Anne"';
    expect(added.slice(0, 6)).toEqual([
      ...[petit, '; Practitioner/819000000034 is "MARTIN Jeanne"', '; nobody has that name', '', '', ''],
    ]);
  });

  it('an edition that a rollback left is refused where nobody chose it', async () => {
    const judged = (checksum: string, current?: SnapshotEntry) => guardUnattended(checksum, current, bench.database);
    const fine = ['passed: left-edition: no earlier snapshot holds this edition'];
    expect(told(await judged('other'))).toEqual(fine);
    const left = `refused: left-edition: snapshot ${entry.id} holds this edition and was left, as by a rollback`;
    expect(told(await judged(entry.sourcesChecksum))).toEqual([
      `${left}. If this is meant, import it by hand: ${hygie('directory import PATH...')}`,
    ]);
  });
});
