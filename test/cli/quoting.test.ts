// Commands that are printed for operators can be copied: a shell reads each value as one word, whatever people, files and folders are called.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hygie, shellWord } from '#shared/hygie-command.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';

describe('values of printed commands', () => {
  // What people, files and folders may be called, and what a shell would do with it.
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(...` '"\\$\`!*?~#&|;<>()[]{}=%-.éa`), maxLength: 12 }),
    fc.constantFrom("o'brien@clinic.example", '/srv/my registers', '$(touch x)', '`id`', 'a;b', '--', '-n', '~', ''),
  );
  const asRead = async (text: string) =>
    (await promisify(execFile)('sh', ['-c', `operate() { printf '%s\\0' "$@"; }; ${text}`])).stdout
      .split('\0')
      .slice(0, -1);

  it('hold each value as one word, whatever it is: read by a real shell', async () => {
    const own = process.env['HYGIE_COMMAND'];
    process.env['HYGIE_COMMAND'] = 'operate';
    try {
      await fc.assert(
        fc.asyncProperty(word, fc.array(word, { maxLength: 3 }), async (one, list) => {
          expect(await asRead(hygie`accounts link ${one} --replace ${list}`)).toEqual([
            ...['accounts', 'link', one, '--replace'],
            ...list,
          ]);
        }),
        { numRuns: 60 },
      );
    } finally {
      if (own === undefined) delete process.env['HYGIE_COMMAND'];
      else process.env['HYGIE_COMMAND'] = own;
    }
    // What needs no quotation marks has none.
    expect(shellWord('/srv/registers/2026-11-20')).toBe('/srv/registers/2026-11-20');
  });

  it('that name an account are for that account, however it is written', async () => {
    const other = installation({ HYGIE_COMMAND: 'operate' });
    const email = "o'brien@clinic.example";
    const add = () => inProcess(other)(['accounts', 'add', '--email', email, '--name', 'Ann']);
    expect((await add()).code).toBe(0);
    const { stderr } = await add();
    other.remove();
    const [, command = ''] = /See: (operate .*)$/m.exec(stderr) ?? [];
    expect(await asRead(command)).toEqual(['accounts', 'show', email]);
  });
});
