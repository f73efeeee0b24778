// Every command block of the handbook and of the README does what the page says, in the order of the page, for real:
// test/support/docs/README.md says how.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf } from '#support/docs/markdown.ts';
import { openPlaces, type Places } from '#support/docs/places.ts';
import { isAsShown } from '#support/docs/rewriting.ts';
import { missingTools, runPage, wordsOf } from '#support/docs/run-page.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A page's commands hash passwords, import directories and start services. */
const PAGE_TAKES = 120_000;

const pages = [
  ...readdirSync(join(ROOT, 'docs/operating')).map((name) => `docs/operating/${name}`),
  'README.md',
  'deploy/README.md',
  'config/README.md',
]
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
const run = pages.filter(({ text }) => blocksOf(text).some(({ language }) => language === 'sh'));

/** Languages of blocks that are no commands; `yaml` of the two files of the configuration is put there and checked. */
const NO_COMMANDS = [
  'yaml',
  'text',
  'json',
  'js',
  'ts',
  'mermaid',
  'sql',
  'ini',
  'nginx',
  'csv',
  'http',
  'promql',
  'xml',
];

let places: Places;
beforeAll(async () => {
  places = await openPlaces();
}, PAGE_TAKES);
afterAll(() => places?.close());

describe('the handbook', () => {
  it('has only blocks of known languages', () => {
    const others = pages.flatMap(({ file, text }) =>
      blocksOf(text)
        .filter(({ language }) => language !== 'sh' && !NO_COMMANDS.includes(language))
        .map(({ line, language }) => `${file}:${line} ${language || 'no language'}`),
    );
    expect(others).toEqual([]);
  });

  for (const { file, text } of run) {
    const missing = missingTools(text);
    const name = `${file}: every command works${missing.length > 0 ? `, where there is ${missing.join(', ')}` : ''}`;
    (missing.length > 0 ? it.skip : it)(
      name,
      async () => {
        const place = await places.make(wordsOf(text));
        try {
          await runPage(text, place);
        } finally {
          await place.remove();
        }
      },
      PAGE_TAKES,
    );
  }

  it('the test itself sees what does not work', async () => {
    const place = await places.make(['installed']);
    const faults: [page: string, message: RegExp][] = [
      ['```sh\nhygie accounts show nobody@clinic.example\n```\n', /exit code 1 in the block at line 2/],
      ['```sh\ntrue\n```\n\n```sh\nhygie nope\n```\n', /line 6:[\s\S]*There is no command "nope"/],
      ['```sh\nno-such-program | cat\n```\n', /not found/],
      ['```sh\necho one\n```\n\n```text\ntwo\n```\n', /line 6 shows another output/],
      ['```sh\nsystemctl start hygie-nothing\n```\n', /not found/],
      ['```sh\nsudo docker compose -f no.yaml up -d\n```\n', /there is no no.yaml/],
      ['```yaml\n# /etc/hygie/service.yaml\nproxis: 1\n```\n', /proxies/],
    ];
    for (const [page, message] of faults) await expect(runPage(page, place)).rejects.toThrow(message);
    await place.remove();
  });

  it('the test itself compares output with what is shown', () => {
    expect(isAsShown('a   b\nc 17 d\n', 'a b\nc … d')).toBe(true);
    expect(isAsShown('a\nb\nc\n', 'a\n…\nc')).toBe(true);
    expect(isAsShown('a\nb\n', 'a')).toBe(false);
    expect(isAsShown('a\nb\n', 'a\nc')).toBe(false);
  });
});
