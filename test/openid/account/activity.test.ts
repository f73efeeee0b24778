// The page with what happened at a person's account, against the running service.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { credentialsOf, enteredBy, idOf, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const append = (records: { event: string; account: string; actor: string; details?: Record<string, unknown> }[]) =>
  openAuditEvents(service.database).append(
    records.map((record) => ({ outcome: 'success', time: new Date().toISOString(), ...record })) as never,
  );
const titles = (html: string) => [...html.matchAll(/<h2>([^<]+)<\/h2>\s*<p><time/g)].map(([, title]) => title);

describe('the activity of a person', () => {
  it('sign-ins, refused ones and changes in words, by whom, with device and application; nothing raw, nothing of others', async () => {
    const stranger = createPerson(service.issuer, (url, init) =>
      fetch(url, {
        ...init,
        redirect: 'manual',
        headers: {
          ...init.headers,
          'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        },
      }),
    );
    const login = await stranger.visit(authorizationUrl(service));
    await stranger.press(login, 'sign-in', { ...credentialsOf(0), password: 'a guess' });
    await append([
      { event: 'account.password-set', account: idOf(0), actor: 'operator:a-secret-name' },
      { event: 'consent.given', account: idOf(0), actor: `account:${idOf(0)}`, details: { scope: 'openid' } },
      { event: 'of-a-release.to-come', account: idOf(0), actor: 'service' },
      { event: 'account.unlocked', account: idOf(1), actor: 'operator:other' },
    ]);
    const { person } = await enteredBy(service.issuer, 0);
    const { html } = await person.visit('/account/activity');
    expect(titles(html)).toEqual([
      'Signed in',
      'Access given to an application',
      'Password replaced',
      'Sign-in refused',
    ]);
    for (const text of [
      'Firefox on Linux',
      'Dossier de test',
      'wrong password',
      'by the team',
      'network address 127.0.0.1',
    ])
      expect(html).toContain(text);
    for (const text of ['a-secret-name', 'of-a-release', 'lifted']) expect(html).not.toContain(text);
    expect(html).toContain('href="/account/password"');
  });

  it('goes back page by page, in the language chosen there', async () => {
    await append(
      Array.from({ length: 60 }, () => ({ event: 'account.unlocked', account: idOf(2), actor: 'operator:o' })),
    );
    const { person } = await enteredBy(service.issuer, 2);
    const first = await person.visit('/account/activity');
    const linkOn = (html: string, id: string) => new RegExp(`id="${id}" href="([^"]+)"`).exec(html)?.[1];
    expect([titles(first.html).length, linkOn(first.html, 'newer')]).toEqual([25, undefined]);
    const second = await person.visit(linkOn(first.html, 'older') ?? '');
    expect(titles(second.html)).toHaveLength(25);
    const french = await person.visit(`${linkOn(first.html, 'older')}&lang=fr`);
    expect(titles(french.html)).toHaveLength(25);
    expect(french.html).toMatch(/hreflang="en"/);
    expect(/href="([^"]*)" hreflang="en"/.exec(french.html)?.[1]).toContain('older=');
    const last = await person.visit(linkOn(second.html, 'older') ?? '');
    expect([titles(last.html).length, linkOn(last.html, 'older')]).toEqual([11, undefined]);
    expect(linkOn(last.html, 'newer')).toBeDefined();
  });

  it('SEC-43 a place that was not given out, or repeated, shows the first page', async () => {
    const person = createPerson(service.issuer);
    await openAccount(person, 3, '/account/activity');
    for (const query of ['older=x', 'older=1-1&older=2-2', 'newer[a]=1', `older=${'9'.repeat(400)}`])
      expect((await person.visit(`/account/activity?${query}`)).html).toContain('Signed in');
  });
});
