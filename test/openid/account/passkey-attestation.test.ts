// SEC-73: what an authenticator states of itself when a passkey is made is left out before the library sees it; tries are counted, and each
// uses its challenge up.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { openAccountDeletion } from '#store/accounts/delete-account.ts';
import { openPasskeys } from '#store/accounts/factors/passkeys.ts';
import { bothEngines } from '#support/both-engines.ts';
import { appOf, enteredBy, idOf, openAccount, recoveryCodesOn } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';
import { androidKeyStatement, attested, type Statement } from '#support/webauthn/attestation.ts';
import { type Flaws, optionsIn, softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

const PAGE = '/account/passkeys';
/** Tries of an account in an hour. */
const TRIES = 20;

describe.each(bothEngines('openid/account/passkey-attestation'))('a new passkey on %s', (engine) => {
  let service: RunningService;
  let other: SecondInstance;
  let device: ReturnType<typeof softwareAuthenticator>;
  let person: Person;
  const stored = (index: number) => openPasskeys(service.database).list(idOf(index));
  const open = (who = person) => who.visit(`${service.issuer}${PAGE}`);
  const send = (page: Visit, passkey: string, who = person) => who.press(page, 'create-passkey', { passkey });
  const enter = async (index: number) => {
    const { person } = await enteredBy(service.issuer, index);
    return { person, page: await openAccount(person, index, PAGE) };
  };
  const addPasskey = async () => {
    const page = await open();
    expect((await send(page, device.create(optionsIn(page)).answer)).status).toBe(200);
  };

  beforeAll(async () => {
    const clients = await testClients();
    service = await startService({
      engine,
      clients,
      adjust: (settings) => ({ ...settings, issuer: settings.issuer.replace('127.0.0.1', 'localhost') }),
    });
    other = await startSecondInstance(service, clients);
    device = softwareAuthenticator(service.issuer);
    ({ person } = await enter(0));
  });
  beforeEach(async () => {
    for (const table of ['passkeys', 'recovery_codes', 'rate_limits']) await service.database(table).delete();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  it('SEC-73 is taken without its attestation statement, and nothing that it names is fetched', async () => {
    let connections = 0;
    const trap = createServer((_req, res) => res.end()).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/crl`;
    try {
      const page = await open();
      const { answer, passkey } = device.create(optionsIn(page));
      const statement = await androidKeyStatement(answer, passkey, address);
      const shown = await send(page, attested(answer, 'android-key', statement));
      expect({ connections, status: shown.status }).toEqual({ connections: 0, status: 200 });
      const others: [string, Statement][] = [
        ['android-key', statement],
        ['packed', new Map<string, unknown>(Object.entries({ alg: -7, sig: new Uint8Array(70) }))],
        ['none', new Map([['alg', -7]])],
      ];
      for (const [format, made] of others) {
        const next = await open();
        const { answer } = device.create(optionsIn(next));
        expect([format, (await send(next, attested(answer, format, made))).status]).toEqual([format, 200]);
      }
      expect(await stored(0)).toHaveLength(1 + others.length);
      expect(connections).toBe(0);
      // It is as good as any.
      const stranger = createPerson(service.issuer);
      const login = await stranger.visit(authorizationUrl(service));
      const signedIn = await stranger.press(login, 'use-passkey', { passkey: device.get(optionsIn(login), passkey) });
      expect(signedIn.left ?? signedIn.html).toEqual(expect.stringContaining('id="allow"'));
    } finally {
      trap.close();
    }
  });

  it('SEC-71 an attestation that is too long, cut off, or nested as deep as it is long is refused, and nothing else happens', async () => {
    const deep = (bytes: number) => Buffer.concat([Buffer.alloc(bytes, 0x81), Buffer.from([0])]);
    const nested = (bytes: number) => `a363666d74646e6f6e656761747453746d74${deep(bytes).toString('hex')}`;
    const objects = [
      nested(4000),
      nested(3000),
      'ff',
      'a0',
      '80',
      'a163666d74646e6f6e65',
      'a1686175746844617461bbffffffffffffffff',
      'a16861757468446174615bffffffffffffffff',
      Buffer.from(isoCBOR.encode(new Map([['authData', 'text']]))).toString('hex'),
    ];
    let page = await open();
    for (const hex of objects) {
      const { response, ...rest } = JSON.parse(device.create(optionsIn(page)).answer);
      const attestationObject = Buffer.from(hex, 'hex').toString('base64url');
      page = await send(page, JSON.stringify({ ...rest, response: { ...response, attestationObject } }));
      expect([hex.slice(0, 60), page.status]).toEqual([hex.slice(0, 60), 422]);
    }
    // As extensions of the authenticator's data, and as the key.
    for (const at of [55 + 32, 55 + 32 + 77]) {
      const { answer } = device.create(optionsIn(page), at > 100 ? { extended: true } : {});
      const { response, ...rest } = JSON.parse(answer);
      const object = Buffer.from(response.attestationObject, 'base64url');
      const authData = Buffer.concat([object.subarray(30 + 2, 30 + 2 + at), deep(2000)]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(authData.length);
      const whole = Buffer.concat([object.subarray(0, 30), Buffer.from([0x59]), length, authData]);
      const attestationObject = whole.toString('base64url');
      page = await send(page, JSON.stringify({ ...rest, response: { ...response, attestationObject } }));
      expect([at, page.status]).toEqual([at, 422]);
    }
    expect((await send(page, device.create(optionsIn(page)).answer)).status).toBe(200);
  });

  it('SEC-73 of many answers to one challenge, at two instances at the same time, one is checked', async () => {
    await addPasskey();
    const page = await open();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ');
    const post = (passkey: string, instance: number) => {
      const init = { method: 'POST', headers: { cookie }, body: new URLSearchParams({ csrf, passkey }) };
      const address = service.issuer + PAGE;
      return instance ? other.send(address, init) : fetch(address, { ...init, redirect: 'manual' });
    };
    const answers = Array.from({ length: 12 }, () => device.create(optionsIn(page)).answer);
    const statuses = (await Promise.all(answers.map((answer, index) => post(answer, index % 2)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([303, ...Array(11).fill(422)]);
    expect(await stored(0)).toHaveLength(2);
  });

  it('that is sent twice is said to be there, and how to get other recovery codes in place of those that were not seen', async () => {
    const page = await open();
    const { answer } = device.create(optionsIn(page));
    expect(recoveryCodesOn(await send(page, answer))).toHaveLength(8);
    const again = await send(page, answer);
    expect([new URL(again.url).pathname, recoveryCodesOn(again)]).toEqual([
      '/account/second-factor/recovery-codes/saved',
      [],
    ]);
    await person.press(again, 'continue', { saved: 'yes' });
    const twice = await send(page, answer);
    expect([new URL(twice.url).pathname, twice.html.includes('is ready')]).toEqual([PAGE, true]);
    expect(await stored(0)).toHaveLength(1);
  });

  it('SEC-73 a try that fails uses its challenge up, at a sign-in, too', async () => {
    const page = await open();
    const wrong = device.create(optionsIn(page), { verified: false });
    expect((await send(page, wrong.answer)).status).toBe(422);
    const { challenge, ...rest } = optionsIn(page);
    // The second one differs in letters that a decoder passes over.
    for (const again of [challenge, `!${challenge}`])
      expect((await send(page, device.create({ challenge: again, ...rest }).answer)).status).toBe(422);
    const fresh = await open();
    const { answer, passkey } = device.create(optionsIn(fresh));
    await send(fresh, answer);
    const stranger = createPerson(service.issuer);
    const login = await stranger.visit(authorizationUrl(service));
    const signIn = (flaws: Flaws) =>
      stranger.press(login, 'use-passkey', { passkey: device.get(optionsIn(login), passkey, flaws) });
    expect((await signIn({ forged: true })).status).toBe(422);
    expect((await signIn({})).status).toBe(422);
  });

  it('SEC-70 for a user handle that the account no longer has is refused: it would open nothing', async () => {
    await addPasskey();
    // As if it was made in an earlier session.
    await service.database('passkeys').update({ user_handle: 'earlier' });
    const [{ id = '' } = {}] = await stored(0);
    const page = await open();
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    await person.visit(PAGE, { method: 'POST', body: new URLSearchParams({ csrf, remove: id }) });
    expect(await stored(0)).toEqual([]);
    const shown = await send(page, device.create(optionsIn(page)).answer);
    expect([shown.status, await stored(0)]).toEqual([422, []]);
    const { answer, passkey } = device.create(optionsIn(shown));
    await send(shown, answer);
    expect(await stored(0)).toMatchObject([{ userHandle: passkey.userHandle }]);
  });

  it('SEC-73 tries are counted by account, and say until when', async () => {
    let page = await open();
    for (let tries = 0; tries < TRIES; tries += 1) {
      page = await send(page, device.create(optionsIn(page), { verified: false }).answer);
      expect(page.status).toBe(422);
    }
    const before = await stored(0);
    const refused = await send(page, device.create(optionsIn(page)).answer);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, true]);
    expect(await stored(0)).toEqual(before);
    const neighbour = await enter(1);
    const { answer } = device.create(optionsIn(neighbour.page));
    expect((await send(neighbour.page, answer, neighbour.person)).status).toBe(200);
  });

  it('SEC-17 why a passkey does not hold is logged in words of our own', async () => {
    await addPasskey();
    const canary = 'https://canary.example/"}\n{"level":"fatal"';
    const flaws: Flaws[] = [{ origin: canary }, { type: canary }];
    for (const flaw of flaws) {
      const page = await open();
      await send(page, device.create(optionsIn(page), flaw).answer);
      const stranger = createPerson(service.issuer);
      const login = await stranger.visit(authorizationUrl(service));
      const { answer, passkey } = device.create({ ...optionsIn(login), user: optionsIn(page).user });
      expect(answer).toContain(passkey.id);
      const [mine] = await stored(0);
      const known = { ...passkey, id: mine?.credentialId ?? '', userHandle: mine?.userHandle ?? '' };
      await stranger.press(login, 'use-passkey', { passkey: device.get(optionsIn(login), known, flaw) });
    }
    expect(service.logged()).not.toContain('canary');
    expect(service.logged()).toContain('it was made at another origin than http://localhost');
    expect(service.logged()).toContain('"reason":"it does not verify (Error)"');
  });

  it('of an app and a passkey that are added in the same moment, one shows recovery codes, and they count', async () => {
    for (const index of [2, 3]) {
      const { person, page } = await enter(index);
      const setUp = await openAccount(person, index, '/account/second-factor');
      const added = send(page, device.create(optionsIn(page)).answer, person);
      if (index === 3) await added;
      const shown = await Promise.all([added, person.press(setUp, 'set-up', { code: appOf(setUp)() })]);
      expect(shown.map(({ status }) => status)).toEqual([200, 200]);
      const codes = shown.map(recoveryCodesOn).filter(({ length }) => length > 0);
      expect(codes).toHaveLength(1);
      const removal = await person.visit('/account/second-factor/remove');
      await person.press(removal, 'remove', { recovery: codes[0]?.[0] ?? '' });
      expect(await service.database('second_factors').where({ account_id: idOf(index) })).toEqual([]);
    }
  });

  it('an account that is deleted while a passkey is added, or an app set up, leads to the sign-in', async () => {
    const deletion = openAccountDeletion(service.database);
    const tables = engine === 'sqlite' ? ['passkeys', 'second_factors'] : [];
    for (const table of tables) {
      // Two connections of one process wait for each other on SQLite: the row goes within the step itself.
      const remove = 'delete from accounts where id = new.account_id';
      await service.database.raw(`create trigger gone_${table} before insert on ${table} begin ${remove}; end`);
    }
    const shown: boolean[] = [];
    for (const index of [4, 5, 6, 7]) {
      const { person, page } = await enter(index);
      const setUp = await openAccount(person, index, '/account/second-factor');
      const [answer] = await Promise.all([
        index % 2
          ? send(page, device.create(optionsIn(page)).answer, person)
          : person.press(setUp, 'set-up', { code: appOf(setUp)() }),
        engine === 'postgresql' && deletion.remove(idOf(index)),
      ]);
      expect(answer.status).toBe(200);
      shown.push(answer.html.includes('id="sign-in"'));
    }
    for (const table of tables) await service.database.raw(`drop trigger gone_${table}`);
    // Whoever was first: the deletion, for one of them at least. That of the trigger is taken back with the step.
    expect(shown).toContain(engine === 'postgresql');
  });
});
