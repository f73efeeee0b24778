// A graceful restart of one instance, an account that is disabled and enabled, a backup while the service runs.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createPerson } from '#support/person.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import { beginRequest, signIn } from '#tools/soak/operations/sign-in.ts';
import { directRequest } from '#tools/soak/site/direct.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import { onBoth, type SoakEvent } from './event.ts';

export const restart = (which: 0 | 1): SoakEvent => ({
  name: `restart of instance ${which === 0 ? 'one' : 'two'}`,
  async run({ site }) {
    const instance = site.instances[which];
    const began = performance.now();
    same(await instance.stop(), 0, 'the exit code after SIGTERM');
    const stopped = performance.now();
    await instance.start();
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
    return `SIGTERM: ended after ${seconds(began, stopped)} s, ready again after ${seconds(stopped, performance.now())} s`;
  },
});

/** Milliseconds for which HAProxy gives it its part of the load. */
const STAYS = 40_000;

export const joinAndLeave: SoakEvent = {
  name: 'a third instance joins and leaves',
  async run({ site: { newcomer, database } }) {
    const { instance, dataFolder } = newcomer;
    rmSync(dataFolder, { recursive: true, force: true });
    const [began, from] = [performance.now(), instance.logLength()];
    await newcomer.freePort();
    await instance.start();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    holds(instance.logged('the directory was fetched', from), 'the newcomer did not fetch the directory');
    await setTimeout(STAYS);
    same(Number((await database('instances').count({ n: '*' }))[0]?.['n']), 3, 'the instances that are seen');
    same(await instance.stop(), 0, 'the exit code after SIGTERM');
    await newcomer.keepPort();
    return `an empty folder, ready after ${seconds} s; it left after ${STAYS / 1000} s`;
  },
};

/** Seconds within which a disabled account's tokens are refused. */
const ENDED_WITHIN = 10;

/** Disables an account that the load does not use. */
export const disableAccount = (account: { login: string; password: string }): SoakEvent => ({
  name: 'accounts disable, enable',
  async run(world) {
    const { succeed } = world.site;
    const { accessToken, browser } = await signIn(world, 'annuaire', account);
    browser.close();
    const headers = { authorization: `Bearer ${accessToken}` };
    const path = '/directory/v2/Practitioner?_count=1';
    const status = async (port: number) => (await directRequest(port, path, { headers })).status;
    await onBoth(world, 'taken', ENDED_WITHIN, async (port) => (await status(port)) === 200);
    await succeed(['accounts', 'disable', account.login]);
    await onBoth(world, 'a refusal of the token', ENDED_WITHIN, async (port) => (await status(port)) === 401);
    const stranger = world.newBrowser();
    const person = createPerson(ISSUER, stranger.fetch);
    const page = await person.press(
      await person.visit((await beginRequest(world, 'annuaire')).url),
      'sign-in',
      account,
    );
    stranger.close();
    holds(page.left === undefined && page.status < 500, `a disabled account signed in (${page.status})`);
    await succeed(['accounts', 'enable', account.login]);
    same(await status(world.site.instances[0].port), 401, 'the token of before, once the account is enabled');
    const again = await signIn(world, 'annuaire', account);
    again.browser.close();
    return 'tokens and sign-in refused at both instances; enabled, it signs in again';
  },
});

export const backup: SoakEvent = {
  name: 'backup, backup --verify',
  async run({ site }: World) {
    const folder = join(site.folder, 'backup');
    rmSync(folder, { recursive: true, force: true });
    const began = performance.now();
    await site.succeed(['backup', folder]);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    holds(existsSync(join(folder, 'manifest.json')), 'the backup has no manifest.json');
    await site.succeed(['backup', '--verify', folder]);
    return `made in ${seconds} s, and verified`;
  },
};

export const verifyAll: SoakEvent = {
  name: 'audit verify, directory verify',
  async run({ site }) {
    await site.succeed(['audit', 'verify']);
    await site.succeed(['directory', 'verify']);
    return 'the chain of the audit trail and the snapshot hold';
  },
};
