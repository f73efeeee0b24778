// Requests of the load to the directory: searches whose totals are known, pages to the end, includes, reads, exports, metadata.

import * as oidc from 'openid-client';
import type { Edition } from '#tools/site/editions.ts';
import type { Member } from '#tools/soak/load/members.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import { hasAccess, type Operation } from './operation.ts';

const BASE = `${ISSUER}/directory/v2`;

type Reader = Pick<Member, 'accessToken' | 'dpop'> & { client: Member['client'] | 'copie' };

interface Bundle {
  resourceType: string;
  total: number;
  entry?: { resource: { resourceType: string; id: string }; search?: { mode: string } }[];
  link: { relation: string; url: string }[];
}

/** Asks as the client with the token; `path` below the base, or a whole address of it. */
export async function askDirectory(
  world: World,
  { client, accessToken, dpop }: Reader,
  path: string,
): Promise<{ status: number; body: string }> {
  const url = new URL(path, `${BASE}/`);
  const configuration = world.configuration(client);
  const bound = dpop && { DPoP: dpop };
  // It throws for a challenge (401), with the answer as the cause.
  const answer = await oidc.fetchProtectedResource(configuration, accessToken, url, 'GET', null, undefined, bound);
  return { status: answer.status, body: await answer.text() };
}

async function bundle(world: World, reader: Reader, path: string): Promise<Bundle> {
  const { status, body } = await askDirectory(world, reader, path);
  same(status, 200, `${path}: ${status === 200 ? '' : body.slice(0, 200)}`);
  return JSON.parse(body) as Bundle;
}

/** Fails unless the number is that of an edition which was in force during the work. */
async function ofAnEdition(
  world: World,
  what: string,
  expected: (edition: Edition) => number,
  work: () => Promise<number>,
): Promise<void> {
  const before = world.inForce;
  const found = await work();
  const allowed = [...new Set([...before, ...world.inForce])].map(expected);
  holds(allowed.includes(found), () => `${what}: ${found} instead of ${allowed.join(' or ')}`);
}

const withReader = async (world: World, work: (reader: Member) => Promise<void>) =>
  world.members.share(hasAccess, work);

const searches: Operation = {
  kind: 'search, total known',
  weight: 24,
  run: (world) =>
    withReader(world, async (reader) => {
      const { draw, site } = world;
      const beginning = draw.one(site.editions.beginnings);
      const day = draw.one(site.editions.days);
      const number = draw.one(site.editions.numbers);
      const [query, expected] = draw.one<[string, (edition: Edition) => number]>([
        ['_count=1', ({ people }) => people],
        [`family=${encodeURIComponent(beginning)}&_count=20`, (edition) => edition.byFamily(beginning)],
        [`address=${encodeURIComponent(`jour ${day}`)}&_count=20`, (edition) => edition.byStreet(day)],
        [`identifier=${number}`, ({ ids }) => (ids.has(number) ? 1 : 0)],
      ]);
      await ofAnEdition(
        world,
        query,
        expected,
        async () => (await bundle(world, reader, `Practitioner?${query}`)).total,
      );
    }),
};

const pages: Operation = {
  kind: 'search, all pages',
  weight: 3,
  run: (world) =>
    withReader(world, async (reader) => {
      const beginning = world.draw.one(world.site.editions.beginnings);
      const query = `Practitioner?family=${encodeURIComponent(beginning)}&_count=25`;
      await ofAnEdition(
        world,
        query,
        (edition) => edition.byFamily(beginning),
        async () => {
          const seen = new Set<string>();
          let total: number | undefined;
          for (let next: string | undefined = query; next !== undefined; ) {
            const page: Bundle = await bundle(world, reader, next);
            same(page.total, total ?? page.total, 'the total of a later page');
            total = page.total;
            for (const { resource } of page.entry ?? []) {
              holds(!seen.has(resource.id), `${resource.id} stands on two pages of ${query}`);
              seen.add(resource.id);
            }
            next = page.link.find(({ relation }) => relation === 'next')?.url;
          }
          same(seen.size, total, `people on all pages of ${query}`);
          return seen.size;
        },
      );
    }),
};

const included: Operation = {
  kind: 'search with includes',
  weight: 4,
  run: (world) =>
    withReader(world, async (reader) => {
      const beginning = encodeURIComponent(world.draw.one(world.site.editions.beginnings));
      const { entry = [], total } = await bundle(
        world,
        reader,
        `Practitioner?family=${beginning}&_count=10&_revinclude=PractitionerRole:practitioner`,
      );
      const of = (mode: string) => entry.filter(({ search }) => search?.mode === mode);
      same(of('match').length, Math.min(10, total), 'matches of a page');
      const ids = new Set(of('match').map(({ resource }) => `Practitioner/${resource.id}`));
      for (const { resource } of of('include')) {
        const { practitioner } = resource as unknown as { practitioner: { reference: string } };
        holds(
          [...ids].some((id) => practitioner.reference.endsWith(id)),
          `${resource.id} belongs to no match`,
        );
      }
    }),
};

const read: Operation = {
  kind: 'read',
  weight: 6,
  run: (world) =>
    withReader(world, async (reader) => {
      const number = world.draw.one(world.site.editions.numbers);
      await ofAnEdition(
        world,
        `Practitioner/${number}`,
        ({ ids }) => (ids.has(number) ? 200 : 410),
        async () => {
          const { status, body } = await askDirectory(world, reader, `Practitioner/${number}`);
          if (status === 200) same((JSON.parse(body) as { id: string }).id, number, 'the id that was read');
          // Gone, or never heard of: as long as the service remembers.
          return status === 404 ? 410 : status;
        },
      );
    }),
};

const exported: Operation = {
  kind: 'export, all files',
  weight: 1,
  run: (world) =>
    withReader(world, async (reader) => {
      await ofAnEdition(
        world,
        '$export',
        ({ people }) => people,
        async () => {
          const { status, body } = await askDirectory(world, reader, '$export');
          same(status, 200, '$export');
          const { output } = JSON.parse(body) as { output: { type: string; url: string; count?: number }[] };
          let people = 0;
          for (const { type, url, count } of output) {
            const file = await askDirectory(world, reader, url);
            same([type, file.status], [type, 200], 'a file of an export');
            const lines = file.body.split('\n').length - 1;
            same(lines, count ?? lines, `lines of ${type}`);
            if (type === 'Practitioner') people += lines;
          }
          return people;
        },
      );
    }),
};

const documents: Operation = {
  kind: 'documents without a token',
  weight: 4,
  async run(world) {
    const path = world.draw.one([
      '/directory/v2/metadata',
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/health/live',
    ]);
    const answer = await world.server.fetch(ISSUER + path);
    same(answer.status, 200, path);
    holds(Object.keys((await answer.json()) as object).length > 0, `${path} is empty`);
  },
};

export const directory: Operation[] = [searches, pages, included, read, exported, documents];
