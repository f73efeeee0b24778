// fhir-stu3, fhir-kit-client 2.0.3: each of its calls against the running service, unmodified, with the token of a person who
// signed in, with one of fewer permissions, and without any.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'fhir-kit-client';
import { entriesOf, idsOf, linksOf, refusalOf } from '#support/directory/reading.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { withSignedInService } from '#support/openid/signed-in.ts';
import { rounds } from '#support/rounds.ts';

describe('fhir-kit-client', () => {
  const on = withSignedInService();
  const baseUrl = () => `${on.service.issuer}/directory/v2`;
  const client = (bearerToken = on.signedIn.tokens.access_token) => new Client({ baseUrl: baseUrl(), bearerToken });
  const stranger = () => new Client({ baseUrl: baseUrl() });

  type Bundle = Parameters<Client['nextPage']>[0]['bundle'];
  type Search = { resourceType: string; searchParams: Record<string, string> };

  let person: { id: string; name: { family: string }[]; meta: { versionId: string } };
  beforeAll(async () => {
    const bundle = await client().search({ resourceType: 'Practitioner', searchParams: { name: 'ma', _count: '1' } });
    person = entriesOf(bundle)[0]?.resource as unknown as typeof person;
  });

  describe('fhir-stu3 fhir-kit-client: reading', () => {
    it('read', async () => {
      expect(await client().read({ resourceType: 'Practitioner', id: person.id })).toEqual(person);
    });

    it('vread of the current version, and of another', async () => {
      const { id, meta } = person;
      const one = { resourceType: 'Practitioner', id };
      expect(await client().vread({ ...one, version: meta.versionId })).toEqual(person);
      const refused = await refusalOf(client().vread({ ...one, version: '99999' }));
      expect([refused.status, refused.data.issue[0]?.diagnostics]).toEqual([
        404,
        expect.stringMatching(/history is not/),
      ]);
    });

    it('read of what is not there, and history and writing, which there is none of', async () => {
      const nobody = { resourceType: 'Practitioner', id: 'nobody' };
      expect((await refusalOf(client().read(nobody))).status).toBe(404);
      expect((await refusalOf(client().history(nobody))).data.resourceType).toBe('OperationOutcome');
      expect((await refusalOf(client().delete({ ...nobody, id: person.id }))).status).toBe(405);
      const body = { resourceType: 'Practitioner' };
      expect((await refusalOf(client().create({ resourceType: 'Practitioner', body }))).status).toBe(405);
      expect((await refusalOf(client().update({ ...nobody, body }))).status).toBe(405);
    });
  });

  describe('fhir-stu3 fhir-kit-client: searching', () => {
    const asked: Search = { resourceType: 'Practitioner', searchParams: { name: 'ma', address: 'pa', _count: '7' } };

    it('search, and resourceSearch by GET and by POST, find the same', async () => {
      const found = await client().search(asked);
      expect(idsOf(found).length).toBeGreaterThan(0);
      expect(idsOf(await client().resourceSearch(asked))).toEqual(idsOf(found));
      const posted = await client().resourceSearch({ ...asked, options: { postSearch: true } });
      expect(idsOf(posted)).toEqual(idsOf(found));
      expect(posted['total']).toBe(found['total']);
      expect(linksOf(posted)['self']).toBe(linksOf(found)['self']);
    });

    it.each([
      ['GET', {}],
      ['POST', { postSearch: true }],
    ])('nextPage to the end and prevPage back to the beginning, after a search by %s', async (_method, options) => {
      const pages: string[][] = [];
      const { _count: _few, ...criteria } = asked.searchParams;
      let bundle = (await client().resourceSearch({
        ...asked,
        searchParams: { ...criteria, address: 'p', _count: '20' },
        options,
      })) as unknown as Bundle;
      const total = Number(bundle['total']);
      for (const _page of rounds()) {
        pages.push(idsOf(bundle));
        const next = await client().nextPage({ bundle });
        if (!next) break;
        bundle = next as unknown as Bundle;
      }
      expect(pages.length).toBeGreaterThan(2);
      expect(pages.flat()).toHaveLength(total);
      expect(new Set(pages.flat()).size).toBe(total);
      const back: string[][] = [];
      for (const _page of rounds()) {
        back.unshift(idsOf(bundle));
        const previous = await client().prevPage({ bundle });
        if (!previous) break;
        bundle = previous as unknown as Bundle;
      }
      expect(back).toEqual(pages);
    });

    it('a whole person: roles and structures in one call, each reference resolved from the Bundle and by reading', async () => {
      const found = entriesOf(
        await client().search({ resourceType: 'PractitionerRole', searchParams: { practitioner: person.id } }),
      );
      expect(found.length).toBeGreaterThan(0);
      const context = (await client().search({
        resourceType: 'PractitionerRole',
        searchParams: { practitioner: person.id, _include: 'PractitionerRole:practitioner' },
      })) as Parameters<Client['resolve']>[0]['context'] & object;
      const role = entriesOf(context)[0]?.resource as unknown as {
        practitioner: { reference: string };
        organization?: { reference: string };
      };
      const { reference } = role.practitioner;
      expect(reference).toBe(`Practitioner/${person.id}`);
      expect(await client().resolve({ reference })).toEqual(person);
      expect(await client().resolve({ reference, context })).toEqual(person);
      expect(await client().resolve({ reference: `${baseUrl()}/${reference}` })).toEqual(person);
    });
  });

  describe('fhir-stu3 fhir-kit-client: what the server says of itself', () => {
    it('capabilityStatement, with and without a token, as the tool of the client reads it', async () => {
      const statement = await stranger().capabilityStatement();
      expect(statement).toEqual(await client().capabilityStatement());
      const { CapabilityTool } = await import('fhir-kit-client');
      const tool = new CapabilityTool(statement);
      for (const resourceType of ['Practitioner', 'Organization', 'PractitionerRole']) {
        expect(tool.resourceCan(resourceType, 'read')).toBe(true);
        expect(tool.resourceCan(resourceType, 'search-type')).toBe(true);
        expect(tool.resourceCan(resourceType, 'create')).toBe(false);
      }
      expect(tool.resourceSearch('Practitioner', 'name')).toBe(true);
      expect(tool.resourceSearch('Practitioner', 'nom')).toBe(false);
    });
  });

  describe('fhir-stu3 fhir-kit-client: tokens', () => {
    const calls: [call: string, ask: (client: Client) => Promise<unknown> | undefined][] = [
      ['read', (asking) => asking.read({ resourceType: 'Practitioner', id: person.id })],
      ['vread', (asking) => asking.vread({ resourceType: 'Practitioner', id: person.id, version: '1' })],
      ['search', (asking) => asking.search({ resourceType: 'Practitioner', searchParams: { name: 'ma' } })],
      [
        'resourceSearch by POST',
        (asking) =>
          asking.resourceSearch({
            resourceType: 'Practitioner',
            searchParams: { name: 'ma' },
            options: { postSearch: true },
          }),
      ],
      ['resolve', (asking) => asking.resolve({ reference: `Practitioner/${person.id}` })],
    ];

    it.each(calls)('%s without a token is 401 and login, with a strange one too', async (_call, ask) => {
      for (const asking of [stranger(), client('no-token-of-ours')]) {
        const refused = await refusalOf(Promise.resolve(ask(asking)));
        expect([refused.status, refused.data.issue[0]?.code]).toEqual([401, 'login']);
      }
    });

    it('with a token of too few permissions each is 403 and forbidden', async () => {
      const { tokens } = await signIn(on.service, { scope: 'openid ORGANIZATION_READ' });
      for (const [, ask] of calls) {
        const refused = await refusalOf(Promise.resolve(ask(client(tokens.access_token))));
        expect([refused.status, refused.data.issue[0]?.code]).toEqual([403, 'forbidden']);
      }
    });

    it('nextPage takes the token along', async () => {
      const bundle = await client().search({ resourceType: 'Practitioner', searchParams: { name: 'ma', _count: '2' } });
      const next = await client().nextPage({ bundle: bundle as unknown as Bundle });
      expect(idsOf(next as object)).toHaveLength(2);
      expect(
        (await refusalOf(Promise.resolve(stranger().nextPage({ bundle: bundle as unknown as Bundle })))).status,
      ).toBe(401);
    });
  });
});
