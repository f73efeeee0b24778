// SEC-70: passkeys against the whole service, with answers that no browser gives. Each attack differs from the right answer in one thing.

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { openPasskeys, type Passkeys } from '#store/accounts/factors/passkeys.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService } from '#support/service.ts';
import { until } from '#support/until.ts';
import {
  type Flaws,
  optionsIn,
  type SoftwarePasskey,
  softwareAuthenticator,
} from '#support/webauthn/software-authenticator.ts';

const [ME = '', OTHER = ''] = DEMO_ACCOUNTS.map(({ id }) => id);
const OTHERS = { login: DEMO_ACCOUNTS[1]?.email ?? '', password: DEMO_PASSWORD };

// On PostgreSQL, where answers at the same time really meet in the database.
describe('SEC-70 passkeys', () => {
  let store: Passkeys;
  let device: ReturnType<typeof softwareAuthenticator>;
  let passkey: SoftwarePasskey;
  let others: SoftwarePasskey;
  /** Signed in at the account pages just now, before the account had passkeys. */
  let owner: Person;
  let enrolled: Visit;
  let kept: Visit;
  /** The two passkeys as they were stored when both people had just made theirs. */
  let rows: object[];

  const newPerson = () => createPerson(service.issuer);
  const open = (person: Person, parameters: Record<string, string> = {}) =>
    person.visit(authorizationUrl(service, parameters));
  /** Posts an answer by the form of a page, with the cookies of a person. */
  const send = (person: Person, page: Visit, answer: string, button = 'use-passkey') =>
    person.press(page, button, { passkey: answer });
  const isIn = ({ html, left }: Visit) => left !== undefined || html.includes('id="allow"');
  /** Number of the last record before the test. */
  let earlier = 0;
  const lastRecord = () => service.database('audit_events').orderBy('id', 'desc').limit(1);
  const lastFailure = async () => {
    const rows = await lastRecord().where({ event: 'sign-in.failed' }).where('id', '>', earlier);
    return JSON.parse(String(rows[0]?.details ?? '{}')).reason;
  };
  /** Records may follow the answer. */
  const failedFor = (reason: string) => until(async () => (await lastFailure()) === reason, `failed for ${reason}`);
  const enrol = async (person: Person, credentials: { login: string; password: string }) => {
    const page = await person.press(await person.visit(`${service.issuer}/account/passkeys`), 'sign-in', credentials);
    const made = device.create(optionsIn(page));
    return { page, made, shown: await send(person, page, made.answer, 'create-passkey') };
  };

  const service = openedForAll(() =>
    startService({
      engine: 'postgresql',
      adjust: (settings) => ({
        ...settings,
        issuer: settings.issuer.replace('127.0.0.1', 'localhost'),
        limits: { ...settings.limits, addressFailures: 100 },
      }),
    }),
  );
  beforeAll(async () => {
    store = openPasskeys(service.database);
    device = softwareAuthenticator(service.issuer);
    owner = newPerson();
    const mine = await enrol(owner, CREDENTIALS);
    ({ passkey } = mine.made);
    enrolled = mine.shown;
    kept = await owner.press(enrolled, 'continue', { saved: 'yes' });
    others = (await enrol(newPerson(), OTHERS)).made.passkey;
    rows = await service.database('passkeys');
  });
  beforeEach(async () => {
    for (const table of ['passkeys', 'rate_limits']) await service.database(table).delete();
    await service.database('passkeys').insert(rows);
    earlier = Number((await lastRecord())[0]?.id);
  });

  it('SEC-70 is added once, with recovery codes, and opens the account alone', async () => {
    expect(enrolled.html).toContain('recovery-codes');
    // It speaks of passkeys, here and once the codes are kept, and the sheet says whose codes they are.
    expect(enrolled.html).toContain('Votre clé d’accès est prête. Là où elle ne peut pas servir');
    expect(enrolled.html).toMatch(
      new RegExp(`<p>Compte\u00a0: ${CREDENTIALS.login}</p><p>Créés le [^<]+</p><p>Connexion à l’adresse localhost`),
    );
    expect(kept.html).toMatch(/id="done"[\s\S]*Votre clé d’accès est prête[\s\S]*Gardez vos codes de secours/);
    expect(await store.list(ME)).toMatchObject([{ name: '1Password', synced: true, counter: 0 }]);
    expect((await store.list(ME))[0]?.userHandle).not.toContain(ME);
    const person = newPerson();
    const page = await open(person);
    expect(isIn(await send(person, page, device.get(optionsIn(page), passkey)))).toBe(true);
    expect((await store.list(ME))[0]?.lastUsedAt).toBeGreaterThan(0);
  });

  const FLAWS: [string, Flaws][] = [
    ['of another origin', { origin: 'https://hygie.evil.example' }],
    ['of another port of the host', { origin: 'http://localhost:1' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['without user verification', { verified: false }],
    ['of a registration', { type: 'webauthn.create' }],
    ['signed by another key', { forged: true }],
    ['without a user handle', { userHandle: undefined }],
    ['with the user handle of another account', { userHandle: 'AAAA' }],
  ];
  it.each(FLAWS)('SEC-70 a signature %s is refused', async (_name, flaw) => {
    const person = newPerson();
    const page = await open(person);
    const answer = await send(person, page, device.get(optionsIn(page), passkey, flaw));
    expect([answer.status, isIn(answer)]).toEqual([422, false]);
    await failedFor('passkey');
  });

  it('SEC-70 an answer that was used, or is none, is refused', async () => {
    const person = newPerson();
    for (const text of ['', '{}', '[]', 'null', '{"id":1}', `{"id":"${'A'.repeat(2000)}"}`]) {
      expect((await send(person, await open(person), text)).status).toBe(422);
    }
    await failedFor('passkey');
  });

  it('SEC-70 of ten who send one answer at the same time, one gets in', async () => {
    const person = newPerson();
    const page = await open(person);
    const answer = device.get(optionsIn(page), passkey);
    const all = await Promise.all(Array.from({ length: 10 }, () => send(person, page, answer)));
    expect(all.filter(isIn)).toHaveLength(1);
    const rows = await service.database('audit_events').where({ event: 'sign-in.failed' });
    expect(rows.some(({ details }) => String(details).includes('passkey-used'))).toBe(true);
  });

  it('SEC-70 the challenge of another interaction, and of another page of the same, is worth nothing', async () => {
    const [one, two] = [newPerson(), newPerson()];
    const [first, second] = [await open(one), await open(two)];
    const crossed = await send(two, second, device.get(optionsIn(first), passkey));
    expect([crossed.status, isIn(crossed)]).toEqual([403, false]);
    const step = await one.press(first, 'sign-in', CREDENTIALS);
    const reused = await send(one, step, device.get(optionsIn(first), passkey));
    expect([reused.status, isIn(reused)]).toEqual([403, false]);
    expect(isIn(await send(one, reused, device.get(optionsIn(reused), passkey)))).toBe(true);
  });

  it('SEC-70 after a password, only a passkey of that account goes on', async () => {
    const person = newPerson();
    const step = await person.press(await open(person), 'sign-in', CREDENTIALS);
    expect(isIn(step)).toBe(false);
    expect(JSON.stringify(optionsIn(step))).toContain(passkey.id);
    expect(JSON.stringify(optionsIn(step))).not.toContain(others.id);
    const refused = await send(person, step, device.get(optionsIn(step), others));
    expect([refused.status, isIn(refused)]).toEqual([422, false]);
    await failedFor('passkey');
    // Nor what was answered in another sign-in of the same person.
    const elsewhere = newPerson();
    const another = await elsewhere.press(await open(elsewhere), 'sign-in', CREDENTIALS);
    const crossed = await send(person, refused, device.get(optionsIn(another), passkey));
    expect([crossed.status, isIn(crossed)]).toEqual([403, false]);
  });

  it('SEC-70 a counter that does not go on is refused, also where two come at the same time', async () => {
    const use = async (counter: number) => {
      const person = newPerson();
      const page = await open(person);
      return send(person, page, device.get(optionsIn(page), others, { counter }));
    };
    expect(isIn(await use(5))).toBe(true);
    for (const counter of [5, 4, 0]) expect(isIn(await use(counter))).toBe(false);
    await failedFor('passkey-counter');
    expect((await Promise.all([use(6), use(6)])).filter(isIn)).toHaveLength(1);
  });

  it('SEC-70 takes a fresh sign-in, for these pages', async () => {
    const person = newPerson();
    const page = await open(person);
    await send(person, page, device.get(optionsIn(page), passkey));
    // Signed in for an application: that shows nothing about who sits there now.
    expect((await person.visit(`${service.issuer}/account/passkeys`)).html).toContain('id="sign-in"');
  });

  it('SEC-70 one browser’s page makes no passkey in another browser, nor of another account, nor twice', async () => {
    const [mine, theirs] = [newPerson(), newPerson()];
    const enter = async (person: Person, key: SoftwarePasskey, counter: number) => {
      const page = await person.visit(`${service.issuer}/account/passkeys`);
      return send(person, page, device.get(optionsIn(page), key, { counter }));
    };
    const [myPage, theirPage] = [await enter(mine, passkey, 0), await enter(theirs, others, 7)];
    const before = [await store.list(ME), await store.list(OTHER)];
    const made = device.create(optionsIn(myPage));
    const swapped = await send(theirs, theirPage, made.answer, 'create-passkey');
    expect(swapped.status).toBe(422);
    // Each try has its own challenge, which the page of the refusal brings (SEC-73).
    let page = myPage;
    const flaws: Flaws[] = [
      { verified: false },
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
    ];
    for (const flaw of [...flaws, { id: others.id }]) {
      page = await send(mine, page, device.create(optionsIn(page), flaw).answer, 'create-passkey');
      expect([flaw, page.status]).toEqual([flaw, 422]);
    }
    expect([await store.list(ME), await store.list(OTHER)]).toEqual(before);
    const fresh = await mine.visit(`${service.issuer}/account/passkeys`);
    const good = device.create(optionsIn(fresh)).answer;
    const twice = await Promise.all([1, 2].map(() => send(mine, fresh, good, 'create-passkey')));
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await store.list(ME)).toHaveLength(2);
  });

  it('SEC-59 a network that failed too often keeps out strangers, and no browser that the account knows', async () => {
    const enter = async (person: Person) => {
      const page = await open(person, { prompt: 'login' });
      return send(person, page, device.get(optionsIn(page), passkey));
    };
    const known = newPerson();
    expect(isIn(await enter(known))).toBe(true);
    const stranger = newPerson();
    expect((await send(stranger, await open(stranger), '{}')).status).toBe(422);
    const counts = service.database('rate_limits').where('key', 'like', 'sign-in-%');
    expect(await counts.clone().update({ points: 100_000 })).toBeGreaterThan(0);
    expect((await enter(newPerson())).status).toBe(429);
    expect(isIn(await enter(known))).toBe(true);
    await counts.clone().delete();
  });

  it('SEC-34 SEC-70 prompt=login and max_age ask again, and take a passkey', async () => {
    const person = newPerson();
    const first = await open(person);
    await send(person, first, device.get(optionsIn(first), passkey));
    for (const asked of [{ prompt: 'login' }, { max_age: '0' }]) {
      const page = await open(person, asked);
      expect(page.html).toContain('id="use-passkey"');
      expect(isIn(page)).toBe(false);
      expect(isIn(await send(person, page, device.get(optionsIn(page), passkey)))).toBe(true);
    }
  });

  it('SEC-70 is renamed and removed on its page, by its own account alone and with the token of the page', async () => {
    const person = newPerson();
    const entry = await person.visit('/account/passkeys');
    const entered = await send(person, entry, device.get(optionsIn(entry), passkey));
    await send(person, entered, device.create(optionsIn(entered)).answer, 'create-passkey');
    const page = await person.visit('/account/passkeys');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const act = (fields: Record<string, string>) =>
      person.visit('/account/passkeys', { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) });
    const [theirs] = await store.list(OTHER);
    // Two of the same second are in no order.
    const mine = (await store.list(ME)).find(({ credentialId }) => credentialId !== passkey.id);
    await act({ rename: theirs?.id ?? '', name: 'stolen' });
    await act({ remove: theirs?.id ?? '' });
    expect((await act({ csrf: 'x', remove: mine?.id ?? '' })).status).toBe(403);
    expect((await store.list(OTHER))[0]).toEqual(theirs);
    expect((await act({ rename: mine?.id ?? '', name: ' ' })).status).toBe(422);
    expect((await act({ rename: mine?.id ?? '', name: '<b>Desk</b>' })).html).toContain('&lt;b&gt;Desk&lt;/b&gt;');
    expect((await act({ remove: mine?.id ?? '' })).html).not.toContain(mine?.id);
    expect(await store.list(ME)).toHaveLength(1);
  });

  it('SEC-70 a removed passkey and a disabled account open nothing', async () => {
    const person = newPerson();
    const page = await open(person);
    const disabled = openAccounts(service.database);
    await disabled.update(ME, { status: 'disabled' });
    expect(isIn(await send(person, page, device.get(optionsIn(page), passkey)))).toBe(false);
    await failedFor('passkey-disabled');
    await disabled.update(ME, { status: 'active' });
    expect(await store.removeLost(ME)).toBe(1);
    const again = await open(person);
    expect(isIn(await send(person, again, device.get(optionsIn(again), passkey)))).toBe(false);
    // Without one, the password is enough again.
    expect(isIn(await person.press(again, 'sign-in', CREDENTIALS))).toBe(true);
  });

  it('SEC-70 the last one of an account without password is not removed, also where both go at the same time', async () => {
    const [account] = await openAccounts(service.database).create([{ email: 'zoe@clinic.example', name: 'Zoé' }]);
    const id = account?.id ?? '';
    const common = {
      userHandle: 'AAAA',
      publicKey: 'AAAA',
      counter: 0,
      transports: [],
      synced: true,
      aaguid: '',
      name: 'x',
    };
    for (const credentialId of ['a', 'b'])
      await store.add(id, { ...common, credentialId: `${credentialId}-${id}` }, undefined);
    const both = await store.list(id);
    const outcomes = await Promise.all(both.map((one) => store.remove(id, one.id, undefined)));
    expect(outcomes.filter((outcome) => outcome === 'last')).toHaveLength(1);
    expect(await store.list(id)).toHaveLength(1);
  });
});
