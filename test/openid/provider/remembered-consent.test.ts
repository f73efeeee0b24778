// Specification 9: which grant a request continues without a question.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CONSENT } from '#openid/clients/client-registry.ts';
import { rememberedConsent } from '#openid/provider/prompts/remembered-consent.ts';

/** A grant as the library has it. */
class Grant {
  static stored = new Map<string, Grant>();
  static find = async (id: string) => Grant.stored.get(id);
  declare jti: string;
  declare exp: number | undefined;
  openid: { scope?: string; claims?: string[] } = {};
  /** A grant without an end is as good as new. */
  get remainingTTL() {
    return this.exp === undefined ? 60 : 7;
  }
  constructor(content: object) {
    Object.assign(this, structuredClone(content));
  }
  getOIDCScopeEncountered = () => this.openid.scope ?? '';
  getOIDCScope = () => this.openid.scope ?? '';
  getOIDCClaims = () => this.openid.claims ?? [];
  addOIDCScope(scope: string) {
    this.openid.scope = [this.openid.scope, scope].filter(Boolean).join(' ');
  }
  addOIDCClaims(claims: string[]) {
    this.openid.claims = [...(this.openid.claims ?? []), ...claims];
  }
  async save() {
    this.jti = 'made';
    Grant.stored.set('made', this);
  }
  async destroy() {
    Grant.stored.delete(this.jti);
  }
}

