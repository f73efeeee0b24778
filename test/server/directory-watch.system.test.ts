// operations.md, renewal: `directory import --watch FOLDER` and `directory.watch` pick up new editions by themselves, with
// real processes and files that arrive as downloads do.

import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { openDatabase } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { takeImportLock } from '#store/snapshots/import-lock.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { launch, type Serving, serve } from '#support/cli/serving.ts';
import { activity, registerText } from '#support/import/register-files.ts';

/** Processes start, import several editions and wait until files have settled. */
const SLOW = 60_000;

const MAIL = 'mail: { host: smtp.clinic.example, from: connect@clinic.example, operator: it@clinic.example }';
const JSON_LOG = { LOG_FORMAT: 'json' };
const name = (register: string, day: string) => `PS_LibreAcces_${register}_202610${day}0830.txt`;
const people = (count: number, given: string, ...others: ReturnType<typeof activity>[]) =>
  registerText('activities', [
    ...Array.from({ length: count }, (_, index) => activity({ 1: String(19000000000 + index), 8: given })),
    ...others,
  ]);

let place: Installation;
let incoming: string;
let watching: Omit<Serving, 'port'> | undefined;

const put = (file: string, text: string) => writeFileSync(join(incoming, file), text);
const lines = (message: string): Record<string, unknown>[] =>
  (watching?.output() ?? '')
    .split('\n')
    // What stands behind the last end of a line may be on its way still.
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg.includes(message));
/** Waits for the n-th line of the log with this message. */
const logged = async (message: string, count = 1) => {
  await watching?.outputMatching(new RegExp(`("msg":"[^"]*${message}[^\\n]*\\n[^]*){${count}}`));
  return lines(message)[count - 1];
};

beforeEach(() => {
  place = installation();
  incoming = join(place.folder, 'incoming');
  mkdirSync(incoming);
});
afterEach(async () => {
  watching?.child.kill('SIGKILL');
  await watching?.ended;
});

