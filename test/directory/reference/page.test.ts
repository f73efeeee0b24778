// The reference page at /directory/docs: it says what is served, in French and English, its examples work as they
// stand, and it needs no script and nothing from elsewhere (SEC-30). In a browser: `server/accessibility.system.test.ts`; elements and operations:
// `contents.test.ts`.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { describeDirectory } from '#directory/reference/descriptions.ts';
import { referenceMessages } from '#directory/reference/page.ts';
import { openedForAll } from '#support/opened.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { CALLBACK, startService } from '#support/service.ts';

describe('page of the reference', () => {
  interface OpenapiParameter {
    in: string;
    name: string;
    example?: unknown;
    explode?: boolean;
  }

  const LANGUAGES = ['fr', 'en'] as const;

  let pages: Record<string, string>;
  let token: string;
  const service = openedForAll(startService);
  beforeAll(async () => {
    token = (await signIn(service)).tokens.access_token;
    pages = {};
    for (const language of LANGUAGES) {
      const answer = await fetch(`${service.issuer}/directory/docs`, { headers: { 'accept-language': language } });
      pages[language] = await answer.text();
    }
  });

  /** Text of HTML as a reader sees it. */
  function textOf(html: string): string {
    return html
      .replace(/<[^>]+>/g, '')
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  }

  const base = () => `${service.issuer}/directory/v2`;
  const FOUND = { status: 200, total: expect.any(Number), some: true };

  /** How a search is answered. The pages of both languages show the same ones, which are asked once. */
  const answered = new Map<string, Promise<object>>();
  function totalOf(address: string, withToken = true): Promise<object> {
    const key = `${withToken} ${address}`;
    const found = answered.get(key) ?? askTotal(address, withToken);
    answered.set(key, found);
    return found;
  }

  async function askTotal(address: string, withToken: boolean): Promise<object> {
    const answer = await fetch(address, { headers: withToken ? { authorization: `Bearer ${token}` } : {} });
    const text = await answer.text();
    const [, total] = /"total":\s*(\d+)/.exec(text) ?? /<total value="(\d+)"/.exec(text) ?? [];
    return { status: answer.status, total: total === undefined ? text : Number(total), some: Number(total) > 0 };
  }

  /** The blocks of code of a page, in their order. */
  function blocksOf(html: string): string[] {
    return [...html.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, block = '']) => textOf(block));
  }

  describe.each(LANGUAGES)('the reference page in the language %s', (language) => {
    const messages = referenceMessages(language);
    const page = () => pages[language] ?? '';

    it('is about every parameter, modifier, include, order, steering parameter, refusal and limit, in its language', () => {
      const text = textOf(page());
      const { types, resultParameters, refusals, prefixes } = describeDirectory();
      for (const { type, scopes, parameters, includes, revIncludes, sorts } of types) {
        const chapter = textOf(page().split(`id="${type}"`)[1]?.split('<section')[0] ?? '');
        expect(chapter).toContain(scopes.length > 0 ? scopes.join(' ') : messages.open);
        for (const { name, modifiers, matching } of parameters) {
          expect(chapter).toContain(`${name}=`);
          expect(page()).toContain(`id="${type}.${name}"`);
          expect(messages.looksAt[`${type}.${name}`] ?? messages.looksAt[name]).toMatch(/\w/);
          expect(messages.matching[matching]).toMatch(/\w/);
          for (const modifier of modifiers) expect(chapter).toContain(`:${modifier}`);
        }
        for (const include of includes) expect(chapter).toContain(`_include=${include}`);
        for (const include of revIncludes) expect(chapter).toContain(`_revinclude=${include}`);
        for (const sort of sorts) expect(chapter).toContain(`_sort=${sort}`);
      }
      for (const { name } of resultParameters)
        expect([name, messages.resultParameters.meanings[name]]).toEqual([name, expect.any(Function)]);
      for (const { status } of refusals)
        expect([status, messages.errors.meanings[status]]).toEqual([status, expect.any(String)]);
      for (const prefix of prefixes) expect(text).toContain(prefix);
      for (const limit of [50, 200, 40, 100]) expect(text).toContain(String(limit));
      // What the words do not know would stand there in English.
      expect(page()).not.toContain('<span lang="en">');
      expect(page()).not.toMatch(/<strong>[^<]*`/);
      expect(page()).toContain(`<html lang="${language}">`);
    });

    it('every search that it shows for curl and for fhir-kit-client finds something as it stands', async () => {
      const blocks = blocksOf(page());
      const searches = blocks.filter((block) => block.startsWith('curl -sG'));
      expect(searches.length).toBe(13);
      for (const block of searches) {
        const [, address = ''] = /^curl -sG (\S+)/.exec(block) ?? [];
        if (address.includes('$export')) continue;
        const pairs = [...block.matchAll(/--data-urlencode '([^=]+)=([^']*)'/g)].map(([, name = '', value = '']) => [
          name,
          value,
        ]);
        expect(pairs.length).toBeGreaterThan(0);
        expect(await totalOf(`${address}?${new URLSearchParams(pairs)}`, block.includes('$TOKEN'))).toEqual(FOUND);
      }
      const calls = blocks.filter((block) => block.includes('directory.search({'));
      expect(calls.length).toBe(11);
      for (const block of calls) {
        const [, type = ''] = /resourceType: '(\w+)'/.exec(block) ?? [];
        const pairs = [...block.matchAll(/^ {4}'?([\w:.-]+)'?: '(.*)',$/gm)].map(([, name = '', value = '']) => [
          name,
          value,
        ]);
        expect(pairs.length).toBeGreaterThan(0);
        const query = new URLSearchParams(pairs);
        expect(await totalOf(`${base()}/${type}?${query}`, block.includes('TOKEN'))).toEqual(FOUND);
      }
    });

    it('every example of its tables finds something as it stands', async () => {
      let tried = 0;
      for (const { type, scopes, parameters } of describeDirectory().types) {
        const chapter = page().split(`id="${type}"`)[1]?.split('<section')[0] ?? '';
        const cells = [...chapter.matchAll(/class="example"><a href="[^"]+"><code>(.*?)<\/code>/g)].map(
          ([, cell = '']) => textOf(cell),
        );
        expect(cells.map((cell) => cell.split('=', 1)[0])).toEqual(parameters.map(({ name }) => name));
        for (const cell of cells) {
          const [name = '', ...value] = cell.split('=');
          // No public register has a telephone of a person.
          if (cell === 'phone=<telephone>') continue;
          const query = new URLSearchParams({ [name]: value.join('='), _count: '1' });
          const found = await totalOf(`${base()}/${type}?${query}`, scopes.length > 0);
          expect([type, cell, found]).toEqual([type, cell, FOUND]);
          tried += 1;
        }
      }
      expect(tried).toBeGreaterThan(30);
    });

    it('every chain that it shows finds something as it stands', async () => {
      let tried = 0;
      for (const { type, chains } of describeDirectory().types) {
        const chapter = page().split(`id="${type}"`)[1]?.split('<section')[0] ?? '';
        const shown = [...chapter.matchAll(/<code>((?:_has:|[a-z-]+\.)[^<]*=[^<]*)<\/code>/g)].map(([, code = '']) =>
          textOf(code),
        );
        expect(shown.map((code) => code.split('=', 1)[0])).toEqual(chains.map(([name]) => name));
        for (const code of shown) {
          const found = await totalOf(
            `${base()}/${type}?${new URLSearchParams([code.split('=') as [string, string]])}`,
          );
          expect([type, code, found]).toEqual([type, code, FOUND]);
          tried++;
        }
      }
      expect(tried).toBe(8);
    });

    it('every way to steer an answer that it shows finds something, and every entry that it reads is there', async () => {
      const chapter = page().split('id="controls"')[1]?.split('<section')[0] ?? '';
      const cells = [...chapter.matchAll(/class="example"><a [^>]*><code>(.*?)<\/code>/g)].map(([, cell = '']) =>
        textOf(cell),
      );
      expect(cells.length).toBe(describeDirectory().resultParameters.filter(({ example }) => example !== '').length);
      for (const cell of cells) expect([cell, await totalOf(`${base()}/${cell}`)]).toEqual([cell, FOUND]);
      const reads = blocksOf(page()).filter((block) => /^curl -s http/.test(block) && !/grant_type|-d '/.test(block));
      expect(reads.length).toBe(3);
      for (const block of reads) {
        const [, address = ''] = /^curl -s (\S+)/.exec(block) ?? [];
        const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
        expect([address, answer.status]).toEqual([address, 200]);
      }
    });

    it('the way to a token that it shows leads to the sign-in, and its export is answered', async () => {
      const blocks = blocksOf(page());
      const request = blocks.find((block) => block.includes('response_type=code')) ?? '';
      const address = (/echo "(.*)"$/.exec(request)?.[1] ?? '')
        .replace('$CLIENT_ID', 'server')
        .replace('$CHALLENGE', 'x'.repeat(43))
        .replace('$STATE', 'x'.repeat(40))
        .replace(encodeURIComponent('https://app.example/callback'), encodeURIComponent(CALLBACK));
      const { status, headers } = await fetch(address, { redirect: 'manual' });
      expect([status, headers.get('location')]).toEqual([303, expect.stringMatching(/\/interaction\//)]);
      const exports = blocks.filter((block) => block.startsWith('curl') && block.includes('$export'));
      expect(exports.length).toBe(2);
      for (const block of exports) {
        const [, base = '', query = ''] = /'([^']+)'.*--data-urlencode '([^']+)'/s.exec(block) ?? [];
        const address = `${base}?${query}`;
        const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
        expect([address, answer.status]).toEqual([address, 200]);
      }
    });

    it('the batch that it shows finds something in each entry', async () => {
      const [block = '', ...others] = blocksOf(page()).filter((one) => one.includes('application/fhir+json'));
      expect(others).toEqual([]);
      const [, address = ''] = /^curl -s (\S+)/.exec(block) ?? [];
      const [, body = ''] = /-d '([^']+)'/.exec(block) ?? [];
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' };
      const answer = await fetch(address, { method: 'POST', headers, body });
      const { entry } = (await answer.json()) as { entry: { resource?: { total: number } }[] };
      expect(entry.length).toBeGreaterThan(1);
      for (const { resource } of entry) expect(resource?.total).toBeGreaterThan(0);
    });

    it('needs no script, and nothing from elsewhere', async () => {
      const withoutScript = page().replace(/<script>.*?<\/script>/s, '');
      expect(withoutScript).not.toMatch(/<script|style="|\son\w+=/);
      // What the script is for is not shown without it.
      expect(withoutScript).toMatch(/<p class="filter" hidden>/);
      expect(withoutScript).not.toContain('<button');
      const targets = [...page().matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) =>
        target.replaceAll('&amp;', '&'),
      );
      expect(targets.length).toBeGreaterThan(20);
      const others = new Set<string>();
      for (const target of targets) {
        const { origin, pathname } = new URL(target, `${service.issuer}/directory/docs`);
        expect(origin).toBe(service.issuer);
        if (target.startsWith('#')) expect(page()).toContain(`id="${target.slice(1)}"`);
        // The searches are asked for above, and behind # a page reads them itself.
        else others.add(pathname.startsWith('/directory/v2/') ? target : pathname);
      }
      for (const target of others)
        expect([target, (await fetch(new URL(target, service.issuer))).status]).toEqual([target, 200]);
    });
  });

  describe('beside the page', () => {
    it('the page has a strict policy, is linked from the home page and from the CapabilityStatement', async () => {
      const { headers } = await fetch(`${service.issuer}/directory/docs`);
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src/,
      );
      expect(await (await fetch(service.issuer)).text()).toContain('href="/directory/docs"');
      const statement = (await (await fetch(`${service.issuer}/directory/v2/metadata`)).json()) as {
        publisher: string;
        rest: { documentation: string }[];
      };
      expect(statement.rest[0]?.documentation).toContain(`${service.issuer}/directory/docs`);
      expect(statement.publisher).toBe('Hygie');
    });

    it('every example of a search in the OpenAPI description finds something', async () => {
      const { paths } = (await (await fetch(`${service.issuer}/directory/openapi.json`)).json()) as {
        paths: Record<string, { get?: { parameters?: OpenapiParameter[] } }>;
      };
      let tried = 0;
      for (const { type, scopes } of describeDirectory().types) {
        for (const { in: place, name, example, explode } of paths[`/${type}`]?.get?.parameters ?? []) {
          if (place !== 'query' || example === undefined) continue;
          const value = Array.isArray(example) && explode === false ? example.join() : String(example);
          // Small, and the same one as in the tables of the page.
          const query = new URLSearchParams({ [name]: value, ...(name !== '_count' && { _count: '1' }) });
          const found = await totalOf(`${base()}/${type}?${query}`, scopes.length > 0);
          expect([type, name, value, found]).toEqual([type, name, value, FOUND]);
          tried += 1;
        }
      }
      expect(tried).toBeGreaterThan(90);
    });
  });
});
