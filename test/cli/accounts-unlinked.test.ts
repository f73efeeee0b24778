// directory-data.md 3 "Practitioner.id ... stable for ever", when it is not (decision 0067): ids that sign-in accounts are linked to
// leave, come back, change and are reused; what operators see of it, and the commands that mend it.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { commandsIn } from '#support/cli/printed-commands.ts';
import { migratedInstallation } from '#support/cli/serving.ts';
import { activity, type Cells, registerText } from '#support/import/register-files.ts';

const GIVEN = ['Anne', 'Benoît', 'Chloé', 'David', 'Élise', 'Fanny'];
const rpps = (index: number) => String(19000000000 + index);
const id = (index: number) => `8${rpps(index)}`;
const [STAYS, LEAVES, REUSED, RENUMBERED, MARRIES, MOVED, RENAMED] = [0, 1, 2, 3, 4, 5, 6] as const;
const [FIRST_WORK, WORK, OLD_WORK, NEW_WORK] = [
  'R20000000000000',
  'R20000000000005',
  'R20000000000006',
  'R29999999999999',
];
const NEW = '819999999999';

/** A person with a structure of their own. */
const person = (index: number): Cells => ({
  1: rpps(index),
  2: id(index),
  7: `FAMILLE${index}`,
  8: GIVEN[index] ?? `Prénom${index}`,
  23: `R2000000000000${index}`.slice(0, 15),
  24: `CABINET ${index}`,
});
const FIRST = Array.from({ length: 40 }, (_, index) => person(index));
const SECOND = FIRST.flatMap((cells, index) => {
  if (index === LEAVES) return [];
  if (index === REUSED) return [{ ...cells, 7: 'AUTRE', 8: 'Zacharie' }];
  if (index === RENUMBERED) return [{ ...cells, 1: NEW.slice(1), 2: NEW }];
  if (index === MARRIES) return [{ ...cells, 7: 'NOUVEAU' }];
  if (index === MOVED) return [{ ...cells, 24: 'PHARMACIE DE LA GARE', 35: '13001' }];
  if (index === RENAMED) return [{ ...cells, 23: NEW_WORK }];
  return [cells];
});

interface Link {
  email: string;
  record: string;
  change: string;
  since: string;
  was?: string;
  now?: string;
  candidate?: string;
  remedies: Record<string, string>;
}

