// What the directory tells everybody, without a token: its reference, where its people are real, SMART's configuration, and where to read on.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'fhir-kit-client';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { openedForAll } from '#support/opened.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { rows } from '#support/rows.ts';
import { startService } from '#support/service.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

describe('what is open to everybody', () => {
  withOwnSnapshots(import.meta.filename);
  let token: string;
  const service = openedForAll(() => startService({ adjust: (settings) => ({ ...settings, demo: false }) }));
  beforeAll(async () => {
    token = (await signIn(service)).tokens.access_token;
  });

  // The reference is public while the directory needs a token (SEC-30): of a directory that is not said to be
  // fictional it names nobody, and what it shows in full still finds something.
  describe('the reference of a directory of real people', () => {
    interface Parameter {
      in: string;
      name: string;
      example?: unknown;
    }
    interface Person {
      id: string;
      identifier: { value: string }[];
      telecom?: { value: string }[];
    }
    const textAt = async (path: string) => (await fetch(service.issuer + path)).text();

    async function totalOf(path: string): Promise<number> {
      const answer = await fetch(`${service.issuer}/directory/v2${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.text();
      return answer.status === 200 ? (JSON.parse(text) as { total: number }).total : -answer.status;
    }

    it('holds no id, number nor mailbox of anybody', async () => {
      const shown = `${await textAt('/directory/docs')} ${await textAt('/directory/openapi.json')}`;
      const secrets = new Set<string>();
      const snapshot = await openShippedSnapshot();
      const lines = await snapshot.scan('Practitioner', { from: 0, to: 2 ** 31 });
      await snapshot.close();
      for (const line of lines.trim().split('\n')) {
        const { id, identifier, telecom = [] } = JSON.parse(line) as Person;
        for (const { value } of [{ value: id }, ...identifier, ...telecom]) secrets.add(value);
      }
      expect(secrets.size).toBeGreaterThan(4000);
      // Each word once, in which those are looked for that have neither spaces, quotes nor markup.
      const words = [...new Set(shown.split(/[\s"'<>]+/))].join(' ');
      expect([...secrets].filter((secret) => /[\s"'<>]/.test(secret) || words.includes(secret))).toEqual([]);
      expect(shown).toContain('_id=&lt;id&gt;');
    });

    it('shows a public hospital, and words and codes that many share, all of which are found', async () => {
      const { paths } = JSON.parse(await textAt('/directory/openapi.json')) as {
        paths: Record<string, { get: { parameters: Parameter[] } }>;
      };
      const tried: string[] = [];
      for (const type of ['Practitioner', 'Organization', 'PractitionerRole']) {
        for (const { in: place, name, example } of paths[`/${type}`]?.get.parameters ?? []) {
          // How an answer is written does not change what is found, and nothing exact is known of people.
          if (place !== 'query' || example === undefined || /^_(format|pretty|elements)|:exact/.test(name)) continue;
          const few = name !== '_count' && { _count: '1' };
          const total = await totalOf(`/${type}?${new URLSearchParams({ [name]: String(example), ...few })}`);
          expect([type, name, example, total > 0]).toEqual([type, name, example, true]);
          tried.push(`${type}.${name}`);
        }
      }
      expect(tried).toEqual(expect.arrayContaining(['Organization._id', 'Organization.part-of', 'Practitioner.name']));
      expect(tried).not.toContain('Practitioner.telecom');
      expect(tried).not.toContain('PractitionerRole._id');
    });
  });

  // fhir-stu3, SMART: .well-known/smart-configuration, the extension of the CapabilityStatement and OpenID's discovery, each
  // complete, and true to what the sign-in service says of itself.
  describe('fhir-stu3 SMART', () => {
    let base: string;
    let openid: Record<string, unknown>;
    beforeAll(async () => {
      base = service.settings.directory.url;
      openid = await json(`${service.issuer}/.well-known/openid-configuration`);
    });

    async function json(address: string): Promise<Record<string, unknown>> {
      return (await (await fetch(address)).json()) as Record<string, unknown>;
    }

    const WAYS = ['.well-known/smart-configuration', 'metadata', '.well-known/openid-configuration'];

    it('smart-configuration says nothing that the discovery document of the issuer does not say', async () => {
      const { capabilities, ...smart } = await json(`${base}/.well-known/smart-configuration`);
      expect(capabilities).toBeDefined();
      expect(Object.keys(smart).length).toBe(11);
      for (const [name, said] of Object.entries(smart)) {
        const theirs = openid[name];
        expect([name, theirs]).toEqual([name, Array.isArray(said) ? expect.arrayContaining(said) : said]);
      }
    });

    it("openid-configuration below the directory leads to the issuer's own", async () => {
      const answer = await fetch(`${base}/.well-known/openid-configuration`);
      expect(answer.url).toBe(`${service.issuer}/.well-known/openid-configuration`);
      expect(await answer.json()).toEqual(openid);
    });

    it('the oauth-uris extension has the same addresses', async () => {
      const statement = (await json(`${base}/metadata`)) as unknown as {
        rest: { security: { extension: { extension: { url: string; valueUri: string }[] }[] } }[];
      };
      const uris = statement.rest[0]?.security.extension[0]?.extension ?? [];
      expect(Object.fromEntries(uris.map(({ url, valueUri }) => [url, valueUri]))).toEqual({
        authorize: openid['authorization_endpoint'],
        token: openid['token_endpoint'],
        introspect: openid['introspection_endpoint'],
        revoke: openid['revocation_endpoint'],
      });
    });

    it.each(WAYS)('fhir-kit-client: smartAuthMetadata() where only %s answers', async (way) => {
      const client = new Client({ baseUrl: base });
      const get = globalThis.fetch;
      globalThis.fetch = async (input, init) => {
        const asked = input instanceof Request ? input.url : String(input);
        const one = WAYS.find((other) => asked.endsWith(other) && asked.startsWith(base));
        return one === way || one === undefined ? get(input, init) : new Response('', { status: 404 });
      };
      try {
        const { authorizeUrl, tokenUrl } = await client.smartAuthMetadata();
        expect(String(authorizeUrl)).toBe(`${service.issuer}/authorize`);
        expect(String(tokenUrl)).toBe(`${service.issuer}/oauth/token`);
      } finally {
        globalThis.fetch = get;
      }
    });
  });

  describe('who comes to the directory without knowing its addresses', () => {
    const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const ask = (path: string, accept: string) =>
      fetch(`${service.issuer}/directory${path}`, { redirect: 'manual', headers: { accept } });

    it('is led to the reference: from its beginning, and a browser from the FHIR base', async () => {
      for (const [path, accept] of [
        ['', '*/*'],
        ['/', page],
        ['/v2', page],
        ['/v2/', page],
      ] as const) {
        const answer = await ask(path, accept);
        expect([path, answer.status]).toEqual([path, 302]);
        const { href } = new URL(answer.headers.get('location') ?? '', service.issuer);
        expect(href).toBe(`${service.issuer}/directory/docs`);
      }
    });

    it('learns where to read: a program at the FHIR base, and who has no token', async () => {
      for (const [path, status, text] of [
        ['/v2/', 200, 'Reference: '],
        ['/v2/nothing', 404, '/$export'],
        ['/v2/Organization?name=ma', 401, 'Send Authorization: Bearer'],
      ] as const) {
        const answer = await ask(path, 'application/fhir+json');
        const answered = await answer.text();
        expect([path, answer.status]).toEqual([path, status]);
        expect(answered).toContain(text);
        expect(answered).toContain(`${service.issuer}/directory/docs`);
      }
    });
  });

  // Clients are generated from the description: whatever changes in it is a change of the interface, and has to be meant.
  describe('the description for programs', () => {
    interface Response {
      $ref?: string;
      description?: string;
    }
    interface Described {
      parameters?: { name: string }[];
      requestBody?: object;
      responses: Record<string, Response>;
    }
    interface Document {
      openapi: string;
      info: { version: string };
      tags: object[];
      paths: Record<string, Record<string, Described>>;
      components: Record<string, Record<string, object>>;
    }

    it('has these operations, parameters, responses and headers', async () => {
      const { issuer } = service;
      const text = await (await fetch(`${issuer}/directory/openapi.json`)).text();
      const { info, tags, paths, components } = JSON.parse(
        text.replaceAll(issuer, 'https://connect.example').replace(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, '"(time)"'),
      ) as Document;
      const { schemas = {}, ...others } = components;
      // What many operations share is told once.
      const [parameters, answers] = [new Set<string>(), new Set<string>()];
      const told = (status: string, response: Response) => {
        if (response.$ref) return response.$ref.replace('#/components/responses/', '');
        answers.add(JSON.stringify(response));
        return `${status} ${response.description}`;
      };
      const operations = Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => {
          if (Array.isArray(operation)) return [path, operation];
          const { parameters: own = [], requestBody, responses, ...rest } = operation;
          // The example of a date is the day on which the edition was loaded.
          for (const one of own) parameters.add(JSON.stringify(one).replace(/(?<="le)\d{4}-\d\d-\d\d/, 'TODAY'));
          const statuses = Object.entries(responses).map(([status, response]) => told(status, response));
          const form = Boolean(requestBody);
          return [`${method} ${path}`, { ...rest, form }, own.map(({ name }) => name).join(' '), statuses.join('; ')];
        }),
      );
      const { version: _, ...about } = info;
      const sorted = [parameters, answers].map((texts) => [...texts].sort());
      expect(rows([about, tags, operations, sorted, others, Object.keys(schemas)])).toMatchSnapshot();
    });
  });
});
