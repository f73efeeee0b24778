// SEC-83: what the page to try the directory is made of: ids that its script relies on, lists of names and values, and the facts that the script
// reads, with and without a registered client; and the frame of the reference page. In a browser: `try.system.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { describeDirectory } from '#directory/reference/descriptions.ts';
import { referenceMessages, renderReferencePage } from '#directory/reference/page.ts';
import { renderTryPage, type TryPage } from '#directory/reference/try/page.ts';
import { html } from '#web/html.ts';
import { createSite } from '#web/site.ts';

const site = createSite({ issuer: 'https://c.example', branding: { name: 'Hygie', colour: '#0b5f6b' } });
const addresses = {
  base: 'https://c.example/v2',
  namespace: 'n',
  authorizationUrl: 'a',
  tokenUrl: 't',
  tryPage: '/try',
};
const whole = describeDirectory();
const directory = { ...whole, ...addresses, types: whole.types.slice(2, 4) };
const client = { issuer: 'https://c.example', clientId: 'try', scope: 'openid', callback: 'cb', afterSignOut: 'out' };
const PAGE: TryPage = {
  site,
  language: 'en',
  directory,
  page: '/try',
  docs: '/docs',
  client,
  person: { login: 'ann', password: 'p' },
  entries: { 'clients.yaml': '- id: <x>', 'service.yaml': 'y: 1' },
};
const { tryIt } = referenceMessages('en');
const mainOf = (page: string) => /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? '';
const matchesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found);
const factsOf = (page: string) => JSON.parse(/id="facts">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}');

describe('SEC-83 the page to try the directory', () => {
  const page = mainOf(renderTryPage(PAGE));

  it('has the elements that its script looks for, hidden until it runs', () => {
    expect(matchesOf(page, / id="([^"]+)"/g)).toEqual([
      ...['content', 'try', 'signed-out', 'demo-login', 'demo-password', 'signed-in', 'person', 'sign-out', 'copied'],
      ...['problem', 'form', 'request-hint', 'request', 'type', 'criteria', 'add', 'send', 'criterion'],
      ...['names-PractitionerRole', 'values-PractitionerRole-_include', 'values-PractitionerRole-_sort'],
      ...['names-SearchParameter', 'answer-title', 'status', 'answer', 'issues', 'pages', 'body', 'headers', 'raw'],
      ...['code-title', 'in-curl', 'in-javascript', 'in-python', 'in-java'],
      ...['code-curl', 'code-javascript', 'code-python', 'code-java', 'facts'],
    ]);
    expect(page).toContain('<div id="try" hidden>');
    expect(matchesOf(page, /data-copies="([^"]+)"/g)).toEqual([
      ...['demo-login', 'demo-password', 'raw', 'code-curl', 'code-javascript', 'code-python', 'code-java'],
    ]);
    expect(page).toContain('<code id="demo-login">ann</code>');
    expect(page).toContain('<script type="module" src="/try/try.js"></script>');
  });

  it('offers names, values and examples of each type', () => {
    const optionsOf = (id: string) =>
      matchesOf(page.split(`<datalist id="${id}">`)[1]?.split('</datalist>')[0] ?? '', /<option>([^<]*)<\/option>/g);
    const results = [
      '_include',
      '_include:recurse',
      '_revinclude',
      '_revinclude:recurse',
      '_sort',
      '_count',
      '_total',
      '_totalMethod',
    ];
    const shown = ['_summary', '_elements', '_pretty', '_format'];
    expect(new Set(optionsOf('names-SearchParameter'))).toEqual(
      new Set(['url', 'code', 'base', 'type', '_id', '_id:not', '_id:missing', ...results, ...shown]),
    );
    expect(optionsOf('names-PractitionerRole').slice(0, 4)).toEqual([
      ...['practitioner', 'practitioner:Practitioner', 'practitioner:missing', 'organization'],
    ]);
    expect(optionsOf('names-PractitionerRole')).toContain('practitioner.name');
    expect(optionsOf('values-PractitionerRole-_include')).toEqual([
      ...['PractitionerRole:practitioner', 'PractitionerRole:organization'],
    ]);
    expect(matchesOf(page, /<select id="type">(.*?)<\/select>/g)).toEqual([
      `<option value="">${tryIt.otherType}</option><option>PractitionerRole</option><option>SearchParameter</option>`,
    ]);
    expect(matchesOf(page, /<li><a href="#([^"]+)"><code>/g)).toEqual([
      ...['PractitionerRole?practitioner=Practitioner/810000000011', 'SearchParameter?base=Organization', 'metadata'],
    ]);
    const everybody = mainOf(renderTryPage({ ...PAGE, directory: { ...directory, types: whole.types.slice(0, 3) } }));
    expect(matchesOf(everybody, /<li><a href="#([^"]+)"><code>/g)).toEqual([
      ...[
        'Practitioner?name=mart',
        'Organization?name=hopital+st',
        'PractitionerRole?practitioner=Practitioner/810000000011',
      ],
      'Practitioner?_id=810000000011&amp;_revinclude=PractitionerRole:practitioner&amp;_include:recurse=PractitionerRole:organization',
      'metadata',
    ]);
    const unfilled = {
      ...directory.types[0],
      parameters: directory.types[0]?.parameters.map((one) => ({ ...one, example: '<id>' })),
    };
    const left = mainOf(renderTryPage({ ...PAGE, directory: { ...directory, types: [unfilled as never] } }));
    expect(matchesOf(left, /<li><a href="#([^"]+)"><code>/g)).toEqual(['metadata']);
  });

  it('tells its script all that it needs to know', () => {
    const { types, results, words, ...facts } = factsOf(page);
    const first = 'PractitionerRole?practitioner=Practitioner/810000000011';
    expect(facts).toEqual({ base: addresses.base, first, page: '/try', client });
    expect(words).toEqual(tryIt.words);
    const { meanings } = referenceMessages('en').resultParameters;
    expect(Object.keys(results)).toEqual(whole.resultParameters.map(({ name }) => name));
    expect(results['_count']).toEqual({ rule: meanings['_count']?.(whole.limits).replaceAll('`', ''), example: '20' });
    expect(results['_include:recurse'].example).toBe('PractitionerRole:organization');
    const { parameters, ...role } = types['PractitionerRole'];
    expect(role).toEqual({ open: false, first });
    expect(parameters['practitioner.name']).toEqual({ example: 'mart' });
    expect(parameters['_id'].example).toBe('810000000011-0a1b2c3d4e5f6g');
    expect(parameters['_id'].rule).not.toContain('`');
    expect(parameters['_id'].rule.length).toBeGreaterThan(20);
    expect([types['SearchParameter'].open, types['SearchParameter'].first]).toEqual([
      true,
      'SearchParameter?base=Organization',
    ]);
  });

  it('without a client shows how one is registered, and begins with what is open', () => {
    const open = renderTryPage({ ...PAGE, client: undefined, person: undefined });
    expect(open).toContain('<p class="caption">clients.yaml</p>');
    expect(open).toContain('<code>- id: &lt;x&gt;</code>');
    expect(open).not.toContain('id="sign-out"');
    expect([factsOf(open).first, factsOf(open).client]).toEqual(['SearchParameter?base=Organization', undefined]);
    const types = directory.types.slice(0, 1);
    expect(factsOf(renderTryPage({ ...PAGE, client: undefined, directory: { ...directory, types } })).first).toBe('');
    const hostile = renderTryPage({ ...PAGE, client: { ...client, scope: '</script>' } });
    expect(hostile).not.toContain('</script>"');
    expect(renderTryPage({ ...PAGE, person: undefined })).not.toContain('demo-login');
  });
});

