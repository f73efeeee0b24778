// operations.md, "Environment (beats the files)" and service.yaml; SEC-12 and production's refusals.

import { describe, expect, it } from '@jest/globals';
import { loadConfiguration, loadSettings } from '#config/index.ts';
import { environmentOf, folderWith, issuesOf, load } from '#support/config/folder.ts';

describe('operations.md: effective settings', () => {
  it('an empty file gives settings that work for development', async () => {
    const { settings } = await load({});
    expect(settings).toMatchObject({
      mode: 'development',
      issuer: 'http://localhost:3000',
      listen: { host: '127.0.0.1', port: 3000 },
      processes: 1,
      directory: { url: 'http://localhost:3000/directory/v2' },
      lifetimes: { authorizationCode: 60, accessToken: 3600, session: 43_200 },
      demo: true,
    });
    expect(settings.database.engine).toBe('sqlite');
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.directory.guards)).toBe(true);
  });

  it('the environment beats the file', async () => {
    const service =
      'issuer: https://file.example\nlisten: { host: 10.0.0.1, port: 4000 }\nprocesses: 2\nlog: { level: warn, format: pretty }';
    const { settings } = await load(
      { service },
      {
        HYGIE_ISSUER: 'https://env.example/connect/',
        HYGIE_PORT: '5000',
        HYGIE_HOST: '0.0.0.0',
        HYGIE_PROCESSES: '3',
        HYGIE_DATA: '/srv/hygie',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'json',
      },
    );
    expect(settings).toMatchObject({
      issuer: 'https://env.example/connect',
      directory: { url: 'https://env.example/connect/directory/v2' },
      listen: { host: '0.0.0.0', port: 5000 },
      processes: 3,
      dataFolder: '/srv/hygie',
      database: { engine: 'sqlite', file: '/srv/hygie/hygie.sqlite' },
      log: { level: 'debug', format: 'json' },
    });
  });

  it('the port of the environment is that of the default issuer; an empty variable counts as absent', async () => {
    const { settings } = await load({}, { HYGIE_PORT: '3999', HYGIE_ISSUER: '', DATABASE_URL: ' ' });
    expect(settings.issuer).toBe('http://localhost:3999');
    expect(settings.database.engine).toBe('sqlite');
  });

  it('DATABASE_URL puts everything on PostgreSQL; HYGIE_PROCESSES=auto means every core', async () => {
    const url = 'postgres://hygie:pw@db.example:5432/hygie';
    const { settings } = await load({}, { DATABASE_URL: url, HYGIE_PROCESSES: 'auto' });
    expect(settings.database).toMatchObject({ engine: 'postgresql', url, connections: 10, statementTimeout: 30 });
    expect(settings.processes).toBeGreaterThanOrEqual(1);
  });

  it('durations are seconds, or a number with a unit', async () => {
    const { settings } = await load({ service: 'lifetimes: { accessToken: 90, idToken: 2m, session: 2d, grant: 3h }' });
    expect(settings.lifetimes).toMatchObject({ accessToken: 90, idToken: 120, session: 172_800, grant: 10_800 });
  });

  it('in development an absent service.yaml means defaults, an absent folder is an issue', async () => {
    await expect(loadSettings(environmentOf(folderWith({})))).resolves.toMatchObject({ mode: 'development' });
    const [issue] = await issuesOf(loadSettings(environmentOf('/nowhere/at/all')));
    expect(issue).toMatchObject({ file: '/nowhere/at/all', remedy: expect.stringContaining('HYGIE_CONFIG') });
  });
});

