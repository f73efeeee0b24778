// What the tests of a second factor share: a service, an account with an app, and the two steps of a sign-in there.

import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { TOTP } from 'otpauth';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { createEncryption } from '#shared/crypto/encryption.ts';
import { stepAt, totp } from '#shared/crypto/totp.ts';
import { openSecondFactors, type SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';
import { authorizationUrl, CREDENTIALS, signIn } from './relying-party.ts';

/** The account of `CREDENTIALS`. */
export const ME = DEMO_ACCOUNTS[0]?.id ?? '';

/** Parameters with an essential `acr` of this form, and a wish for `amr`. */
export const essential = (acr: object) => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, ...acr }, amr: null } }),
});
export const TWO = essential({ value: SECOND_FACTOR_ACR });
export const AMR = { claims: JSON.stringify({ id_token: { acr: null, amr: null } }) };

/** The service of the test file; one runs at a time. */
export let service: RunningService;
export let factors: SecondFactors;
let secret: Buffer;

/** Has to be called once in a test file. After each test the account has no second factor, and nobody has to wait. */
export function withTwoSteps(): void {
  beforeAll(async () => {
    service = await startService();
    factors = openSecondFactors(service.database, createEncryption([]));
  });
  afterEach(async () => {
    await factors.remove(ME);
    await service.database('rate_limits').delete();
  });
  afterAll(() => service.stop());
}

/** Gives the account an app, as one that was set up yesterday, and returns its recovery codes. */
export async function haveApp(): Promise<string[]> {
  const proposal = await factors.propose(ME);
  secret = await factors.secretOf(ME, proposal);
  const sessions = { model: 'Session', account_id: ME };
  const rows = await service
    .database('oidc_records')
    .where(sessions)
    .orWhere({ ...sessions, model: 'Grant' });
  const recoveryCodes = (await factors.setUp(ME, proposal, code()))?.codes ?? [];
  // As time would: the code on show was not used yet, and whoever is signed in is so since.
  await service.database('second_factors').update({ last_step: 0 });
  await service.database('accounts').where({ id: ME }).update({ sessions_not_before: null });
  if (rows.length > 0) await service.database('oidc_records').insert(rows);
  return recoveryCodes;
}

/** What the app shows. */
export const code = () => totp(secret, stepAt(Date.now() / 1000));

export const newPerson = () => createPerson(service.issuer);

/** The first step: what follows from the right password. */
export const enter = async (person: Person, parameters: Record<string, string> = {}): Promise<Visit> =>
  person.press(await person.visit(authorizationUrl(service, parameters)), 'sign-in', CREDENTIALS);

/** Agrees, where that is asked for. */
export const consent = async (person: Person, page: Visit) =>
  page.html.includes('id="allow"') ? person.press(page, 'allow') : page;

/** The ID token's claims for somebody who is signed in by now. */
export const claimsFor = async (person: Person, parameters: Record<string, string>) =>
  (await signIn(service, { person, parameters })).tokens.claims();

/** The person says that the recovery codes are kept. */
export const KEPT = { saved: 'yes' };

/** Sets up an app on the page that asks for it; `typed` is the code that it showed. */
export async function setUpAt(person: Person, page: Visit): Promise<{ shown: Visit; typed: string }> {
  const key = /<p class="secret-key"><code>([A-Z2-7 ]+)<\/code>/.exec(page.html)?.[1]?.replaceAll(' ', '') ?? '';
  const typed = new TOTP({ secret: key }).generate();
  return { typed, shown: await person.press(page, 'set-up', { code: typed }) };
}
