// The steps of which the property test makes its stories: each calls the service, compares its response with the model, and
// then checks every access token that there is (`checks.ts`).

import { expect } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import type { Person } from '#support/person.ts';
import { CALLBACK, DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService } from '#support/service.ts';
import { CLIENTS, pick, post, type Step, step, type Tokens } from './checks.ts';
import { type AccessToken, endGrant, type RefreshToken, TIMES, takeBackTokens } from './model.ts';

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
      await openAccounts(database).endSessions([id]);
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
