// What a page of a sign-in is told of the request that waits: which page, for whom, which scopes, and when a password counts that was given
// before.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  InteractionExpired,
  interactionDescriptions,
  missingClaims,
  missingScopes,
} from '#openid/sign-in/describe-interaction.ts';

const NOW = 1_800_000_000;
const NAMESPACE = 'https://connect.example/claims';

describe('the request that a page belongs to', () => {
  beforeEach(() => void jest.useFakeTimers({ now: NOW * 1000, doNotFake: ['nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  const client = {
    clientName: 'Application',
    redirectUris: ['https://app.example/callback', 'https://app.example/other'],
    postLogoutRedirectUris: ['https://app.example/bye'],
  };
  const account = {
    id: 'a',
    name: 'Zoé Martin',
    email: 'zoe@clinic.example',
    language: 'fr',
    workspaces: ['F1', 'F2', 'F3'],
    currentWorkspace: 'F2',
    practitioners: [],
    linkChanges: {},
  };
  const params = { client_id: 'app', redirect_uri: 'https://app.example/callback', scope: 'openid email' };
  const prompt = (name: string, reasons: string[] = [], details: object = {}) => ({ name, reasons, details });
  const session = { uid: 'session', accountId: 'a' };
  const describeOne = (
    interaction: object,
    { known = client as object | null, person = account as object | null, loginTs = NOW, hidden = '' } = {},
  ) =>
    interactionDescriptions({
      provider: { Client: { find: async (id: string) => (id === 'app' ? (known ?? undefined) : undefined) } },
      records: { findLiveSession: async (uid: string) => (uid === 'session' ? { loginTs } : undefined) },
      accounts: { find: async (id: string) => (id === 'a' ? (person ?? undefined) : undefined) },
      settings: { namespace: NAMESPACE, secondFactor: 'optional', lifetimes: { grant: 700, refreshToken: 500 } },
      edition: () => ({ id: 'edition', hidden: new Set([hidden]) }),
    } as never)({ uid: 'uid', params, ...interaction } as never);
  const common = {
    uid: 'uid',
    client: { id: 'app', name: 'Application' },
    secondFactorRequired: false,
    callback: 'https://app.example/callback',
    addresses: ['https://app.example/callback', 'https://app.example/other', 'https://app.example/bye'],
  };
  const known = { id: 'a', name: 'Zoé Martin', email: 'zoe@clinic.example', language: 'fr', sessionUid: 'session' };

  it('of a stranger', async () => {
    const hints = { ui_locales: 'en', login_hint: 'zoe@clinic.example' };
    expect(await describeOne({ prompt: prompt('login', ['no_session']), params: { ...params, ...hints } })).toEqual({
      ...common,
      prompt: 'login',
      scopes: ['openid', 'email'],
      passwordProved: false,
      uiLocales: 'en',
      loginHint: 'zoe@clinic.example',
    });
  });

  it('of a person who is signed in, for the consent to what is missing', async () => {
    const details = {
      missingOIDCScope: ['offline_access', 'email'],
      missingOIDCClaims: ['name', `${NAMESPACE}/userInfo`, 'odd', 'email'],
    };
    expect(await describeOne({ prompt: prompt('consent', ['scopes_missing'], details), session })).toEqual({
      ...common,
      prompt: 'consent',
      scopes: expect.arrayContaining(['offline_access', 'email', 'profile', 'odd']),
      offlineFor: 500,
      account: known,
      passwordProved: false,
    });
  });

  it('of a client that is gone, or a person whose account is', async () => {
    const { client: _, addresses: __, ...rest } = common;
    const gone = await describeOne({ prompt: prompt('login'), session }, { known: null, person: null });
    expect(gone).toEqual({
      ...rest,
      client: { id: 'app', name: 'app' },
      addresses: [],
      prompt: 'login',
      scopes: ['openid', 'email'],
      passwordProved: true,
    });
    const { email: _email, language: _language, ...little } = account;
    const { account: shown } = await describeOne({ prompt: prompt('login'), session }, { person: little });
    expect(shown).toEqual({ id: 'a', name: 'Zoé Martin', sessionUid: 'session' });
  });

  it.each([
    ['select_account', { hygie_workspace: 'ask' }, {}, 'select_account', { ids: ['F1', 'F2', 'F3'], current: 'F2' }],
    ['workspace', {}, { prompt: 'login select_account' }, 'workspace', { ids: ['F1', 'F2', 'F3'], current: 'F2' }],
    ['workspace', {}, {}, 'workspace', undefined],
    ['other', {}, {}, 'login', undefined],
  ])('of the prompt %s', async (name, of, more, page, workspaces) => {
    const found = await describeOne(
      { prompt: prompt(name), session, params: { ...params, ...more } },
      { known: { ...client, ...of } },
    );
    expect([found.prompt, found.workspaces]).toEqual([page, workspaces]);
  });

  it('has no choice of places where there is one left', async () => {
    const asked = { prompt: prompt('workspace'), session, params: { ...params, prompt: 'select_account' } };
    const two = { ...account, workspaces: ['F1', 'F2'] };
    expect((await describeOne(asked, { person: two })).workspaces).toEqual({ ids: ['F1', 'F2'], current: 'F2' });
    expect((await describeOne(asked, { person: two, hidden: 'Organization/F1' })).workspaces).toBeUndefined();
  });

  it('that another person may answer names nobody', async () => {
    const anew = { ...params, anew: '1' };
    const found = await describeOne({ prompt: prompt('login', ['login_prompt']), session, params: anew });
    expect(found).toEqual({
      ...common,
      prompt: 'login',
      scopes: ['openid', 'email'],
      passwordProved: false,
      anew: true,
    });
    const others = [
      await describeOne({ prompt: prompt('login', ['max_age']), session, params: anew }),
      await describeOne({ prompt: prompt('login', ['login_prompt']), session }),
    ];
    expect(others.map(({ anew, account }) => [anew, account?.id])).toEqual([
      [undefined, 'a'],
      [undefined, 'a'],
    ]);
    const nobody = await describeOne({ prompt: prompt('login', ['login_prompt']), session: {}, params: anew });
    expect([nobody.anew, nobody.account]).toEqual([undefined, undefined]);
  });

  it.each([
    [['second_factor'], {}, NOW - 1000, true],
    [['second_factor'], { max_age: 60 }, NOW - 60, true],
    [['second_factor'], { max_age: 60 }, NOW - 61, false],
    [['second_factor', 'login_prompt'], {}, NOW, false],
    [['login_prompt'], {}, NOW, false],
    [[], {}, NOW, true],
  ])('for the reasons %j and %j: a password given before counts %#', async (reasons, more, loginTs, proved) => {
    const interaction = { prompt: prompt('login', reasons), session, params: { ...params, ...more } };
    expect((await describeOne(interaction, { loginTs })).passwordProved).toBe(proved);
  });

  it('whose session is over has proved no password where its age counts', async () => {
    const asked = { prompt: prompt('login', ['second_factor']), params: { ...params, max_age: 60 } };
    expect((await describeOne({ ...asked, session: { uid: 'ended', accountId: 'a' } })).passwordProved).toBe(false);
    expect((await describeOne(asked)).passwordProved).toBe(false);
  });

  it.each([
    [{ scope: 'email openid odd' }, {}, ['openid', 'email']],
    [{ scope: 'email openid' }, { missingOIDCScope: ['email'] }, ['email']],
    [{ scope: 'email openid', prompt: 'login consent' }, { missingOIDCScope: ['email'] }, ['openid', 'email']],
    [{ scope: 'email openid', prompt: 'login' }, { missingOIDCScope: [] }, []],
    [{}, {}, []],
  ])('%j with %j asks for the scopes %j', (asked, details, scopes) => {
    expect(missingScopes({ prompt: { details }, params: asked } as never)).toEqual(scopes);
  });

  it('asks for no claims unless some are missing', () => {
    expect(missingClaims({ prompt: { details: {} } } as never)).toEqual([]);
    expect(missingClaims({ prompt: { details: { missingOIDCClaims: ['name'] } } } as never)).toEqual(['name']);
  });

  it('that is over says where to start again', () => {
    expect(new InteractionExpired().message).toBe(
      'the sign-in is over or was begun in another browser; start again from the application',
    );
  });
});