describe('operations.md: every issue of service.yaml at once, with position and remedy', () => {
  it('names all of them, each with file, line, path and remedy', async () => {
    const service = ['isuer: https://a.example', 'listen:', '  host: 12', 'processes: many', 'demo: perhaps'].join(
      '\n',
    );
    const issues = await issuesOf(load({ service, clients: 'clients: 12' }, { LOG_LEVEL: 'loud', HYGIE_PORT: '0' }));
    const positions = issues.map(({ file, line, path }) => `${file.split('/').at(-1)}:${line ?? ''} ${path}`).sort();
    expect(positions).toEqual([
      'clients.yaml:1 clients',
      'environment: HYGIE_PORT',
      'environment: LOG_LEVEL',
      'service.yaml:1 isuer',
      'service.yaml:3 listen.host',
      'service.yaml:4 processes',
      'service.yaml:5 demo',
    ]);
    for (const issue of issues) expect(issue.remedy.length).toBeGreaterThan(10);
  });

  const cases: [name: string, service: string, path: string, problem: RegExp, remedy: RegExp][] = [
    ['an unknown key', 'lifetimes: { acessToken: 1h }', 'lifetimes.acessToken', /Unknown/, /"accessToken"/],
    ['a strange key lists the known ones', 'branding: { zzzzzz: 1 }', 'branding.zzzzzz', /Unknown/, /colour/],
    ['an unknown word', 'log: { level: infos }', 'log.level', /fatal, error.*but is "infos"/, /"info"/],
    ['a key without a value', 'issuer:', 'issuer', /empty/, /remove it/],
    ['neither number nor word', 'processes: many', 'processes', /1 to 256, or auto, but is "many"/, /auto/],
    ['a colour that is a comment', 'branding: { \n  colour: #0b5f6b\n}', 'branding.colour', /empty/, /quotation marks/],
    ['a list where keys belong', '- issuer', '', /a list/, /without dashes/],
    ['SEC-12 a code of 61 s', 'lifetimes: { authorizationCode: 61 }', 'lifetimes.authorizationCode', /60s/, /60s/],
    ['a long idle limit', 'lifetimes: { session: 1h, sessionIdle: 2h }', 'lifetimes.sessionIdle', /longer/, /session/],
    ['a token that outlives', 'lifetimes: { grant: 1h, accessToken: 2h }', 'lifetimes.accessToken', /grant/, /grant/],
    [
      'a picture that people upload',
      'profile: { editable: [name, nickname, picture] }',
      'profile.editable[2]',
      /picture/,
      /people cannot upload.*set-picture/,
    ],
    ['an issuer with a query', 'issuer: https://a.example/?x=1', 'issuer', /query/, /Remove/],
    ['an issuer with a fragment', 'issuer: "https://a.example/#x"', 'issuer', /fragment/, /Remove/],
    ['an issuer with a port alone', 'issuer: "a.example:8443"', 'issuer', /no absolute/, /in full: https:/],
    ['an issuer for which no route can be made', 'issuer: https://a.example/a+b', 'issuer', /in its path/, /hyphens/],
    ['an issuer that no cookie can have', 'issuer: https://a.example/a;b', 'issuer', /in its path/, /hyphens/],
    ['such a directory', 'directory: { url: "https://a.example/(x)" }', 'directory.url', /in its path/, /hyphens/],
    [
      'a directory above the issuer',
      'issuer: https://a.example/auth/sso\ndirectory: { url: https://a.example/auth/ }',
      'directory.url',
      /hide the sign-in/,
      /directory\/v2/,
    ],
    ['a namespace of another scheme', 'namespace: urn:hygie', 'namespace', /no web address/, /https/],
    ['support by script', 'branding: { supportUrl: "javascript:x" }', 'branding.supportUrl', /not https/, /mailto/],
    ['privacy by script', 'branding: { privacyUrl: "javascript:x" }', 'branding.privacyUrl', /not https/, /https/],
  ];
  it.each(cases)('%s', async (_name, service, path, problem, remedy) => {
    const issues = await issuesOf(load({ service }));
    expect(issues).toEqual([
      expect.objectContaining({ path, problem: expect.stringMatching(problem), remedy: expect.stringMatching(remedy) }),
    ]);
  });

  it('YAML: aliases that grow without end are refused', async () => {
    const rows = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [before, name] of ['ab', 'bc', 'cd', 'de', 'ef'].map((pair) => [...pair] as [string, string])) {
      rows.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
    }
    const [issue] = await issuesOf(load({ service: rows.join('\n') }));
    expect(issue?.problem).toMatch(/not usable YAML/);
  });

  it('a file that is misspelt or not UTF-8 is named', async () => {
    const [misspelt] = await issuesOf(loadSettings(environmentOf(folderWith({ 'service.yml': '' }))));
    expect(misspelt?.remedy).toContain('service.yaml');
    const folder = folderWith({ 'service.yaml': 'x' });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${folder}/service.yaml`, Buffer.from([0x69, 0xff, 0xfe, 0x3a]));
    const [encoding] = await issuesOf(loadSettings(environmentOf(folder)));
    expect(encoding?.problem).toContain('UTF-8');
  });
});

describe('operations.md: issues of the environment', () => {
  const cases: [name: string, env: Record<string, string>, path: string, words: RegExp][] = [
    ['HYGIE_PORT that is no number', { HYGIE_PORT: '3000x' }, 'HYGIE_PORT', /1 to 65535, but is "3000x"/],
    ['HYGIE_PROCESSES of none', { HYGIE_PROCESSES: '0' }, 'HYGIE_PROCESSES', /1 to 256, or auto, but is 0/],
    ['HYGIE_ISSUER without a scheme', { HYGIE_ISSUER: 'connect.example' }, 'HYGIE_ISSUER', /no absolute address/],
    ['LOG_FORMAT unknown', { LOG_FORMAT: 'xml' }, 'LOG_FORMAT', /one of json, pretty, but is "xml"/],
    ['a misspelt name', { HYGIE_ISUER: 'https://a.example' }, 'HYGIE_ISUER', /"HYGIE_ISSUER"/],
  ];
  it.each(cases)('%s', async (_name, env, path, words) => {
    const issues = await issuesOf(load({}, env));
    expect(issues).toEqual([expect.objectContaining({ file: 'environment', path })]);
    expect(`${issues[0]?.problem} ${issues[0]?.remedy}`).toMatch(words);
  });
});

describe('operations.md: NODE_ENV=production refuses development defaults', () => {
  const production = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };

  it('takes the shipped kind of file with a public https address', async () => {
    const { settings } = await load({}, production);
    expect(settings).toMatchObject({ mode: 'production', demo: false, listen: { host: '0.0.0.0' } });
  });

  const missing = (...names: string[]) =>
    names.map((name) => expect.objectContaining({ file: expect.stringMatching(`/${name}$`), path: '' }));
  const sandbox = { ...production, HYGIE_SANDBOX: '1' };
  it.each([['a service', production] as const, ['a sandbox', sandbox] as const])(
    'SEC-79 %s does not start on the defaults of a missing file; an empty one is an answer',
    async (_name, environment) => {
      const without = (...names: string[]) => {
        const there = ['service.yaml', 'clients.yaml'].filter((name) => !names.includes(name));
        const folder = folderWith(Object.fromEntries(there.map((name) => [name, ''])));
        return loadConfiguration({ ...environment, ...environmentOf(folder) });
      };
      expect(await issuesOf(without('service.yaml'))).toEqual(missing('service.yaml'));
      expect(await issuesOf(without('clients.yaml'))).toEqual(missing('clients.yaml'));
      const both = await issuesOf(without('service.yaml', 'clients.yaml'));
      expect(both).toEqual(missing('service.yaml', 'clients.yaml'));
      for (const { problem, remedy } of both) {
        expect(problem).toContain('missing');
        expect(remedy).toContain('empty file');
      }
      await expect(without()).resolves.toMatchObject({ clients: [] });
      const [issue, ...others] = await issuesOf(
        loadConfiguration({ ...environment, ...environmentOf('/nowhere/at/all') }),
      );
      expect([issue?.file, others]).toEqual(['/nowhere/at/all', []]);
    },
  );

  it('refuses a missing issuer', async () => {
    const [issue, ...others] = await issuesOf(load({}, { NODE_ENV: 'production' }));
    expect([issue?.path, others]).toEqual(['issuer', []]);
    expect(`${issue?.problem} ${issue?.remedy}`).toMatch(/public address of the service.*HYGIE_ISSUER/);
  });

  it('refuses an http issuer, from the environment and from the file', async () => {
    const fromEnvironment = await issuesOf(load({}, { ...production, HYGIE_ISSUER: 'http://connect.example' }));
    expect(fromEnvironment).toEqual([
      expect.objectContaining({ path: 'HYGIE_ISSUER', problem: expect.stringContaining('https') }),
    ]);
    const fromFile = await issuesOf(load({ service: 'issuer: http://connect.example' }, { NODE_ENV: 'production' }));
    expect(fromFile).toEqual([expect.objectContaining({ path: 'issuer', problem: expect.stringContaining('https') })]);
  });

  it('refuses the demo', async () => {
    expect(await issuesOf(load({ service: 'demo: true' }, production))).toEqual([
      expect.objectContaining({ path: 'demo' }),
    ]);
  });

  it.each([
    ['privacyUrl', 'http://example.org/privacy', undefined],
    ['supportUrl', 'http://example.org/help', undefined],
    ['privacyUrl', 'mailto:help@example.org', 'mailto'],
    ['privacyUrl', 'https://example.org/privacy?lang=fr#short', 'taken'],
    ['supportUrl', 'https://example.org/help#sign-in', 'taken'],
    ['supportUrl', 'mailto:help@example.org', 'taken'],
    ['reportUrl', 'http://example.org/errors', undefined],
    ['reportUrl', 'mailto:errors@example.org', 'taken'],
  ])('links to https pages only: %s %s', async (key, address, taken) => {
    const path = `${key === 'reportUrl' ? 'directory' : 'branding'}.${key}`;
    const service = `${path.replace('.', ': { ')}: "${address}" }`;
    if (taken !== 'mailto') await expect(load({ service })).resolves.toBeDefined();
    if (taken === 'taken') await expect(load({ service }, production)).resolves.toBeDefined();
    else {
      const issue = expect.objectContaining({ path, remedy: expect.stringContaining('https://') });
      expect(await issuesOf(load({ service }, production))).toEqual([issue]);
    }
  });
});
