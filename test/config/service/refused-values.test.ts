// config/README.md: what service.yaml may not say is named with its remedy, for each key: all of the sentences at once, as an operator reads them.

import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { isPrivateAddress, networkCheck } from '#config/networks.ts';
import { keyRows } from '#config/schema/json-schema.ts';
import { SERVICE_KEYS } from '#config/service/service-schema.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { withOwnSnapshots } from '#support/jest/own-snapshots.ts';

const VALUES = ['x', -1, 0, 1.5, true, [], { x: 1 }, '9999d', 'https://u:p@h/#f'];

/** A document with the value at each path. */
function everywhere(value: unknown): object {
  const document: Record<string, unknown> = {};
  for (const { path } of keyRows(SERVICE_KEYS)) {
    const names = path.replaceAll('[]', '').split('.');
    let place = document;
    for (const name of names.slice(0, -1)) {
      if (typeof place[name] !== 'object' || place[name] === null || Array.isArray(place[name])) place[name] = {};
      place = place[name] as Record<string, unknown>;
    }
    place[names.at(-1) ?? ''] = value;
  }
  return document;
}

describe('config/README.md: settings that are refused', () => {
  withOwnSnapshots(import.meta.filename);
  it('at every key are told what is wrong and what to do', async () => {
    /** Each sentence, with the keys that it was said of and what was found there. */
    const told = new Map<string, { keys: Set<string>; found: Set<string> }>();
    for (const value of VALUES)
      for (const { path, problem, remedy } of await issuesOf(load({ service: stringify(everywhere(value)) }))) {
        // Of a value of another kind, the remedy is the meaning of the key, as the reference has it.
        const [sentence = '', found = ''] = problem.startsWith('Must be')
          ? problem.split(/, but (?=is|has)/)
          : [`${problem} ${remedy}`];
        const all = told.get(sentence) ?? { keys: new Set<string>(), found: new Set<string>() };
        told.set(sentence, { keys: all.keys.add(path), found: all.found.add(found) });
      }
    const lines = [...told].map(
      ([sentence, { keys, found }]) => `${sentence} ${[...found].join('; ')} (${[...keys].join(' ')})`,
    );
    expect(lines).toMatchSnapshot();
  });
});

describe('SEC-61 addresses that the service does not ask on behalf of a client', () => {
  it.each([
    ['0.255.255.255', '1.0.0.0'],
    ['10.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.63.255.255'],
    ['100.127.255.255', '100.128.0.0'],
    ['127.255.255.255', '128.0.0.0'],
    ['168.63.129.16', '168.63.129.17'],
    ['169.254.255.255', '169.255.0.0'],
    ['172.31.255.255', '172.32.0.0'],
    ['172.16.0.0', '172.15.255.255'],
    ['192.0.0.255', '192.0.1.0'],
    ['192.0.2.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.98.255'],
    ['192.168.255.255', '192.169.0.0'],
    ['198.19.255.255', '198.20.0.0'],
    ['198.51.100.255', '198.51.101.0'],
    ['203.0.113.255', '203.0.114.0'],
    ['224.0.0.0', '223.255.255.255'],
    ['255.255.255.255', '192.1.0.0'],
    ['2001:1ff::', '2001:200::'],
    ['2001:db8:ffff::', '2001:db9::'],
    ['2002:ffff::', '2003::'],
    ['3fff:fff::', '3fff:1000::'],
    ['::1', '2606:4700::1'],
    ['fc00::1', '64:ff9b::808:808'],
    ['64:ff9b::a00:1', '::ffff:8.8.8.8'],
    ['::ffff:10.0.0.1', '2a00::1'],
    ['4000::', '3ffe::1'],
  ])('%s is private, and %s is not', (inside, outside) => {
    expect([isPrivateAddress(inside), isPrivateAddress(outside)]).toEqual([true, false]);
  });

  it('networks of the settings are as long as they say, and invalid ones count for nothing', () => {
    const within = networkCheck(['10.0.0.0/8', 'fd12::/16', '1.2.3.4/33', 'fd00::/129', 'x/8', '9.9.9.9']);
    const addresses = ['10.255.0.1', '11.0.0.1', 'fd12::1', 'fd13::1', '1.2.3.4', '9.9.9.9', 'x'];
    expect(addresses.map(within)).toEqual([true, false, true, false, false, false, false]);
  });
});
