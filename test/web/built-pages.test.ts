// The pages that `src/web` builds by itself, as browsers receive them: home page, sandbox, error page, and the parts that pages share.

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';
import { pageInStates } from '#support/page-states.ts';
import { scriptElements, scriptHashes, siteFiles } from '#web/assets.ts';
import {
  breakable,
  doneNotice,
  iconEmblem,
  initialEmblem,
  personCard,
  problemNotice,
  timeAgo,
} from '#web/components.ts';
import { html } from '#web/html.ts';
import { setPageHeaders } from '#web/http/page-headers.ts';
import { languageLink, languageLinkTo, rememberLanguage, writeLanguage } from '#web/language.ts';
import { sendPage } from '#web/layout.ts';
import { type ErrorPage, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { homePage, sandboxPage } from '#web/pages/home-page.ts';
import { outboxNote, waysOn, whomToAsk } from '#web/pages/ways-on.ts';
import { createSite } from '#web/site.ts';

describe('pages that are built', () => {
  withOwnSnapshots(import.meta.filename);
  const issuer = 'https://connect.clinic.example/base/';
  const branding = { name: 'Hygie', colour: '#0b5f6b' };
  const helpText = { fr: 'Appelez le 12.', en: 'Call 12.' };
  const links = { supportUrl: 'https://aide.example/', privacyUrl: 'https://aide.example/privacy' };
  const production = createSite({ issuer, branding: { ...branding, ...links } });
  const development = createSite({ issuer, branding, mode: 'development' });
  const people = [
    { login: 'ann+1@clinic.example', password: 'sandbox-1', name: 'Ann', note: { fr: 'médecin', en: 'doctor' } },
    { login: 'bob@clinic.example', password: 'sandbox-1', name: 'Bob', note: { fr: 'pharmacien', en: 'pharmacist' } },
  ];
  const sandbox = createSite({ issuer, branding: { ...branding, helpText }, sandbox: true }, people);
  const ways = { docs: 'https://connect.clinic.example/base/fhir/docs', demo: true };

  /** What is between head and end, without the digest of the assets. */
  const written = (page: { toString(): string }) =>
    String(page)
      .replaceAll(/\/assets\/[\w-]{16}\//g, '/assets/(hash)/')
      .replace(/^[\s\S]*(?=<title>)/, '');
  /** What a page says, and its markup without that: the same in both languages. */
  const wordsIn = (page: string) => [...page.matchAll(/>([^<]*\w[^<]*)</g)].map(([, words]) => words);
  const markupOf = (page: string) =>
    page.replaceAll(/>[^<]+(?=<)/g, '>').replaceAll(/((aria-label|lang|hreflang|href="\?lang)=)"?\w[^">]*"/g, '$1');

  beforeEach(() => {
    jest.useFakeTimers({
      now: Date.parse('2026-11-28T12:00:00Z'),
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout'],
    });
  });

  describe('the site', () => {
    it.each([
      ['a production without mail', createSite({ issuer, branding }, people), [false, false, false, 0]],
      ['development', createSite({ issuer, branding, mode: 'development' }, people), [true, true, false, 2]],
      ['a sandbox', sandbox, [false, false, true, 2]],
    ])('of %s', (_, site, facts) => {
      expect([site.mailAvailable, site.outbox, site.sandbox, site.people.length]).toEqual(facts);
      const { host, origin, base, secure } = site;
      expect([host, origin, base, secure]).toEqual([
        'connect.clinic.example',
        'https://connect.clinic.example',
        '/base',
        true,
      ]);
    });

    it('sends mails where they are configured, and is plain over http', () => {
      const mail = {} as NonNullable<Parameters<typeof createSite>[0]['mail']>;
      const site = createSite({ issuer: 'http://localhost:3000', branding, mode: 'development', mail });
      expect([site.mailAvailable, site.outbox, site.secure, site.base, site.host]).toEqual([
        true,
        false,
        false,
        '',
        'localhost:3000',
      ]);
    });
  });

  describe('pages that everybody may read', () => {
    const app = express();
    app.get('/', homePage(production, { ...ways, demo: false }));
    app.get('/developer', homePage(development, ways));
    app.get('/sandbox', sandboxPage(sandbox, ways));
    app.get('/sandbox/empty', sandboxPage(createSite({ issuer, branding, sandbox: true }), ways));
    app.get('/sandbox/home', homePage(sandbox, ways));
    app.get('/plain', setPageHeaders, rememberLanguage(production), (_req, res) => res.end());
    app.get('/sent', (req, res) => {
      const frame = { res, site: production, language: 'en', languageLink: languageLink(req) } as const;
      const formsLeadTo = ['https://app.example/callback'];
      if (req.query['once'] === undefined) sendPage(frame, { title: 'Sent', content: 'all' });
      else
        sendPage(
          { ...frame, formsLeadTo },
          { title: 'Sent', content: 'all', once: true, status: 400, scripts: ['post-form'] },
        );
    });
    app.use(siteFiles({ colour: branding.colour, publicPaths: ['/', '/fhir/docs'] }));

    const PATHS = ['/', '/developer', '/sandbox', '/sandbox/empty', '/sandbox/home', '/sent', '/sent?once'];

    it('are these, and say the same in French in the same markup', async () => {
      const pages: [string, string][] = [];
      for (const path of PATHS) {
        const [english = '', french = ''] = await Promise.all(
          ['en', 'fr'].map(async (language) => {
            const { status, headers, text } = await request(app).get(path).set('accept-language', language);
            const names = ['content-type', 'cache-control', 'vary', 'content-security-policy'];
            const page = written(text).replace(/<script>[\s\S]*<\/script>/, '<script>(script)</script>');
            return [String(status), ...names.map((name) => `${name}: ${headers[name]}`), page].join('\n');
          }),
        );
        pages.push([path, english]);
        // Its language is given.
        if (path.startsWith('/sent')) continue;
        expect(markupOf(french)).toBe(markupOf(english));
        const alike = wordsIn(english).filter((words) => wordsIn(french).includes(words));
        expect(alike.filter((words = '') => !/^Hygie$|Ann|Bob|sandbox-1|@/.test(words))).toEqual([]);
      }
      expect(pageInStates(pages)).toMatchSnapshot();
    });

    it('a choice of the language is kept for half an hour, and such an answer is for one browser', async () => {
      for (const path of ['/', '/sandbox', '/plain']) {
        const { headers } = await request(app).get(path).query({ lang: 'en' });
        expect([headers['cache-control'], headers['vary'], headers['set-cookie']]).toEqual([
          'no-store',
          undefined,
          ['__Secure-hygie_language=en; Path=/base/; Max-Age=1800; HttpOnly; SameSite=Lax; Secure'],
        ]);
      }
      expect((await request(app).get('/plain').query({ lang: 'de' })).headers['set-cookie']).toBeUndefined();
    });

    it('the files that browsers and search engines ask for', async () => {
      const [icon, robots] = await Promise.all(['/favicon.ico', '/robots.txt'].map((path) => request(app).get(path)));
      expect(robots?.text).toBe('User-agent: *\nAllow: /$\nAllow: /fhir/docs$\nDisallow: /\n');
      expect(String(icon?.body)).toContain('fill="#0b5f6b"');
      expect(
        [icon, robots].map((answer) => [answer?.headers['content-type'], answer?.headers['cache-control']]),
      ).toEqual([
        ['image/svg+xml; charset=utf-8', 'public, max-age=86400'],
        ['text/plain; charset=utf-8', 'public, max-age=86400'],
      ]);
    });

    it('an earlier choice of the language is deleted, and a link leads to a page in another one', () => {
      const cookies: string[] = [];
      const res = { appendHeader: (_: string, value: string) => cookies.push(value) } as never;
      writeLanguage(res, { base: '', secure: false }, undefined);
      expect(cookies).toEqual([
        'hygie_language=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax',
      ]);
      expect(languageLinkTo('/base/account')('fr')).toBe('/base/account?lang=fr');
    });
  });

  describe('7 the error page', () => {
    const frame = { site: production, language: 'en', languageLink: () => '?lang=fr', reference: 'r-1' } as const;
    const difference = { parts: ['host', 'path'], registered: 2, unreadable: false } as const;
    const pages: Record<string, Omit<ErrorPage, keyof typeof frame>> = {
      'with its ways on': {
        error: 'invalid_request',
        application: { name: 'Portal', home: 'https://portal.example/' },
      },
      'with another text': { error: 'server_error', text: { title: 'T', cause: 'C', remedy: 'R' } },
      'with a way to try again': { error: 'expired', again: { href: '/base/again' } },
      'with a labelled way': { error: 'expired', again: { href: '/base/again', label: 'Once more' } },
      'with a parameter': { error: 'invalid_request', parameter: 'scope' },
      'with a description': { error: 'invalid_request', description: 'scope is missing' },
      'with a difference': { error: 'invalid_redirect_uri', description: 'd', difference },
      'with an unreadable callback': {
        error: 'invalid_redirect_uri',
        difference: { ...difference, unreadable: true },
      },
      'with none registered': { error: 'invalid_redirect_uri', difference: { ...difference, registered: 0 } },
      'with an unknown client': { error: 'invalid_client', description: 'd', unknownClient: true },
      'of a refused sign-out': { error: 'invalid_request', signOut: {} },
      'of a late sign-out': { error: 'invalid_request', description: 'xsrf mismatch', signOut: {} },
      'with a session to end': { error: 'invalid_request', signOut: { session: { action: '/base/end', xsrf: 'x' } } },
      'of a broken sign-out': { error: 'server_error', signOut: {} },
    };
    it('has these parts, the same in French', () => {
      const main = Object.entries(pages).map(([name, page]) => {
        const [english = '', french = ''] = (['en', 'fr'] as const).map(
          (language) => /<main[\s\S]*<\/main>/.exec(renderErrorPage({ ...frame, ...page, language }))?.[0] ?? '',
        );
        expect(markupOf(french)).toBe(markupOf(english));
        return [name, english] as const;
      });
      expect(pageInStates(main)).toMatchSnapshot();
    });

    it('says by its title that there is a problem', () => {
      expect(renderErrorPage({ ...frame, error: 'not_found' })).toContain('<title>There is a problem – ');
    });

    it('has a text for each error', () => {
      const errors = ['unauthorized_client', 'invalid_client', 'invalid_redirect_uri', 'temporarily_unavailable'];
      errors.push('server_error', 'access_denied', 'expired', 'foreign_form', 'unusable_form', 'not_found');
      const texts = [...errors, 'invalid_scope', 'toString'].map((error): [string, string] => {
        const page = renderErrorPage({ ...frame, error });
        return [error, (page.match(/<h1>[^<]*<\/h1>|<p class="(lead|remedy)">[^<]*<\/p>/g) ?? []).join('\n')];
      });
      expect(pageInStates(texts)).toMatchSnapshot();
    });

    it.each([
      'session not found',
      'session id cookie not found',
      'the request has expired',
      'a mismatch',
      'principal changed',
      'xsrf',
      'logout details',
    ])('takes a request that is over (%s) for an expired one', (description) => {
      const titles = [
        { error: 'invalid_request', description },
        { error: 'invalid_scope', description },
        { error: 'invalid_request', description: 'other' },
      ].map((page) => /<h1>([^<]*)/.exec(renderErrorPage({ ...frame, ...page }))?.[1]);
      expect([titles[0] === titles[2], titles[1] === titles[2]]).toEqual([false, true]);
    });

    it('has the id of the request that the log has', () => {
      expect(
        [{ getHeader: () => 'r-1' }, { getHeader: () => undefined }].map((res) => requestIdOf(res as never)),
      ).toEqual(['r-1', '']);
    });
  });

  describe('parts of pages', () => {
    it('are written so', () => {
      const now = Date.now() / 1000;
      const person = { name: 'Ann Lee', email: 'ann@clinic.example' };
      expect(
        [
          problemNotice('Title', 'a < b'),
          problemNotice('Title', html`<ul></ul>`, { focus: false }),
          doneNotice('Done', 'all'),
          initialEmblem('Ann'),
          iconEmblem('key'),
          personCard(person, 'Signed in as', html`<a>leave</a>`),
          personCard({ name: 'Ann' }, 'Signed in as', undefined),
          breakable('no address'),
          breakable('"a@b"@clinic.example'),
          timeAgo(now - 3700, 'en')
            .toString()
            .replace(/title="[^"]*"/, ''),
          timeAgo(now - 3700, 'fr', (text) => `vu ${text}`)
            .toString()
            .replace(/title="[^"]*"/, ''),
        ].map(String),
      ).toMatchSnapshot();
    });

    it('at the end of a page, in each kind of service', () => {
      const application = { name: 'Portal', home: 'https://portal.example/' };
      const parts = [production, development, sandbox].flatMap((site) => {
        const frame = { site, language: 'en' } as const;
        return [
          waysOn(frame, {}),
          waysOn(frame, { application, account: 'My account' }),
          waysOn(frame, { account: 'My account' }),
          waysOn(frame, { application: { name: 'Portal', home: 'javascript:1' } }),
          whomToAsk(frame),
          outboxNote(site, 'en'),
        ];
      });
      expect(parts.map(String)).toMatchSnapshot();
    });

    it('SEC-31 a script is inlined and allowed by its digest', () => {
      expect(String(scriptElements(['copy', 'post-form'])).match(/<script>/g)).toHaveLength(2);
      expect(scriptHashes(['copy', 'post-form'])).toEqual([
        expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
        expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
      ]);
    });
  });
});
