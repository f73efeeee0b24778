// Two instances of the service on one database, what they answer, and corrections that are made beside them.

import { beforeAll } from '@jest/globals';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { addCorrections, type Correction, endCorrections } from '#store/snapshots/corrections.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { activateSnapshot, findCurrentSnapshot, registerSnapshot } from '#store/snapshots/registry.ts';
import type { Engine } from '#support/databases.ts';
import type { Manifest } from '#support/directory/exporting.ts';
import { openedForAll } from '#support/opened.ts';
import { type SignIn, signIn } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { DEMO_ACCOUNTS, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const RATE = { perSecond: 100_000, burst: 100_000 };
const [{ id: ACCOUNT }] = DEMO_ACCOUNTS as [(typeof DEMO_ACCOUNTS)[number]];

export interface Bundle {
  total?: number;
  entry?: { resource: Resource; search: { mode: string } }[];
  link: { relation: string; url: string }[];
}
export interface Resource {
  resourceType: ResourceType;
  id: string;
  meta: { versionId: string; lastUpdated: string };
  telecom?: { system: string; value: string }[];
}

/** For all tests of the enclosing block. The person who asks is one of the demonstration, whose names are those of the directory. */
export function twoInstances(engine: Engine) {
  const service = openedForAll(() =>
    startService({
      engine,
      adjust: (settings) => ({ ...settings, directory: { ...settings.directory, rate: RATE } }),
    }),
  );
  const other = openedForAll(() => startSecondInstance(service));
  let signedIn: SignIn;
  beforeAll(async () => {
    await service.database('accounts').where({ id: ACCOUNT }).update({ given: null, family: null });
    signedIn = await signIn(service);
  });

  const headers = () => ({ authorization: `Bearer ${signedIn.tokens.access_token}` });
  const base = () => `${service.issuer}/directory/v2`;
  const ask = (path: string, more: Record<string, string> = {}) =>
    fetch(path.startsWith('http') ? path : `${base()}/${path}`, { headers: { ...headers(), ...more } });
  const askOther = (path: string) => other.send(`${base()}/${path}`, { headers: headers() });
  const both = (path: string) => Promise.all([ask(path), askOther(path)]);
  const search = async (path: string) => (await (await ask(path)).json()) as Bundle;
  return {
    service,
    other,
    headers,
    ask,
    askOther,
    both,
    search,
    /** Resolves with the number of the correction. */
    async correct(record: string, what: Correction['what'], value?: string): Promise<number> {
      const about = { ...(value !== undefined && { value }), reason: 'wrong', madeBy: 'operator:ops' };
      const [made] = await addCorrections(service.database, [{ record, what, ...about }]);
      return made?.id as number;
    },
    end: (...ids: number[]) => endCorrections(service.database, ids, 'operator:ops'),
    /** Resolves once both instances answer so. Each look is two requests. */
    served(path: string, condition: (text: string, status: number) => boolean): Promise<void> {
      const look = async () => {
        const answers = (await both(path)).map(async (one) => condition(await one.text(), one.status));
        return (await Promise.all(answers)).every(Boolean);
      };
      return until(look, `${path} at both instances`, 50);
    },
    async withMailbox() {
      const { entry = [] } = await search('Practitioner?telecom:missing=false&_count=50');
      const found = entry.find(({ resource: { telecom = [] } }) => telecom.some(({ system }) => system === 'email'));
      const person = found?.resource as Resource;
      return { person, mailbox: person.telecom?.find(({ system }) => system === 'email')?.value as string };
    },
    /** Instants of the editions that they serve. */
    editions: async () =>
      Promise.all((await both('$export')).map(async (one) => ((await one.json()) as Manifest).transactionTime)),
    /** Makes another edition of the same content, or of so many resources of each type, current, as an import does. Resolves with the one before. */
    async loadOnceMore(most = 2 ** 31) {
      const { database, settings } = service;
      const before = await findCurrentSnapshot(database);
      if (!before) throw new Error('the demonstration has no directory');
      const folder = snapshotFolder(settings.dataFolder);
      const previous = `${folder}/${before.file}`;
      await using snapshot = await openSnapshot(previous);
      const writer = createSnapshotWriter({ folder, id: 'once-more', created: new Date(), previous });
      for (const type of RESOURCE_TYPES) {
        for (const line of (await snapshot.scan(type, { from: 0, to: most })).trim().split('\n').filter(Boolean)) {
          const { meta: _, ...resource } = JSON.parse(line);
          await writer.add(indexResource(resource as DirectoryResource));
        }
      }
      const { file, bytes } = await writer.finish();
      await registerSnapshot(database, { ...before, id: 'once-more', file, bytes, createdAt: new Date() });
      await activateSnapshot(database, 'once-more');
      return before;
    },
  };
}
