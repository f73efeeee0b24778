// fhir-stu3, CapabilityStatement: everything that is claimed is tried and works, and what is not claimed is refused.
// The claims are read as any client reads them; the values that are tried are the examples of the descriptions.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMPLES, exampleId, exampleOf } from '#directory/metadata/parameter-examples.ts';
import { SERVED } from '#directory/resources/resource-types.ts';
import { batchOf } from '#support/directory/batching.ts';
import { edition } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

interface Claims {
  type: string;
  documentation: string;
  interaction: { code: string }[];
  searchParam: { name: string; type: string; documentation: string }[];
  searchInclude?: string[];
  searchRevInclude?: string[];
}

interface Statement {
  format: string[];
  rest: {
    security: { description: string };
    resource: Claims[];
    interaction: { code: string }[];
    operation: { name: string }[];
    compartment?: string[];
  }[];
}

/** All that STU3 knows. */
const MODIFIERS = ['missing', 'exact', 'contains', 'text', 'in', 'not-in', 'below', 'above', 'not', 'Practitioner'];
const IDS: Record<string, string> = {
  Practitioner: 'prat-1',
  Organization: 'org-1',
  PractitionerRole: 'prat-1-a',
  SearchParameter: 'Organization-part-of',
  CodeSystem: 'TRE-G15-ProfessionSante',
};

/** Entries with a reference, and entries that others refer to. */
const LINKED: Record<string, string[]> = {
  Practitioner: ['prat-1'],
  Organization: ['org-2', 'org-1'],
  PractitionerRole: ['prat-1-a'],
};

