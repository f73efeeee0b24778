// RFC 6749 section 5.2: an error_description holds printable ASCII without quotation mark and backslash, whatever a client has sent.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';

const ALLOWED = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;
/** Texts in which characters that may not stand there are frequent. */
const odd = fc.string({
  unit: fc.constantFrom('"', '\\', 'é', '\t', '\n', '\u{1f600}', 'a', ' '),
  minLength: 1,
  maxLength: 20,
});

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

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
      const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body: new URLSearchParams(fields) });
      const { error_description: description } = (await answer.json()) as { error_description: string };
      expect(description).toMatch(ALLOWED);
    }),
    { numRuns: 20 },
  );
});
