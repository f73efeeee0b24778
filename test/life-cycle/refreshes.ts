// The steps of a story that refresh: by the client or a thief, in time or too late. Each calls the service and compares its
// response with the model (`model.ts`).

import { expect } from '@jest/globals';
import { pick, post, type Real, type Step, step, type Tokens } from '#support/life-cycle/checks.ts';
import { wait } from '#support/life-cycle/commands.ts';
import {
  type AccessToken,
  endGrant,
  type Model,
  outcomeOfRefresh,
  type RefreshToken,
  TIMES,
} from '#support/life-cycle/model.ts';

const MOST_TRIES = 8;

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

/** A refresh with one of the tokens for which this is so now; `ready` says what happens before. */
function refreshOf(
  name: string,
  index: number,
  byOther: boolean,
  those: (model: Model) => RefreshToken[],
  ready: (model: Model, real: Real, token: RefreshToken) => Promise<void> = async () => {},
): Step {
  return {
    check: (model) => those(model).length > 0,
    run: async (model, real) => {
      const token = pick(those(model), index);
      await ready(model, real, token);
      await refresh(model.refresh.indexOf(token), byOther).run(model, real);
    },
    toString: () => `${name}(token ${index})`,
  };
}

const holds = ({ now }: Model, { alive, grant, expires }: RefreshToken) => alive && grant.alive && now < expires;
const held = (model: Model) => model.refresh.filter((token) => holds(model, token));
const spentIn = ({ refresh: tokens }: Model) => tokens.filter(({ spent }) => spent);

/** A refresh token that was spent already is used again: repeated within the grace window, replayed after it. */
export const reuse = (index: number): Step => refreshOf('reuse spent', index, false, spentIn);

/** A client refreshes, and the other one uses the spent token of that family, which lived until then. */
export const steal = (index: number): Step => refreshOf('steal spent', index, true, held, spend);

/** A client refreshes, and uses the spent token of that family once more when the grace window has just closed. */
export const replay = (index: number): Step =>
  refreshOf('replay spent', index, false, held, async (model, real, token) => {
    await spend(model, real, token);
    await wait(TIMES.grace).run(model, real);
  });

async function spend(model: Model, real: Real, token: RefreshToken): Promise<void> {
  if (!token.spent) await refresh(model.refresh.indexOf(token), false).run(model, real);
}

/** A client comes back to a token that lay idle too long, in a family that could live on. */
export const comeBackLate = (index: number): Step => {
  const idle = (model: Model) =>
    held(model).filter(({ spent, expires, first }) => !spent && expires < first + TIMES.refresh);
  return refreshOf('come back late', index, false, idle, (model, real, { expires }) =>
    wait(expires - model.now).run(model, real),
  );
};

/** At the end, tokens are tried once more: first those that nobody has used, because a spent one takes its family with it. */
export async function tryOnceMore(model: Model, real: Real): Promise<void> {
  const tokens = [...model.refresh].sort((one, other) => Number(!!one.spent) - Number(!!other.spent));
  for (const token of tokens.slice(0, MOST_TRIES)) {
    await refresh(model.refresh.indexOf(token), false).run(model, real);
  }
}

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
