// What is checked after each step and at the end of a story.

import { expect } from '@jest/globals';
import type fc from 'fast-check';
import type { Person } from '#support/person.ts';
import { type RunningService, SECRET } from '#support/service.ts';
import { type AccessToken, isUsable, type Model } from './model.ts';

export const CLIENTS = ['first', 'second'];

export interface Real {
  service: RunningService;
  browsers: readonly Person[];
  /** Puts the clock of the whole process forward. */
  forward(seconds: number): void;
}

export type Step = fc.AsyncCommand<Model, Real>;

export interface Tokens {
  access_token: string;
  refresh_token?: string;
}

/** A step that is possible when `possible` says so; after it, every token is what the model says. */
export function step(
  name: string,
  possible: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step {
  return {
    check: possible,
    run: async (model, real) => {
      await run(model, real);
      await checkAll(model, real, notFoundDead(model));
    },
    toString: () => name,
  };
}

const foundDead = new WeakSet<AccessToken>();

/**
 * Never a usable token that should be dead, never a dead one that should live: asked as an API server would ask. One that was
 * found dead is not asked about at each step again, which would be most of the work: only at the end, where none may have risen.
 */
async function checkAll(model: Model, { service }: Real, those = model.access): Promise<void> {
  const seen: unknown[] = [];
  for (const token of those) {
    const { body } = await post(service, '/oauth/introspect', token.grant.client, { token: token.value });
    const { active } = body as { active?: boolean };
    if (active === false) foundDead.add(token);
    seen.push(active);
  }
  expect(seen).toEqual(those.map((token) => isUsable(model, token)));
}

const notFoundDead = ({ access }: Model) => access.filter((token) => !foundDead.has(token));

/** The directory takes many dead tokens from one address for guessing (SEC-39), so it gets few. */
const FEW = 2;

/** At the end: every token once more, and the same at userinfo and at the directory, with the tokens themselves. */
export async function checkInUse(model: Model, real: Real): Promise<void> {
  const { service } = real;
  await checkAll(model, real);
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

export async function post(service: RunningService, path: string, client: number, fields: Record<string, string>) {
  const body = new URLSearchParams({ client_id: CLIENTS[client] ?? '', client_secret: SECRET, ...fields });
  const answer = await fetch(service.issuer + path, { method: 'POST', body });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as object) };
}

export const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
