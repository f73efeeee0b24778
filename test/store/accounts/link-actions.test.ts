// What links of mails do to an account, how long they live, and the addresses of pictures.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Accounts, EmailTaken, openAccounts } from '#store/accounts/accounts.ts';
import { type ActionTokens, type LinkPurpose, openActionTokens } from '#store/accounts/action-tokens.ts';
import { type LinkActions, openLinkActions } from '#store/accounts/link-actions.ts';
import { NOBODY, openPictures, PICTURE_PATH } from '#store/accounts/pictures.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const NOW = 1_800_000_000;
const ID = '6f1a2c9e-0b7d-4c53-9a41-3d5e8f7f0001';

describe('SEC-69 what links of mails do', () => {
  const LIFETIMES = { invitation: 10, passwordReset: 20, emailVerification: 30, emailChange: 40 };
  const opened = openedForAll(() => openTestDatabase('sqlite'));
  let accounts: Accounts;
  let tokens: ActionTokens;
  let actions: LinkActions;
  const at = (seconds: number) => void jest.spyOn(Date, 'now').mockReturnValue(seconds * 1000);
  beforeEach(async () => {
    accounts = openAccounts(opened.database);
    tokens = openActionTokens(opened.database, LIFETIMES);
    actions = openLinkActions(tokens);
    await opened.database('accounts').delete();
    at(NOW);
    await accounts.create([
      { id: ID, name: 'A', email: 'a@clinic.test', passwordHash: 'one', passwordChangeRequired: true },
    ]);
    at(NOW + 5);
  });
  afterEach(() => void jest.restoreAllMocks());
  const minted = async (purpose: LinkPurpose, email?: string, accountId = ID) =>
    (await tokens.mint({ purpose, accountId, email }))?.token ?? '';
  const hash = async () => (await accounts.findByEmail('a@clinic.test'))?.passwordHash;

  it.each<[LinkPurpose, number]>([
    ['invitation', 10],
    ['password-reset', 20],
    ['email-verification', 30],
    ['email-change', 40],
  ])('%s: lives %i seconds, and is held until then', async (purpose, seconds) => {
    const link = await tokens.mint({ purpose, accountId: ID });
    expect(link).toEqual({ token: expect.stringMatching(/^[\w-]{43}$/), expiresAt: NOW + 5 + seconds });
    at(NOW + 5 + seconds - 1);
    expect([await tokens.held(purpose), (await tokens.find(purpose, link?.token ?? ''))?.email]).toEqual([
      [ID],
      'a@clinic.test',
    ]);
    expect([await tokens.prune(), await tokens.held('invitation')]).toEqual([0, purpose === 'invitation' ? [ID] : []]);
    at(NOW + 5 + seconds);
    expect([await tokens.held(purpose), await tokens.find(purpose, link?.token ?? '')]).toEqual([[], undefined]);
    expect([await tokens.prune(), await tokens.prune()]).toEqual([1, 0]);
  });

  it('prunes as many as are wanted at a time', async () => {
    for (const purpose of ['invitation', 'password-reset', 'email-change'] as const) await minted(purpose);
    at(NOW + 100);
    expect([await tokens.prune(2), await tokens.prune(2), await tokens.prune(2)]).toEqual([2, 1, 0]);
  });

  it('makes no link for an account that is disabled, or is not there; nor of a state that is no longer', async () => {
    const state = await tokens.stateOf(ID);
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(await tokens.mint({ purpose: 'email-change', accountId: ID, state })).toBeDefined();
    expect(await tokens.mint({ purpose: 'email-change', accountId: ID, state: 'other' })).toBeUndefined();
    await accounts.update(ID, { status: 'disabled' });
    expect([await tokens.stateOf(ID), await tokens.stateOf('nobody')]).toEqual([undefined, undefined]);
    for (const accountId of [ID, 'nobody'])
      expect(await tokens.mint({ purpose: 'invitation', accountId })).toBeUndefined();
  });

  it('a password that is set ends all before, and verifies the address to which the mail went', async () => {
    const { id, ...before } = (await accounts.find(ID)) ?? {};
    expect(before).toMatchObject({ emailVerified: false, passwordChangeRequired: true });
    const token = await minted('invitation');
    expect(await actions.setPassword('password-reset', token, 'two')).toBeUndefined();
    expect(await hash()).toBe('one');
    expect(await actions.setPassword('invitation', token, 'two')).toEqual({
      notBefore: NOW + 6,
      sessions: 0,
      notified: 0,
    });
    expect(await accounts.find(ID)).toEqual({
      id,
      ...before,
      emailVerified: true,
      passwordChangeRequired: false,
      passwordSetAt: NOW + 5,
      sessionsNotBefore: NOW + 6,
      updatedAt: NOW + 5,
    });
    expect(await hash()).toBe('two');
    expect(await actions.setPassword('invitation', token, 'three')).toBeUndefined();
  });

  it('a mail that went to another address verifies nothing', async () => {
    await actions.setPassword('password-reset', await minted('password-reset', 'b@clinic.test'), 'two');
    expect([(await accounts.find(ID))?.emailVerified, await hash()]).toEqual([false, 'two']);
    await actions.verifyEmail(await minted('email-verification', 'b@clinic.test'));
    expect((await accounts.find(ID))?.emailVerified).toBe(false);
  });

  it('the address is verified, whatever its case, once', async () => {
    const before = await accounts.find(ID);
    const token = await minted('email-verification', ' A@clinic.TEST');
    expect(await actions.verifyEmail(token)).toEqual(before);
    expect(await accounts.find(ID)).toEqual({ ...before, emailVerified: true, updatedAt: NOW + 5 });
    expect(await actions.verifyEmail(token)).toBeUndefined();
    at(NOW + 9);
    expect(await actions.verifyEmail(await minted('email-verification'))).toMatchObject({ emailVerified: true });
    expect((await accounts.find(ID))?.updatedAt).toBe(NOW + 5);
  });

  it('the address becomes that of the mail, and the one before is told', async () => {
    const before = await accounts.find(ID);
    const changed = { ...before, email: 'New@clinic.test', emailVerified: true };
    const token = await minted('email-change', 'New@clinic.test');
    expect(await actions.changeEmail(token)).toEqual({ account: changed, before: 'a@clinic.test' });
    expect(await accounts.find(ID)).toEqual({ ...changed, updatedAt: NOW + 5 });
    expect(await actions.changeEmail(token)).toBeUndefined();
    const [bare] = await accounts.create([{ name: 'B' }]);
    const first = await actions.changeEmail(await minted('email-change', 'b@clinic.test', bare?.id));
    expect([first?.account.email, first && 'before' in first]).toEqual(['b@clinic.test', false]);
  });

  it('an address of somebody else is refused by name, and the link stays', async () => {
    await accounts.create([{ name: 'B', email: 'b@clinic.test' }]);
    const token = await minted('email-change', 'B@clinic.test');
    const error = await actions.changeEmail(token).catch((reason: unknown) => reason);
    expect([error instanceof EmailTaken, (error as EmailTaken).email]).toEqual([true, 'B@clinic.test']);
    expect(await tokens.find('email-change', token)).toBeDefined();
  });
});

describe('the addresses of pictures', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));

  it('are the UUID, encrypted with the key of the database, and lead back to it', async () => {
    const made = await opened.database('picture_key').first();
    expect(made).toEqual({ id: 1, secret: expect.stringMatching(/^[\w-]{43}$/) });
    await opened.database('picture_key').update({ secret: Buffer.alloc(32).toString('base64url') });
    const { pathOf, accountOf } = await openPictures(opened.database);
    const file = '368dbf8174793c43c2857e07cc4bfeec.svg';
    expect([pathOf(ID), pathOf(ID)]).toEqual([`/picture/${file}`, `${PICTURE_PATH}/${file}`]);
    expect(accountOf(file)).toBe(ID);
    expect(accountOf(`${'0'.repeat(32)}.svg`)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    for (const none of [NOBODY, '', `x${file}`, `${file}x`, file.toUpperCase(), file.slice(1)])
      expect(accountOf(none)).toBeUndefined();
    expect(NOBODY).toBe('person.svg');
  });
});
