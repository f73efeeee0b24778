// OpenAPI: the description is valid by the official schema of OpenAPI 3.1 and sound in itself, and every address,
// parameter and body that it names is as it says.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { openapiDocument } from '#directory/metadata/openapi/document.ts';
import { authorizationServer } from '#openid/provider/discovery.ts';
import { batchOf } from '#support/directory/batching.ts';
import { edition } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: { type?: string; [keyword: string]: unknown };
  example?: unknown;
  explode?: boolean;
}

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, object> } }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }>;
}

type PathItem = { parameters?: Parameter[] } & Record<string, Operation>;

interface Document {
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const TYPES = ['Practitioner', 'Organization', 'PractitionerRole', 'SearchParameter', 'CodeSystem'];

let document: Document;
let operations: { path: string; method: string; operation: Operation; ofPath: Parameter[] }[];
const compiled = new Map<string, ValidateFunction>();
const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } });
(formats as unknown as (ajv: Ajv2020) => void)(ajv);

const snapshot = openedForAll(() => openIndex(edition()));
const directory = openedForAll(() => startDirectory(snapshot));
beforeAll(() => {
  const server = authorizationServer('https://connect.example');
  const made = openapiDocument({ base: directory.base, version: '0.1.0', authorizationServer: server });
  document = JSON.parse(JSON.stringify(made)) as Document;
  operations = Object.entries(document.paths).flatMap(([path, { parameters = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, ofPath: parameters })),
  );
  ajv.addSchema({ $id: 'openapi', ...document });
});

/** Whether a value is what a schema of the document allows; the faults otherwise. */
function faultsOf(schema: object, value: unknown): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
  compiled.set(text, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function target(ref: string): unknown {
  return ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], document);
}

describe('the OpenAPI description by itself', () => {
  it('is valid by the official schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(await validator.validate({ ...document, paths: { '/x': { get: { parameters: [{}] } } } })).toMatchObject({
      valid: false,
    });
  });

  it('every $ref resolves', () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = '']) => ref);
    expect(refs.length).toBeGreaterThan(100);
    expect(refs.filter((ref) => target(ref) === undefined)).toEqual([]);
  });

  it('operations have unique names, known tags and methods, summaries, and the security that is defined', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { method, operation } of operations) {
      expect(['get', 'post', 'delete']).toContain(method);
      expect(tags).toEqual(expect.arrayContaining(operation.tags));
      expect(operation.summary).toMatch(/\w/);
      for (const need of operation.security)
        expect(Object.keys(document.components.securitySchemes)).toEqual(expect.arrayContaining(Object.keys(need)));
      expect(Object.keys(operation.responses).filter((status) => !/^[2-5]\d\d$/.test(status))).toEqual([]);
    }
  });

  it('parameters have a schema, stand once, and those of a path are the ones in its braces', () => {
    for (const { path, operation, ofPath } of operations) {
      const { parameters = [] } = operation;
      const keys = [...ofPath, ...parameters].map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(keys).size).toBe(keys.length);
      const braces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(ofPath.map(({ name }) => name)).toEqual(braces);
      for (const parameter of [...ofPath, ...parameters]) {
        expect(['query', 'header', 'path']).toContain(parameter.in);
        expect(parameter.required ?? false).toBe(parameter.in === 'path');
        expect(faultsOf({ type: 'object', minProperties: 1 }, parameter.schema)).toEqual([]);
      }
    }
  });

  it('an entry of a Bundle is a resource of one of the served types, which its resourceType tells', () => {
    const entry = { $ref: '#/components/schemas/Bundle.entry' };
    const { properties } = document.components.schemas['Bundle.entry'] as {
      properties: { resource: { discriminator: { propertyName: string; mapping: Record<string, string> } } };
    };
    const { propertyName, mapping } = properties.resource.discriminator;
    expect(propertyName).toBe('resourceType');
    expect(Object.keys(mapping)).toEqual([...TYPES, 'OperationOutcome', 'Bundle', 'CapabilityStatement']);
    expect(faultsOf(entry, { resource: { resourceType: 'Organization', id: 'org-1' } })).toEqual([]);
    expect(faultsOf(entry, { resource: { resourceType: 'Patient', id: 'org-1' } })).not.toEqual([]);
  });

  it('a search names every way to include, recurse among them', () => {
    const named = (type: string) =>
      (document.paths[`/${type}`]?.['get']?.parameters ?? [])
        .map(({ name }) => name)
        .filter((name) => /include/.test(name));
    const recursing = ['_include:recurse', '_revinclude:recurse'];
    for (const type of TYPES.slice(0, 3)) expect(named(type)).toEqual(expect.arrayContaining(recursing));
    expect(named('Organization')).toEqual(expect.arrayContaining(['_include', '_revinclude']));
    expect(named('SearchParameter')).toEqual([]);
  });

  it('every schema compiles, and every example is one that its schema allows', () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect([name, faultsOf(schema, 1)]).not.toEqual([name, []]);
    let examples = 0;
    for (const { operation, ofPath } of operations) {
      for (const { name, schema, example } of [...ofPath, ...(operation.parameters ?? [])]) {
        if (example === undefined) continue;
        expect([name, faultsOf(schema, example)]).toEqual([name, []]);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(80);
  });
});

