// SEC-81 and the issue item "Corrections by the operator": what is hidden is hidden within seconds at every instance, in all that is served, on
// both engines; also while people page and while editions are switched.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { addCorrections, type Correction, endCorrections } from '#store/snapshots/corrections.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import {
  activateSnapshot,
  findCurrentSnapshot,
  registerSnapshot,
  rollBack,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import type { Manifest } from '#support/directory/exporting.ts';
import { openedForAll } from '#support/opened.ts';
import { type SignIn, signIn } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { rounds } from '#support/rounds.ts';
import { DEMO_ACCOUNTS, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const RATE = { perSecond: 100_000, burst: 100_000 };
const [{ id: ACCOUNT, practitioners: [PERSON = ''] = [], workspaces: [PLACE = ''] = [] }] = DEMO_ACCOUNTS as [
  (typeof DEMO_ACCOUNTS)[number],
];

interface Bundle {
  total?: number;
  entry?: { resource: Resource; search: { mode: string } }[];
  link: { relation: string; url: string }[];
}
interface Resource {
  resourceType: ResourceType;
  id: string;
  meta: { versionId: string; lastUpdated: string };
  telecom?: { system: string; value: string }[];
}

describe.each(bothEngines('directory/corrections/served'))('SEC-81 corrections at two instances on %s', (engine) => {
  const service = openedForAll(() =>
    startService({
      engine,
      adjust: (settings) => ({ ...settings, directory: { ...settings.directory, rate: RATE } }),
    }),
  );
  const other = openedForAll(() => startSecondInstance(service));
  let signedIn: SignIn;
  let headers: Record<string, string>;
  beforeAll(async () => {
    // The names in claims are then those of the directory.
    await service.database('accounts').where({ id: ACCOUNT }).update({ given: null, family: null });
    signedIn = await signIn(service);
    headers = { authorization: `Bearer ${signedIn.tokens.access_token}` };
  });

  const base = () => `${service.issuer}/directory/v2`;
  const ask = (path: string, more: Record<string, string> = {}) =>
    fetch(path.startsWith('http') ? path : `${base()}/${path}`, { headers: { ...headers, ...more } });
  const askOther = (path: string) => other.send(`${base()}/${path}`, { headers });
  const both = (path: string) => Promise.all([ask(path), askOther(path)]);
  const search = async (path: string) => (await (await ask(path)).json()) as Bundle;
  const correct = async (record: string, what: Correction['what'], value?: string, more = {}) => {
    const about = { ...(value !== undefined && { value }), reason: 'wrong', madeBy: 'operator:ops', ...more };
    const [made] = await addCorrections(service.database, [{ record, what, ...about }]);
    return made?.id as number;
  };
  const end = (id: number) => endCorrections(service.database, [id], 'operator:ops');
  /** Resolves once both instances answer so. Each look is two requests. */
  const served = (path: string, condition: (text: string, status: number) => boolean) => {
    const look = async () => {
      const answers = (await both(path)).map(async (one) => condition(await one.text(), one.status));
      return (await Promise.all(answers)).every(Boolean);
    };
    return until(look, `${path} at both instances`, 50);
  };

  const withMailbox = async () => {
    const { entry = [] } = await search('Practitioner?telecom:missing=false&_count=50');
    const found = entry.find(({ resource: { telecom = [] } }) => telecom.some(({ system }) => system === 'email'));
    const person = found?.resource as Resource;
    return { person, mailbox: person.telecom?.find(({ system }) => system === 'email')?.value as string };
  };

  it('take a mailbox out of reads, searches, includes, XML and exports, and give it back', async () => {
    const { person, mailbox } = await withMailbox();
    const record = `Practitioner/${person.id}`;
    const first = await ask(record);
    const tag = first.headers.get('etag') as string;
    expect((await ask(record, { 'if-none-match': tag })).status).toBe(304);
    const exported = (await (await ask('$export?_type=Practitioner')).json()) as Manifest;
    const everybody = (await search('Practitioner?_count=0&_total=accurate')).total as number;

    const made = await correct(record, 'mailbox', mailbox.toLowerCase());
    await served(record, (text, status) => status === 200 && !text.includes(mailbox));
    const now = await ask(record, {
      'if-none-match': tag,
      'if-modified-since': first.headers.get('last-modified') ?? '',
    });
    expect([now.status, now.headers.get('etag')]).toEqual([200, expect.not.stringContaining(tag)]);
    const text = await now.text();
    expect(JSON.parse(text).telecom ?? []).toEqual(person.telecom?.filter(({ value }) => value !== mailbox));
    expect((await ask(`${record}/_history/${person.meta.versionId}`)).status).toBe(404);
    expect((await ask(`${record}/_history/${JSON.parse(text).meta.versionId}`)).status).toBe(200);

    for (const path of [
      `Practitioner?telecom=${encodeURIComponent(mailbox)}`,
      `Practitioner?email=${encodeURIComponent(mailbox)}`,
      `Practitioner?mailbox-mss=${encodeURIComponent(mailbox)}`,
      `Practitioner?telecom=${encodeURIComponent(mailbox.toUpperCase())}&_summary=count`,
    ]) {
      for (const answer of await both(path)) expect(await answer.json()).toMatchObject({ total: 0 });
    }
    for (const path of [
      `Practitioner?_id=${person.id}`,
      `PractitionerRole?practitioner=${record}&_include=PractitionerRole:practitioner`,
      `Practitioner?_lastUpdated=gt${exported.transactionTime}`,
      `Practitioner?_sort=-_lastUpdated&_count=1`,
      `${record}?_format=xml`,
      `Practitioner?_id=${person.id}&_format=xml`,
    ]) {
      for (const answer of await both(path)) {
        const found = await answer.text();
        expect([path, answer.status, found.includes(person.id)]).toEqual([path, 200, true]);
        expect([path, found.toLowerCase().includes(mailbox.toLowerCase())]).toEqual([path, false]);
      }
    }
    expect((await search('Practitioner?_count=0&_total=accurate')).total).toBe(everybody);
    const again = (await (await ask('$export?_type=Practitioner')).json()) as Manifest;
    const file = again.output[0]?.url as string;
    expect(again.output[0]).not.toHaveProperty('count');
    const whole = await ask(file);
    const lines = (await whole.text()).trim().split('\n');
    expect([lines.length, lines.some((line) => line.includes(mailbox))]).toEqual([everybody, false]);
    const resumed = await ask(file, {
      range: 'bytes=0-99',
      'if-range': `"${exported.output[0]?.url.split('/').pop()}"`,
    });
    expect(resumed.status).toBe(200);
    const delta = (await (await ask(exported.extension.next)).json()) as Manifest;
    const changed = await (await ask(delta.output[0]?.url as string)).text();
    expect([changed.includes(person.id), changed.includes(mailbox)]).toEqual([true, false]);

    const hiddenTag = now.headers.get('etag') as string;
    await end(made);
    await served(record, (answer) => answer.includes(mailbox));
    expect((await ask(record, { 'if-none-match': hiddenTag })).status).toBe(200);
    expect((await search(`Practitioner?telecom=${encodeURIComponent(mailbox)}`)).total).toBe(1);
  });

  it('take a person out of everything, claims too, with the roles, and tell copies', async () => {
    const record = `Practitioner/${PERSON}`;
    const roles = `PractitionerRole?practitioner=${record}`;
    const [role] = (await search(roles)).entry ?? [];
    const { transactionTime } = (await (await ask('$export')).json()) as Manifest;
    const everybody = (await search('Practitioner?_count=0&_total=accurate')).total as number;
    const userinfo = async (at: 'first' | 'other') => {
      const address = `${service.issuer}/userinfo`;
      const answer = await (at === 'first' ? fetch(address, { headers }) : other.send(address, { headers }));
      return (await answer.json()) as Record<string, unknown>;
    };
    const before = await userinfo('first');
    expect(before).toHaveProperty('family_name');
    const info = Object.keys(before).find((key) => key.endsWith('/userInfo')) as string;
    expect(before[info]).toMatchObject({ identities: [record], currentWorkspaceId: `Organization/${PLACE}` });

    const person = await correct(record, 'record');
    const place = await correct(`Organization/${PLACE}`, 'record');
    await served(record, (_, status) => status === 410);
    await served(`Organization/${PLACE}`, (_, status) => status === 410);
    for (const path of [`Practitioner?_id=${PERSON}`, roles, `Organization?_id=${PLACE}`])
      for (const answer of await both(path))
        expect([path, await answer.json()]).toEqual([path, expect.objectContaining({ total: 0 })]);
    expect((await ask(`PractitionerRole/${role?.resource.id}`)).status).toBe(410);
    expect((await search('Practitioner?_count=0&_total=accurate')).total).toBe(everybody - 1);
    const delta = (await (await ask(`$export?_since=${transactionTime}`)).json()) as Manifest;
    const deleted = await Promise.all((delta.deleted ?? []).map(async ({ url }) => (await ask(url)).text()));
    for (const gone of [record, `PractitionerRole/${role?.resource.id}`, `Organization/${PLACE}`])
      expect(deleted.join('')).toContain(`"url":"${gone}"`);

    const idToken = (await signIn(service)).tokens.claims() as Record<string, unknown>;
    for (const claims of [await userinfo('first'), await userinfo('other'), idToken]) {
      expect(claims[info]).toMatchObject({ identities: [] });
      expect(claims[info]).not.toHaveProperty('currentWorkspaceId');
      for (const claim of ['family_name', 'given_name', 'fhirUser']) expect(claims).not.toHaveProperty(claim);
    }
    await end(person);
    await end(place);
    await served(record, (_, status) => status === 200);
    await served(`Organization/${PLACE}`, (_, status) => status === 200);
    expect(await userinfo('other')).toMatchObject({ family_name: before['family_name'], [info]: before[info] });
  });

  it('end by themselves, without any command', async () => {
    const record = `Practitioner/${PERSON}`;
    await correct(record, 'record', undefined, { endsAt: new Date(Date.now() + 4000) });
    await served(record, (_, status) => status === 410);
    await served(record, (_, status) => status === 200);
  });

  it('raced: walks over pages give everybody once while mailboxes are hidden', async () => {
    const { entry = [] } = await search('Practitioner?telecom:missing=false&_count=50');
    const hidden = entry.slice(0, 10).map(({ resource }) => resource.id);
    const walk = async (): Promise<Resource[]> => {
      const found: Resource[] = [];
      let next: string | undefined = 'Practitioner?_count=50&_elements=telecom';
      for (const _page of rounds()) {
        if (next === undefined) break;
        const page: Bundle = await search(next);
        found.push(...(page.entry ?? []).map(({ resource }) => resource));
        next = page.link.find(({ relation }) => relation === 'next')?.url;
      }
      return found;
    };
    const expected = (await walk()).map(({ id }) => id);
    const walks = Array.from({ length: 3 }, walk);
    const made: number[] = [];
    for (const id of hidden) made.push(await correct(`Practitioner/${id}`, 'mailbox'));
    for (const found of await Promise.all(walks)) expect(found.map(({ id }) => id)).toEqual(expected);
    await served(`Practitioner/${hidden.at(-1)}`, (text) => !text.includes('"email"'));
    const after = await walk();
    expect(after.map(({ id }) => id)).toEqual(expected);
    for (const { id, telecom = [] } of after)
      if (hidden.includes(id)) expect(telecom.filter(({ system }) => system === 'email')).toEqual([]);
    await endCorrections(service.database, made, 'operator:ops');
  });

  it('raced: what was once hidden stays hidden while editions are switched', async () => {
    const { database, settings } = service;
    const switches = () => service.logged().split('the directory is served').length;
    const edition = async () =>
      Promise.all((await both('$export')).map(async (one) => ((await one.json()) as Manifest).transactionTime));
    const before = await findCurrentSnapshot(database);
    if (!before) throw new Error('the demonstration has no directory');
    const [servedBefore] = await edition();
    const first = switches();
    await loadOnceMore(before);
    await until(() => switches() > first, 'the first switch');
    const { person, mailbox } = await withMailbox();
    const record = `Practitioner/${person.id}`;
    let ended = false;
    const hiddenAt = [false, false];
    const shownAgain: string[] = [];
    const reading = [ask, askOther].map(async (at, instance) => {
      for (; !ended; await setTimeout(10)) {
        for (const path of [record, `Practitioner?telecom=${encodeURIComponent(mailbox)}`]) {
          const answer = await at(path);
          const shown = (await answer.text()).includes(`"value":"${mailbox}"`);
          if (answer.status !== 200) shownAgain.push(`${answer.status} at ${path}`);
          if (shown && hiddenAt[instance]) shownAgain.push(`${path} at ${instance}`);
          if (!shown) hiddenAt[instance] = true;
        }
      }
    });
    const switching = (async () => {
      while (!ended) {
        const earlier = switches();
        await rollBack(database);
        await until(() => switches() > earlier, 'a switch');
      }
    })();
    const made = await correct(record, 'mailbox', mailbox.toLowerCase());
    await until(() => hiddenAt.every(Boolean), 'both instances hide it');
    const later = switches() + 2;
    await until(() => switches() >= later, 'two more switches');
    ended = true;
    await Promise.all([...reading, switching]);
    expect(shownAgain).toEqual([]);

    // Other tests find the directory as it was, at both instances.
    await end(made);
    await until(async () => new Set(await edition()).size === 1, 'the last switch at both instances');
    await activateSnapshot(database, before.id);
    await until(async () => (await edition()).every((one) => one === servedBefore), 'the edition before');

    /** Makes another edition of the same content current, as an import does. */
    async function loadOnceMore(before: SnapshotEntry) {
      const folder = snapshotFolder(settings.dataFolder);
      const previous = join(folder, before.file);
      await using snapshot = await openSnapshot(previous);
      const writer = createSnapshotWriter({ folder, id: 'once-more', created: new Date(), previous });
      for (const type of RESOURCE_TYPES) {
        for (const line of (await snapshot.scan(type, { from: 0, to: 2 ** 31 })).trim().split('\n').filter(Boolean)) {
          const { meta: _, ...resource } = JSON.parse(line);
          await writer.add(indexResource(resource as DirectoryResource));
        }
      }
      const { file, bytes } = await writer.finish();
      await registerSnapshot(database, { ...before, id: 'once-more', file, bytes, createdAt: new Date() });
      await activateSnapshot(database, 'once-more');
    }
  });
});
