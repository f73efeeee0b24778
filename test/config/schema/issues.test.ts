// Files that are no YAML, hostile ones and unknown keys: each mistake is one issue in words, at its line, without a value that may be a
// secret.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { ConfigurationError } from '#config/index.ts';
import { keyRows } from '#config/schema/json-schema.ts';
import { SERVICE_KEYS } from '#config/service/service-schema.ts';
import { anyText } from '#support/any-text.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { runs } from '#support/seed.ts';

const client = (...lines: string[]) => ['clients:', '  - id: app', ...lines, ''].join('\n');

describe('operations.md: what is no YAML', () => {
  const cases: [name: string, text: string, line: number, words: RegExp][] = [
    ['tabs', 'listen:\n\tport: 1\n\thost: x\n', 2, /indented with a tab\. .*spaces/],
    [
      'one tab among entries',
      client('    name: A', '\ttype: server', '    scopes: []', '  - id: b', '    name: B'),
      4,
      /indented with a tab/,
    ],
    [
      'a key too far to the right',
      client('     name: hunter2', '    type: server'),
      2,
      /next line is indented differently.*alike/,
    ],
    ['after others', client('    name: A', '', '    # b', '     type: hunter2'), 4, /indented differently.*alike/],
    ['a key too far to the left', client('    name: A', '   type: hunter2', '    par: b'), 4, /quotation mark|no key/],
    ['below its dash', client('  name: hunter2', '  - id: b'), 3, /indented differently/],
    ['a group too far to the right', 'issuer: https://a.example\n  demo:\n', 1, /next line is indented differently/],
    ['no colon', client('    name hunter2', '    type: server'), 3, /has no key/],
    ['no colon at the end', client('    name: A', '    hunter2'), 4, /has no key/],
    ['no space behind the colon', 'proxies:1\nprocesses: 1\n', 1, /no key with a colon and a space.*`key: value`/],
    ['a second colon', 'branding:\n  name: hunter2: the service\n', 2, /colon and a space.*quotation marks/],
    ['a bracket that is never closed', 'listen: { port: 3000\n\n', 3, /bracket above is not closed/],
    [
      'a list that is never closed',
      client('    scopes: [openid', '    type: hunter2'),
      4,
      /bracket above is not closed/,
    ],
    [
      'a quotation mark that is never closed',
      'branding:\n  name: "hunter2\nproxies: 1\n',
      4,
      /quotation mark above is not closed/,
    ],
    ['a backslash in double quotation marks', 'branding: { name: "hunter2\\d" }', 1, /backslash/],
    ['a sign that YAML keeps for itself', 'issuer: @hunter2', 1, /such as @.*quotation marks/],
    ['a wildcard, which is an alias', client('    callbackUrls:', '      - *.hunter2'), 4, /begins with \*.*quotation/],
    ['a tag', 'branding: { name: !hunter2 }', 1, /begins with "!".*quotation marks/],
    ['two documents', 'proxies: 1\n---\nproxies: 2\n', 2, /second document.*---/],
    ['a key that stands twice', 'proxies: 1\nprocesses: 1\nproxies: 2\n', 3, /same key twice/],
  ];
  it.each(cases)('%s', async (_name, text, line, words) => {
    const issues = await issuesOf(load({ service: text }));
    expect(issues).toEqual([expect.objectContaining({ line })]);
    expect(`${issues[0]?.problem} ${issues[0]?.remedy}`).toMatch(words);
    expect(JSON.stringify(issues)).not.toContain('hunter2');
  });

  it('mistakes that have nothing to do with each other are all named', async () => {
    const issues = await issuesOf(
      load({ service: 'proxies: 1\nproxies: 2\nlog: { level: info, level: warn }\nx:\n\ta: 1' }),
    );
    expect(issues.map(({ line }) => line)).toEqual([2, 3, 5]);
  });
});

