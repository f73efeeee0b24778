// RFC 6749 section 5.2, RFC 6750 section 3, RFC 7009, RFC 7662, RFC 9126: whatever goes wrong at an endpoint of programs is told in
// JSON, whatever Accept says, whoever refuses: the library, or the chain in front of it.

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { sendRaw } from '#support/raw-request.ts';
import { SECRET } from '#support/service.ts';

describe('errors as JSON', () => {
  withService();

  const ACCEPTS: Record<string, string> = {
    "Java's own": 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    "a browser's": 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'pages alone': 'text/html',
    'XML alone': 'application/xml',
    'JSON alone': 'application/json',
    none: '',
  };

  const FORM = 'application/x-www-form-urlencoded';

  interface Refused {
    method?: string;
    path: string;
    body?: string;
    type?: string;
    headers?: readonly string[];
  }

  async function send({ method = 'POST', path, body = '', type = FORM, headers = [] }: Refused, accept: string) {
    const { host } = new URL(service.issuer);
    const named = headers.some((header) => header.startsWith('Host:')) ? [] : [`Host: ${host}`];
    const head = [
      `${method} ${path} HTTP/1.1`,
      ...named,
      'Connection: close',
      ...(accept === '' ? [] : [`Accept: ${accept}`]),
      ...(method === 'POST' ? [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`] : []),
      ...headers,
    ];
    return sendRaw(service.issuer, `${head.join('\r\n')}\r\n\r\n${method === 'POST' ? body : ''}`);
  }

  const POSTED = ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/oauth/par'];
  const READ = [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ];
  const EVERY = [...POSTED, ...READ, '/userinfo'];
  const CLIENT = 'client_id=server&client_secret=wrong&token=x&grant_type=refresh_token';

  /** What is sent, and the status of its refusal. */
  const REFUSALS: readonly (readonly [what: string, status: number, sent: readonly Refused[]])[] = [
    ['nothing sent', 400, POSTED.map((path) => ({ path }))],
    ['a wrong secret', 401, POSTED.map((path) => ({ path, body: CLIENT }))],
    ['a body of another type', 400, POSTED.map((path) => ({ path, body: '{}', type: 'application/json' }))],
    ['a body too large', 400, POSTED.map((path) => ({ path, body: `token=${'x'.repeat(60_000)}` }))],
    ['no access token', 401, [{ method: 'GET', path: '/userinfo' }, { path: '/userinfo' }]],
    ['a wrong access token', 401, [{ method: 'GET', path: '/userinfo', headers: ['Authorization: Bearer x'] }]],
    ['another method', 405, EVERY.map((path) => ({ method: 'PUT', path }))],
    [
      'an unknown address',
      404,
      ['/oauth/', '/oauth/unknown', '/oauth/%zz', '/.well-known/webfinger', '/userinfo/'].map((path) => ({ path })),
    ],
    ['another host', 421, EVERY.map((path) => ({ path, headers: ['Host: evil.example'] }))],
    ['two hosts', 400, EVERY.map((path) => ({ path, headers: ['Host: one.example', 'Host: two.example'] }))],
  ];

  describe.each(Object.entries(ACCEPTS))('RFC 6749 section 5.2, Accept: %s', (_who, accept) => {
    it.each(REFUSALS)('%s is %i in JSON that nobody stores', async (_what, status, sent) => {
      for (const one of sent) {
        const answer = await send(one, accept);
        expect([one.path, answer.status]).toEqual([one.path, status]);
        expect([one.path, answer.headers.get('content-type')]).toEqual([one.path, 'application/json; charset=utf-8']);
        expect([one.path, answer.headers.get('cache-control')]).toEqual([one.path, 'no-store']);
        const { error, error_description: text } = JSON.parse(answer.body) as Record<string, string>;
        expect(error).toMatch(/^[a-z_]+$/);
        // RFC 6749 section 5.2: the characters that may stand in it.
        expect(text).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      }
    });

    it('RFC 6750 section 3: a refused access token has its challenge', async () => {
      const answer = await send({ method: 'GET', path: '/userinfo', headers: ['Authorization: Bearer x'] }, accept);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/);
      expect(JSON.parse(answer.body)).toMatchObject({ error: 'invalid_token' });
    });
  });

  it('fhir-stu3 HTTP: below the directory another host is an OperationOutcome in the format that is asked for', async () => {
    for (const [accept, type] of [
      [ACCEPTS["Java's own"] ?? '', 'application/fhir+json; charset=utf-8'],
      ['application/fhir+xml', 'application/fhir+xml; charset=utf-8'],
    ] as const) {
      const answer = await send(
        { method: 'GET', path: '/directory/v2/metadata', headers: ['Host: evil.example'] },
        accept,
      );
      expect([answer.status, answer.headers.get('content-type')]).toEqual([421, type]);
      expect(answer.body).toContain('OperationOutcome');
    }
  });

  it('pages are for persons: sign-in, sign-out and unknown addresses of a browser', async () => {
    for (const path of ['/authorize?client_id=unknown', '/logout?client_id=unknown', '/nowhere']) {
      const answer = await send({ method: 'GET', path }, 'text/html');
      expect([path, answer.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8']);
    }
  });

  it('a failure of the service itself is 500 in JSON for the HTTP client of Java, and its cause is in the log alone', async () => {
    await service.database.schema.renameTable('oidc_records', 'oidc_records_away');
    try {
      const token = {
        path: '/oauth/token',
        body: 'grant_type=authorization_code&code=x&redirect_uri=x&client_id=browser',
      };
      for (const one of [token, { path: '/userinfo', headers: ['Authorization: Bearer x'] }]) {
        const answer = await send(one, ACCEPTS["Java's own"] ?? '');
        expect([one.path, answer.status]).toEqual([one.path, 500]);
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'server_error' });
        expect(answer.body).not.toContain('oidc_records');
      }
      expect(service.logged()).toMatch(/"level":"error".*no such table/);
    } finally {
      await service.database.schema.renameTable('oidc_records_away', 'oidc_records');
    }
  });

  // RFC 6749 section 5.2: an error_description holds printable ASCII without quotation mark and backslash, whatever a client has sent.
  describe('what a client has sent', () => {
    beforeAll(() => resetService(service));

    const ALLOWED = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
    /** Texts in which characters that may not stand there are frequent. */
    const odd = fc.string({
      unit: fc.constantFrom('"', '\\', 'é', '\t', '\n', '\u{1f600}', 'a', ' '),
      minLength: 1,
      maxLength: 20,
    });

    it('an error at the callback quotes what was sent in characters that are allowed', async () => {
      const person = createPerson(service.issuer);
      await fc.assert(
        fc.asyncProperty(odd, fc.constantFrom('response_mode', 'claim'), async (text, parameter) => {
          const sent =
            parameter === 'claim' ? { claims: JSON.stringify({ id_token: { [text]: 1 } }) } : { [parameter]: text };
          const { left } = await person.visit(authorizationUrl(service, sent));
          expect(left?.searchParams.get('error_description')).toMatch(ALLOWED);
        }),
        { numRuns: 40 },
      );
    });

    it('an error of a pushed request quotes what was sent in characters that are allowed', async () => {
      await fc.assert(
        fc.asyncProperty(odd, async (text) => {
          const fields = { client_id: 'server', client_secret: SECRET, response_mode: text, claims: text };
          const answer = await fetch(`${service.issuer}/oauth/par`, {
            method: 'POST',
            body: new URLSearchParams(fields),
          });
          const { error_description: description } = (await answer.json()) as { error_description: string };
          expect(description).toMatch(ALLOWED);
        }),
        { numRuns: 20 },
      );
    });
  });
});