describe('consent that is remembered', () => {
  const SCOPES: Readonly<Record<string, string>> = { email: 'email', given_name: 'profile' };
  let asked: unknown[][];
  /** Of the grants that were extended. */
  let lifetimes: number[];
  /** What the person agreed to before, at each look. */
  let given: string[][];

  beforeEach(() => void Object.assign(Grant, { stored: new Map() }));
  afterEach(() => void Grant.stored.clear());

  const stored = (id: string, scope: string, claims: string[] = []) =>
    Grant.stored.set(id, new Grant({ jti: id, openid: { scope, ...(claims.length > 0 && { claims }) } }));

  /** The grant of a request for these scopes and claims, and what is stored afterwards. */
  async function grantOf(
    { scopes = [] as string[], claims = [] as string[], consents = [] as string[] | string[][] } = {},
    oidc: { held?: string; prompts?: string[] } & Record<string, unknown> = {},
  ) {
    [asked, lifetimes] = [[], []];
    given = consents.length > 0 && Array.isArray(consents[0]) ? (consents as string[][]) : [consents as string[]];
    const records = {
      read: async (_model: string, id: string) => {
        const { jti, openid } = Grant.stored.get(id) ?? {};
        return jti && !oidc['ended'] ? { payload: JSON.stringify({ openid, exp: 5 }) } : undefined;
      },
      replace: async (...args: [string, object, unknown, { jti: string; openid: object }, number]) => {
        const [, , , payload, lifetime] = args;
        lifetimes.push(lifetime);
        Grant.stored.set(payload.jti, new Grant({ ...payload }));
        return true;
      },
    };
    const find = rememberedConsent({
      records: records as never,
      consents: {
        find: async (...args: unknown[]) => {
          asked.push(args);
          return (given.length > 1 ? given.shift() : given[0]) ?? [];
        },
      } as never,
      requested: { missing: () => claims, scopeOf: (claim: string) => SCOPES[claim] } as never,
      maxAge: 100,
    });
    const { held, prompts = [], ...more } = oidc;
    const grant = (await find({
      oidc: {
        client: { clientId: 'app' },
        account: { accountId: 'person' },
        provider: { Grant },
        session: { grantIdFor: () => held },
        prompts: new Set(prompts),
        requestParamOIDCScopes: new Set(scopes),
        ...more,
      },
    } as never)) as unknown as Grant | undefined;
    return grant && { id: grant.jti, ...grant.openid };
  }
  const TRUSTED = { client: { clientId: 'app', [CONSENT]: 'trusted' } };

  it('is none without a client, a session or an account', async () => {
    const wanted = { scopes: ['openid'], consents: ['openid'] };
    expect([
      ...[await grantOf(wanted, { client: undefined }), await grantOf(wanted, { session: undefined })],
      ...[await grantOf(wanted, { account: undefined }), await grantOf(wanted, { prompts: ['consent'] })],
    ]).toEqual([undefined, undefined, undefined, undefined]);
    stored('g', 'openid');
    expect(await grantOf(wanted, { account: undefined, held: 'g' })).toEqual({ id: 'g', scope: 'openid' });
    expect(asked).toEqual([]);
  });

  it('makes a grant of what the person agreed to, and leaves the rest to a question', async () => {
    expect(await grantOf({ scopes: ['openid', 'email', 'x'], consents: ['openid', 'email', 'y'] })).toEqual({
      id: 'made',
      scope: 'openid email',
    });
    expect(asked).toEqual(Array.from({ length: 2 }, () => ['person', 'app', 100]));
    expect(await grantOf({ scopes: ['openid'] })).toBeUndefined();
  });

  it('holds for claims of a scope, or by their names', async () => {
    const claims = ['email', 'given_name', 'unknown'];
    expect(await grantOf({ scopes: ['email'], claims, consents: ['email'] })).toEqual({
      id: 'made',
      scope: 'email',
      claims: ['email'],
    });
    expect(await grantOf({ claims, consents: ['claim:given_name'] })).toEqual({ id: 'made', claims: ['given_name'] });
    expect(await grantOf({ claims })).toBeUndefined();
  });

  it('makes a grant of all for a trusted client, and asks nobody', async () => {
    expect(await grantOf({ scopes: ['openid', 'x'], claims: ['unknown'] }, TRUSTED)).toEqual({
      id: 'made',
      scope: 'openid x',
      claims: ['unknown'],
    });
    expect(asked).toEqual([]);
  });

  it('adds to the grant of the session, and looks nothing up where all is held', async () => {
    stored('g', 'openid email');
    const held = { held: 'g' };
    expect(await grantOf({ scopes: ['openid'], consents: ['openid'] }, held)).toEqual({
      id: 'g',
      scope: 'openid email',
    });
    expect(asked).toEqual([]);
    expect(await grantOf({ scopes: ['openid'], claims: ['email'] }, held)).toEqual({
      id: 'g',
      scope: 'openid email',
      claims: ['email'],
    });
    expect(asked).toEqual([]);
    expect(await grantOf({ scopes: ['x'], claims: ['given_name'] }, held)).toMatchObject({ scope: 'openid email' });
    expect(asked).toHaveLength(1);
    const more = { scopes: ['openid', 'x'], claims: ['given_name'], consents: ['x', 'claim:given_name'] };
    expect(await grantOf(more, held)).toEqual({
      id: 'g',
      scope: 'openid email x',
      claims: ['email', 'given_name'],
    });
    expect(asked).toHaveLength(1);
    expect(await grantOf({ scopes: ['z'], consents: ['z'] }, { ...held, ended: true })).toBeUndefined();
  });

  it('a grant lives anew only where access without the person is agreed to', async () => {
    stored('g', 'openid');
    await grantOf({ scopes: ['x'], consents: ['x'] }, { held: 'g' });
    expect(lifetimes).toEqual([7]);
    await grantOf({ scopes: ['offline_access'], consents: ['offline_access'] }, { held: 'g' });
    expect(lifetimes).toEqual([60]);
  });

  it.each<[what: string, later: string[], id: string | undefined]>([
    ['stands', ['openid', 'email', 'more'], 'made'],
    ['was withdrawn', [], undefined],
    ['was withdrawn in part', ['openid'], undefined],
  ])('SEC-55 a consent that %s meanwhile', async (_what, later, id) => {
    const made = await grantOf({ scopes: ['openid', 'email'], consents: [['openid', 'email'], later] });
    expect([made?.id, [...Grant.stored.keys()]]).toEqual([id, id ? [id] : []]);
  });

  it('consent from the page is added to the grant of the session, which stays', async () => {
    stored('g', 'openid');
    stored('page', 'email', ['given_name']);
    const result = { consent: { grantId: 'page' } };
    expect(await grantOf({ scopes: ['openid'] }, { held: 'g', result })).toEqual({
      id: 'g',
      scope: 'openid email',
      claims: ['given_name'],
    });
    expect([...Grant.stored.keys()]).toEqual(['g']);
    stored('page', 'email');
    expect(await grantOf({ scopes: ['email'] }, { result })).toEqual({ id: 'page', scope: 'email' });
    expect(await grantOf({ scopes: ['email'] }, { held: 'page', result })).toEqual({ id: 'page', scope: 'email' });
    expect(await grantOf({ scopes: ['email'] }, { held: 'g', result, ended: true })).toEqual({
      id: 'page',
      scope: 'email',
    });
    expect([...Grant.stored.keys()]).toEqual(['g', 'page']);
  });
});