describe('links of accounts', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let day: number;
  beforeEach(async () => {
    place = await migratedInstallation();
    hygie = inProcess(place);
    day = 0;
  });

  const load = (people: readonly Cells[], ...options: string[]) => {
    const folder = join(place.environment['HYGIE_DATA'] ?? '', '..', `edition-${++day}`);
    mkdirSync(folder, { recursive: true });
    const name = `PS_LibreAcces_Personne_activite_2026110${day}0830.txt`;
    writeFileSync(join(folder, name), registerText('activities', people.map(activity)));
    return hygie(['directory', 'import', folder, '--accept', 'partial', '--json', ...options]);
  };
  const list = async (): Promise<Link[]> =>
    JSON.parse((await hygie(['accounts', 'list', '--unlinked', '--json'])).stdout);
  const kinds = async () => (await list()).map(({ email, record, change }) => `${email[0]} ${record} ${change}`).sort();
  const command = (text = '') => hygie(commandsIn(text)[0] ?? []);
  const add = (email: string, ...links: string[]) =>
    hygie(['accounts', 'add', '--email', `${email}@u.example`, '--name', 'N', ...links]);
  const events = async () => {
    const links = ['--event', 'account.link-suspended', '--event', 'account.link-restored'];
    const { stdout } = await hygie(['audit', ...links, '--json']);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .map(({ event, details: { record, change = '' } }) =>
        `${event.replace('account.link-', '')} ${record} ${change}`.trim(),
      );
  };

  it('are suspended by an edition and come back, by rollbacks, by the printed commands, by the edition after', async () => {
    // All hold in the edition in which they were made, but those that it has never held.
    await load(FIRST);
    await add('s', '--practitioner', id(STAYS));
    await add('l', '--practitioner', id(LEAVES), '--practitioner', id(STAYS));
    await add('r', '--practitioner', id(REUSED));
    await add('n', '--practitioner', id(REUSED), '--practitioner', id(RENUMBERED));
    await add('w', '--workspace', OLD_WORK, '--workspace', FIRST_WORK);
    await add('m', '--practitioner', id(MARRIES), '--workspace', FIRST_WORK, '--workspace', WORK);
    await add('f', '--practitioner', '810000000000');
    expect(await kinds()).toEqual(['f Practitioner/810000000000 missing']);

    // An edition that is only looked at, or refused, says what it would suspend, and suspends nothing.
    const dry = JSON.parse((await load(SECOND, '--dry-run')).stdout);
    expect(dry.linkedAccounts).toEqual({
      accounts: 7,
      left: 3,
      other: 3,
      missing: 1,
      changed: { left: 3, other: 3, held: 0 },
    });
    const partial = await load(SECOND.slice(0, 20));
    expect([partial.code, JSON.parse(partial.stdout).linkedAccounts.left]).toEqual([1, 3]);
    expect(await kinds()).toEqual(['f Practitioner/810000000000 missing']);
    expect(await events()).toEqual([]);

    // The edition that is loaded suspends them. Status counts them, the list names them, the trail has each once.
    expect((await load(SECOND)).code).toBe(0);
    const changed = [
      `l Practitioner/${id(LEAVES)} left`,
      `n Practitioner/${id(RENUMBERED)} left`,
      `n Practitioner/${id(REUSED)} other`,
      `w Organization/${OLD_WORK} left`,
      `r Practitioner/${id(REUSED)} other`,
      `m Organization/${WORK} other`,
    ];
    expect(await kinds()).toEqual(['f Practitioner/810000000000 missing', ...changed].sort());
    const { linkedAccounts, current } = JSON.parse((await hygie(['directory', 'status', '--json'])).stdout);
    expect(linkedAccounts).toEqual({ compared: true, left: 3, other: 3, missing: 1 });
    expect((await hygie(['directory', 'status'])).stdout).toContain(
      '7 links do not hold (3 of another person or structure now, 3 whose record left the directory, 1 whose record was never in it): ',
    );
    const reused = (await list()).find(({ email }) => email.startsWith('r'));
    expect(reused).toMatchObject({ was: 'Chloé FAMILLE2, Médecin', now: 'Zacharie AUTRE, Médecin' });
    expect(current.replace(/\D/g, '')).toContain(reused?.since.replace(/\D/g, ''));
    const text = (await hygie(['accounts', 'list', '--unlinked'])).stdout;
    expect(text).toContain(`r@u.example: Practitioner/${id(REUSED)} belongs to another person or structure with`);
    expect(text).toContain('\n  was: Chloé FAMILLE2, Médecin\n  now: Zacharie AUTRE, Médecin\n');
    const one = (await hygie(['accounts', 'show', 'r@u.example'])).stdout;
    expect(one).toContain(`do not hold  Practitioner/${id(REUSED)} (other): `);
    const suspended = changed.map((line) => `suspended ${line.slice(2)}`);
    expect((await events()).sort()).toEqual(suspended.sort());
    // The same files again compare anew, and say nothing twice.
    expect(JSON.parse((await load(SECOND)).stdout).linkedAccounts.changed).toEqual({ left: 0, other: 0, held: 0 });
    expect(await events()).toHaveLength(6);

    // `rollback` takes it back, and a second one brings it again.
    await hygie(['directory', 'rollback']);
    expect(await kinds()).toEqual(['f Practitioner/810000000000 missing']);
    await hygie(['directory', 'rollback']);
    expect(await kinds()).toHaveLength(7);

    // The printed commands mend it: the candidate, a confirmation, another one.
    const find = async (letter: string) => (await list()).find(({ email }) => email.startsWith(letter));
    const renumbered = (await list()).find(({ record }) => record.endsWith(id(RENUMBERED)));
    expect(renumbered?.candidate).toBe(`Practitioner/${NEW}`);
    expect((await command(renumbered?.remedies['relink'])).stderr).toContain('David FAMILLE3, Médecin');
    const shown = async (email: string) =>
      JSON.parse((await hygie(['accounts', 'show', `${email}@u.example`, '--json'])).stdout);
    expect(await shown('n')).toMatchObject({ practitioners: [id(REUSED), NEW] });
    // An operator who took the candidate has not looked at the other one.
    expect(await kinds()).toContain(`n Practitioner/${id(REUSED)} other`);
    await command((await find('w'))?.remedies['relink']);
    expect(await shown('w')).toMatchObject({ workspaces: [NEW_WORK, FIRST_WORK], currentWorkspace: NEW_WORK });
    expect(await shown('w')).not.toHaveProperty('linkChanges');

    await command((await find('r'))?.remedies['confirm']);
    await command((await find('m'))?.remedies['unlink']);
    expect(await shown('m')).toMatchObject({ workspaces: [FIRST_WORK], currentWorkspace: FIRST_WORK });
    await command((await find('f'))?.remedies['unlink']);
    // Nobody stands there: to link it again confirms nothing.
    await hygie(['accounts', 'link', 'l@u.example', '--practitioner', id(LEAVES)]);
    expect(await kinds()).toEqual([`l Practitioner/${id(LEAVES)} left`, `n Practitioner/${id(REUSED)} other`]);
    expect((await command((await find('l'))?.remedies['confirm'])).code).toBe(2);

    // Who is back is linked as before. A confirmed person is the one from now on.
    const back = JSON.parse((await load(FIRST)).stdout).linkedAccounts;
    expect(back.changed).toEqual({ left: 2, other: 1, held: 2 });
    expect(await kinds()).toEqual([
      `n Practitioner/${NEW} left`,
      `r Practitioner/${id(REUSED)} other`,
      `w Organization/${NEW_WORK} left`,
    ]);
    expect((await events()).slice(-5)).toContain(`restored Practitioner/${id(LEAVES)}`);

    // A disabled account asks for nothing.
    await hygie(['accounts', 'disable', 'n@u.example']);
    expect(await kinds()).toEqual([`r Practitioner/${id(REUSED)} other`, `w Organization/${NEW_WORK} left`]);
  });
});