// operations.md: unknown keys are issues, each with what is most likely meant: a near name, a key of another group, or a variable. What only
// follows from one is no issue of its own.
const callbackUrls = ['https://app.example/callback'];
const browser = { id: 'app', name: 'App', type: 'browser', callbackUrls };
const server = { ...browser, type: 'server', jwksUrl: 'https://app.example/jwks' };
const api = { id: 'api', name: 'API', type: 'api', jwksUrl: 'https://app.example/jwks', scopes: ['profile'] };

type Entry = Record<string, unknown>;
const issuesOfEntry = (entry: Entry) => issuesOf(load({ clients: stringify({ clients: [entry] }) }));
/** The entry with one key under another name. */
function renamed({ ...entry }: Entry, key: string, written: string): Entry {
  const value = entry[key] ?? [];
  delete entry[key];
  return { ...entry, [written]: value };
}
const { callbackUrls: _none, ...alone } = server;

describe('operations.md: unknown keys of clients.yaml', () => {
  it.each([
    ['typ', 'type', browser],
    ['callbackUrl', 'callbackUrls', browser],
    ['callback_urls', 'callbackUrls', browser],
    ['CallbackURLs', 'callbackUrls', browser],
    ['jwks_uri', 'jwksUrl', server],
    ['secret', 'secrets', renamed(server, 'jwksUrl', 'secrets')],
    ['scope', 'scopes', api],
  ])('%s means %s, and that one is missing is no second issue', async (written, key, entry) => {
    const issues = await issuesOfEntry(renamed(entry, key, written));
    expect(issues).toEqual([
      expect.objectContaining({
        path: `clients[0].${written}`,
        problem: 'Unknown key.',
        remedy: `Did you mean "${key}"?`,
      }),
    ]);
  });

  it.each([
    ['hash', 'Did you mean clients[].secrets[].hash?', { ...server, hash: 'x' }],
    ['serviceAcount', 'Did you mean "serviceAccount"?', { ...alone, serviceAcount: true }],
    ['redirect_uris', 'Known keys here: id, name, type', { ...server, redirect_uris: callbackUrls }],
    ['grant_types', 'Remove it', { ...server, grant_types: ['authorization_code'] }],
    ['token_endpoint_auth_method', 'Remove it', { ...server, token_endpoint_auth_method: 'private_key_jwt' }],
    ['response_types', 'Remove it', { ...server, response_types: ['code'] }],
  ])('%s alone is the issue: %s', async (written, remedy, entry) => {
    const issues = await issuesOfEntry(entry);
    expect(issues).toEqual([
      expect.objectContaining({ path: `clients[0].${written}`, remedy: expect.stringContaining(remedy) }),
    ]);
  });

  it('beside the key that it means, both are looked at', async () => {
    const issues = await issuesOfEntry({ ...browser, callbackUrls: [], callbackUrl: callbackUrls });
    expect(issues.map(({ path }) => path)).toEqual(['clients[0].callbackUrl', 'clients[0].callbackUrls']);
  });

  it('a key of an entry that stands at the top gets its path', async () => {
    const [issue] = await issuesOf(load({ clients: 'callbackUrls: []' }));
    expect(issue?.remedy).toBe('Did you mean clients[].callbackUrls?');
  });
});

