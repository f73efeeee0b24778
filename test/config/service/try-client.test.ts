// `directory.tryClient` names a client that can serve the page to try the directory, or the configuration is refused with the remedy; the
// address of the directory fits what the page compares it with.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';

const ISSUER = 'https://connect.example';
const FITTING = {
  type: 'browser',
  callbackUrls: `[${ISSUER}/directory/try/signed-in]`,
  logoutUrls: `[${ISSUER}/directory/try]`,
  scopes: '[openid, PRACTITIONER_READ]',
};

const loadWith = (client: Record<string, string>, id = 'chosen') =>
  load(
    {
      service: 'directory:\n  tryClient: chosen\n',
      clients: `clients:\n  - id: ${id}\n    name: Annuaire\n${Object.entries(client)
        .map(([key, value]) => `    ${key}: ${value}\n`)
        .join('')}`,
    },
    { HYGIE_ISSUER: ISSUER },
  );

describe('directory.tryClient', () => {
  it('may name a public client with the addresses of the page', async () => {
    expect((await loadWith(FITTING)).settings.directory.tryClient).toBe('chosen');
  });

  it.each([
    ['another id', FITTING, 'other', 'No client of clients.yaml has this id.'],
    ['a native client', { ...FITTING, type: 'native' }, 'chosen', 'The client is of the type native'],
    ['another callback', { ...FITTING, callbackUrls: `[${ISSUER}/try]` }, 'chosen', 'callbackUrls lack'],
    ['no logout address', { ...FITTING, logoutUrls: '[]' }, 'chosen', 'logoutUrls lack'],
    ['no openid', { ...FITTING, scopes: '[PRACTITIONER_READ]' }, 'chosen', 'scope openid'],
    ['pushed requests', { ...FITTING, par: 'required' }, 'chosen', 'The client has par'],
    ['DPoP', { ...FITTING, dpop: 'required' }, 'chosen', 'The client has dpop'],
  ])('refuses %s, with the remedy', async (_what, client, id, problem) => {
    const [issue, ...others] = await issuesOf(loadWith(client, id));
    expect(others).toEqual([]);
    expect(issue).toMatchObject({ path: 'directory.tryClient', file: expect.stringMatching(/service\.yaml$/) });
    expect(issue?.problem).toContain(problem);
    expect(issue?.remedy).toMatch(/type: browser|Remove/);
  });

  it('an entry of clients.yaml may not take the id of the page’s own client', async () => {
    const [issue] = await issuesOf(loadWith(FITTING, 'hygie-try'));
    expect(issue?.problem).toContain('The service itself has this id');
  });

  it('nor that of the demo, where there is one', async () => {
    const clients = `clients: [{ id: demo-server, name: D, type: browser, callbackUrls: ['${ISSUER}/callback'] }]`;
    const [issue] = await issuesOf(load({ clients }));
    expect(issue?.problem).toContain('The service itself has this id');
    expect((await load({ clients, service: 'demo: false' })).clients).toHaveLength(1);
  });
});

it('directory.url is as browsers write it, whose pages compare addresses with it', async () => {
  const { settings } = await load({ service: 'directory: { url: "HTTPS://API.Clinic.Example:443/FHIR/" }' });
  expect(settings.directory.url).toBe('https://api.clinic.example/FHIR');
  expect((await load({}, { HYGIE_ISSUER: 'http://LocalHost:3000' })).settings.directory.url).toBe(
    'http://localhost:3000/directory/v2',
  );
});
