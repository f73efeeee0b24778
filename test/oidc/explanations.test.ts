// What an integrator is told of a refusal: the fault, the parameter, and in words how an address differs from the registered
// one; and that it shows no registered address, secret or token to a stranger.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPerson } from '../person.ts';
import { CALLBACK, type RunningService, SIGNED_OUT, startService } from '../service.ts';
import { authorizationUrl, obtainCode, redeem } from './relying-party.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const english = { headers: { 'accept-language': 'en' } };
const pageOf = (parameters: Record<string, string | undefined>, init: RequestInit = english) =>
  createPerson(service.issuer).visit(authorizationUrl(service, parameters), init);

describe('the page of a refused callback', () => {
  it.each([
    [CALLBACK.replace('https:', 'http:'), 'the scheme (http, https)'],
    [CALLBACK.replace('https://', 'https://user@'), 'a user name before the host'],
    [CALLBACK.replace('application.', 'applications.'), 'the host'],
    [CALLBACK.replace('.example/', '.example:8443/'), 'the port'],
    [`${CALLBACK}/other`, 'the path'],
    [`${CALLBACK}/`, 'the slash at the end'],
    [CALLBACK.replace('callback', 'Callback'), 'upper and lower case'],
    [CALLBACK.replace('application.', 'Application.'), 'upper and lower case'],
    [`${CALLBACK}?next=1`, 'the query (after “?”)'],
    [`${CALLBACK}#part`, 'the fragment (after “#”)'],
    [CALLBACK.replace('callback', '%63allback'), 'the path'],
    [CALLBACK.replace('/callback', '/x/../callback'), 'the spelling (the same address, written differently)'],
    [CALLBACK.replace('.example/', '.example:443/'), 'the spelling (the same address, written differently)'],
    [
      `${CALLBACK.replace('application.', 'applications.')}/?x`,
      'the host, the slash at the end, the query (after “?”)',
    ],
  ])('%s differs in %s', async (redirect_uri, part) => {
    const { status, html } = await pageOf({ redirect_uri });
    expect(status).toBe(400);
    expect(html).toContain('<dt>Code</dt><dd>invalid_redirect_uri</dd>');
    expect(html).toContain('<dt>Parameter</dt><dd>redirect_uri</dd>');
    expect(html).toContain('differs from the registered one in:');
    const parts = [...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, found]) => found);
    expect(parts.join(', ')).toBe(part);
    expect(html).not.toContain(CALLBACK);
  });

  it('says it in the language of the page', async () => {
    const { html } = await pageOf({ redirect_uri: `${CALLBACK}/` }, { headers: { 'accept-language': 'fr' } });
    expect(html).toContain('<dt>Paramètre</dt><dd>redirect_uri</dd>');
    expect(html).toContain('diffère de celle qui est enregistrée par\u00a0:</p>');
    expect(html).toContain('<li>la barre oblique finale</li>');
  });

  it('says when it is no address at all', async () => {
    const { html } = await pageOf({ redirect_uri: 'callback' });
    expect(html).toContain('is no full address');
  });

  it('repeats nothing of what was sent', async () => {
    const { html } = await pageOf({ redirect_uri: 'https://evil.example/<script>alert(1)</script>' });
    // The link to the other language asks for this very page.
    expect(html.slice(html.indexOf('<main'))).not.toMatch(/evil|script/);
    expect(html).not.toContain('<script');
  });
});

describe('the page of other refusals', () => {
  it('an unknown client: names the parameter', async () => {
    const { html } = await pageOf({ client_id: 'nobody' });
    expect(html).toContain('<dt>Code</dt><dd>invalid_client</dd>');
    expect(html).toContain('<dt>Parameter</dt><dd>client_id</dd>');
    expect(html).toContain('No application with this client_id is registered');
    const french = await pageOf({ client_id: 'nobody' }, { headers: { 'accept-language': 'fr' } });
    expect(french.html).toContain('Aucune application n’est enregistrée sous ce client_id');
  });

  it('a missing parameter is named', async () => {
    const { html } = await pageOf({ redirect_uri: undefined });
    expect(html).toContain('<dt>Parameter</dt><dd>redirect_uri</dd>');
  });

  it('a post_logout_redirect_uri is compared as well', async () => {
    const query = new URLSearchParams({ client_id: 'server', post_logout_redirect_uri: `${SIGNED_OUT}?x` });
    const { html } = await createPerson(service.issuer).visit(`${service.issuer}/logout?${query}`, english);
    expect(html).toContain('<dt>Parameter</dt><dd>post_logout_redirect_uri</dd>');
    expect(html).toContain('<li>the query (after “?”)</li>');
    expect(html).not.toContain(SIGNED_OUT);
  });
});

describe('the JSON of the token endpoint', () => {
  const answerTo = async (fields: Record<string, string | undefined>, code?: string) => {
    const answer = await redeem(service, code ?? (await obtainCode(service)), fields);
    expect(answer.status).toBe(400);
    return (await answer.json()) as { error: string; error_description: string };
  };

  it('a callback that differs from that of the request', async () => {
    expect(await answerTo({ redirect_uri: `${CALLBACK}/` })).toEqual({
      error: 'invalid_grant',
      error_description: expect.stringMatching(/^redirect_uri differs from .* in the slash at its end/),
    });
  });

  it('a code that was used, or is not known', async () => {
    const code = await obtainCode(service);
    expect((await redeem(service, code)).status).toBe(200);
    expect((await answerTo({}, code)).error_description).toContain('used before');
    expect((await answerTo({}, 'mistyped')).error_description).toContain('not known');
  });

  it('another client’s code is as unknown as any', async () => {
    const { error_description } = await answerTo({ client_id: 'narrow' });
    expect(error_description).toBe('grant request is invalid');
  });

  it('a refresh token that is not known', async () => {
    const fields = { grant_type: 'refresh_token', refresh_token: 'mistyped', client_id: 'trusted' };
    expect((await answerTo(fields, 'unused')).error_description).toContain('not known');
  });
});
