// The page to try the directory at /directory/try, without a browser: what its headers allow (SEC-83), and with which client it signs in. In a
// browser: `try.system.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { ownTryClients, tryClient } from '#config/built-in-clients.ts';
import { load } from '#support/config/folder.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { contentSecurityPolicy } from '#web/http/page-headers.ts';

describe('trying the reference', () => {
  const REGISTERED = 'registered-try';
  const service = openedForAll(startService);
  const named = openedForAll(() =>
    startService({
      adjust: (settings) => ({ ...settings, directory: { ...settings.directory, tryClient: REGISTERED } }),
    }),
  );

  async function pageAt(issuer: string, language = 'en') {
    const answer = await fetch(`${issuer}/directory/try`, { headers: { 'accept-language': language } });
    const html = await answer.text();
    const [, facts = '{}'] = /<script type="application\/json" id="facts">(.*?)<\/script>/s.exec(html) ?? [];
    return { headers: answer.headers, html, facts: JSON.parse(facts) as { client?: Record<string, string> } };
  }

  describe('SEC-83 the headers of the page', () => {
    it('allow its own scripts alone, requests to the directory and the sign-in alone, and no frame', async () => {
      const { headers, html } = await pageAt(service.issuer);
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
          const [name = '', ...sources] = rule.split(' ');
          return [name, sources] as const;
        }),
      );
      const { issuer } = service;
      expect(policy.get('default-src')).toEqual(["'none'"]);
      expect(policy.get('script-src')).toEqual([`${issuer}/directory/try/`]);
      expect(policy.get('connect-src')).toEqual([
        `${issuer}/directory/v2/`,
        `${issuer}/.well-known/openid-configuration`,
        `${issuer}/oauth/token`,
        `${issuer}/.well-known/jwks.json`,
      ]);
      expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
      expect(policy.get('require-trusted-types-for')).toEqual(["'script'"]);
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(html).toContain('<meta name="robots" content="noindex">');
      expect(html).not.toMatch(/style="|\son\w+=/);
    });

    it('at an IPv6 address stay as strict, with the page’s own origin', () => {
      const base = 'http://[::1]:3000/directory';
      const policy = contentSecurityPolicy({ modulesBelow: `${base}/try/`, connectsTo: [`${base}/v2/`] });
      expect(policy).toContain("script-src 'self'; connect-src 'self'; ");
    });

    it('no other page may run its scripts or ask anything', async () => {
      for (const path of ['/', '/directory/docs', '/no-such-page']) {
        const policy = (await fetch(service.issuer + path)).headers.get('content-security-policy') ?? '';
        expect(policy).not.toMatch(/directory\/try|connect-src/);
      }
    });

    it('the callback repeats nothing of its address, in the link to the other language neither', async () => {
      const html = await (await fetch(`${service.issuer}/directory/try/signed-in?code=kept-out&state=kept-out`)).text();
      expect(html).toContain('id="facts"');
      expect(html).not.toContain('kept-out');
    });
  });

  describe('the client of the page', () => {
    it('is registered by the service itself in development and in a sandbox, unless one is named, and never in production', async () => {
      const { facts } = await pageAt(service.issuer);
      expect(facts.client).toMatchObject({
        clientId: 'hygie-try',
        scope: 'openid profile PRACTITIONER_READ ORGANIZATION_READ',
        callback: `${service.issuer}/directory/try/signed-in`,
      });
      const { settings } = service;
      expect(ownTryClients(settings)).toHaveLength(1);
      expect(ownTryClients({ ...settings, mode: 'production' })).toEqual([]);
      expect(ownTryClients({ ...settings, mode: 'production', sandbox: true })).toHaveLength(1);
      expect(ownTryClients(named.settings)).toEqual([]);
    });

    it('is the one that is named, as soon as it is in force, and only while it fits', async () => {
      const fitting = { ...tryClient(named.settings), id: REGISTERED };
      named.replaceClients([fitting]);
      expect((await pageAt(named.issuer)).facts.client).toMatchObject({ clientId: REGISTERED });
      named.replaceClients([{ ...fitting, callbackUrls: [`${named.issuer}/elsewhere`] }]);
      expect((await pageAt(named.issuer)).facts.client).toBeUndefined();
    });

    it.each(['fr', 'en'])(
      'without one, the page says how it is registered, and what it says is right (%s)',
      async (language) => {
        named.replaceClients([]);
        const { html, facts } = await pageAt(named.issuer, language);
        expect(facts.client).toBeUndefined();
        const lines = (file: string) =>
          /<code>(.*?)<\/code>/s.exec(html.split(`>${file}</p>`)[1] ?? '')?.[1]?.replaceAll('&#39;', "'") ?? '';
        const { settings, clients } = await load(
          { clients: `clients:\n${lines('clients.yaml')}\n`, service: `${lines('service.yaml')}\n` },
          { HYGIE_ISSUER: named.issuer },
        );
        const [client] = clients;
        expect(client).toMatchObject({ ...tryClient(named.settings), id: settings.directory.tryClient });
      },
    );
  });
});