describe('operations.md: unknown keys of service.yaml', () => {
  it.each([
    ['port: 1', 'Did you mean listen.port, or mail.port, or metrics.port?'],
    ['keep: 1', 'Did you mean directory.keep, or audit.keep?'],
    ['color: x', 'Did you mean branding.colour?'],
    ['namespac: x', 'Did you mean "namespace"?'],
    ['DATABASE_URL: x', 'Set it in the environment of the service.'],
    ['listen: { issuer: x }', 'Did you mean issuer?'],
  ])('%s: %s', async (service, remedy) => {
    expect(await issuesOf(load({ service }))).toEqual([expect.objectContaining({ remedy })]);
  });

  it.each([
    ['hsts: { preload: true }', 'hsts.preload', /^It is never sent/],
    ['lifetimes: { passwordReset: 1h }', 'lifetimes.passwordReset', /^It is fixed: .* 30 minutes/],
    ['directory: { guards: { fused: 0.1 } }', 'directory.guards.fused', /^It is fixed at 0.001; --accept/],
  ])('%s was a setting once: said in a sentence', async (service, path, problem) => {
    const issue = { path, problem: expect.stringMatching(problem), remedy: 'Remove the key.' };
    expect(await issuesOf(load({ service }))).toEqual([expect.objectContaining(issue)]);
  });

  it('a misspelt issuer is not missing as well, nor does a misspelt limit fail beside another one', async () => {
    const production = { NODE_ENV: 'production' };
    const service = 'isuer: https://a.example\nlifetimes: { sesion: 30h, sessionIdle: 20h }';
    const issues = await issuesOf(load({ service }, production));
    expect(issues.map(({ path }) => path).sort()).toEqual(['isuer', 'lifetimes.sesion']);
  });
});

// Whatever a file holds, loading it ends in issues, never in a crash.
describe('hostile files end in issues, never in a crash', () => {
  const survives = async (files: { service?: string; clients?: string }) => {
    const error = await load(files).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return;
    expect(error).toBeInstanceOf(ConfigurationError);
    for (const issue of (error as ConfigurationError).issues) {
      expect([issue.file, issue.problem, issue.remedy].every((text) => text.length > 0)).toBe(true);
    }
  };

  it('no text crashes the loader', async () => {
    const yamlish = fc.stringMatching(/^[a-z:\-\n {}[\]&*!|>"'#%@0-9]{0,60}$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText(), yamlish), (text) => survives({ service: text, clients: text })),
      { numRuns: runs(20) },
    );
  });

  it('no value of the real keys crashes the loader', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('60s', 'https://a.example/', '', -1, 1e99, '__proto__'));
    const group = (keys: string[]) =>
      fc.dictionary(fc.constantFrom(...keys, '__proto__', 'constructor'), value, { maxKeys: 5 });
    const roots = Object.keys(SERVICE_KEYS.properties ?? {});
    const second = keyRows(SERVICE_KEYS).map(({ path }) => path.split('.')[1] ?? 'x');
    const service = fc.dictionary(fc.constantFrom(...roots), fc.oneof(value, group(second)), { maxKeys: 5 });
    const secret = group(['hash', 'env', 'file']);
    // fast-check's `webUrl` takes a second to make.
    const address = fc
      .tuple(fc.constantFrom('https://', 'http://', 'https://u:p@'), fc.domain(), anyText({ maxLength: 9 }))
      .map(([scheme, host, rest]) => `${scheme}${host}/${encodeURI(rest.toWellFormed())}`);
    const client = fc.record(
      {
        id: value,
        name: value,
        type: fc.oneof(value, fc.constantFrom('server', 'browser', 'native')),
        secrets: fc.oneof(value, fc.array(fc.oneof(value, secret), { maxLength: 3 })),
        callbackUrls: fc.oneof(value, fc.array(fc.oneof(address, fc.string(), value), { maxLength: 3 })),
        backchannelLogoutUrl: fc.oneof(value, address),
        scopes: value,
      },
      { requiredKeys: [] },
    );
    const clients = fc.record({ clients: fc.oneof(value, fc.array(fc.oneof(value, client), { maxLength: 3 })) });
    await fc.assert(
      fc.asyncProperty(service, clients, (one, two) =>
        survives({ service: JSON.stringify(one), clients: JSON.stringify(two) }),
      ),
      { numRuns: runs(20) },
    );
  });

  it('deep nesting is an issue', async () => {
    await survives({ service: '['.repeat(20_000) });
    await survives({ service: `${'a: {'.repeat(5000)}${'}'.repeat(5000)}` });
  });

  it('a key named __proto__ changes nothing', async () => {
    await survives({ service: '__proto__: { demo: true }\n' });
    expect(({} as { demo?: boolean }).demo).toBeUndefined();
    expect(parse('a: 1')).toEqual({ a: 1 });
  });
});
