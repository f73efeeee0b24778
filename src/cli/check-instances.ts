// `check --instances`: compares the instances that serve, and the configuration of this machine with theirs.

import { loadWatchedClients } from '#config/index.ts';
import { clientsDigest, settingsDigest } from '#server/instances/digests.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { differencesOf, openInstances, type SeenInstance } from '#store/instances.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { describeInstances } from './support/instances-text.ts';
import { json } from './support/output.ts';

type Digests = Readonly<Record<'settings' | 'clients', string>>;

/**
 * Prints the instances, and resolves with the exit code: 1 if they differ, if the configuration here is another one, or if no instance
 * serves.
 */
export function checkInstances(asJson: boolean): Promise<number> {
  return withCurrentDatabase(async (database, settings) => {
    const { clients, loaded } = await loadWatchedClients(settings);
    const here = {
      settings: settingsDigest(settings),
      clients: clientsDigest(clients, loaded.hashes, settings),
    };
    const instances = await openInstances(database).list();
    const differ = differencesOf(instances);
    const differHere = differencesFrom(here, instances);
    const { current } = await readPointer(database);
    const [, head = 'No instance serves.', ...lines] = describeInstances(instances, current);
    const unlike = differHere.length > 0 ? `, which DIFFER in: ${differHere.join(', ')}` : '';
    const told = `${head}\n${lines.map((line) => `${line}\n`).join('')}  here: settings ${here.settings}, clients ${here.clients}${unlike}\n`;
    process.stdout.write(asJson ? json({ here, differ, differHere, instances }) : told);
    return differ.length > 0 || differHere.length > 0 || instances.length === 0 ? 1 : 0;
  });
}

/** Returns what an instance has otherwise than this machine. An instance that has not reported a digest yet does not differ. */
function differencesFrom(here: Digests, instances: readonly SeenInstance[]): string[] {
  const isUnlike = (what: keyof Digests) =>
    instances.some(({ [what]: digest }) => digest !== undefined && digest !== here[what]);
  return (['settings', 'clients'] as const).filter(isUnlike);
}
