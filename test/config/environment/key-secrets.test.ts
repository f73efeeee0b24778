// SEC-16, SEC-17: the secrets that encrypt the service's keys: where they come from, in which order they are tried, and what is wrong with each.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { readKeySecrets, secretOf, shortSecret } from '#config/environment/secrets.ts';
import { newFolder } from '#support/new-folder.ts';

const [PRESENT, BEFORE, OF_FILE] = ['p', 'b', 'f'].map((letter) => letter.repeat(32)) as [string, string, string];

describe('secrets of keys', () => {
  async function read(env: Record<string, string>, ofFile?: string) {
    const folder = newFolder();
    if (ofFile !== undefined) writeFileSync(join(folder, 'key-secret'), ofFile);
    const issues: ConfigIssue[] = [];
    const secrets = await readKeySecrets(env, folder, issues);
    return {
      secrets,
      issues: issues.map(({ file, path, problem, remedy }) => [path || file.replace(folder, ''), problem, remedy]),
    };
  }
  const SHORT = 'Has fewer than 32 characters (its value is not shown).';
  const GOOD_ONE = 'A good one: openssl rand -base64 32';

  it.each([
    ['none', {}, undefined, []],
    ['that of the key file', {}, `${OF_FILE}\n`, [OF_FILE]],
    ['that of the variable', { HYGIE_KEY_SECRET: PRESENT }, undefined, [PRESENT]],
    ['the variable before the file', { HYGIE_KEY_SECRET: PRESENT }, OF_FILE, [PRESENT, OF_FILE]],
    [
      'the present, the old, the file',
      { HYGIE_KEY_SECRET_OLD: BEFORE, HYGIE_KEY_SECRET: PRESENT },
      OF_FILE,
      [PRESENT, BEFORE, OF_FILE],
    ],
    ['the file before the old', { HYGIE_KEY_SECRET_OLD: BEFORE }, OF_FILE, [OF_FILE, BEFORE]],
  ])('are %s', async (_which, env, ofFile, secrets) => {
    expect(await read(env, ofFile)).toEqual({ secrets, issues: [] });
  });

  it.each<[string, Record<string, string>, string | undefined, string[], string[][]]>([
    ['short', { HYGIE_KEY_SECRET: 'p'.repeat(31) }, undefined, [], [['HYGIE_KEY_SECRET', SHORT, GOOD_ONE]]],
    [
      'short and old',
      { HYGIE_KEY_SECRET: PRESENT, HYGIE_KEY_SECRET_OLD: 'b' },
      undefined,
      [PRESENT],
      [['HYGIE_KEY_SECRET_OLD', SHORT, GOOD_ONE]],
    ],
    [
      'old without a present one',
      { HYGIE_KEY_SECRET_OLD: BEFORE },
      undefined,
      [BEFORE],
      [
        [
          'HYGIE_KEY_SECRET',
          'An old secret is set without a present one.',
          'Set HYGIE_KEY_SECRET to the present secret: the old one opens keys, but encrypts none.',
        ],
      ],
    ],
    [
      'cut off in the key file',
      { HYGIE_KEY_SECRET: PRESENT },
      'fff',
      [PRESENT],
      [
        [
          '/key-secret',
          'Does not hold a whole secret.',
          'Put back the copy of your backup: the keys in the database need it.',
        ],
      ],
    ],
    [
      'given twice',
      { HYGIE_KEY_SECRET: PRESENT, HYGIE_KEY_SECRET_FILE: '/x' },
      undefined,
      [],
      [['HYGIE_KEY_SECRET', 'Is set, and so is HYGIE_KEY_SECRET_FILE.', 'Keep one of the two.']],
    ],
  ])('that are %s are an issue', async (_what, env, ofFile, secrets, issues) => {
    expect(await read(env, ofFile)).toEqual({ secrets, issues });
  });

  it('come from the file that a variable names, or the issue names both', async () => {
    const folder = newFolder();
    const named = join(folder, 'named');
    writeFileSync(named, ` ${PRESENT}\n`);
    expect((await read({ HYGIE_KEY_SECRET_FILE: named })).secrets).toEqual([PRESENT]);
    expect(await read({ HYGIE_KEY_SECRET_FILE: folder })).toEqual({
      secrets: [],
      issues: [
        [
          'HYGIE_KEY_SECRET_FILE',
          `The file ${folder} cannot be read (EISDIR).`,
          'Create it, and give the service the right to read it.',
        ],
      ],
    });
  });

  it('no key file can be where the data folder is a file, and one that cannot be read is an issue', async () => {
    const folder = newFolder();
    const issues: ConfigIssue[] = [];
    writeFileSync(join(folder, 'file'), '');
    expect(await readKeySecrets({}, join(folder, 'file'), issues)).toEqual([]);
    expect(issues).toEqual([]);
    mkdirSync(join(folder, 'key-secret'));
    expect(await readKeySecrets({}, folder, issues)).toEqual([]);
    expect(issues).toEqual([
      {
        file: join(folder, 'key-secret'),
        path: '',
        problem: 'Cannot be read (EISDIR).',
        remedy: 'Give the account of the service the right to read it.',
      },
    ]);
  });
});

describe('a secret that a client or the metrics refer to', () => {
  it.each([
    [32, 'production', undefined],
    [31, 'production', 'Production refuses a secret of fewer than 32 characters (its value is not shown).'],
    [31, 'development', undefined],
    [31, undefined, 'Has fewer than 32 characters (its value is not shown).'],
  ] as const)('of %i characters in %s: %s', (length, mode, fault) => {
    expect(shortSecret('x'.repeat(length), mode)).toBe(fault);
  });

  it('is read without the end of its line, and a fault never shows what may be the secret itself', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'one'), ' a b \r\n');
    writeFileSync(join(folder, 'empty'), '\n');
    const of = async (source: { env?: string; file?: string }) => {
      const found = await secretOf(source, folder, { KNOWN: 'value', EMPTY: '' });
      return 'secret' in found ? found.secret : found.problem.problem.replaceAll(folder, '');
    };
    const secret = 'q'.repeat(32);
    expect(
      await Promise.all(
        [{ env: 'KNOWN' }, { env: 'EMPTY' }, { env: 'toString' }, { env: secret }, { env: secret.toUpperCase() }].map(
          of,
        ),
      ),
    ).toEqual([
      'value',
      'The environment variable EMPTY is not set.',
      'The environment variable toString is not set.',
      'The environment variable of this name (not shown) is not set.',
      `The environment variable ${secret.toUpperCase()} is not set.`,
    ]);
    expect(await Promise.all([{ file: 'one' }, { file: 'empty' }, { file: 'none' }, { file: secret }].map(of))).toEqual(
      [
        ' a b ',
        'The file /empty is empty.',
        'The file /none cannot be read (ENOENT).',
        'The file of this name (not shown) cannot be read (ENOENT).',
      ],
    );
  });
});
