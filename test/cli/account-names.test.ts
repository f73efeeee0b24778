// OpenID Connect Core 5.1: given and family name of accounts apart, by `accounts add`, `import` and `set-name`.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { migratedInstallation } from '#support/cli/serving.ts';

describe('account names', () => {
  let hygie: Installation['hygie'];
  let place: Installation;
  beforeAll(async () => {
    place = await migratedInstallation();
    hygie = inProcess(place);
  });

  const add = (email: string, ...more: string[]) =>
    hygie(['accounts', 'add', '--email', `${email}@n.example`, ...more]);
  const setName = (email: string, ...more: string[]) => hygie(['accounts', 'set-name', `${email}@n.example`, ...more]);
  const shown = async (email: string) =>
    JSON.parse((await hygie(['accounts', 'show', `${email}@n.example`, '--json'])).stdout);

  describe('accounts add', () => {
    it('composes the name of given and family name, unless it is given', async () => {
      expect((await add('a', '--given', 'Zoé', '--family', 'Du Chardey')).code).toBe(0);
      expect(await shown('a')).toMatchObject({ name: 'Zoé Du Chardey', given: 'Zoé', family: 'Du Chardey' });
      await add('b', '--given', 'Zoé', '--family', 'Martin', '--name', 'Dr Zoé Martin');
      expect(await shown('b')).toMatchObject({ name: 'Dr Zoé Martin', given: 'Zoé', family: 'Martin' });
      await add('c', '--name', 'Zoé Martin', '--profile', 'https://n.example/zoe');
      expect(await shown('c')).toMatchObject({ name: 'Zoé Martin', profile: 'https://n.example/zoe' });
      expect(await shown('c')).not.toHaveProperty('given');
      const table = (await hygie(['accounts', 'show', 'a@n.example'])).stdout;
      expect(table).toMatch(/^given name +Zoé\nfamily name +Du Chardey$/m);
      const list = JSON.parse((await hygie(['accounts', 'list', '--json'])).stdout);
      expect(list[0]).toMatchObject({ given: 'Zoé', family: 'Du Chardey' });
    });

    it.each([[['--given', 'Zoé']], [['--family', 'Martin']], [[]]])('%j alone is wrong usage', async (options) => {
      const { code, stderr } = await add('d', ...options);
      expect([code, stderr]).toEqual([2, expect.stringContaining('needs --name, or --given and --family')]);
    });

    it('refuses what is no name and no address', async () => {
      const { code, stderr } = await add('d', '--given', ' ', '--family', 'M\u0007', '--profile', 'http://n.example');
      expect(code).toBe(1);
      for (const what of ['given name is empty', 'family name holds a control', 'profile "http://n.example"']) {
        expect(stderr).toContain(what);
      }
    });
  });

  describe('accounts delete', () => {
    const deletion = (email: string, ...more: string[]) => hygie(['accounts', 'delete', `${email}@n.example`, ...more]);

    it('says first what would go, deletes with --yes alone, and is recorded; the UUID is never given again', async () => {
      const email = 'z@n.example';
      await add('z', '--name', 'Zoé Martin');
      const { id } = await shown('z');
      const asked = await deletion('z');
      expect([asked.code, asked.stderr]).toEqual([1, expect.stringMatching(/has not asked for it.*delete .* --yes/s)]);
      expect(await shown('z')).toMatchObject({ id });
      expect((await deletion('z', '--yes')).code).toBe(0);
      expect((await deletion('z', '--yes')).code).toBe(1);
      const trail = (await hygie(['audit', '--account', id, '--json'])).stdout.trim().split('\n');
      expect(JSON.parse(trail.at(-1) ?? '')).toMatchObject({
        event: 'account.deleted',
        account: id,
        details: { requested: false },
      });

      const file = join(place.folder, 'again.csv');
      writeFileSync(file, `id,email,name\n${id},${email},Zoé Martin\n`);
      const again = await hygie(['accounts', 'import', file]);
      expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('never given again')]);
    });

    it('lists who asked for it', async () => {
      const list = await hygie(['accounts', 'list', '--deletion-requested', '--json']);
      expect([list.code, JSON.parse(list.stdout)]).toEqual([0, []]);
    });
  });

  describe('accounts set-name', () => {
    it('changes what is given; the full name follows, unless it is given', async () => {
      await add('m', '--given', 'Zoé', '--family', 'Martin', '--nickname', 'Zo');
      const married = await setName('m', '--family', 'Durand');
      expect([married.code, married.stderr]).toEqual([0, expect.stringContaining('"Zoé Durand"')]);
      expect(await shown('m')).toMatchObject({ name: 'Zoé Durand', given: 'Zoé', family: 'Durand', nickname: 'Zo' });
      await setName(
        'm',
        '--name',
        'Dr Zoé Durand',
        '--picture',
        'https://n.example/z.png',
        '--profile',
        'https://n.example/z',
      );
      expect(await shown('m')).toMatchObject({
        name: 'Dr Zoé Durand',
        family: 'Durand',
        profile: 'https://n.example/z',
      });
      const without = await setName('m', '--given', '', '--family', '', '--nickname', '', '--picture', '', '--json');
      const left = JSON.parse(without.stdout);
      expect(left).toMatchObject({ name: 'Dr Zoé Durand', profile: 'https://n.example/z' });
      for (const field of ['given', 'family', 'nickname', 'picture']) expect(left).not.toHaveProperty(field);
    });

    it('set-picture: an https address in place of the initials, and back', async () => {
      await add('p', '--name', 'Zoé Martin');
      const setPicture = (...args: string[]) => hygie(['accounts', 'set-picture', 'p@n.example', ...args]);
      const set = await setPicture('https://n.example/m.jpg', '--json');
      expect(JSON.parse(set.stdout)).toMatchObject({ picture: 'https://n.example/m.jpg' });
      expect(set.stderr).toContain('picture https://n.example/m.jpg');
      for (const [args, code] of [
        [['http://n.example/m.jpg'], 1],
        [['/picture/x.jpg'], 1],
        [[], 2],
        [['https://n.example/other.jpg', '--none'], 2],
        [['https://n.example/other.jpg', 'https://n.example/other.jpg'], 2],
      ] as const) {
        expect([args, (await setPicture(...args)).code]).toEqual([args, code]);
      }
      expect(await shown('p')).toMatchObject({ picture: 'https://n.example/m.jpg' });
      expect((await setPicture('--none')).stderr).toContain('picture of the initials');
      expect(await shown('p')).not.toHaveProperty('picture');
    });

    it('is recorded, with the fields and without the names', async () => {
      await add('r', '--given', 'Zoé', '--family', 'Martin');
      await setName('r', '--family', 'Durand');
      const { stdout } = await hygie(['audit', '--event', 'account.renamed', '--json']);
      const { id } = await shown('r');
      const records = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(records.filter(({ account }) => account === id)).toMatchObject([
        { event: 'account.renamed', details: { fields: ['family', 'name'] } },
      ]);
      expect(stdout).not.toContain('Durand');
    });

    it('refuses an empty name, an unknown account, and nothing at all', async () => {
      await add('e', '--name', 'Zoé Martin');
      expect((await setName('e', '--name', ' ')).stderr).toContain('The name is empty');
      expect((await setName('nobody', '--name', 'N')).code).toBe(1);
      expect((await setName('e')).code).toBe(2);
    });
  });

  describe('accounts import', () => {
    const imported = (text: string) => {
      const file = join(place.folder, 'people.csv');
      writeFileSync(file, text);
      return hygie(['accounts', 'import', file]);
    };

    it('takes given and family in place of name, or beside it', async () => {
      const { code } = await imported(
        'email;given;Family;name;profile\ni1@n.example;Zoé;Martin;;https://n.example/1\ni2@n.example;;;Paul;\ni3@n.example;A;B;Dr B;\n',
      );
      expect(code).toBe(0);
      expect(await shown('i1')).toMatchObject({ name: 'Zoé Martin', given: 'Zoé', profile: 'https://n.example/1' });
      expect(await shown('i2')).not.toHaveProperty('given');
      expect(await shown('i3')).toMatchObject({ name: 'Dr B', given: 'A', family: 'B' });
      expect((await imported('email,given,family\ni4@n.example,Zoé,Martin\n')).code).toBe(0);
    });

    it('names the line without a name, and the column that is missing', async () => {
      const line = await imported('email,name,given,family\ni5@n.example,,Zoé,\n');
      expect([line.code, line.stderr]).toEqual([
        1,
        expect.stringContaining(':2 The name is empty. Write name, or given'),
      ]);
      const column = await imported('email,given\ni5@n.example,Zoé\n');
      expect([column.code, column.stderr]).toEqual([
        1,
        expect.stringContaining('"name" is missing. Add it, or "given"'),
      ]);
    });
  });
});
