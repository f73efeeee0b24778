// `check --instances`: whether the instances that serve have the same, and the same as the configuration here.

import { loadWatchedClients } from '#config/index.ts';
import { clientsDigest, settingsDigest } from '#server/instances/digests.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { differencesOf, openInstances } from '#store/instances.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { describeInstances } from './instances-text.ts';
import { json } from './output.ts';

/** Prints them, and resolves with the exit code: 1 where they differ, and where no instance serves. */
export function checkInstances(asJson: boolean): Promise<number> {
  return withCurrentDatabase(async (database, settings) => {
    const { clients, loaded } = await loadWatchedClients(settings);
    const here = {
      settings: settingsDigest(settings),
      clients: clientsDigest(clients, loaded.hashes, settings),
    };
    const instances = await openInstances(database).list();
    const differ = differencesOf(instances);
    const { current } = await readPointer(database);
    const [, head = 'No instance serves.', ...lines] = describeInstances(instances, current);
    const told = `${head}\n${lines.map((line) => `${line}\n`).join('')}  here: settings ${here.settings}, clients ${here.clients}\n`;
    process.stdout.write(asJson ? json({ here, differ, instances }) : told);
    return differ.length > 0 || instances.length === 0 ? 1 : 0;
  });
}
