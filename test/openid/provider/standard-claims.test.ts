// OpenID Connect Core 5.1, 5.4 and 5.5, Discovery 3, SMART App Launch 2 "fhirUser": what applications are told of a person, in the
// ID token and at userinfo alike, beside the claims of the specification (section 2.2).

import { describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openAccounts } from '#store/accounts/accounts.ts';
import { CREDENTIALS, type SignIn, type SignInChoices, signIn } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { ALL_SCOPES, DEMO_ACCOUNTS, testClients } from '#support/service.ts';

describe('standard claims', () => {
  const [ME, , , , , , , , ,] = DEMO_ACCOUNTS;
  const EVERYTHING = `${ALL_SCOPES} fhirUser`;
  /** About the sign-in, by name only. */
  const BY_NAME = { id_token: { acr: null, amr: null, auth_time: null, sid: null } };

  let smart: Awaited<ReturnType<typeof testClients>>;
  withService(async () => {
    const clients = await testClients();
    smart = clients.map((client) => (client.id === 'server' ? { ...client, scopes: EVERYTHING.split(' ') } : client));
    return { clients: smart };
  });

  /** What the ID token and userinfo say. */
  async function told(
    choices: SignInChoices,
  ): Promise<{ idToken: Record<string, unknown>; userinfo: object; by: SignIn }> {
    const by = await signIn(service, { person: createPerson(service.issuer), ...choices });
    const idToken = { ...by.tokens.claims() };
    const { sub = '' } = idToken as { sub?: string };
    const userinfo = await oidc.fetchUserInfo(by.configuration, by.tokens.access_token, sub);
    return { idToken, userinfo, by };
  }

  describe('OpenID Connect Core 5.4: scope profile', () => {
    it('releases names, user name, picture and profile; the ID token and userinfo say the same', async () => {
      const page = 'https://clinic.example/people/mathilde';
      await openAccounts(service.database).update(ME?.id ?? '', { profile: page });
      const { idToken, userinfo } = await told({ scope: 'openid email profile' });
      expect(userinfo).toMatchObject({
        name: 'Mathilde Du Chardey',
        given_name: 'Mathilde',
        family_name: 'Du Chardey',
        nickname: 'Mathilde',
        preferred_username: CREDENTIALS.login,
        profile: page,
        picture: expect.stringMatching(/^http:.*\/picture\/[0-9a-f]{32}\.svg$/),
      });
      expect(idToken).toMatchObject(userinfo);
      expect(idToken).not.toHaveProperty('fhirUser');
    });

    it('updated_at is a number for a client that says so, in both, from one edit of clients.yaml to the next', async () => {
      const { idToken } = await told({ scope: 'openid profile' });
      expect(idToken['updated_at']).toMatch(/^20\d\d-.*Z$/);
      service.replaceClients(smart.map((client) => ({ ...client, updatedAt: 'epoch' })));
      try {
        const other = await told({ scope: 'openid profile' });
        const number = Date.parse(String(idToken['updated_at'])) / 1000;
        expect(other.idToken['updated_at']).toBe(number);
        expect(other.userinfo).toHaveProperty('updated_at', number);
      } finally {
        service.replaceClients(smart);
      }
    });
  });

  describe('OpenID Connect Core 5.5: claims asked for one by one', () => {
    it('come where they were asked for, without their scope', async () => {
      const claims = JSON.stringify({
        id_token: { given_name: { essential: true }, exp: null },
        userinfo: { family_name: null, preferred_username: null },
      });
      const { idToken, userinfo } = await told({ scope: 'openid', parameters: { claims } });
      expect(idToken).toMatchObject({ given_name: 'Mathilde' });
      expect(idToken).not.toHaveProperty('family_name');
      expect(userinfo).toMatchObject({ family_name: 'Du Chardey', preferred_username: ME?.id });
      expect(userinfo).not.toHaveProperty('given_name');
    });

    it('what stands in every ID token asks nobody for consent', async () => {
      const claims = JSON.stringify({ id_token: { exp: null, nonce: { essential: true }, at_hash: null } });
      const { by } = await told({ scope: 'openid' });
      const again = await signIn(service, {
        person: by.person,
        scope: 'openid',
        parameters: { claims, prompt: 'none' },
      });
      expect(again.callback.searchParams.get('error')).toBeNull();
    });
  });

  it('OpenID Connect Discovery 3: claims_supported names exactly what somebody of whom everything is known can be told of', async () => {
    const known = { profile: 'https://clinic.example/people/mathilde', language: 'fr' };
    await openAccounts(service.database).update(ME?.id ?? '', known);
    const parameters = { claims: JSON.stringify(BY_NAME) };
    const { idToken, userinfo, by } = await told({ scope: EVERYTHING, parameters });
    const released = new Set([...Object.keys(idToken), ...Object.keys(userinfo)]);
    const { claims_supported: supported = [] } = by.configuration.serverMetadata();
    expect([...supported].sort()).toEqual([...released].sort());
  });

  it('SMART App Launch 2: fhirUser is the absolute address of the own record, which the token can read', async () => {
    const { idToken, userinfo, by } = await told({ scope: EVERYTHING });
    const record = `${service.settings.directory.url}/Practitioner/${ME?.practitioners?.[0]}`;
    expect([idToken, userinfo]).toEqual([
      expect.objectContaining({ fhirUser: record }),
      expect.objectContaining({ fhirUser: record }),
    ]);
    const authorization = `Bearer ${by.tokens.access_token}`;
    const answer = await fetch(record, { headers: { authorization } });
    expect(await answer.json()).toMatchObject({ resourceType: 'Practitioner', name: [{ family: 'DU CHARDEY' }] });
  });
});
