// What the application is put together from: each address leads to its part, and each part knows what the others say.

import { describe, expect, it } from '@jest/globals';
import { VERSION } from '#shared/version.ts';
import { openedForAll } from '#support/opened.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { ALL_SCOPES, DEMO_ACCOUNTS, startService } from '#support/service.ts';

describe('the application', () => {
  const service = openedForAll(() =>
    startService({
      adjust: (settings) => ({
        ...settings,
        processes: 2,
        branding: { ...settings.branding, name: 'Clinic', supportUrl: 'https://clinic.example/help' },
        directory: {
          ...settings.directory,
          reportUrl: 'https://clinic.example/report',
          rate: { burst: 8, perSecond: 0.001 },
        },
      }),
    }),
  );
  const ask = async (path: string) => {
    const answer = await fetch(service.issuer + path, { redirect: 'manual' });
    return { answer, text: await answer.text() };
  };

  it.each([
    ['/', 200, 'href="/directory/docs"'],
    ['/directory/docs', 200, ' – Clinic</title>'],
    ['/robots.txt', 200, 'User-agent: *'],
    ['/.well-known/oauth-authorization-server', 200, '"issuer":'],
    ['/.well-known/jwks.json', 200, '"keys":'],
    ['/assets/nothing', 404, ''],
    ['/outbox', 200, '<h1>'],
    ['/demo', 200, '<h1>'],
    ['/.well-known/change-password', 303, '/account/password'],
    ['/account', 303, '/authorize?client_id=hygie-account'],
    ['/sandbox', 404, 'nothing is served at this address'],
    ['/metrics', 404, 'nothing is served at this address'],
    ['/Authorize', 404, 'nothing is served at this address'],
    ['/Account', 404, 'nothing is served at this address'],
  ])('answers %s with %i', async (path, status, content) => {
    const { answer, text } = await ask(path);
    expect([answer.status, `${answer.headers.get('location')} ${text}`]).toEqual([
      status,
      expect.stringContaining(content),
    ]);
  });

  it('has a directory that names its publisher, where errors are reported, its edition and its pages', async () => {
    const url = `${service.issuer}/directory/v2`;
    const statement = JSON.parse((await ask('/directory/v2/metadata')).text);
    expect(statement).toMatchObject({
      url: `${url}/metadata`,
      publisher: 'Clinic',
      contact: [
        { telecom: [{ system: 'url', value: 'https://clinic.example/help' }] },
        { name: 'Errors in records', telecom: [{ system: 'url', value: 'https://clinic.example/report' }] },
      ],
      software: { name: 'Hygie', version: VERSION },
      implementation: { url, description: expect.stringContaining(`imported ${statement.date}: 2000 practitioners`) },
    });
    expect(statement).not.toHaveProperty('experimental');
    expect(JSON.parse((await ask('/directory/openapi.json')).text)).toMatchObject({
      info: { version: VERSION },
      externalDocs: { url: `${service.issuer}/directory/docs` },
      servers: [{ url }],
    });
    const { text } = await ask('/directory/docs');
    const words = [
      `<code>${url}</code>`,
      'datetime="20',
      'href="/demo"',
      'href="/directory/try#',
      DEMO_ACCOUNTS[0]?.email,
    ];
    expect(words.filter((word) => !text.includes(word ?? '-'))).toEqual([]);
  });

  it('counts what a client may ask for: each process has its share, and one person half of that', async () => {
    const { tokens } = await signIn(service, { scope: ALL_SCOPES });
    const search = () =>
      fetch(`${service.issuer}/directory/v2/Practitioner?_count=1`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await search()).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });
});
