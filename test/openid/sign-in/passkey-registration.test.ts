// SEC-70, SEC-73: the check of a passkey that a browser made: what is kept of it and its name, when nothing is, and what the log says then.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { createPasskeyRegistration, newPasskeyName } from '#openid/sign-in/passkey/passkey-registration.ts';
import { createChallenges } from '#shared/webauthn/challenges.ts';
import { type RelyingParty, relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import { AlreadyThere } from '#store/oidc/oidc-records.ts';
import { type Flaws, softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

/** Models of authenticators (AAGUID), by https://github.com/passkeydeveloper/passkey-authenticator-aaguids and the FIDO Metadata Service. */
const MODELS = [
  ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'iCloud Keychain'],
  ['dd4ec289-e01d-41c9-bb89-70fa845d4bf2', 'iCloud Keychain'],
  ['ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', 'Google Password Manager'],
  ['08987058-cadc-4b81-b6e1-30de50dcbe96', 'Windows Hello'],
  ['9ddd1817-af5a-4672-a2b9-3e3dd95000a9', 'Windows Hello'],
  ['6028b017-b1d4-4c02-b4b3-afcdafc96bb2', 'Windows Hello'],
  ['53414d53-554e-4700-0000-000000000000', 'Samsung Pass'],
  ['bada5566-a7aa-401f-bd96-45619a55120d', '1Password'],
  ['d548826e-79b4-db40-a3d8-11116f7e8349', 'Bitwarden'],
  ['531126d6-e717-415c-9320-3d9aa6981239', 'Dashlane'],
  ['0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6', 'Keeper'],
  ['50726f74-6f6e-5061-7373-50726f746f6e', 'Proton Pass'],
  ['fdb141b2-5d84-443e-8a35-4698c205a502', 'KeePassXC'],
  ['ee882879-721c-4913-9775-3dfcce97072a', 'YubiKey'],
  ['cb69481e-8ff7-4039-93ec-0a2729a154a8', 'YubiKey'],
  ['2fc0579f-8113-47ea-b116-bb5a8db9202a', 'YubiKey'],
  ['00000000-0000-0000-0000-000000000000', 'Firefox, Linux'],
];

describe('a new passkey', () => {
  const ISSUER = 'https://connect.example';
  const device = softwareAuthenticator(ISSUER);
  let said: unknown[];
  let tried: string[];
  let wait: number;
  let used: Set<string>;
  beforeEach(() => {
    [said, tried, wait, used] = [[], [], 0, new Set()];
  });
  const registration = createPasskeyRegistration({
    relyingParty: relyingPartyOf(ISSUER, 'Hygie') as RelyingParty,
    challenges: createChallenges(['key']),
    records: {
      insertOnce: async (_model: string, id: string) => {
        if (used.has(id)) throw new AlreadyThere();
        used.add(id);
      },
    } as never,
    countTry: async (id) => {
      tried.push(id);
      return wait;
    },
    log: { warn: (...line: unknown[]) => void said.push(line) } as never,
  });
  const ownerOf = (id = 'a', sessionId = 's') => ({
    account: { id, email: 'zoe@clinic.example', name: 'Zoé' },
    sessionId,
    userHandle: 'handle',
  });
  const make = (flaws: Flaws = {}, owner = ownerOf()) => device.create(registration.optionsFor(owner, []), flaws);
  const check = (answer: string, owner = ownerOf()) => registration.check(answer, owner, 'Firefox, Linux');

  it.each(MODELS)('of the model %s is named %s', async (aaguid, name) => {
    const { answer, passkey } = make({ aaguid: String(aaguid) });
    expect(await check(answer)).toEqual({
      credentialId: passkey.id,
      publicKey: expect.any(String),
      counter: 0,
      aaguid,
      synced: true,
      userHandle: 'handle',
      transports: ['internal'],
      name,
    });
    expect([said, tried]).toEqual([[], ['a']]);
  });

  it('is taken once; of another session, another account or no browser it is none, and no try counts', async () => {
    const { answer } = make();
    for (const owner of [ownerOf('b'), ownerOf('a', 'other')]) expect(await check(answer, owner)).toBeUndefined();
    for (const text of ['', '{}', answer.slice(1)]) expect(await check(text)).toBeUndefined();
    expect(tried).toEqual([]);
    expect(await check(answer)).toMatchObject({ name: '1Password' });
    expect(await check(answer)).toBeUndefined();
    expect([tried, said]).toEqual([['a', 'a'], []]);
  });

  it('after too many tries has to wait, and its challenge is not used up', async () => {
    const { answer } = make();
    wait = 7;
    expect(await check(answer)).toBe(7);
    wait = 0;
    expect(await check(answer)).toMatchObject({ userHandle: 'handle' });
  });

  it('whose model is not known has the name of the device', () => {
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect([newPasskeyName(firefox, 'en'), newPasskeyName(undefined, 'en'), newPasskeyName(undefined, 'fr')]).toEqual([
      expect.stringContaining('Firefox'),
      'Passkey',
      expect.stringMatching(/./),
    ]);
  });
});