describe('the frame of the reference page', () => {
  const frame = { site, language: 'en', directory, chapters: html`<p>CHAPTERS</p>`, openapi: '/openapi.json' } as const;
  const counts = { Practitioner: 2000, Organization: 5 };
  const rendered = (more: object = {}) => renderReferencePage({ ...frame, freshness: { counts }, ...more });

  it('has facts, contents in the order of the chapters, and its script', () => {
    const page = rendered();
    expect(matchesOf(page, /<li><a href="#([^"]+)">/g)).toEqual([
      ...['start', 'operations', 'PractitionerRole', 'SearchParameter', 'rules', 'modifiers', 'controls', 'formats'],
      ...['batch', 'errors', 'limits', 'export'],
    ]);
    const messages = referenceMessages('en');
    expect(matchesOf(page, /<li><a href="#[^"]+">([^<]*)<\/a>/g)).toEqual([
      ...[messages.start.title, messages.operations.title, messages.type['PractitionerRole']?.title],
      ...[messages.type['SearchParameter']?.title, messages.rules.title, messages.modifiers.title],
      ...[messages.resultParameters.title, messages.formats.title, messages.batch.title, messages.errors.title],
      ...[messages.limits.title, messages.bulk.title],
    ]);
    expect(matchesOf(page, /<dt>([^<]*)<\/dt>/g)).toEqual([
      messages.facts.base,
      messages.facts.edition,
      messages.facts.machine,
    ]);
    expect(matchesOf(page, /<dd>(.*?)<\/dd>/gs)).toEqual([
      '<code>https://c.example/v2</code>',
      messages.facts.counts('2,000', '5', '0'),
      `<a href="/openapi.json">${messages.facts.openapi}</a> <a href="https://c.example/v2/metadata">${messages.facts.metadata}</a> <a href="https://c.example/v2/.well-known/smart-configuration">${messages.facts.smart}</a>`,
    ]);
    expect(page).toContain('<p>CHAPTERS</p>');
    expect(page).toContain('<body class="reading">');
    expect(page).not.toContain('noindex');
    expect(page.match(/<script>/g)).toHaveLength(1);
  });

  it('tells when the edition was loaded, that there is none, and hides a sandbox from search engines', () => {
    expect(rendered({ freshness: { counts, created: '2026-11-02T05:00:00.000Z' } })).toMatch(
      /<br><time datetime="2026-11-02T05:00:00.000Z">imported on .*2.November.2026/,
    );
    expect(rendered({ freshness: undefined })).toContain(`<dd>${referenceMessages('en').facts.none}</dd>`);
    const sandbox = createSite({
      issuer: 'https://c.example',
      branding: { name: 'H', colour: '#0b5f6b' },
      sandbox: true,
    });
    expect(rendered({ site: sandbox })).toContain('noindex');
    expect(rendered({ language: 'fr' })).toContain(referenceMessages('fr').lead);
  });
});
