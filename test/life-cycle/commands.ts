// The steps of which the property test makes its stories: each asks the service, holds its answer against the model, and then
// every access token that there is. Does not own the model (`model.ts`).

import { expect } from '@jest/globals';
import type fc from 'fast-check';
import { openAccounts } from '../../src/store/accounts.ts';
import { openOidcRecords } from '../../src/store/oidc-records.ts';
import type { Person } from '../person.ts';
import { CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, SECRET } from '../service.ts';
import {
  type AccessToken,
  endGrant,
  isUsable,
  type Model,
  outcomeOfRefresh,
  type RefreshToken,
  TIMES,
  takeBackTokens,
} from './model.ts';

export const CLIENTS = ['first', 'second'];

export interface Real {
  service: RunningService;
  browsers: readonly Person[];
  /** Puts the clock of the whole process forward. */
  forward(seconds: number): void;
}

type Step = fc.AsyncCommand<Model, Real>;

interface Tokens {
  access_token: string;
  refresh_token?: string;
}

/** A step that is possible when `possible` says so; after it, every token is what the model says. */
function step(
  name: string,
  possible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step {
  return {
    check: possible,
    run: async (model, real) => {
      await run(model, real);
      await checkAll(model, real);
    },
    toString: () => name,
  };
}

/** Never a usable token that should be dead, never a dead one that should live: asked as an API server would ask. */
async function checkAll(model: Model, { service }: Real): Promise<void> {
  const seen: unknown[] = [];
  for (const { value, grant } of model.access) {
    const { body } = await post(service, '/oauth/introspect', grant.client, { token: value });
    seen.push((body as { active?: boolean }).active);
  }
  expect(seen).toEqual(model.access.map((token) => isUsable(model, token)));
}

/** The directory takes many dead tokens from one address for guessing (SEC-39), so it gets few. */
const FEW = 2;

/** The same at userinfo and at the directory, with the tokens themselves. */
export async function checkInUse(model: Model, { service }: Real): Promise<void> {
  const live = model.access.filter((token) => isUsable(model, token));
  const dead = model.access.filter((token) => !isUsable(model, token));
  const ask = async (address: string, { value }: AccessToken) => {
    const answer = await fetch(service.issuer + address, { headers: { authorization: `Bearer ${value}` } });
    await answer.body?.cancel();
    return answer.status;
  };
  for (const token of live) expect(await ask('/directory/v2/Practitioner?_count=1', token)).toBe(200);
  for (const token of dead.slice(-FEW)) expect(await ask('/directory/v2/Practitioner?_count=1', token)).toBe(401);
  for (const token of live) expect(await ask('/userinfo', token)).toBe(200);
  for (const token of dead) expect(await ask('/userinfo', token)).toBe(401);
}

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const credentialsOf = (browser: number) => ({ login: DEMO_ACCOUNTS[browser]?.email ?? '', password: DEMO_PASSWORD });

/** A person signs in (again, or with the session), and the client exchanges the code. */
export const issue = (browser: number, client: number, offline: boolean): Step =>
  step(
    `issue(browser ${browser}, client ${client}${offline ? ', offline' : ''})`,
    ({ enabled }) => enabled[browser] === true,
    async (model, { service, browsers }) => {
      const url = new URL(`${service.issuer}/authorize`);
      const scope = `openid PRACTITIONER_READ${offline ? ' offline_access' : ''}`;
      const request = { client_id: CLIENTS[client] ?? '', redirect_uri: CALLBACK, response_type: 'code', scope };
      url.search = new URLSearchParams({
        ...request,
        state: 's'.repeat(30),
        ...(offline && { prompt: 'consent' }),
      }).toString();
      const callback = await (browsers[browser] as Person).signIn(url, credentialsOf(browser));
      const code = callback.searchParams.get('code') ?? '';
      const tokens = await exchange(service, client, code);
      expect(tokens.status).toBe(200);
      const { access_token, refresh_token } = tokens.body as Tokens;
      expect(refresh_token !== undefined).toBe(offline);

      const session = model.sessions[browser] ?? { browser, alive: true, grants: new Map() };
      model.sessions[browser] = session;
      const held = session.grants.get(client);
      const grant = held?.grant.alive ? held.grant : { client, browser, alive: true };
      session.grants.set(client, { grant, offline: offline || held?.offline === true });
      const { now } = model;
      model.codes.push({ value: code, grant, expires: now + TIMES.code, alive: true });
      const bound = offline ? {} : { session };
      model.access.push({ value: access_token, grant, expires: now + TIMES.access, alive: true, ...bound });
      if (refresh_token !== undefined) {
        const expires = now + Math.min(TIMES.refreshIdle, TIMES.refresh);
        model.refresh.push({ value: refresh_token, grant, first: now, expires, alive: true });
      }
    },
  );

/** A refresh token that was spent already is used again: repeated within the grace window, replayed after it. */
export const reuse = (index: number): Step => {
  const spent = (model: Model) => model.refresh.filter((token) => token.spent);
  return step(
    `reuse(spent token ${index})`,
    (model) => spent(model).length > 0,
    (model, real) => {
      const token = pick(spent(model), index);
      return refresh(model.refresh.indexOf(token), false).run(model, real);
    },
  );
};

/** The client, or the other one, uses a refresh token, be it fresh, spent, or long dead. */
export const refresh = (index: number, byOther: boolean): Step =>
  step(
    `refresh(token ${index}${byOther ? ', by the other client' : ''})`,
    (model) => {
      if (model.refresh.length === 0) return false;
      const { expires } = pick(model.refresh, index);
      // Of an expired token nobody learns whether it was stolen.
      return !byOther || model.now < expires;
    },
    async (model, { service }) => {
      const token = pick(model.refresh, index);
      const client = byOther ? 1 - token.grant.client : token.grant.client;
      const expected = outcomeOfRefresh(model, token, client);
      const fields = { grant_type: 'refresh_token', refresh_token: token.value };
      const { status, body } = await post(service, '/oauth/token', client, fields);
      if (expected.kind === 'refused') {
        expect([status, (body as { error?: string }).error]).toEqual([400, 'invalid_grant']);
        if (expected.stolen) endGrant(model, token.grant);
        return;
      }
      expect(status).toBe(200);
      const { access_token, refresh_token = '' } = body as Tokens;
      const { grant, first } = token;
      const given: AccessToken = { value: access_token, grant, expires: model.now + TIMES.access, alive: true };
      model.access.push(given);
      if (expected.kind === 'repeats') return expect(refresh_token).toBe(expected.successor.value);
      expect(model.refresh.map(({ value }) => value)).not.toContain(refresh_token);
      const expires = Math.min(model.now + TIMES.refreshIdle, first + TIMES.refresh);
      const successor: RefreshToken = { value: refresh_token, grant, first, expires, alive: true };
      token.spent = { at: model.now, successor };
      model.refresh.push(successor);
    },
  );

/** A client refreshes again and again, never idle for long, until the absolute limit. */
export const keepUsing = (index: number): Step => ({
  check: ({ refresh: { length } }) => length > 0,
  run: async (model, real) => {
    let token = pick(model.refresh, index);
    for (let times = 0; times < 3; times += 1) {
      await wait(2 * TIMES.access).run(model, real);
      while (token.spent) token = token.spent.successor;
      await refresh(model.refresh.indexOf(token), false).run(model, real);
    }
  },
  toString: () => `keep using(token ${index})`,
});

/** RFC 7009: an access token takes all tokens of its grant with it, a refresh token the grant as well. */
export const revoke = (kind: 'access' | 'refresh', index: number): Step =>
  step(
    `revoke(${kind} token ${index})`,
    (model) => model[kind].length > 0,
    async (model, { service }) => {
      const token = pick<AccessToken | RefreshToken>(model[kind], index);
      const { status } = await post(service, '/oauth/revoke', token.grant.client, { token: token.value });
      expect(status).toBe(200);
      if (!token.alive || model.now >= token.expires) return;
      if (kind === 'access') takeBackTokens(model, token.grant);
      else endGrant(model, token.grant);
    },
  );

/** A code is used a second time. */
export const reuseCode = (index: number): Step =>
  step(
    `reuse(code ${index})`,
    ({ codes }) => codes.length > 0,
    async (model, { service }) => {
      const code = pick(model.codes, index);
      const { status } = await exchange(service, code.grant.client, code.value);
      expect(status).toBe(400);
      if (code.alive && model.now < code.expires) endGrant(model, code.grant);
    },
  );

/** The person ends the session; what was asked for beyond it stays. */
export const signOut = (browser: number): Step =>
  step(
    `sign out(browser ${browser})`,
    ({ sessions }) => sessions[browser] !== undefined,
    async (model, { service, browsers }) => {
      const person = browsers[browser] as Person;
      const page = await person.visit(`${service.issuer}/logout`);
      await person.press(page, 'sign-out');
      const session = model.sessions[browser];
      if (!session) return;
      session.alive = false;
      for (const { grant, offline } of session.grants.values()) if (!offline) endGrant(model, grant);
      model.sessions[browser] = undefined;
    },
  );

/** As `hygie accounts disable` and `enable` do it. */
export const disable = (browser: number): Step =>
  step(
    `disable(account of browser ${browser})`,
    ({ enabled }) => enabled[browser] === true,
    async (model, { service: { database } }) => {
      const id = DEMO_ACCOUNTS[browser]?.id ?? '';
      await openAccounts(database).update(id, { status: 'disabled' });
      await openOidcRecords(database).endAllOf(id);
      model.enabled[browser] = false;
      for (const { grant } of [...model.access, ...model.refresh])
        if (grant.browser === browser) endGrant(model, grant);
      const session = model.sessions[browser];
      if (session) session.alive = false;
      model.sessions[browser] = undefined;
    },
  );

export const enable = (browser: number): Step =>
  step(
    `enable(account of browser ${browser})`,
    ({ enabled }) => enabled[browser] === false,
    async (model, { service }) => {
      await openAccounts(service.database).update(DEMO_ACCOUNTS[browser]?.id ?? '', { status: 'active' });
      model.enabled[browser] = true;
    },
  );

export const wait = (seconds: number): Step =>
  step(
    `wait(${seconds} s)`,
    () => true,
    async (model, { forward }) => {
      forward(seconds);
      model.now += seconds;
    },
  );

const exchange = (service: RunningService, client: number, code: string) =>
  post(service, '/oauth/token', client, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK });

async function post(service: RunningService, path: string, client: number, fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: CLIENTS[client] ?? '', client_secret: SECRET, ...fields });
  const answer = await fetch(service.issuer + path, { method: 'POST', body });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as object) };
}
