// Rates and exports in service.yaml and clients.yaml.

import { describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';

const client = (more: string) => `
clients:
  - { id: a, name: A, type: browser, callbackUrls: ["https://a.example/"], ${more} }`;

describe('directory.rate and directory.downloads', () => {
  it('have defaults that a usual integration does not notice', async () => {
    const { settings } = await load({});
    expect(settings.directory).toMatchObject({ rate: { perSecond: 200, burst: 1000 }, downloads: 5 });
  });

  it('can be set, one by one, and switched off', async () => {
    const { settings } = await load({ service: 'directory: { rate: { perSecond: 0 }, downloads: 0 }' });
    expect(settings.directory).toMatchObject({ rate: { perSecond: 0, burst: 1000 }, downloads: 0 });
  });

  it.each([
    ['rate: { perSecond: -1 }', 'directory.rate.perSecond', /0 to 1000000, but is -1/],
    ['rate: { perSecond: 1.5 }', 'directory.rate.perSecond', /whole number/],
    ['rate: { burst: 0 }', 'directory.rate.burst', /1 to 1000000, but is 0/],
    ['rate: 100', 'directory.rate', /group of keys/],
    ['rate: { persecond: 5 }', 'directory.rate.persecond', /perSecond/],
    ['downloads: 101', 'directory.downloads', /0 to 100, but is 101/],
  ])('%s is an issue at its key', async (text, path, problem) => {
    const issues = await issuesOf(load({ service: `directory: { ${text} }` }));
    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toBe(path);
    expect(`${issues[0]?.problem} ${issues[0]?.remedy}`).toMatch(problem);
  });
});

describe('clients[].rate', () => {
  it('is absent unless it is given, whole', async () => {
    const without = await load({ clients: client('consent: ask') });
    expect(without.clients[0]).not.toHaveProperty('rate');
    const { clients } = await load({ clients: client('rate: { perSecond: 5, burst: 10 }') });
    expect(clients[0]?.rate).toEqual({ perSecond: 5, burst: 10 });
    const issues = await issuesOf(load({ clients: client('rate: { perSecond: 5 }') }));
    expect(issues.map(({ path }) => path)).toEqual(['clients[0].rate']);
  });
});
