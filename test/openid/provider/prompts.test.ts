// Specification 9: what a person is asked, in which order, and for which request. SEC-41, OpenID Connect Core 5.5.1.1: which requests demand
// a second factor.

import { describe, expect, it } from '@jest/globals';
import { SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import { prompts } from '#openid/provider/prompts/prompts.ts';
import { secondFactorDemand } from '#openid/provider/prompts/second-factor-demand.ts';
import { PASSWORD_ACR, SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';

describe('prompts', () => {
  const PLACES = { id: 'person', practitioners: [], workspaces: ['w1', 'w2'] };
  /** Prompts and reasons of our own that a request meets. */
  async function asked(
    oidc: object,
    { secondFactor = 'optional', kinds = [] as string[], account = PLACES as unknown } = {},
  ) {
    const policy = prompts({ secondFactor } as never, {
      secondFactors: { kinds: async () => kinds } as never,
      accounts: { find: async (id: string) => (id === 'person' ? account : undefined) } as never,
      edition: () => ({ id: 'e', hidden: new Set(['Organization/hidden']) }),
    });
    const ctx = { oidc: { params: {}, prompts: new Set(), promptPending: () => true, ...oidc } } as never;
    const reasons: string[] = [];
    for (const prompt of policy)
      for (const check of prompt.checks.filter(({ reason }) => OWN.includes(reason)))
        if (await check.check(ctx)) reasons.push(`${prompt.name}: ${check.reason}`);
    return reasons;
  }
  const OWN = ['account_gone', 'id_token_hint', 'second_factor', 'no_account_chosen', 'no_workspace_chosen'];
  const session = { accountId: 'person' };
  const account = { accountId: 'person' };
  const signedIn = { session, account };
  const hint = (sub: string) => `x.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.y`;
  const choosing = { ...signedIn, prompts: new Set(['select_account']) };
  const wanting = { ...signedIn, params: { prompt: 'select_account' } };

  it('come in this order, each for its reasons', () => {
    const policy = prompts({ secondFactor: 'optional' } as never, {} as never);
    expect(policy.map(({ name, requestable }) => [name, requestable])).toEqual([
      ...[
        ['select_account', true],
        ['login', true],
        ['workspace', false],
        ['consent', true],
      ],
    ]);
    const checks = policy.flatMap(({ name, checks: own }) =>
      own.map(({ reason, description, error }) => [name, reason, description, error]),
    );
    expect(checks.filter(([, reason]) => OWN.includes(String(reason)))).toEqual([
      ['select_account', 'no_account_chosen', 'the person has to choose an account', 'account_selection_required'],
      ['login', 'account_gone', 'the account of the session is gone', 'login_required'],
      ['login', 'id_token_hint', 'id_token_hint and authenticated subject do not match', 'login_required'],
      ['login', 'second_factor', 'the sign-in of the session has no second factor', 'login_required'],
      ['workspace', 'no_workspace_chosen', 'the person has to choose a place of work', 'interaction_required'],
    ]);
    expect(policy.get('login')?.checks.map(({ reason }) => reason)).toEqual([
      ...['login_prompt', 'no_session', 'max_age', 'claims_id_token_sub_value', 'account_gone', 'id_token_hint'],
      'second_factor',
    ]);
    expect(policy.get('select_account')?.checks.map(({ reason }) => reason)).toEqual(['no_account_chosen']);
    expect(policy.get('workspace')?.checks.map(({ reason }) => reason)).toEqual(['no_workspace_chosen']);
  });

  it.each<[what: string, oidc: object, reasons: string[]]>([
    ['somebody who is signed in', signedIn, []],
    ['nobody', { session: {} }, []],
    ['a session whose account is gone', { session }, ['login: account_gone']],
    ['a hint to the person', { ...signedIn, params: { id_token_hint: hint('person') } }, []],
    ['a hint to another', { ...signedIn, params: { id_token_hint: hint('b') } }, ['login: id_token_hint']],
    ['a hint without a session', { params: { id_token_hint: hint('b') } }, []],
    ['an account that is to be chosen', choosing, ['select_account: no_account_chosen']],
    ['a choice that was made', { ...choosing, promptPending: () => false }, []],
    ['a choice by a new sign-in', { ...choosing, result: { login: {} } }, []],
    ['a choice of nobody', { prompts: new Set(['select_account']), session: {} }, []],
    [
      'a choice beside a hint to another',
      { ...choosing, params: { id_token_hint: hint('b') } },
      ['login: id_token_hint'],
    ],
    ['a place of work', wanting, ['workspace: no_workspace_chosen']],
    [
      'a place for an application that asks each time',
      { ...signedIn, client: { hygie_workspace: 'ask' } },
      ['workspace: no_workspace_chosen'],
    ],
    ['a place that was chosen', { ...wanting, result: { workspace: undefined } }, []],
    ['a place of nobody', { ...wanting, session: undefined, account: undefined }, []],
    ['a place of an unknown account', { ...wanting, session: { accountId: 'x' }, account: { accountId: 'x' } }, []],
  ])('of %s', async (_what, oidc, reasons) => {
    expect(await asked(oidc)).toEqual(reasons);
  });

  it('ask for a place of work where there are two that hold', async () => {
    const of = (...workspaces: string[]) => asked(wanting, { account: { ...PLACES, workspaces } });
    expect([await of(), await of('w1'), await of('w1', 'hidden')]).toEqual([[], [], []]);
    expect([await of('w1', 'w2'), await of('w1', 'hidden', 'w3')]).toEqual(
      Array.from({ length: 2 }, () => ['workspace: no_workspace_chosen']),
    );
  });

  it('ask for a second factor where it is demanded, or wanted and at hand', async () => {
    const needed = ['login: second_factor'];
    const required = { secondFactor: 'required' };
    const wish = { ...signedIn, params: { acr_values: SECOND_FACTOR_ACR } };
    expect([
      ...[await asked(signedIn, required), await asked({ session: {} }, required)],
      await asked({ ...signedIn, session: { ...session, acr: SECOND_FACTOR_ACR } }, required),
      ...[await asked(wish), await asked(wish, { kinds: ['totp'] }), await asked(signedIn, { kinds: ['totp'] })],
    ]).toEqual([needed, [], [], [], needed, []]);
  });
});

describe('SEC-41 the demand for a second factor', () => {
  const acr = (wanted: object | null) => ({ claims: JSON.stringify({ id_token: { acr: wanted } }) });

  it.each<[demand: string | undefined, params: object, secondFactor?: string, client?: object | undefined]>([
    [undefined, {}],
    ['required', {}, 'required'],
    ['required', {}, 'optional', { [SECOND_FACTOR]: 'required' }],
    [undefined, {}, 'optional', undefined],
    ['required', acr({ essential: true, value: SECOND_FACTOR_ACR })],
    [undefined, acr({ value: SECOND_FACTOR_ACR })],
    [undefined, acr({ essential: true, value: PASSWORD_ACR })],
    [undefined, acr(null)],
    ['wanted', { acr_values: `x ${SECOND_FACTOR_ACR} ${PASSWORD_ACR}` }],
    [undefined, { acr_values: `${PASSWORD_ACR} ${SECOND_FACTOR_ACR}` }],
  ])('is %s for the request %j', (demand, params, secondFactor = 'optional', client) => {
    const asked = { params, client, settings: { secondFactor } };
    expect(secondFactorDemand(asked as never)).toBe(demand);
  });
});