/** The path with ids of the edition in its braces. */
async function filled(path: string): Promise<string> {
  const type = path.split('/')[1] ?? '';
  if (path.startsWith('/$export/')) {
    const manifest = (await (await ask('/$export')).json()) as { output: { url: string }[] };
    const [, , , edition = '', file = ''] = new URL(manifest.output[0]?.url ?? '').pathname.split('/').slice(1);
    return path.replace('{snapshot}', edition).replace('{file}', file);
  }
  if (!path.includes('{id}')) return path;
  const bundle = (await (await ask(`/${type}?_count=1`)).json()) as {
    entry: { resource: { id: string; meta: { versionId: string } } }[];
  };
  const { id = '', meta } = bundle.entry[0]?.resource ?? {};
  return path.replace('{id}', id).replace('{version}', meta?.versionId ?? '');
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: 'Bearer both', ...init.headers };
  return fetch(`${directory.address}${path}`, { redirect: 'manual', ...init, headers });
}

function queryOf({ name, example, explode }: Parameter): string {
  const values = explode === false && Array.isArray(example) ? [example.join(',')] : [example].flat();
  return values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
}

/** Faults of an answer: one of the statuses that are named, its media type, its body by its schema. */
async function faultsOfAnswer({ responses }: Operation, answer: Response): Promise<string[]> {
  const named = responses[String(answer.status)];
  const text = await answer.text();
  if (!named) return [`status ${answer.status} is not named`];
  const { content } = named.$ref ? (target(named.$ref) as typeof named) : named;
  if (!content) return text === '' ? [] : [`a body with ${answer.status}`];
  const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
  const found = content[type];
  if (!found) return [`${type} is not named`];
  return /[/+]json$/.test(type) ? faultsOf(found.schema, JSON.parse(text)) : [];
}

const FHIR = { 'content-type': 'application/fhir+json' };
const BATCH = { method: 'POST', headers: FHIR, body: JSON.stringify(batchOf('metadata', 'Patient/1')) };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const FAULTY_QUERIES = [
  ...['no-such-parameter=1&_pretty=maybe', '_summary=count', '_format=turtle', 'x=%ff', `name=${'x'.repeat(5000)}`],
  ...['_since=yesterday', '_since=2001', '_type=Patient'],
];
const FAULTY_HEADERS: readonly Record<string, string>[] = [
  ...['expired', 'machine', 'openid'].map((token) => ({ authorization: `Bearer ${token}` })),
  { accept: 'image/png' },
  { range: 'bytes=99999999-' },
];

