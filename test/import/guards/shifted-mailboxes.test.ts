// Mailboxes of others, in files as they are published: a shifted part of the column is refused by name, a single one is named.

import { describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { createDraw } from '#support/draw.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

const PEOPLE = 800;
const SYLLABLES = ['bar', 'cho', 'dum', 'fel', 'gui', 'jau', 'lem', 'mor', 'nav', 'pel', 'rou', 'sau', 'tes', 'vig'];
const GIVEN = ['Anne', 'Bruno', 'Claire', 'Denis', 'Elise', 'Franck', 'Gilles', 'Helene', 'Irene', 'Karim', 'Louise'];

const draw = createDraw(81);
const people = Array.from({ length: PEOPLE }, (_, index) => ({
  rpps: String(19000000000 + index * 7),
  family: [index, index / 14, index / 196]
    .map((at) => SYLLABLES[Math.floor(at) % 14])
    .join('')
    .toUpperCase(),
  given: draw.one(GIVEN),
}));
const ownAddresses = people.map(({ family, given }, index) => `${given}.${family}.${index}@medecin.mssante.example`);

/** The addresses where those of some lines stand one line lower. */
function shifted(from: number, to: number): string[] {
  return ownAddresses
    .with(from, ownAddresses[to - 1] as string)
    .map((address, index) => (index > from && index < to ? (ownAddresses[index - 1] as string) : address));
}

describe('SEC-81 directory data 4: mailboxes of others', () => {
  const bench = openedForEach(openBench);

  const load = (addresses: readonly string[], accept: string[] = []) => {
    const lines = people.map(({ rpps, family, given }, index) =>
      activity({ 1: rpps, 7: family, 8: given, 23: `R${20_000 + (index % 300)}`, 24: `CABINET ${index % 300}` }),
    );
    const boxes = people.map(({ rpps, family, given }, index) => ({
      0: 'PER',
      1: addresses[index] as string,
      2: '8',
      3: rpps,
      4: `8${rpps}`,
      9: family,
      10: given,
      13: '10',
      14: 'Médecin',
    }));
    const files = [
      bench.file('pa.txt', registerText('activities', lines)),
      bench.file('mss.txt', registerText('mailboxes', boxes)),
    ];
    return bench.run(files, {
      accept: accept.map((reason) => {
        const [name = '', register] = reason.split(':');
        return { name, ...(register !== undefined && { register }) };
      }),
    });
  };
  const refusals = ({ guards }: ImportReport) =>
    guards.filter(({ passed, accepted }) => !passed && !accepted).map(({ name, register }) => `${name}:${register}`);
  const said = ({ judgement }: ImportReport) => judgement.reasons.join('\n');

  it('200 lines that are shifted by one are refused at a first import, with their lines and both names', async () => {
    const report = await load(shifted(300, 500));
    expect(refusals(report)).toEqual(['pairs:mailboxes']);
    const [, from, to] = /in lines (\d+) to (\d+) of \S+mss\.txt/.exec(said(report)) ?? [];
    expect([Number(from), Number(to)]).toEqual([expect.closeTo(302, -2), expect.closeTo(501, -2)]);
    expect(said(report)).toMatch(
      /such as "\w+\.\w+\.\d+@medecin\.mssante\.example" beside "[A-Z]+ \w+" \(line \d{3}\)/,
    );
    expect(report.judgement.acceptedBy).toBe('--accept pairs:mailboxes');
  });

  it('and 120 at a renewal; what was accepted passes the next time, and the mended file, too', async () => {
    expect((await load(ownAddresses)).outcome).toBe('imported');
    expect(refusals(await load(shifted(300, 420)))).toEqual(['pairs:mailboxes']);
    expect((await load(shifted(300, 420), ['pairs:mailboxes'])).outcome).toBe('imported');
    expect(refusals(await load(shifted(302, 420)))).toEqual([]);
    expect(refusals(await load(ownAddresses))).toEqual([]);
  });

  it('a single one is loaded, counted and named with both people', async () => {
    const [other, owner] = [people[700], people[20]];
    const report = await load(ownAddresses.with(20, ownAddresses[700] as string));
    expect(report.outcome).toBe('imported');
    expect(report.warnings.filter(({ kind }) => kind === 'mailbox-of-another')).toMatchObject([{ count: 1 }]);
    expect(report.judgement.doubtful).toEqual([
      {
        kind: 'mailbox-of-another',
        reference: `Practitioner/8${owner?.rpps}`,
        reason: `"${ownAddresses[700]}" beside "${owner?.family} ${owner?.given}" (${bench.folder}/mss.txt, line 22); Practitioner/8${other?.rpps} is "${other?.family} ${other?.given}"`,
      },
    ]);
  });

  it('an address with a name that nobody has is said to be one', async () => {
    const report = await load(ownAddresses.with(20, 'zoe.unknown@medecin.mssante.example'));
    expect(report.judgement.doubtful).toMatchObject([{ reason: expect.stringMatching(/; nobody has that name$/) }]);
  });
});
