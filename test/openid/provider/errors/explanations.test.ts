// What an integrator is told of a refusal: the fault, the parameter, and in words how an address differs from the registered
// one; and that it shows no registered address, secret or token to a stranger.

import { describe, expect, it } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { assertion, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, obtainCode, redeem } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Visit } from '#support/person.ts';
import { ALL_SCOPES, CALLBACK, SECRET, SIGNED_OUT, testClients } from '#support/service.ts';

describe('explanations of errors', () => {
  const key = newClientKey();
  withService(async () => {
    const known = await testClients();
    const like = (id: string) => known.find((client) => client.id === id) as ClientSettings;
    const signing = { ...like('server'), secretHashes: [] };
    return {
      clients: [
        ...known,
        { ...like('browser'), id: 'narrow-browser', scopes: ['openid', 'email'] },
        { ...signing, id: 'signing', jwks: { keys: [key.jwk] } },
        // Nobody listens there.
        { ...signing, id: 'unreachable', jwksUrl: 'http://127.0.0.1:1/jwks.json' },
        { ...like('native'), id: 'loopback', callbackUrls: ['http://127.0.0.1/callback'] },
      ],
    };
  });

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
    ])('SEC-01 %s gives a page and no redirect, and differs in %s', async (redirect_uri, part) => {
      const { status, html, left } = await pageOf({ redirect_uri });
      expect([status, left]).toEqual([400, undefined]);
      expect(html).toContain('<dt>Code</dt><dd>invalid_redirect_uri</dd>');
      expect(html).toContain('<dt>Parameter</dt><dd>redirect_uri</dd>');
      expect(html).toContain('differs from the registered one in:');
      const parts = [...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, found]) => found);
      expect(parts.join(', ')).toBe(part);
      expect(html).not.toContain(CALLBACK);
    });

    it('says when it is no address at all', async () => {
      const { html } = await pageOf({ redirect_uri: 'callback' });
      expect(html).toContain('is not a complete address');
    });

    it('of an address on the own device, a native application may choose the port: it is no difference', async () => {
      const { html } = await pageOf({ client_id: 'loopback', redirect_uri: 'http://localhost:23130/callback' });
      expect([...html.matchAll(/<li>([^<]*)<\/li>/g)].map(([, found]) => found)).toEqual(['the host']);
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
      expect(html).not.toContain('Dossier de test');
    });

    it.each(['redirect_uri', 'client_id'])('SEC-03 a missing %s is named, and leads to no callback', async (name) => {
      const { html, left, status } = await pageOf({ [name]: undefined });
      expect(html).toContain(`<dt>Parameter</dt><dd>${name}</dd>`);
      expect([left, status]).toEqual([undefined, 400]);
    });

    it('a post_logout_redirect_uri is compared as well', async () => {
      const query = new URLSearchParams({ client_id: 'server', post_logout_redirect_uri: `${SIGNED_OUT}?x` });
      const { html } = await createPerson(service.issuer).visit(`${service.issuer}/logout?${query}`, english);
      expect(html).toContain('<dt>Parameter</dt><dd>post_logout_redirect_uri</dd>');
      expect(html).toContain('<li>the query (after “?”)</li>');
      expect(html).not.toContain(SIGNED_OUT);
    });
  });

  describe('the callback', () => {
    const answerIn = ({ left }: Visit) => new URLSearchParams(left?.search || left?.hash.slice(1));
    const fieldsIn = (html: string) =>
      new URLSearchParams(
        [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']): [string, string] => [
          name,
          value.replace('&#39;', "'").replace('&amp;', '&'),
        ]),
      );
    const PKCE = { code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' };
    const lacking =
      /^this client may not ask for profile PRACTITIONER_READ ORGANIZATION_READ: the operator .* client's scopes$/;

    it.each([
      ['in the query', { client_id: 'narrow' }],
      ['behind the #', { client_id: 'narrow-browser', response_mode: 'fragment', ...PKCE }],
      ['in a form', { client_id: 'narrow', response_mode: 'form_post' }],
    ])('is told which scopes a client lacks, %s', async (where, parameters) => {
      const state = 'a + b & error_description=é';
      const page = await pageOf({ scope: `${ALL_SCOPES} openid`, state, ...parameters });
      const answer = where === 'in a form' ? fieldsIn(page.html) : answerIn(page);
      expect(Object.fromEntries(answer)).toMatchObject({
        error: 'invalid_scope',
        error_description: expect.stringMatching(lacking),
        state,
        iss: service.issuer,
      });
    });

    it('PKCE that is missing, and no scope left', async () => {
      const errorOf = async (parameters: Record<string, string | undefined>) => {
        const answer = answerIn(await pageOf(parameters));
        return [answer.get('error'), answer.get('error_description')];
      };
      expect(await errorOf({ client_id: 'browser' })).toEqual([
        'invalid_request',
        expect.stringMatching(/^code_challenge is missing: .*S256$/),
      ]);
      expect(await errorOf({ scope: 'offline_access invented' })).toEqual([
        'invalid_scope',
        expect.stringMatching(
          /^no scope is left .*offline_access needs prompt=consent, or an operator who permits it without$/,
        ),
      ]);
    });
  });

  describe('the JSON of the token endpoint', () => {
    const answerTo = async (fields: Record<string, string | undefined>, code?: string) => {
      const answer = await redeem(service, code ?? (await obtainCode(service)), fields);
      expect(answer.status).toBe(400);
      return (await answer.json()) as { error: string; error_description: string };
    };

    it.each<[what: string, fields: Record<string, string>, reason: RegExp, code: string | undefined]>([
      ['a code that is not known', {}, /^the code is mistyped, expired, used before/, 'mistyped'],
      [
        'SEC-08 a code_verifier too many',
        { code_verifier: 'v'.repeat(43) },
        /^send the code_verifier that belongs/,
        undefined,
      ],
    ])('of %s', async (_what, fields, reason, code) => {
      const error_description = expect.stringMatching(reason);
      expect(await answerTo(fields, code)).toEqual({ error: 'invalid_grant', error_description });
    });

    it('RFC 6749 section 5.2: a grant that the client may not use is unauthorized_client', async () => {
      const { error } = await answerTo({ grant_type: 'client_credentials' }, 'unused');
      expect(error).toBe('unauthorized_client');
      expect(service.logged()).toMatch(/"client":"server","error":"unauthorized_client",.*"msg":"refused"/);
      const html = await redeem(service, 'unused', { grant_type: 'client_credentials' }, { accept: 'text/html' });
      expect(html.status).toBe(400);
    });
  });

  describe('the JSON of a client that does not prove who it is', () => {
    const refusal = async (path: string, fields: Record<string, string>, headers = {}) => {
      const answer = await fetch(`${service.issuer}${path}`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', token: 'x', ...fields }),
        headers,
      });
      const body = (await answer.json()) as { error: string; error_description: string };
      expect([answer.status, body.error]).toEqual([401, 'invalid_client']);
      return { text: body.error_description, challenge: answer.headers.get('www-authenticate') ?? '' };
    };

    it.each(['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/oauth/par'])(
      '%s names the method of the client, and of a secret nothing at all',
      async (path) => {
        const textOf = async (fields: Record<string, string>) => (await refusal(path, fields)).text;
        expect(await textOf({ client_id: 'signing', client_secret: SECRET })).toContain('private_key_jwt');
        expect(await textOf({ client_id: 'browser', client_secret: SECRET })).toContain('has no secret');
        expect(await textOf({ client_id: 'server' })).toContain('client_secret_basic or client_secret_post');
        const wrong = await textOf({ client_id: 'server', client_secret: 'wrong' });
        expect(wrong).toBe('this client_id is not known here, or not with this secret or key');
        expect(await textOf({ client_id: 'nobody', client_secret: 'wrong' })).toBe(wrong);
      },
    );

    it('the challenge says the same as the body', async () => {
      const authorization = `Basic ${Buffer.from(`signing:${SECRET}`).toString('base64')}`;
      const { text, challenge } = await refusal('/oauth/token', {}, { authorization });
      expect(challenge).toContain(`error_description="${text}"`);
    });

    it('SEC-48 why the keys of a client cannot be read is for the operator alone', async () => {
      const { text } = await refusal('/oauth/token', assertion(key, 'unreachable', service.issuer));
      expect(text).not.toContain('127.0.0.1');
      const [record] = await openAuditEvents(service.database).search({ limit: 1, client: 'unreachable' });
      expect(JSON.stringify(record?.details)).toContain('connect ECONNREFUSED 127.0.0.1:1');
    });
  });

  describe('userinfo', () => {
    const tokenFor = async (headers: Record<string, string> = {}) => {
      const answer = await redeem(service, await obtainCode(service), {}, headers);
      return ((await answer.json()) as { access_token: string }).access_token;
    };
    const bound = () => tokenFor({ dpop: proof(key, { method: 'POST', url: `${service.issuer}/oauth/token` }) });

    it('a token that is bound to another key', async () => {
      const url = `${service.issuer}/userinfo`;
      const token = await bound();
      const dpop = proof(newClientKey(), { url, token });
      const answer = await fetch(url, { headers: { authorization: `DPoP ${token}`, dpop } });
      const { error_description: text } = (await answer.json()) as { error_description: string };
      expect([answer.status, text]).toEqual([401, expect.stringMatching(/^the key of the DPoP proof is not/)]);
      expect(answer.headers.get('www-authenticate')).toContain(`error_description="${text}"`);
    });

    it('RFC 9449 section 7.1: a bound token without a proof is refused with a DPoP challenge, as at the directory', async () => {
      const authorization = `DPoP ${await bound()}`;
      const refused = await fetch(`${service.issuer}/userinfo`, { headers: { authorization } });
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: 'invalid_dpop_proof' });
      expect(refused.headers.get('www-authenticate')).toMatch(/^DPoP realm=.*error="invalid_dpop_proof".*algs="ES256 /);
      const directory = await fetch(`${service.issuer}/directory/v2/Practitioner`, { headers: { authorization } });
      expect(directory.status).toBe(401);
      const challenge = directory.headers.get('www-authenticate');
      expect(challenge).toMatch(/^DPoP realm=.*error="invalid_dpop_proof".*the DPoP header is missing/);
      expect(service.logged()).toMatch(/"error":"invalid_dpop_proof",.*"msg":"refused"/);
    });
  });
});
