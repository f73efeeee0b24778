// What the reference says of elements and operations is what is served: its tables are compared with all resources of the edition and with the
// OpenAPI description, and each example of a search leads to the page to try it.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf } from '#directory/reference/chapters.ts';
import { describeDirectory } from '#directory/reference/descriptions.ts';
import { referenceMessages } from '#directory/reference/page.ts';
import { FIELDS } from '#directory/reference/type-chapter.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('contents of the reference', () => {
  const service = openedForAll(startService);
  /** Resources with each element, by type. */
  const found = new Map<string, Map<string, number>>();
  const totals = new Map<string, number>();
  let html: string;

  beforeAll(async () => {
    const snapshot = await openShippedSnapshot();
    for (const { type } of TABLES) {
      const counts = new Map<string, number>();
      const lines = (await snapshot.scan(type, { from: 0, to: 2 ** 31 })).trim().split('\n');
      for (const line of lines)
        for (const element of Object.keys(JSON.parse(line))) counts.set(element, (counts.get(element) ?? 0) + 1);
      totals.set(type, lines.length);
      counts.delete('resourceType');
      found.set(type, counts);
    }
    await snapshot.close();
    html = await (await fetch(`${service.issuer}/directory/docs`, { headers: { 'accept-language': 'en' } })).text();
  });

  /** The rows of the table of a type's elements: name, kind, share, example. */
  function rowsOf(type: string): { name: string; share: string; example: string }[] {
    const table = html.split(`id="${type}.fields"`)[1]?.split('</table>')[0] ?? '';
    return table
      .split('<tr role="row">')
      .slice(2)
      .map((row) => ({
        name: /<code>(.*?)<\/code>/.exec(row)?.[1] ?? '',
        share: /class="filled">(.*?)</.exec(row)?.[1] ?? '',
        example: /class="example"><code>(.*?)<\/code>/.exec(row)?.[1] ?? '',
      }));
  }

  describe.each(TABLES.map(({ type }) => type))('the elements of %s', (type) => {
    it('are all that its resources have, each with its meaning in both languages', () => {
      expect([...(FIELDS[type] ?? [])].sort()).toEqual([...(found.get(type)?.keys() ?? [])].sort());
      expect(rowsOf(type).map(({ name }) => name)).toEqual(FIELDS[type]);
      for (const language of ['fr', 'en'] as const) {
        const { meanings } = referenceMessages(language).fields;
        for (const element of FIELDS[type] ?? [])
          expect([element, meanings[`${type}.${element}`] ?? meanings[element]]).toEqual([
            element,
            expect.stringMatching(/\w/),
          ]);
      }
    });

    it('stand in as many resources as the table says, and have an example of the edition', () => {
      for (const { name, share, example } of rowsOf(type)) {
        const exact = ((found.get(type)?.get(name) ?? 0) / (totals.get(type) ?? 1)) * 100;
        expect([name, share]).toEqual([name, `${Math.floor(exact)}%`]);
        // No resource that serves as an example has every element.
        if (exact > 50) expect([name, example]).toEqual([name, expect.stringMatching(/\S/)]);
      }
    });
  });

  it('the operations are those of the OpenAPI description', async () => {
    const { paths } = (await (await fetch(`${service.issuer}/directory/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const directory = describeDirectory();
    const types = directory.types.map(({ type }) => type);
    const listed = operationsOf(directory, referenceMessages('en').operations).flatMap(([method, path]) =>
      path.includes('{Type}')
        ? types.map((type) => `${method} ${path.replace('{Type}', type)}`)
        : [`${method} ${path}`],
    );
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => /^(get|post)$/.test(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described).toEqual(expect.arrayContaining(listed));
    // The steps behind an export, the other way to its form, and the way to the sign-in's own document are told elsewhere.
    const others = described.filter((one) => !listed.includes(one) && !/\$export|GET .*_search$|openid-conf/.test(one));
    expect(others).toEqual([]);
  });

  it('every example of a request leads to the page to try it, with its query', () => {
    const requests = [...html.matchAll(/<a href="\/directory\/try#([^"]+)"[^>]*>/g)].map(([, request = '']) => request);
    expect(new Set(requests).size).toBeGreaterThan(100);
    for (const request of requests) expect(request).toMatch(/^(\w+|\$export)(\?[\w:.-]+=.|\/\w)/);
    // Code in several languages, examples of tables, and lists of criteria.
    for (const [, caption = ''] of html.matchAll(/class="caption">(.*?)<\/p>\s*<pre[^>]*data-language="curl"/gs))
      expect(caption).toContain('href="/directory/try#');
    for (const [, cell = ''] of html.matchAll(/class="parameters">(.*?)<\/table>/gs))
      expect(cell.match(/class="example"><a href="\/directory\/try#/g)?.length).toBe(
        cell.match(/class="example">/g)?.length,
      );
    for (const [, list = ''] of html.matchAll(/class="codes">(.*?)<\/p>/gs)) expect(list).not.toMatch(/(^|[^>])<code>/);
  });

  const WORDS = expect.stringMatching(/\p{L}{2}/u);
  /** Words that are the same in both languages. */
  const SAME = new Set(
    'OpenAPI 3.1|CapabilityStatement|SMART|Structures|Dates|total {n}|Pages|Compression|Versions|Code'.split('|'),
  );

  it('every text is there in both languages, translated, with the same parameters and values', () => {
    // The forms of an answer are written in the words of each language.
    const translated = /^matching\./;
    const written = (text: unknown) => String(typeof text === 'function' ? text(1, 2, 3) : text);
    const codes = (text: unknown) => [...written(text).matchAll(/`([^`]+)`/g)].map(([, code]) => code);
    const [french, english] = (['fr', 'en'] as const).map((language) => new Map(textsOf(referenceMessages(language))));
    expect([...(english?.keys() ?? [])]).toEqual([...(french?.keys() ?? [])]);
    for (const [path, text] of french ?? []) {
      // Only one language needs the sentence that what follows is in the other.
      const both = [text, english?.get(path)].map(written);
      if (path !== 'errors.language') expect([path, ...both]).toEqual([path, WORDS, WORDS]);
      if (SAME.has(String(text))) expect([path, both[0]]).toEqual([path, both[1]]);
      else expect([path, both[0]]).not.toEqual([path, both[1]]);
      if (translated.test(path)) continue;
      expect([path, new Set(codes(english?.get(path)))]).toEqual([path, new Set(codes(text))]);
    }
  });

  /** The texts of a catalogue by their paths. */
  function textsOf(messages: object, above = ''): [path: string, text: unknown][] {
    return Object.entries(messages).flatMap(([name, text]) =>
      typeof text === 'object' ? textsOf(text, `${above}${name}.`) : [[above + name, text] as [string, unknown]],
    );
  }
});
