// SEC-69 raced: twenty who use one link at the same time, by two instances, and two accounts that want the same address.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { ENGINES } from '#support/databases.ts';
import { linkFor, twice } from '#support/openid/account/links.ts';
import { credentialsOf, idOf } from '#support/openid/account/person-of-account.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { startSecondInstance } from '#support/openid/second-instance.ts';
import { createPerson, type Visit } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';

describe.each(ENGINES)('SEC-69 links under a race on %s', (engine) => {
  let service: RunningService;
  let stopOther: () => Promise<void>;
  /** Of both instances; SQLite has one, two in one process would wait for each other in vain. */
  let instances: (Send | undefined)[];
  beforeAll(async () => {
    const clients = await testClients();
    service = await startService({ engine, clients });
    const other = engine === 'postgresql' ? await startSecondInstance(service, clients) : undefined;
    stopOther = async () => other?.stop();
    instances = [undefined, other?.send];
  });
  afterAll(async () => {
    await stopOther();
    await service.stop();
  });

  /** Presses the button of a page in as many browsers as there are forms, at both instances. */
  async function pressAll(links: readonly string[], button: string, fields: (index: number) => Record<string, string>) {
    const pages = await Promise.all(
      links.map(async (link, index) => {
        const person = createPerson(service.issuer, instances[index % 2] as never);
        return { person, page: await person.visit(link) };
      }),
    );
    return Promise.all(pages.map(({ person, page }, index) => person.press(page, button, fields(index))));
  }
  const winners = (answers: readonly Visit[]) =>
    answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));

  it('one of 20 new passwords by the same link is taken, and it is the one that signs in', async () => {
    const link = await linkFor(service, 'password-reset', idOf(0));
    // Ten of them get as far as their hash (SEC-39).
    const password = (index: number) => `la tortue violette numero ${index}`;
    const answers = await pressAll(
      Array.from({ length: 20 }, () => link),
      'save-password',
      (index) => twice(password(index)),
    );
    const [winner = -1, ...others] = winners(answers);
    expect([winner >= 0, others]).toEqual([true, []]);
    for (const { status } of answers.filter((_, index) => index !== winner)) expect([410, 429]).toContain(status);
    const credentials = { ...credentialsOf(0), password: password(winner) };
    await signIn(service, { person: createPerson(service.issuer), credentials });
  });

  it('of two accounts that confirm the same address at the same time one gets it', async () => {
    const wanted = 'wanted@clinic.example';
    const links = [
      await linkFor(service, 'email-change', idOf(1), wanted),
      await linkFor(service, 'email-change', idOf(2), wanted),
    ];
    const answers = await pressAll(links, 'confirm', () => ({}));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const accounts = openAccounts(service.database);
    const emails = [await accounts.find(idOf(1)), await accounts.find(idOf(2))].map((account) => account?.email);
    expect(emails.filter((email) => email === wanted)).toHaveLength(1);
  });
});