describe('operations.md: directory import --watch', () => {
  const dataFolder = () => join(place.folder, 'data');
  const open = () => openDatabase({ engine: 'sqlite', file: join(dataFolder(), 'hygie.sqlite') });
  const current = async () => {
    const database = open();
    const pointer = await readPointer(database);
    await database.destroy();
    return pointer.current;
  };
  const leftovers = () =>
    readdirSync(dataFolder(), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /directory-import-|unfinished|pending|holder/.test(file),
    );

  it(
    'loads what arrives, refuses what is broken, waits for others, and ends cleanly',
    async () => {
      place.configure('service.yaml', ['directory: { guards: { expected: [], coverage: 1 } }', MAIL].join('\n'));
      const database = open();
      await migrate(database);
      const watch = ['directory', 'import', '--watch', incoming, '--settle', '0.4'];
      const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
      watching = launch(place, watch, { ...JSON_LOG, ...production });
      await logged('watching for new editions');

      // In pieces, as curl writes, and under another name first, as browsers do. That they may take their time:
      // `test/import/watch/watch.test.ts`, whose clock is no machine's.
      const whole = people(30, 'Zoé');
      for (let at = 0; at < 5; at++) {
        const piece = whole.slice((at * whole.length) / 5, ((at + 1) * whole.length) / 5);
        appendFileSync(join(incoming, name('Personne_activite', '08')), piece);
        appendFileSync(join(incoming, `${name('SavoirFaire', '08')}.part`), 'not complete');
      }
      writeFileSync(
        join(incoming, `${name('SavoirFaire', '08')}.part`),
        registerText('skills', [{ 2: '819000000000' }]),
      );
      // Of the same register by its content only, and by its name of the future.
      put('skills_209901010000.txt', registerText('skills', [{ 2: '819000000001' }]));
      renameSync(join(incoming, `${name('SavoirFaire', '08')}.part`), join(incoming, name('SavoirFaire', '08')));
      const first = await logged('imported: the directory was switched');
      expect(first).toMatchObject({ resources: { Practitioner: 30 }, changes: { Practitioner: { added: 30 } } });
      expect(first).toMatchObject({ level: 'warn', verdict: 'accepted with warnings', reasons: [expect.any(String)] });
      expect(await current()).toBe(first?.['snapshot']);
      expect(lines('an import begins')).toHaveLength(1);
      expect(lines('with an impossible date are passed over')).toMatchObject([
        { files: [expect.stringMatching(/skills_209901010000\.txt: its date, 2099-01-01T00:00, is in the future/)] },
      ]);

      put(name('Personne_activite', '09'), people(30, 'Léa').slice(0, -300));
      const refused = await logged('the import is refused');
      const reason = expect.stringMatching(/_202610090830\.txt, line 30: .*truncated/);
      expect(refused?.['reasons']).toEqual([reason]);
      const audited = await openAuditEvents(database).search({ events: ['directory.refused'], limit: 10 });
      expect(audited).toMatchObject([{ actor: 'service', details: { reason } }]);
      const mails = await database('mail_queue').where({ kind: 'operator' });
      expect(mails).toMatchObject([{ address: 'it@clinic.example', details: expect.stringContaining('truncated') }]);
      expect(await current()).toBe(first?.['snapshot']);
      expect(lines('older editions are passed over')[0]).toMatchObject({ files: [name('Personne_activite', '08')] });

      // Taken out, it leaves the edition in force, which is kept.
      rmSync(join(incoming, name('Personne_activite', '09')));
      await logged('the directory holds this edition already');
      const kept = await openAuditEvents(database).search({ events: ['directory.kept'], limit: 10 });
      expect(kept).toMatchObject([{ actor: 'service' }]);

      const [number = ''] = DEMO_ACCOUNTS[0]?.practitioners ?? [];
      put(name('Personne_activite', '09'), people(30, 'Léa', activity({ 1: number.slice(1), 2: number })));
      const fictional = await logged('the import is refused', 2);
      expect(fictional?.['reasons']).toContainEqual(
        expect.stringMatching(/^people: .*fictional people .*production refuses/),
      );
      expect(await current()).toBe(first?.['snapshot']);

      // Another import is under way: an operator's, by hand.
      const lock = await takeImportLock(dataFolder(), database);
      put(name('Personne_activite', '09'), people(30, 'Léa'));
      expect(await logged('another import is under way')).toMatchObject({
        level: 'warn',
        holder: expect.stringContaining(`process ${process.pid} on `),
      });
      await lock.release();
      const second = await logged('imported: the directory was switched', 2);
      expect(second).toMatchObject({ changes: { Practitioner: { added: 0, changed: 30 } } });

      // The next day: asked to stop in the middle, which the log shows too late.
      put(name('Personne_activite', '10'), people(6000, 'Ida'));
      const begun = () => readdirSync(dataFolder()).some((file) => file.startsWith('directory-import-'));
      // Or it has ended already, on a machine that was busy with something else.
      while (!begun() && lines('imported: the directory').length < 3) await setTimeout(2);
      watching.child.kill('SIGTERM');
      expect(await watching.ended).toBe(0);
      // Whichever came first, the directory is a whole one.
      const last = lines('the import is abandoned').length === 1 ? second : lines('imported: the directory')[2];
      expect(await current()).toBe(last?.['snapshot']);
      expect(leftovers()).toEqual([]);
      await database.destroy();
    },
    SLOW,
  );
});

describe('operations.md: directory.watch in service.yaml', () => {
  it(
    'the service loads editions beside its workers, and the watch ends with the service',
    async () => {
      place.configure(
        'service.yaml',
        'demo: false\ndirectory: { watch: ../incoming, settle: 1s, guards: { expected: [] } }',
      );
      watching = await serve(place, { ...JSON_LOG, HYGIE_PROCESSES: '2' });
      await logged('watching for new editions');
      expect(lines('watching for new editions')).toHaveLength(1);
      put(name('Personne_activite', '08'), people(30, 'Zoé'));
      const { snapshot } = (await logged('imported: the directory was switched')) ?? {};
      expect(await logged('the directory is served', 2)).toMatchObject({ snapshot });

      watching.child.kill('SIGTERM');
      expect(await watching.ended).toBe(0);
      expect(lines('the watch has ended')).toHaveLength(1);
    },
    SLOW,
  );

  it.each([
    ['../absent', /directory\.watch.*absent: There is no such folder\./s],
    ['..', /directory\.watch.*Holds the data folder/s],
  ])('check refuses %s', async (watch, reason) => {
    place.configure('service.yaml', `directory: { watch: ${watch} }`);
    const outcome = await inProcess(place)(['check']);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(reason);
  });
});
