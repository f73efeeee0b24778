// SEC-81 and the issue item "Corrections by the operator", raced at two instances on both engines: what is hidden is hidden while people page
// and while editions are switched. `served.test.ts` says of all that is served that it is hidden.

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { activateSnapshot, rollBack } from '#store/snapshots/registry.ts';
import { bothEngines } from '#support/both-engines.ts';
import { rounds } from '#support/rounds.ts';
import { until } from '#support/until.ts';
import { type Bundle, type Resource, twoInstances } from './two-instances.ts';

describe.each(bothEngines('directory/corrections/raced.system'))('SEC-81 raced corrections on %s', (engine) => {
  const { service, ask, askOther, search, correct, end, served, withMailbox, editions, loadOnceMore } =
    twoInstances(engine);

  it('walks over pages give everybody once while mailboxes are hidden', async () => {
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
    // The next test finds nobody hidden, at both instances.
    await end(...made);
    await served(`Practitioner/${hidden.at(-1)}`, (text) => text.includes('"email"'));
  });

  it('what was once hidden stays hidden while editions are switched', async () => {
    const { database } = service;
    const switches = () => service.logged().split('the directory is served').length;
    const [servedBefore] = await editions();
    const first = switches();
    const before = await loadOnceMore();
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
    await until(async () => new Set(await editions()).size === 1, 'the last switch at both instances');
    await activateSnapshot(database, before.id);
    await until(async () => (await editions()).every((one) => one === servedBefore), 'the edition before');
  });
});
