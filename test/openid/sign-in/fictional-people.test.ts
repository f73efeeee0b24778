// The buttons that sign in as fictional people, with passwords in the page, stand where these people are alone.

import { describe, expect, it } from '@jest/globals';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { startService } from '#support/service.ts';
import { createSite } from '#web/site.ts';

const PEOPLE = DEMO_ACCOUNTS.map(({ email, name, note }) => ({ login: email, password: DEMO_PASSWORD, name, note }));

describe('buttons of fictional people', () => {
  it.each([
    [true, 4],
    [false, 0],
  ])('are on the sign-in page of a service in development where demo is %s: %s', async (demo, count) => {
    const service = await startService({ adjust: (settings) => ({ ...settings, demo }) });
    try {
      const { html } = await createPerson(service.issuer).visit(authorizationUrl(service));
      expect(html).toContain('id="sign-in"');
      expect(html.split(`name="password" value="${DEMO_PASSWORD}"`).length - 1).toBe(count);
      expect(html.includes('demo.example')).toBe(demo);
    } finally {
      await service.stop();
    }
  });

  it('are never in production, whatever it is started with, unless it is a sandbox', () => {
    const settings = { issuer: 'https://connect.example.org', branding: { name: 'Hygie', colour: '#00665e' } };
    const shown = (more: object) =>
      createSite({ ...settings, ...more } as Parameters<typeof createSite>[0], PEOPLE).people;
    expect(shown({ mode: 'production', sandbox: false })).toEqual([]);
    expect(shown({})).toEqual([]);
    expect(shown({ mode: 'production', sandbox: true })).toEqual(PEOPLE);
  });
});
