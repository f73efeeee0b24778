// The reference is public while the directory needs a token (SEC-30): of a directory that is not said to be
// fictional it names nobody, and what it shows in full still finds something.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '#support/openid/relying-party.ts';
import { type RunningService, startService } from '#support/service.ts';

interface Parameter {
  in: string;
  name: string;
  example?: unknown;
}

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await startService({ adjust: (settings) => ({ ...settings, demo: false }) });
  token = (await signIn(service)).tokens.access_token;
});
afterAll(() => service.stop());

const textAt = async (path: string) => (await fetch(service.issuer + path)).text();

async function search(path: string): Promise<{ total: number; text: string }> {
  const answer = await fetch(`${service.issuer}/directory/v2${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  return { total: answer.status === 200 ? (JSON.parse(text) as { total: number }).total : -answer.status, text };
}

describe('the reference of a directory of real people', () => {
  it('holds no id, number nor mailbox of anybody', async () => {
    const shown = `${await textAt('/directory/docs')} ${await textAt('/directory/openapi.json')}`;
    const secrets = new Set<string>();
    for (let path = '/Practitioner?_count=200'; path !== ''; ) {
      const { text } = await search(path);
      const { entry, link } = JSON.parse(text) as {
        entry: { resource: { id: string; identifier: { value: string }[]; telecom?: { value: string }[] } }[];
        link: { relation: string; url: string }[];
      };
      for (const { resource } of entry)
        for (const { value } of [{ value: resource.id }, ...resource.identifier, ...(resource.telecom ?? [])])
          secrets.add(value);
      path = link.find(({ relation }) => relation === 'next')?.url.replace(`${service.issuer}/directory/v2`, '') ?? '';
    }
    expect(secrets.size).toBeGreaterThan(4000);
    expect([...secrets].filter((secret) => shown.includes(secret))).toEqual([]);
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
        const { total } = await search(`/${type}?${new URLSearchParams({ [name]: String(example) })}`);
        expect([type, name, example, total > 0]).toEqual([type, name, example, true]);
        tried.push(`${type}.${name}`);
      }
    }
    expect(tried).toEqual(expect.arrayContaining(['Organization._id', 'Organization.part-of', 'Practitioner.name']));
    expect(tried).not.toContain('Practitioner.telecom');
    expect(tried).not.toContain('PractitionerRole._id');
  });
});