describe('every claim of the OpenAPI description, tried', () => {
  it('each address answers as it says, in every media type that it names', async () => {
    for (const { path, method, operation } of operations) {
      if (method !== 'get') continue;
      const answer = await ask(await filled(path));
      const status = Object.keys(operation.responses).find((one) => /^[23]/.test(one));
      expect([path, String(answer.status)]).toEqual([path, status]);
      for (const accept of Object.keys(operation.responses['200']?.content ?? {})) {
        const typed = await ask(await filled(path), { headers: { accept } });
        expect(typed.headers.get('content-type')?.split(';')[0]).toBe(accept);
        expect([path, accept, await faultsOfAnswer(operation, typed)]).toEqual([path, accept, []]);
      }
    }
  });

  it('each parameter of each address takes its example', async () => {
    let tried = 0;
    for (const { path, method, operation } of operations) {
      if (method !== 'get') continue;
      const at = await filled(path);
      for (const parameter of operation.parameters ?? []) {
        if (parameter.in !== 'query' || parameter.example === undefined) continue;
        const few = /^\/[A-Z]\w+$/.test(path) && parameter.name !== '_count' ? '&_count=2' : '';
        const answer = await ask(`${at}?${queryOf(parameter)}${few}`);
        const gone = answer.status === 410 && parameter.name === '_since';
        expect([path, parameter.name, gone || answer.status === 200]).toEqual([path, parameter.name, true]);
        const faults = await faultsOfAnswer(operation, answer);
        const subset = ['_summary', '_elements'].includes(parameter.name);
        expect([path, parameter.name, subset ? [] : faults]).toEqual([path, parameter.name, []]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(100);
  });

  it('each form of a search by POST takes the parameters of its GET, and the batch is answered', async () => {
    for (const { path, method, operation } of operations) {
      if (method !== 'post') continue;
      const form = operation.requestBody?.content['application/x-www-form-urlencoded'];
      const { parameters = [] } = document.paths[path.replace('/_search', '')]?.['get'] ?? {};
      const query = parameters.filter((parameter) => parameter.in === 'query');
      expect(Object.keys(form?.schema.properties ?? {})).toEqual(query.map(({ name }) => name));
      const [first] = query;
      const body = first ? queryOf(first) : '';
      const answer = await ask(path, path === '/' ? BATCH : { method: 'POST', headers: FORM, body });
      expect([path, answer.status, await faultsOfAnswer(operation, answer)]).toEqual([path, 200, []]);
    }
  });

  it('each refusal is one that is named: of tokens, parameters, formats, codings, forms, ids and methods', async () => {
    const seen = new Set<number>();
    for (const { path, method, operation } of operations) {
      const at = await filled(path);
      const statusOf = async (target: string, faulty: Record<string, string> = {}, body?: string): Promise<number> => {
        const type = method === 'post' && (path === '/' ? FHIR : FORM);
        const init = { method: method.toUpperCase(), headers: { ...type, ...faulty } };
        const answer = await ask(target, body === undefined ? init : { ...init, body });
        const shown = [method, target.slice(0, 99), faulty];
        expect([...shown, await faultsOfAnswer(operation, answer)]).toEqual([...shown, []]);
        seen.add(answer.status);
        return answer.status;
      };
      const guarded = operation.security.length > 0;
      expect([path, await statusOf(at, { authorization: '' })]).toEqual([path, guarded ? 401 : expect.any(Number)]);
      expect([path, await statusOf(at, { 'accept-encoding': 'identity;q=0' })]).toEqual([path, 406]);
      for (const faulty of FAULTY_HEADERS) await statusOf(at, faulty);
      const refused: number[] = [];
      for (const query of FAULTY_QUERIES) refused.push(await statusOf(`${at}?${query}`));
      if (path.endsWith('}')) refused.push(await statusOf(at.replace(/[^/]+$/, '%zz')));
      expect([path, method, refused.includes(400)]).toEqual([path, method, operation.responses['400'] !== undefined]);
      if (path.includes('{')) await statusOf(path.replaceAll(/\{\w+\}/g, 'nobody'));
      if (path.endsWith('{id}')) expect(await statusOf(path.replace('{id}', 'nobody'))).toBe(404);
      if (method !== 'post') continue;
      await statusOf(at, {}, 'no-such-parameter=1');
      await statusOf(at, {}, 'x'.repeat(300_000));
      await statusOf(at, { 'content-type': 'application/json' }, '{}');
    }
    expect([...seen]).toEqual(expect.arrayContaining([400, 401, 403, 404, 406, 410, 413, 414, 415, 416]));
  });
});