let statement: Statement;
let types: Claims[];
const snapshot = openedForAll(() => openIndex(edition()));
const directory = openedForAll(() => startDirectory(snapshot));
beforeAll(async () => {
  statement = (await (await ask('/metadata')).json()) as Statement;
  types = statement.rest[0]?.resource ?? [];
});

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${directory.address}${path}`, { ...init, headers: { authorization: 'Bearer both', ...init.headers } });
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const answer = await ask(path, init);
  await answer.arrayBuffer();
  return answer.status;
}

/** The example of a parameter, and its status, for each of the paths made of it. */
async function statuses(paths: readonly string[]): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const path of paths) found[path] = await statusOf(path);
  return found;
}

const all = (paths: readonly string[], status: number) => Object.fromEntries(paths.map((path) => [path, status]));

function example(type: string, name: string): string {
  const table = SERVED.find((one) => one.type === type);
  const parameter = table?.parameters.find((one) => one.name === name);
  return table && parameter ? exampleOf(table, parameter, EXAMPLES) : 'true';
}

const query = (type: string, name: string, value: string) => `/${type}?${name}=${encodeURIComponent(value)}&_count=1`;

function claimedModifiers({ documentation }: { documentation: string }): string[] {
  const list = / Modifiers: ([^.]*)\.$/.exec(documentation)?.[1] ?? '';
  return list === '' ? [] : list.split(', ').map((modifier) => modifier.slice(1));
}

function modified(type: string, name: string, modifier: string): string {
  const value = modifier === 'missing' ? 'true' : example(type, name);
  return query(
    type,
    `${name}:${modifier}`,
    value.startsWith(`${modifier}/`) ? value.slice(modifier.length + 1) : value,
  );
}

const FHIR = { 'content-type': 'application/fhir+json' };

describe('every claim of the CapabilityStatement, tried', () => {
  it('interactions: read, vread and search-type of each type, by GET and by POST', async () => {
    for (const { type, interaction } of types) {
      expect(interaction.map(({ code }) => code)).toEqual(['read', 'vread', 'search-type']);
      const read = await ask(`/${type}/${IDS[type]}`);
      const { meta } = (await read.json()) as { meta: { versionId: string } };
      expect(await statusOf(`/${type}/${IDS[type]}/_history/${meta.versionId}`)).toBe(200);
      expect(await statusOf(`/${type}`)).toBe(200);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(await statusOf(`/${type}/_search`, { method: 'POST', headers: form, body: '_count=1' })).toBe(200);
      expect(await (await ask(`/${type}/_search?_count=1`)).json()).toEqual(
        await (await ask(`/${type}?_count=1`)).json(),
      );
      // conditionalRead: full-support
      for (const [condition, value] of [
        ['if-none-match', read.headers.get('etag')],
        ['if-modified-since', read.headers.get('last-modified')],
      ] as const)
        expect(await statusOf(`/${type}/${IDS[type]}`, { headers: { [condition]: value ?? '' } })).toBe(304);
    }
  });

  it('search parameters: each with its example', async () => {
    const paths = types.flatMap(({ type, searchParam }) =>
      searchParam.map(({ name }) => query(type, name, example(type, name))),
    );
    expect(paths.length).toBeGreaterThan(30);
    expect(await statuses(paths)).toEqual(all(paths, 200));
  });

  it('modifiers: each one of each parameter', async () => {
    const paths = types.flatMap(({ type, searchParam }) =>
      searchParam.flatMap((parameter) =>
        claimedModifiers(parameter).map((modifier) => modified(type, parameter.name, modifier)),
      ),
    );
    expect(paths.length).toBeGreaterThan(40);
    expect(await statuses(paths)).toEqual(all(paths, 200));
  });

  it('searchInclude and searchRevInclude: each one, and what it names comes', async () => {
    const tried: string[] = [];
    for (const { type, searchInclude = [], searchRevInclude = [] } of types) {
      for (const [name, values] of [
        ['_include', searchInclude],
        ['_revinclude', searchRevInclude],
      ] as const) {
        for (const value of values) {
          let included = 0;
          for (const id of LINKED[type] ?? []) {
            const { entry } = (await (await ask(`/${type}?_id=${id}&${name}=${value}`)).json()) as Bundle;
            included += entry.filter(({ search }) => search.mode === 'include').length;
          }
          tried.push(`${type} ${name}=${value} ${included > 0}`);
        }
      }
    }
    expect(tried.length).toBeGreaterThan(8);
    expect(tried.filter((line) => line.endsWith('false'))).toEqual([]);
  });

  it('_sort: each value that a type names', async () => {
    const paths = types.flatMap(({ type, documentation }) => {
      const values = /_sort takes ([^.]*)\./.exec(documentation)?.[1]?.split(' or ') ?? [];
      return values.map((value) => query(type, '_sort', value) + (value.endsWith('near') ? '&near=46.9|6.35' : ''));
    });
    expect(paths.length).toBeGreaterThan(10);
    expect(await statuses(paths)).toEqual(all(paths, 200));
  });

  it('formats: each one, by _format and where it is a media type by Accept', async () => {
    for (const format of statement.format) {
      const type = format.includes('/') ? format : `application/fhir+${format}`;
      const named = await ask(`/Practitioner/prat-1?_format=${encodeURIComponent(format)}`);
      expect([format, named.headers.get('content-type')]).toEqual([format, `${type}; charset=utf-8`]);
      const accepted = await ask('/Practitioner?_count=1', { headers: { accept: type } });
      expect(accepted.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    }
  });

  it('security: each scope is what lacks, and what is open needs no token', async () => {
    const { description } = statement.rest[0]?.security ?? { description: '' };
    for (const { type } of types) {
      const open = description.includes(`${type}: Open to everybody`);
      expect([type, (await fetch(`${directory.address}/${type}`)).status]).toEqual([type, open ? 200 : 401]);
      const need = new RegExp(`${type}: Needs the scope ([A-Z_]+)`).exec(description)?.[1];
      const without = need === 'PRACTITIONER_READ' ? 'organizations' : 'practitioners';
      const status = await statusOf(`/${type}`, { headers: { authorization: `Bearer ${without}` } });
      expect([type, status]).toEqual([type, open ? 200 : 403]);
    }
    const answer = await ask('/Practitioner?_count=0', { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('batch: its entries are read and searched', async () => {
    expect(statement.rest[0]?.interaction.map(({ code }) => code)).toEqual(['batch']);
    const body = JSON.stringify(batchOf(...types.map(({ type }) => `${type}/${IDS[type]}`)));
    const answer = await ask('/', { method: 'POST', headers: FHIR, body });
    const { entry } = (await answer.json()) as { entry: { resource: { resourceType: string } }[] };
    expect(entry.map(({ resource }) => resource.resourceType)).toEqual(types.map(({ type }) => type));
  });

  it('the operation: an export answers', async () => {
    expect(statement.rest[0]?.operation.map(({ name }) => name)).toEqual(['export']);
    expect(await statusOf('/$export')).toBe(200);
  });

  it('GET, HEAD and OPTIONS at the base give the same statement, but for the question of a browser; PUT names them', async () => {
    const allowed = 'GET, HEAD, POST, OPTIONS';
    const options = await ask('/', { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe(allowed);
    expect(await options.json()).toEqual(statement);
    expect(await (await ask('/')).json()).toEqual(statement);
    expect(await statusOf('/', { method: 'HEAD' })).toBe(200);
    const put = await ask('/', { method: 'PUT', body: '{}' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, allowed]);
    const preflight = { 'access-control-request-method': 'GET', origin: 'https://app.example' };
    expect(await statusOf('/', { method: 'OPTIONS', headers: preflight })).toBe(204);
  });
});

interface Bundle {
  entry: { search: { mode: string } }[];
}

describe('what the CapabilityStatement does not claim, refused', () => {
  it('interactions of the whole system, writing, history, compartments', async () => {
    const [rest] = statement.rest;
    expect(rest?.compartment).toBeUndefined();
    for (const path of ['/?name=duval', '/?_type=Practitioner', '/_search', '/_search?name=duval'])
      expect([path, await statusOf(path)]).toEqual([path, 400]);
    expect(await statusOf('/_history')).toBe(404);
    for (const body of ['{}', JSON.stringify({ ...batchOf(), type: 'transaction' })])
      expect(await statusOf('/', { method: 'POST', headers: FHIR, body })).toBe(400);
    for (const { type } of types) {
      expect(await statusOf(`/${type}`, { method: 'POST', body: '{}' })).toBe(405);
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        expect([method, await statusOf(`/${type}/${IDS[type]}`, { method })]).toEqual([method, 405]);
      expect(await statusOf(`/${type}/_history`)).toBeGreaterThanOrEqual(400);
    }
    for (const type of ['Patient', 'CapabilityStatement', 'OperationDefinition'])
      expect(await statusOf(`/${type}`)).toBe(404);
  });

  it('every parameter of another type, and every modifier that a parameter does not name', async () => {
    const names = new Set(types.flatMap(({ searchParam }) => searchParam.map(({ name }) => name)));
    const paths = types.flatMap(({ type, searchParam }) => {
      const own = searchParam.map(({ name }) => name);
      const foreign = [...names].filter((name) => !own.includes(name)).map((name) => query(type, name, 'true'));
      const others = searchParam.flatMap((parameter) => {
        const claimed = claimedModifiers(parameter);
        const unclaimed = MODIFIERS.filter((modifier) => !claimed.includes(modifier));
        return unclaimed.map((modifier) => modified(type, parameter.name, modifier));
      });
      return [...foreign, ...others];
    });
    expect(paths.length).toBeGreaterThan(200);
    expect(await statuses(paths)).toEqual(all(paths, 400));
  });

  it('includes of other types, other orders, other formats and prefixes', async () => {
    const includes = new Set(
      types.flatMap(({ searchInclude = [], searchRevInclude = [] }) => [...searchInclude, ...searchRevInclude]),
    );
    // All that there are: of a type with none, that is nothing.
    includes.delete('*');
    const paths = types.flatMap(({ type, searchInclude = [], searchRevInclude = [] }) => [
      ...[...includes].filter((value) => !searchInclude.includes(value)).map((value) => `/${type}?_include=${value}`),
      ...[...includes]
        .filter((value) => !searchRevInclude.includes(value))
        .map((value) => `/${type}?_revinclude=${value}`),
      `/${type}?_sort=identifier`,
      `/${type}?_contained=true`,
      `/${type}?_query=name`,
    ]);
    expect(await statuses(paths)).toEqual(all(paths, 400));
    expect(await statusOf(query('Practitioner', '_lastUpdated', 'xx2026'))).toBe(400);
    expect(await statusOf('/metadata?_format=ttl')).toBe(406);
    expect(await statusOf(`/Practitioner/${exampleId('Practitioner')}?_format=application/fhir%2Bturtle`)).toBe(406);
  });
});
