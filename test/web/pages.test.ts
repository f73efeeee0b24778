// What pages are made of: escaped text, the token of each form (SEC-32), the session of a page, and the way back to an application.

import { describe, expect, it } from '@jest/globals';
import { csrfField, derivedTokens, isValidToken, tokensOfSession } from '#web/forms/csrf.ts';
import { html, linkTarget, trustedHtml } from '#web/html.ts';
import { type Page, renderPage } from '#web/layout.ts';
import { applicationOf } from '#web/pages/ways-on.ts';
import { createSite } from '#web/site.ts';

describe('html template', () => {
  it('escapes every value, in content and in attributes', () => {
    const hostile = `"><script>alert('1')</script>&amp;`;
    expect(html`<p title="${hostile}">${hostile}</p>`.toString()).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it('leaves nothing for what is absent, and joins lists', () => {
    expect(html`[${undefined}${false}${[1, '<', html`<b>${'&'}</b>`]}]`.toString()).toBe('[1&lt;<b>&amp;</b>]');
  });

  it('does not read signs of the template language in values', () => {
    expect(html`${'$&'}${'$1'}${trustedHtml('<i>')}`.toString()).toBe('$&amp;$1<i>');
  });

  it('links to web and mail addresses only', () => {
    expect(linkTarget('https://aide.example/a?b=1')).toBe('https://aide.example/a?b=1');
    expect(linkTarget('mailto:aide@hygie.example')).toBe('mailto:aide@hygie.example');
    for (const hostile of ['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', '/path', undefined]) {
      expect(linkTarget(hostile)).toBeUndefined();
    }
  });
});

// What a page has beside its title and content is there where it is asked for, and nowhere else.
describe('the frame of a page', () => {
  const branding = { name: 'Hygie', colour: '#0b5f6b' };
  const site = createSite({ issuer: 'https://connect.clinic.example', branding });
  const sandbox = createSite({ issuer: 'https://connect.clinic.example', branding, sandbox: true });
  const languageLink = () => '?lang=fr';
  const MARKS = {
    address: '<p class="address">',
    wide: '<body class="reading">',
    problem: '<title>There is a problem – T – Hygie</title>',
    hidden: '<meta name="robots" content="noindex">',
    link: '<a href="?lang=fr"',
    button: '<button form="f" formaction="?lang=fr"',
    sandbox: '<aside class="sandbox"',
    more: 'href="/sandbox"',
  };
  it.each<[(keyof typeof MARKS)[], Partial<Page>]>([
    [['hidden'], {}],
    [[], { indexed: true }],
    [['address', 'hidden'], { showAddress: true }],
    [['wide', 'hidden'], { reading: true }],
    [['problem', 'hidden'], { problem: true }],
    [['hidden', 'link'], { languageLink }],
    [['hidden', 'button'], { languageLink, languageForm: 'f' }],
    [['hidden', 'sandbox', 'more'], { site: sandbox }],
    [['hidden', 'sandbox'], { site: sandbox, aboutSandbox: true }],
  ])('has %j where it is asked for', (marks, asked) => {
    const page = renderPage({ site, language: 'en', title: 'T', content: '', ...asked });
    expect(Object.entries(MARKS).flatMap(([name, mark]) => (page.includes(mark) ? [name] : []))).toEqual(marks);
  });
});

// SEC-32: the token of a form is another text on every page, and counts only as it was made.
const [token] = tokensOfSession({});
const sent = () => /value="([^"]+)"/.exec(String(csrfField(token)))?.[1] ?? '';

describe('SEC-32 the token of a form', () => {
  it('is never written as it is, nor twice alike: what is compressed beside it tells nothing of it (BREACH)', () => {
    const fields = Array.from({ length: 50 }, sent);
    expect(new Set(fields).size).toBe(50);
    expect(new Set(fields.map((field) => field.slice(32))).size).toBe(50);
    expect(fields.filter((field) => field.includes(token))).toEqual([]);
    expect(fields.every((field) => isValidToken([token], field))).toBe(true);
  });

  it('counts under each key, and not when it is changed, cut, bare or of another browser', () => {
    const tokensOf = derivedTokens(['new', 'old']);
    const [fresh, old = ''] = tokensOf('browser');
    const field = (of: string) => /value="([^"]+)"/.exec(String(csrfField(of)))?.[1] ?? '';
    expect([fresh, old].map((one) => isValidToken(tokensOf('browser'), field(one)))).toEqual([true, true]);
    const good = sent();
    const changed = (good[0] === 'A' ? 'B' : 'A') + good.slice(1);
    for (const bad of [
      '',
      undefined,
      token,
      changed,
      good.slice(0, -4),
      `${good}AAAA`,
      good.slice(32),
      field(tokensOf('other')[0]),
    ]) {
      expect([bad, isValidToken([token], bad)]).toEqual([bad, false]);
    }
  });
});

// Where the buttons lead that go back to an application: to what is registered, and nowhere else.
const clientName = 'Portail';
const redirectUris = ['https://portail.example/app/callback', 'https://other.example/callback'];

describe('SEC-03 the way back to an application', () => {
  it.each([
    ['its home page', { clientUri: 'https://home.example/app', redirectUris }, undefined, 'https://home.example/app'],
    ['the origin of the callback used', { redirectUris }, redirectUris[1], 'https://other.example/'],
    ['the origin of the first callback', { redirectUris }, undefined, 'https://portail.example/'],
    ['no callback that is not registered', { redirectUris }, 'https://evil.example/', 'https://portail.example/'],
    ['no callback of an app', { applicationType: 'native', redirectUris }, redirectUris[0], undefined],
    ['no address of a scheme of its own', { redirectUris: ['app.example:/callback'] }, undefined, undefined],
    ['nothing that runs', { redirectUris: ['javascript:alert(1)//'] }, undefined, undefined],
    ['nowhere without a callback', {}, undefined, undefined],
  ])('%s', (_, client, callback, home) => {
    expect(applicationOf({ clientName, ...client }, callback)).toEqual({ name: clientName, ...(home && { home }) });
  });

  it('a client without a name is none', () => {
    expect(applicationOf({ redirectUris })).toBeUndefined();
  });
});
