// Operations: `directory import PATH... [--dry-run] [--json]`, `status`, `rollback`; data to standard output, talk to standard
// error, exit codes 0, 1 and 2; a bar on a terminal and a line every few seconds elsewhere.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { directoryCommands } from '#support/cli/directory-commands.ts';
import { err, out } from '#support/cli/in-process.ts';
import { activity, registerText } from '#support/import/register-files.ts';

describe('directory commands', () => {
  const { folder, file, connect, hygie } = directoryCommands();

  const first = registerText('activities', [activity()]);
  const second = registerText('activities', [
    activity({ 8: 'Zoé' }),
    activity({ 1: '19000000026', 2: '819000000026' }),
  ]);

  /** Puts a register in force. */
  const load = async (name: string, text: string) =>
    expect(await hygie('directory', 'import', '--accept', 'partial', file(name, text))).toBe(0);
  const bad = () => file('bad.txt', registerText('activities', [activity({ 2: 'X' })]));

  describe('operations: hygie directory', () => {
    it('counts a Bundle in entries, and names the entry that was left out', async () => {
      const good = Array.from({ length: 200 }, (_, index) => ({ resourceType: 'Practitioner', id: `p${index}` }));
      const bundle = { resourceType: 'Bundle', entry: [{}, ...good.map((resource) => ({ resource }))] };
      const path = file('bundle.json', JSON.stringify(bundle));
      expect(await hygie('directory', 'import', '--accept', 'other-people,partial', '--dry-run', path)).toBe(0);
      expect(out).toContain('fhir: 201 entries, 1 left out\n');
      expect(out).toContain('bundle.json, entry 1: entry without resource');
    });

    it('prints what becomes of every column, as the page in config/ has it', async () => {
      expect(await hygie('directory', 'columns')).toBe(0);
      expect(out).toBe(readFileSync(join(import.meta.dirname, '../../../config/directory-columns.md'), 'utf8'));
      expect(await hygie('directory', 'columns', '--json')).toBe(0);
      expect(JSON.parse(out)[0].columns[2]).toEqual({
        column: 'Identification nationale PP',
        to: 'Practitioner.id, Practitioner.identifier',
        omitted: null,
      });
      expect(await hygie('directory', 'columns', 'activities')).toBe(2);
    });

    it('reports as JSON, and what changed', async () => {
      await load('a.txt', first);
      expect(await hygie('directory', 'import', '--accept', 'partial', '--json', file('b.txt', second))).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        outcome: 'imported',
        resources: { Practitioner: 2, Organization: 1, PractitionerRole: 2 },
        changes: { Practitioner: { added: 1, changed: 1, unchanged: 0, removed: 0 } },
      });
    });

    it('shows the last refusal with its reasons and how it is accepted', async () => {
      await load('a.txt', first);
      expect(await hygie('directory', 'import', '--accept', 'partial', bad())).toBe(1);
      expect(await hygie('directory', 'status')).toBe(0);
      expect(out).toMatch(/\nThe last edition was refused .*\n {2}unusable-lines [\s\S]*\n {2}If all .* --accept \S+ /);
    });

    it('SEC-48 what became of the directory, and by whom, is in the audit trail', async () => {
      await load('a.txt', first);
      await load('b.txt', second);
      await hygie('directory', 'rollback');
      for (const more of [['--dry-run'], ['--accept', 'partial']]) await hygie('directory', 'import', ...more, bad());
      await hygie('directory', 'import', '--accept', 'partial', join(folder, 'absent'));
      const database = connect();
      const records = await openAuditEvents(database).search({ limit: 100 });
      await database.destroy();
      expect(new Set(records.map(({ actor }) => actor.split(':')[0]))).toEqual(new Set(['operator']));
      const of = (event: string) => records.find((record) => record.event === event)?.details;
      expect(of('directory.imported')).toMatchObject({ snapshot: expect.any(String), Practitioner: 1 });
      expect(of('directory.rolled-back')).toMatchObject({ current: expect.any(String), previous: expect.any(String) });
      const refusals = records.flatMap(({ event, details }) => (event === 'directory.refused' ? [details] : []));
      // A dry run is none of them.
      expect(refusals).toEqual([
        { guards: expect.arrayContaining([expect.stringMatching(/^unusable-lines \(activities\): .*bad\.txt/)]) },
        { reason: expect.stringContaining('absent: there is no such file or folder') },
      ]);
    });

    it('the edition in force, imported again after a refusal, is kept: recorded once, and the refusal is forgotten', async () => {
      await load('a.txt', first);
      await hygie('directory', 'import', bad());
      const { refused, snapshots, current } = await status();
      expect(refused).not.toBeNull();
      const again = () => hygie('directory', 'import', '--json', '--accept', 'partial', join(folder, 'a.txt'));
      expect(await hygie('directory', 'import', '--dry-run', '--accept', 'partial', join(folder, 'a.txt'))).toBe(0);
      expect((await status()).refused).not.toBeNull();
      for (const _time of [1, 2]) {
        expect(await again()).toBe(0);
        expect(JSON.parse(out).outcome).toBe('unchanged');
      }
      expect(await status()).toMatchObject({ refused: null, current, snapshots: snapshots.map(({ id }) => ({ id })) });
      const database = connect();
      const records = await openAuditEvents(database).search({ limit: 100 });
      await database.destroy();
      expect(records.slice(-2).map(({ event }) => event)).toEqual(['directory.refused', 'directory.kept']);
      async function status(): Promise<{ refused: object | null; current: string; snapshots: { id: string }[] }> {
        await hygie('directory', 'status', '--json');
        return JSON.parse(out);
      }
    });

    it('--json prints a judgement in every ending', async () => {
      await load('a.txt', first);
      const judged = async (...args: string[]) => {
        const code = await hygie('directory', 'import', '--json', ...args);
        return { code, ...JSON.parse(out) };
      };
      const missing = await judged(join(folder, 'absent'));
      expect(missing).toMatchObject({ code: 1, outcome: 'refused', judgement: { verdict: 'refused' } });
      expect(missing.judgement.reasons).toEqual([expect.stringContaining('absent: there is no such file or folder')]);
      await hygie('directory', 'import', join(folder, 'absent'));
      expect(out).toMatch(/^Refused: the directory is unchanged\.\nJudgement: refused\n {2}.*absent: there is no/);
      expect(await judged('--dry-run', '--accept', 'partial', file('b.txt', second))).toMatchObject({
        code: 0,
        outcome: 'checked',
        judgement: {
          verdict: 'accepted with warnings',
          registers: [expect.objectContaining({ register: 'activities' })],
        },
      });
    });

    it('an edition that is there already is judged as it was, and other people are a reason that is named', async () => {
      await load('a.txt', first);
      const third = registerText('activities', [activity({ 8: 'Léa' })]);
      const again = () =>
        hygie('directory', 'import', '--json', '--accept', 'other-people,partial', file('c.txt', third));
      expect(await again()).toBe(0);
      const loaded = JSON.parse(out);
      const named = expect.stringMatching(/other-people: nothing was compared with snapshot \S+ before$/);
      expect(loaded.judgement.reasons).toContainEqual(named);
      const database = connect();
      const records = await openAuditEvents(database).search({ limit: 100 });
      await database.destroy();
      const imported = records.find(({ details }) => details?.['snapshot'] === loaded.snapshot);
      expect(imported?.details?.['accepted']).toContainEqual(named);
      expect(await again()).toBe(0);
      const { outcome, judgement, resources } = JSON.parse(out);
      expect({ outcome, judgement, resources }).toEqual({
        outcome: 'unchanged',
        judgement: loaded.judgement,
        resources: loaded.resources,
      });
      await hygie('directory', 'import', join(folder, 'c.txt'));
      expect(out).toMatch(/^Nothing to do: .*\nJudgement: accepted with warnings\n[\s\S]*\n {2}Practitioner {5}1\n/);
    });

    it('--json: wrong usage prints a judgement too', async () => {
      for (const words of [
        ['--accept', 'nothing'],
        ['--settle', '60s'],
        ['--accept', 'registers:nothing'],
        ['--nothing'],
        ['--settle', 'abc'],
        ['--watch'],
        [],
      ]) {
        const paths = words.length > 0 ? [folder] : [];
        expect(await hygie('directory', 'import', '--json', ...words, ...paths)).toBe(2);
        expect(JSON.parse(out)).toMatchObject({ outcome: 'refused', judgement: { verdict: 'refused' } });
        expect(JSON.parse(out).judgement.reasons[0]).toBe(err.split('\n')[0]);
      }
    });
  });
});
