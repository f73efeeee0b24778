// SEC-81 and the issue item "Corrections by the operator": what is hidden is hidden within seconds at every instance, in all that is served.
// `raced.system.test.ts` asks while people page and while editions are switched, on both engines.

import { describe, expect, it } from '@jest/globals';
import { activateSnapshot } from '#store/snapshots/registry.ts';
import type { Manifest } from '#support/directory/exporting.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { DEMO_ACCOUNTS } from '#support/service.ts';
import { until } from '#support/until.ts';
import { twoInstances } from './two-instances.ts';

const [{ practitioners: [PERSON = ''] = [], workspaces: [PLACE = ''] = [] }] = DEMO_ACCOUNTS as [
  (typeof DEMO_ACCOUNTS)[number],
];

describe('SEC-81 corrections at two instances', () => {
  const { service, other, headers, ask, both, search, correct, end, served, withMailbox } = twoInstances('sqlite');

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
      // Others of these tests may be as new, to the second.
      `Practitioner?_sort=-_lastUpdated&_count=10`,
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
      const answer = await (at === 'first'
        ? fetch(address, { headers: headers() })
        : other.send(address, { headers: headers() }));
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
});

// Exports since a time are refused once the directory went back to an edition, so these instances are others.
describe('SEC-81 corrections at two instances, while editions are switched', () => {
  const { service, both, correct, end, served, withMailbox, editions, loadOnceMore } = twoInstances('sqlite');

  it('stay in force in the next edition, and in the one before again', async () => {
    const { person, mailbox } = await withMailbox();
    const record = `Practitioner/${person.id}`;
    const made = await correct(record, 'mailbox', mailbox.toLowerCase());
    await served(record, (text, status) => status === 200 && !text.includes(mailbox));
    const [first] = await editions();
    const before = await loadOnceMore(200);
    const hidden = async (condition: (edition: string) => boolean) => {
      await until(async () => (await editions()).every(condition), 'the other edition at both instances');
      for (const path of [record, `Practitioner?telecom=${encodeURIComponent(mailbox)}`])
        for (const answer of await both(path))
          expect([path, (await answer.text()).includes(`"value":"${mailbox}"`)]).toEqual([path, false]);
    };
    await hidden((edition) => edition !== first);
    await activateSnapshot(service.database, before.id);
    await hidden((edition) => edition === first);
    await end(made);
    await served(record, (text) => text.includes(mailbox));
  });
});
