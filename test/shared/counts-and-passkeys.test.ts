// Attempts that are counted in several limits at once (SEC-39), and the answers of browsers with passkeys (SEC-71, SEC-73).

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import {
  consume,
  consumeAll,
  consumeEach,
  memoryLimiter,
  remainingWait,
  rewardAll,
  secondsOf,
  waitOf,
} from '#shared/rate-limits.ts';
import { relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import {
  ALGORITHMS,
  challengeOf,
  readRegistration,
  readSignature,
  refusalOf,
  verifyRegistration,
  verifySignature,
} from '#shared/webauthn/responses.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

describe('counts and passkeys', () => {
  withOwnSnapshots(import.meta.filename);
  describe('SEC-39 an attempt that is counted in several limits', () => {
    beforeEach(() => void jest.useFakeTimers());
    afterEach(() => void jest.useRealTimers());
    const limits = () => ({
      wide: { limiter: memoryLimiter({ keyPrefix: 'wide', points: 3, duration: 60 }), key: 'a' },
      narrow: { limiter: memoryLimiter({ keyPrefix: 'narrow', points: 1, duration: 10 }), key: 'a' },
    });
    const used = async ({ limiter, key }: ReturnType<typeof limits>['wide']) =>
      (await limiter.get(key))?.consumedPoints ?? 0;

    it('counts in all of them, or in none', async () => {
      const { wide, narrow } = limits();
      expect(await waitOf([wide, narrow])).toBe(0);
      expect(await consumeAll([wide, narrow])).toBe(0);
      expect([await used(wide), await used(narrow)]).toEqual([1, 1]);
      expect([await consumeAll([wide, narrow]), await waitOf([wide, narrow])]).toEqual([10, 10]);
      expect([await used(wide), await used(narrow)]).toEqual([1, 1]);
      jest.advanceTimersByTime(8500);
      expect(await remainingWait(narrow.limiter, 'a')).toBe(2);
      jest.advanceTimersByTime(1500);
      expect(await consumeAll([wide, narrow])).toBe(0);
      expect([await used(wide), await remainingWait(wide.limiter, 'a')]).toEqual([2, 0]);
    });

    it('that another one overtook is taken back', async () => {
      const { wide, narrow } = limits();
      await consume(narrow.limiter, 'a');
      expect(await consumeEach([wide, narrow])).toBe(10);
      expect([await used(wide), await used(narrow)]).toEqual([0, 1]);
      await rewardAll([wide, narrow]);
      expect([await used(wide), await used(narrow)]).toEqual([-1, 0]);
    });

    it('is refused for whole seconds, never less than one; a failure of the limiter stays one', async () => {
      expect([0, 1, 1000, 1001].map((msBeforeNext) => secondsOf({ msBeforeNext }))).toEqual([1, 1, 1, 2]);
      const broken = { consume: () => Promise.reject(new Error('away')) };
      await expect(consume(broken, 'a')).rejects.toThrow('away');
    });
  });

  describe('SEC-71 what a browser answers', () => {
    const issuer = 'https://connect.clinic.example';
    const party = relyingPartyOf(issuer, 'Hygie') as NonNullable<ReturnType<typeof relyingPartyOf>>;
    const device = softwareAuthenticator(issuer);
    const challenge = 'Y2hhbGxlbmdl';
    const made = device.create({ challenge, user: { id: 'dXNlcg' } });
    const registration = () => readRegistration(made.answer) as NonNullable<ReturnType<typeof readRegistration>>;

    it('for a new passkey is its key, and its signature is checked with it', async () => {
      expect(challengeOf(registration())).toBe(challenge);
      const passkey = await verifyRegistration(registration(), party);
      expect(passkey).toEqual({
        credentialId: made.passkey.id,
        publicKey: expect.stringMatching(/^[\w-]{100,}$/),
        counter: 0,
        synced: true,
        aaguid: 'bada5566-a7aa-401f-bd96-45619a55120d',
      });
      const { publicKey } = passkey;
      const answer = (flaws: object = {}) => {
        const text = device.get({ challenge }, made.passkey, flaws);
        return readSignature(text) as NonNullable<ReturnType<typeof readSignature>>;
      };
      expect(await verifySignature(answer({ counter: 7 }), { publicKey, relyingParty: party })).toBe(7);
      for (const flaws of [
        { forged: true },
        { verified: false },
        { origin: 'https://evil.example' },
        { rpId: 'evil.example' },
      ])
        await expect(verifySignature(answer(flaws), { publicKey, relyingParty: party })).rejects.toThrow();
      const other = device.create({ challenge, user: { id: 'dXNlcg' } }, { verified: false });
      await expect(verifyRegistration(readRegistration(other.answer) as never, party)).rejects.toThrow();
    });

    it('that is refused has a reason without its text', () => {
      const elsewhere = device.create({ challenge, user: { id: 'dXNlcg' } }, { origin: 'https://evil.example' });
      const error = Object.assign(new Error('quoted'), { name: 'TypeError' });
      expect([
        refusalOf(registration(), party, error),
        refusalOf(readRegistration(elsewhere.answer) as never, party, error),
      ]).toEqual(['it does not verify (TypeError)', `it was made at another origin than ${issuer}`]);
      const unreadable = { ...registration(), response: { ...registration().response, clientDataJSON: 'e30x' } };
      expect(challengeOf(unreadable)).toBe('');
      const numbered = { ...unreadable, response: { ...unreadable.response, clientDataJSON: 'eyJjaGFsbGVuZ2UiOjF9' } };
      expect(challengeOf(numbered)).toBe('');
    });

    it('has bounds: no part is longer than authenticators make it', () => {
      const parsed = JSON.parse(made.answer);
      const of = (change: object, response: object = {}) =>
        readRegistration(JSON.stringify({ ...parsed, ...change, response: { ...parsed.response, ...response } })) !==
        undefined;
      const signature = { clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' };
      const signed = (change: object, response: object = {}) =>
        readSignature(
          JSON.stringify({
            id: 'a',
            rawId: 'a',
            type: 'public-key',
            ...change,
            response: { ...signature, ...response },
          }),
        ) !== undefined;
      const letters = (count: number) => 'a'.repeat(count);
      expect([
        [of({}), of({ type: 'other' }), of({ id: '' }), of({ id: 'a b' }), readRegistration('{'), readSignature('[]')],
        [of({ id: letters(1364) }), of({ id: letters(1365) })],
        [of({ rawId: letters(2732) }), of({ rawId: letters(2733) })],
        [of({}, { attestationObject: letters(5464) }), of({}, { attestationObject: letters(5465) })],
        [of({}, { transports: Array(10).fill(letters(32)) }), of({}, { transports: Array(11).fill('a') })],
        [of({}, { transports: [letters(33)] })],
        [signed({}), signed({}, { userHandle: null }), signed({}, { userHandle: letters(86) })],
        [signed({}, { userHandle: letters(87) }), signed({}, { signature: '' }), signed({ type: 'x' })],
      ]).toEqual([
        [true, false, false, false, undefined, undefined],
        [true, false],
        [true, false],
        [true, false],
        [true, false],
        [false],
        [true, true, true],
        [false, false, false],
      ]);
      expect(ALGORITHMS).toEqual([-7, -8, -257]);
    });
  });

  it('the endings of a session are said so', () => {
    expect(SESSION_ENDINGS).toMatchSnapshot();
  });
});
