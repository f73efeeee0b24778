// Rotation of the signing and the cookie keys, and removal of those that are done with.

import { holds } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import type { SoakEvent } from './event.ts';

interface Key {
  id: string;
  kind: string;
  state: 'waiting' | 'active' | 'retired' | 'done';
  createdAt: string;
  activeAt: string;
}

const keysOf = async ({ site }: World) => JSON.parse(await site.succeed(['keys', 'list', '--json'])) as Key[];

export const rotateSigningKeys: SoakEvent = {
  name: 'keys rotate RS256 ES256 EdDSA',
  async run(world) {
    await world.site.succeed(['keys', 'rotate', 'RS256', 'ES256', 'EdDSA']);
    const waiting = (await keysOf(world)).filter(({ state }) => state === 'waiting');
    holds(waiting.length >= 3, `${waiting.length} keys wait`);
    return `used from ${waiting[0]?.activeAt}`;
  },
};

export const rotateCookieKeys: SoakEvent = {
  name: 'keys rotate cookies',
  async run(world) {
    await world.site.succeed(['keys', 'rotate', 'cookies']);
    return `${(await keysOf(world)).filter(({ kind }) => kind === 'cookies').length} cookie keys`;
  },
};

/** Removes retired keys, also by their ids once no session has an ID token of them. */
export const pruneKeys: SoakEvent = {
  name: 'keys prune',
  async run(world) {
    const { site, lifetimes } = world;
    await site.succeed(['keys', 'prune']);
    const keys = await keysOf(world);
    const replacedAt = ({ kind, createdAt }: Key) => {
      const later = keys
        .filter((one) => one.kind === kind && one.createdAt > createdAt)
        .map(({ activeAt }) => activeAt);
      return Date.parse(later.sort()[0] ?? '9999-01-01');
    };
    const over = keys.filter(
      (key) =>
        key.state === 'retired' && key.kind !== 'cookies' && Date.now() - replacedAt(key) > lifetimes.session + 60_000,
    );
    if (over.length > 0) await site.succeed(['keys', 'prune', ...over.map(({ id }) => id)]);
    return `${over.length} retired keys removed by id, ${keys.length - over.length} left`;
  },
};
