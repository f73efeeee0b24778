// A renewal of the directory while it is searched: through the watched folder, or by the command.

import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as oidc from 'openid-client';
import type { Edition } from '#tools/site/editions.ts';
import { holds } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import { directRequest } from '#tools/soak/site/direct.ts';
import { onBoth, type SoakEvent } from './event.ts';

/** Seconds within which an edition is served once it was put into the folder, or once the command has ended. */
const WATCHED_WITHIN = 120;
const NOTICED_WITHIN = 30;

async function renewal(world: World, load: (folder: string) => Promise<void>, within: number): Promise<string> {
  const { site } = world;
  const [before] = world.inForce;
  const files = join(site.folder, 'next');
  const edition = site.editions.writeNext(files);
  // From here on either edition may be served.
  world.inForce = [...world.inForce, edition];
  const began = performance.now();
  await load(files);
  await served(world, edition, within);
  world.inForce = [edition];
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  return `edition ${edition.number}: ${before?.people} people became ${edition.people}, at both instances after ${seconds} s`;
}

/** Resolves when both instances find the people of the edition. */
async function served(world: World, edition: Edition, within: number): Promise<void> {
  let token = '';
  let until = 0;
  const day = world.site.editions.days.at(-1) ?? 0;
  const street = `/directory/v2/Practitioner?address=jour%20${day}&_count=1`;
  await onBoth(world, `edition ${edition.number}`, within, async (port) => {
    if (performance.now() > until) {
      const configuration = world.configuration('copie');
      token = (await oidc.clientCredentialsGrant(configuration, { scope: 'PRACTITIONER_READ' })).access_token;
      // Half of its life.
      until = performance.now() + world.lifetimes.access / 2;
    }
    const { status, body } = await directRequest(port, street, { headers: { authorization: `Bearer ${token}` } });
    holds(status === 200, `${street} was answered with ${status}: ${body.slice(0, 200)}`);
    return (JSON.parse(body) as { total: number }).total === edition.byStreet(day);
  });
}

export const renewByFolder: SoakEvent = {
  name: 'directory: a new edition in the watched folder',
  run: (world) =>
    renewal(
      world,
      async (files) => {
        const { watched } = world.site;
        const old = readdirSync(watched);
        for (const name of readdirSync(files)) renameSync(join(files, name), join(watched, name));
        for (const name of old) rmSync(join(watched, name));
      },
      WATCHED_WITHIN,
    ),
};

export const renewByCommand: SoakEvent = {
  name: 'directory import',
  run: (world) =>
    renewal(
      world,
      async (files) => {
        const { outcome } = JSON.parse(await world.site.succeed(['directory', 'import', files, '--json'])) as {
          outcome: string;
        };
        holds(outcome === 'imported', `the import ended as ${outcome}`);
      },
      NOTICED_WITHIN,
    ),
};
