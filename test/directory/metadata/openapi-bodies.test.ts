// OpenAPI: bodies of requests, and the parts of the document that no parameter, response or example shows.

import { describe, expect, it } from '@jest/globals';
import { openapiDocument } from '#directory/metadata/openapi/document.ts';
import { schemasOf } from '#directory/metadata/openapi/responses.ts';
import { EXAMPLES } from '#directory/metadata/parameter-examples.ts';
import { SEARCH_PARAMETER } from '#directory/resources/resource-types.ts';
import { authorizationServer } from '#openid/provider/discovery.ts';

const options = {
  base: 'https://connect.example/directory/v2',
  version: '1.2.3',
  authorizationServer: authorizationServer('https://connect.example'),
};
interface Described {
  requestBody?: object;
  parameters?: { name: string; example?: unknown }[];
}
const paths = (more: object = {}) =>
  openapiDocument({ ...options, ...more }).paths as Record<string, Record<string, Described>>;

describe('the OpenAPI description: bodies', () => {
  it('a form has the parameters of the query, lists in one value or several', () => {
    const { requestBody } = paths()['/SearchParameter/_search']?.['post'] ?? {};
    const documented = new Map(SEARCH_PARAMETER.parameters.map(({ name, documentation }) => [name, documentation]));
    const list = (name: string) => ({ description: documented.get(name), type: 'array', items: { type: 'string' } });
    const { content, ...others } = requestBody as {
      content: Record<string, { schema: { properties: Record<string, object> }; encoding: object }>;
    };
    expect(others).toEqual({
      description: 'The same parameters as in the query; those of the query are added to them.',
    });
    const { schema, encoding, ...rest } = content['application/x-www-form-urlencoded'] ?? {
      schema: { properties: {} },
    };
    const { properties, ...object } = schema as { properties: Record<string, object> };
    expect([Object.keys(content), object, rest]).toEqual([
      ['application/x-www-form-urlencoded'],
      { type: 'object' },
      {},
    ]);
    expect(Object.keys(properties)).toEqual([
      ...['url', 'code', 'base', 'type', '_id', '_id:not', '_id:missing', '_count', '_total', '_totalMethod', '_page'],
      ...['_summary', '_elements', '_pretty', '_format'],
    ]);
    expect(properties['code']).toMatchObject(list('code'));
    expect(properties['_count']).toEqual({
      type: 'integer',
      minimum: 0,
      default: 50,
      description: 'Resources of a page; more than 200 are never sent, and 0 asks for the total alone.',
    });
    expect(properties['_summary']).toMatchObject({ enum: ['true', 'text', 'data', 'count', 'false'] });
    const several = { style: 'form', explode: true };
    expect(encoding).toMatchObject({ _elements: { style: 'form', explode: false } });
    for (const [name, one] of Object.entries(encoding ?? {}))
      if (name !== '_elements')
        expect([name, one]).toEqual([name, one.explode ? several : { style: 'form', explode: false }]);
  });

  it('names the service, its version and its reference page where there is one', () => {
    const { openapi, info, servers, externalDocs } = openapiDocument({
      ...options,
      docs: 'https://connect.example/docs',
    });
    expect([openapi, info.version, servers, externalDocs]).toEqual([
      ...['3.1.0', '1.2.3', [{ url: options.base }]],
      { description: 'Reference page', url: 'https://connect.example/docs' },
    ]);
    expect(openapiDocument(options)).not.toHaveProperty('externalDocs');
  });

  it('an id that the reader fills in is no example', () => {
    const examplesOf = (ids: Record<string, string>) =>
      paths({ examples: { ...EXAMPLES, ids } })['/Organization/{id}/_history/{version}']?.['parameters'];
    const id = { name: 'id', in: 'path', required: true, description: 'Id of the Organization.' };
    const schema = { type: 'string', pattern: '^[A-Za-z0-9\\-.]{1,64}$' };
    const version = { ...id, name: 'version', description: 'meta.versionId of the resource.', schema, example: '1' };
    expect([examplesOf({ Organization: 'o' }), examplesOf({ Organization: '<id>' })]).toEqual([
      [{ ...id, schema, example: 'o' }, version],
      [{ ...id, schema }, version],
    ]);
  });
});

describe('the JSON Schema of a type', () => {
  const schemas = schemasOf(['Bundle', 'Practitioner'], ['Practitioner']) as Record<
    string,
    { properties: Record<string, object> }
  >;
  const of = (type: string, ...names: string[]) => names.map((name) => schemas[type]?.properties[name]);

  it('has the form of each primitive value', () => {
    const dateTime = { type: 'string', pattern: '^\\d{4}(-\\d{2}(-\\d{2}(T.+)?)?)?$' };
    expect([
      ...of('Bundle', 'total', 'type'),
      ...of('Bundle.entry.search', 'score'),
      ...of('Practitioner', 'active', 'birthDate', 'id', 'gender'),
      ...of('ContactPoint', 'rank', 'value'),
      ...of('Meta', 'lastUpdated'),
      ...of('Period', 'start'),
    ]).toEqual([
      { type: 'integer', minimum: 0 },
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'string', pattern: '^\\d{4}(-\\d{2}(-\\d{2})?)?$' },
      { type: 'string', pattern: '^[A-Za-z0-9\\-.]{1,64}$' },
      { type: 'string' },
      { type: 'integer', minimum: 1 },
      { type: 'string' },
      { type: 'string', format: 'date-time' },
      dateTime,
    ]);
  });

  it('is of a resource and of what it consists of, an extension and any resource left open', () => {
    expect(Object.keys(schemas)).toEqual(Object.keys(schemas).toSorted());
    expect(schemas['Extension']).toEqual({
      type: 'object',
      required: ['url'],
      properties: { url: { type: 'string' } },
      description: 'The value stands in one element whose name begins with value.',
    });
    expect(schemas['Resource']).toEqual({
      type: 'object',
      required: ['resourceType'],
      properties: { resourceType: { type: 'string' } },
      description: 'A resource of any type.',
    });
    const ref = '#/components/schemas/Practitioner';
    expect(of('Bundle.entry', 'resource', 'link', 'search')).toEqual([
      { oneOf: [{ $ref: ref }], discriminator: { propertyName: 'resourceType', mapping: { Practitioner: ref } } },
      { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Bundle.link' } },
      { $ref: '#/components/schemas/Bundle.entry.search' },
    ]);
    const { properties: _, ...practitioner } = schemas['Practitioner'] ?? {};
    expect([practitioner, ...of('Practitioner', 'resourceType')]).toEqual([
      {
        type: 'object',
        required: ['resourceType'],
        externalDocs: { url: 'http://hl7.org/fhir/STU3/practitioner.html' },
      },
      { const: 'Practitioner' },
    ]);
  });

  it('names what is mandatory in it, and nothing where all may be missing', () => {
    const required = Object.entries(schemasOf(['Organization', 'SearchParameter'], ['Organization'])).flatMap(
      ([name, schema]) => ('required' in schema ? [[name, schema['required']]] : []),
    );
    expect(Object.fromEntries(required)).toEqual({
      Extension: ['url'],
      Narrative: ['status', 'div'],
      UsageContext: ['code'],
      Organization: ['resourceType'],
      Resource: ['resourceType'],
      'SearchParameter.component': ['definition', 'expression'],
      SearchParameter: ['resourceType', 'url', 'name', 'status', 'code', 'base', 'type', 'description'],
    });
  });
});
