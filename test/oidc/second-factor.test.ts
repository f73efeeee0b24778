// SEC-41 asks that a TOTP code works once and that recovery codes are hashed. No second factor is offered: these tests show
// that nothing says otherwise, neither to relying parties nor to people.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPerson } from '../person.ts';
import { type RunningService, startService } from '../service.ts';
import { authorizationUrl, CREDENTIALS, signIn } from './relying-party.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** RFC 8176 for what would be a second factor, and what the pages would call it. */
const SECOND_FACTORS = ['otp', 'mfa', 'sms', 'hwk', 'swk', 'mca'];

describe('SEC-41 a second factor is not offered', () => {
  it('SEC-41 not offered: discovery names no level of it', async () => {
    const discovery = (await (await fetch(`${service.issuer}/.well-known/openid-configuration`)).json()) as object;
    expect(JSON.stringify(discovery)).not.toMatch(/mfa|otp|phr|loa[2-4]/i);
  });

  it('SEC-41 not offered: an ID token claims a password and nothing more, whatever was asked for', async () => {
    const { tokens } = await signIn(service, {
      person: createPerson(service.issuer),
      parameters: { acr_values: 'mfa urn:mace:incommon:iap:silver phr' },
    });
    const claims = tokens.claims() ?? {};
    const methods = (claims as { amr?: string[] }).amr ?? [];
    for (const method of methods) expect(SECOND_FACTORS).not.toContain(method);
    expect(['mfa', 'urn:mace:incommon:iap:silver', 'phr']).not.toContain((claims as { acr?: string }).acr);
  });

  it('SEC-41 not offered: the sign-in asks for login and password only', async () => {
    const person = createPerson(service.issuer);
    const page = await person.visit(authorizationUrl(service));
    const fields = [...page.html.matchAll(/<input\b[^>]*\bname="(\w+)"/g)].map(([, name]) => name);
    expect(fields.sort()).toEqual(['csrf', 'login', 'password']);
    const next = await person.press(page, 'sign-in', CREDENTIALS);
    expect(next.html).not.toMatch(/one-time|usage unique|authenticator|code de secours|recovery code/i);
  });

  it('SEC-41 not offered: an account keeps no seed and no recovery code', async () => {
    const columns = Object.keys(await service.database('accounts').columnInfo());
    expect(columns.filter((name) => /totp|otp|seed|recovery|factor/i.test(name))).toEqual([]);
  });
});
