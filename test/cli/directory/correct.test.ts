// Operations: `directory correct` and `directory corrections`: what they take, refuse, list and record (issue item "Corrections by the
// operator").

import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { endExpired, listCorrections } from '#store/snapshots/corrections.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('corrections by command', () => {
  const JEANNE = '819000000018';
  const MAILBOX = 'j.martin@mssante.example';
  const mailbox = (address: string) => ({ 0: 'PER', 1: address, 4: JEANNE, 9: 'MARTIN', 10: 'Jeanne' });

  let place: Installation;
  let hygie: Installation['hygie'];
  let database: Database;
  const begin = (installed: Installation) => {
    place = installed;
    hygie = inProcess(place);
    place.configure('service.yaml', 'namespace: https://hygie.example\n');
  };
  // Each test has a copy of what was loaded once.
  let loadedOnce: string;
  beforeAll(async () => {
    begin(await migratedInstallation());
    await load(MAILBOX);
    loadedOnce = join(place.folder, 'data');
  });
  beforeEach(() => {
    begin(installation());
    cpSync(loadedOnce, join(place.folder, 'data'), { recursive: true });
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  });
  afterEach(() => database.destroy());

  let loaded = 0;
  /** Loads an edition in which Jeanne has this mailbox, and her practice a telephone. */
  async function load(address: string) {
    const file = (name: string, text: string) => {
      const path = join(place.folder, `${name}-${++loaded}.txt`);
      writeFileSync(path, text);
      return path;
    };
    const people = file('activities', registerText('activities', [activity({ 40: '0472000001', 43: MAILBOX })]));
    const mailboxes = file('mailboxes', registerText('mailboxes', [mailbox(address)]));
    const outcome = await hygie(['directory', 'import', '--accept', ACCEPTED, people, mailboxes]);
    expect([outcome.code, outcome.stderr.includes('refused')]).toEqual([0, false]);
    return outcome;
  }
  const ACCEPTED = 'partial,names-changed,changed';

  const correct = (...args: string[]) => hygie(['directory', 'correct', ...args]);
  const typed = (line: string) => correct(...line.split(' '));
  const list = async (...args: string[]) =>
    JSON.parse((await hygie(['directory', 'corrections', '--json', ...args])).stdout) as Record<string, unknown>[];
  const events = () =>
    openAuditEvents(database).search({ events: ['directory.corrected', 'directory.correction-ended'], limit: 10 });

  describe('operations: hygie directory correct', () => {
    it('hides a mailbox in any spelling, says how, and records it without the address', async () => {
      const done = await typed('19000000018 --mailbox J.Martin@MSSante.example --reason another --ends 2099-01-31');
      expect(done).toMatchObject({
        code: 0,
        stdout: `Hidden at Practitioner/${JEANNE}: mailbox (correction 1). All instances hide it within seconds.\n`,
      });
      expect(await list()).toEqual([
        {
          id: 1,
          record: `Practitioner/${JEANNE}`,
          what: 'mailbox',
          value: MAILBOX,
          reason: 'another',
          madeBy: expect.stringMatching(/^operator:/),
          madeAt: expect.any(String),
          endsAt: '2099-02-01T00:00:00.000Z',
          name: expect.stringContaining('MARTIN'),
          state: 'in force',
        },
      ]);
      const [event] = await events();
      expect(event).toMatchObject({
        event: 'directory.corrected',
        actor: expect.stringMatching(/^operator:/),
        details: {
          correction: 1,
          record: `Practitioner/${JEANNE}`,
          what: 'mailbox',
          reason: 'another',
          ends: '2099-02-01T00:00:00.000Z',
        },
      });
      expect(JSON.stringify(event)).not.toContain('mssante');
    });

    it('hides several parts at once, all or none, and says where else a mailbox stands', async () => {
      const none = await typed(`Practitioner/${JEANNE} --mailbox all --phone 0199999999 --reason x`);
      expect(none).toMatchObject({ code: 1, stdout: '' });
      expect(none.stderr).toContain(`Practitioner/${JEANNE} has no such phone. It has `);
      expect(none.stderr).toContain(MAILBOX);
      expect(await list('--all')).toEqual([]);
      const done = await typed(`${JEANNE} --mailbox ${MAILBOX} --address lyon --reason private --json`);
      expect(done.code).toBe(0);
      const { corrections, elsewhere } = JSON.parse(done.stdout);
      expect(corrections).toEqual([
        { id: 1, what: 'mailbox' },
        { id: 2, what: 'address' },
      ]);
      expect(elsewhere).toEqual([expect.stringMatching(/^Organization\//)]);
      expect(done.stderr).toContain(`${elsewhere[0]} still shows the same mailbox or telephone`);
      expect(await list()).toMatchObject([{ value: MAILBOX }, { value: 'lyon' }]);
      const [place] = elsewhere;
      expect((await correct(place, '--phone', '+33 4 72 00 00 01', '--reason', 'private')).code).toBe(0);
      expect((await correct(place, '--mailbox', 'all', '--reason', 'private')).stderr).not.toContain('still shows');
      expect(await list()).toMatchObject([{}, {}, { record: place, value: '0472000001' }, { what: 'mailbox' }]);
    });

    it('says where else a mailbox is still shown, however it was hidden', async () => {
      const elsewhere = async (...args: string[]) =>
        JSON.parse((await correct(...args, '--reason', 'of another', '--json')).stdout).elsewhere;
      const [practice = ''] = await elsewhere(JEANNE, '--mailbox', MAILBOX.toUpperCase());
      expect(practice).toMatch(/^Organization\//);
      expect(await elsewhere(JEANNE, '--mailbox', 'all')).toEqual([practice]);
      expect(await elsewhere(JEANNE)).toEqual([practice]);
      expect(await elsewhere(practice, '--mailbox', 'all')).toEqual([]);
      expect((await correct('--end', '1,2,3')).code).toBe(0);
      expect(await elsewhere(JEANNE)).toEqual([]);
    });

    it.each<[string, string[], number, RegExp]>([
      ['no record', ['--reason', 'x'], 2, /needs a record, or --end/],
      ['no reason', [JEANNE], 2, /needs --reason/],
      ['a reason without a word', [JEANNE, '--reason', ' \n'], 2, /--reason is a text of 1 to 1000 characters/],
      ['a reason of many pages', [JEANNE, '--reason', 'x'.repeat(1001)], 2, /--reason is a text of 1 to 1000 char/],
      ['a record that is not there', ['Practitioner/1', '--reason', 'x'], 1, /has no Practitioner\/1/],
      ['another type', [`PractitionerRole/${JEANNE}`, '--reason', 'x'], 1, /Write Practitioner\/ID/],
      ['another address', [JEANNE, '--address', 'paris', '--reason', 'x'], 1, /has no such address. It has .*Lyon/],
      ['an address of no word', [JEANNE, '--address', '--', '--reason', 'x'], 2, /--address/],
      ['a day that is over', [JEANNE, '--reason', 'x', '--ends', '2020-01-01'], 2, /is over/],
      ['a day that is none', [JEANNE, '--reason', 'x', '--ends', '2099-13-01'], 2, /does not exist/],
      ['a day that the month does not have', [JEANNE, '--reason', 'x', '--ends', '2099-02-30'], 2, /does not exist/],
      ['another form of day', [JEANNE, '--reason', 'x', '--ends', 'soon'], 2, /a day such as/],
      ['the end of none', ['--end', '7'], 1, /No correction 7 is in force/],
      ['the end of one and a record', ['--end', '7', JEANNE], 2, /--end does not go with 819/],
      ['the end of one and a part', ['--end', '7', '--mailbox', 'all'], 2, /--end does not go with --mailbox/],
      ['the end of one and a day', ['--end', '7', '--ends', '2099-01-01'], 2, /--end does not go with --ends/],
      ['the end of a word', ['--end', 'all'], 1, /No correction all is in force/],
    ])('refuses %s', async (_, args, code, message) => {
      const refused = await correct(...args);
      expect(refused).toMatchObject({ code, stdout: '' });
      expect(refused.stderr).toMatch(message);
      expect(await list('--all')).toEqual([]);
      expect(await events()).toEqual([]);
    });

    it('refuses what is hidden already, and more than a thousand', async () => {
      expect((await correct(JEANNE, '--reason', 'objection')).code).toBe(0);
      const twice = await correct(JEANNE, '--reason', 'again');
      expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('hidden already, by correction 1') });
      const row = { record: 'Practitioner/1', what: 'record', reason: 'x', made_by: 'operator:ops', made_at: 1 };
      await database.batchInsert(
        'directory_corrections',
        Array.from({ length: 999 }, () => row),
        100,
      );
      const full = await correct(JEANNE, '--mailbox', 'all', '--reason', 'one too many');
      expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining('1000 corrections are in force') });
    });

    it('refuses where the file of the edition in force cannot be read, and names it', async () => {
      const folder = join(place.folder, 'data', 'directory');
      const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.sqlite'));
      rmSync(join(folder, name));
      const refused = await correct(JEANNE, '--reason', 'x');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`${name}, is missing here, damaged`) });
    });

    it('refuses where no edition is imported', async () => {
      const other = await migratedInstallation();
      other.configure('service.yaml', 'namespace: https://hygie.example\n');
      const empty = inProcess(other);
      const refused = await empty(['directory', 'correct', JEANNE, '--reason', 'x']);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('No edition of the directory is imported'),
      });
      expect(await empty(['directory', 'corrections'])).toMatchObject({ code: 0, stderr: '' });
    });
  });

  describe('operations: hygie directory corrections', () => {
    it('says what the register has mended, through imports and rollbacks, and ends that', async () => {
      await correct(JEANNE, '--mailbox', MAILBOX, '--reason', 'of another');
      await correct(JEANNE, '--address', 'all', '--reason', 'private');
      const imported = await load('jeanne.martin@mssante.example');
      expect(imported.stderr).toContain('1 correction is mended by the edition in force');
      expect((await list()).map(({ state }) => state)).toEqual(['mended', 'in force']);
      const { stdout } = await hygie(['directory', 'corrections']);
      expect(stdout).toMatch(
        /^id +state +record +name +hidden +value +since +ends +by +reason\n1 +mended +Practitioner/,
      );
      expect(stdout).toContain('directory correct --end mended');
      expect((await hygie(['directory', 'rollback'])).code).toBe(0);
      expect((await list()).map(({ state }) => state)).toEqual(['in force', 'in force']);
      expect(await correct('--end', 'mended')).toMatchObject({ code: 0, stdout: 'No correction is mended.\n' });
      expect((await hygie(['directory', 'rollback'])).code).toBe(0);
      expect(await correct('--end', 'mended', '--json')).toMatchObject({
        code: 0,
        stdout: '{\n  "ended": [\n    1\n  ]\n}\n',
      });
      expect((await list()).map(({ id }) => id)).toEqual([2]);
      expect(await list('--all')).toMatchObject([{ id: 1, state: 'ended', endedBy: expect.any(String) }, { id: 2 }]);
      expect((await events()).at(-1)).toMatchObject({
        event: 'directory.correction-ended',
        details: { correction: 1 },
      });
    });

    it('ends by number, with a reason of its own, and not twice', async () => {
      await correct(JEANNE, '--mailbox', 'all', '--reason', 'of another');
      await correct(JEANNE, '--address', 'all', '--reason', 'private');
      const half = await correct('--end', '1,3');
      expect(half).toMatchObject({ code: 1, stderr: expect.stringContaining('No correction 3 is in force') });
      expect(await correct('--end', '1,2', '--reason', 'agreed')).toMatchObject({
        code: 0,
        stdout: 'Ended: 1, 2. What they hid is shown again within seconds.\n',
      });
      expect((await correct('--end', '1')).code).toBe(1);
      const reasons = (await events()).map(({ details }) => details?.['reason']);
      expect(reasons).toEqual(['of another', 'private', 'agreed', 'agreed']);
    });

    it('is over when its time has come, whether or not that is marked', async () => {
      await correct(JEANNE, '--reason', 'objection', '--ends', '2099-01-01');
      const ends_at = Math.floor(Date.now() / 1000) - 5;
      await database('directory_corrections').update({ ends_at });
      expect(await list()).toEqual([]);
      expect(await list('--all')).toMatchObject([{ state: 'expired' }]);
      expect(await endExpired(database)).toMatchObject([{ id: 1, endedAt: new Date(ends_at * 1000) }]);
      expect(await endExpired(database)).toEqual([]);
      expect(await listCorrections(database)).toMatchObject([{ endedAt: new Date(ends_at * 1000) }]);
      expect(await list('--all')).toMatchObject([{ state: 'expired' }]);
    });
  });
});
