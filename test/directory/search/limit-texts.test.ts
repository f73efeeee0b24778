// SEC-54: what a search beyond a limit is told, word for word, and what one within it is not.

import { describe, expect, it } from '@jest/globals';
import { ORGANIZATION } from '#directory/resources/organization.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { PRACTITIONER } from '#directory/resources/practitioner.ts';
import { PRACTITIONER_ROLE } from '#directory/resources/practitioner-role.ts';
import { issuesOf } from './understanding.ts';

const times = (count: number, text: (at: number) => string, separator: string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(separator);

describe('SEC-54 the text of a limit, from both sides', () => {
  const LONG = 'error too-long - A search takes 1600 bytes of criteria at most: split it.';
  it.each<[string, ParameterTable, (count: number) => string, number, string[]]>([
    [
      'values of a parameter',
      PRACTITIONER,
      (count) => `identifier=${times(count, String, ',')}`,
      100,
      ['error too-costly http.identifier identifier takes 100 values at most: split the search.'],
    ],
    [
      'characters of a value',
      PRACTITIONER,
      (count) => `name=${'a'.repeat(count)}`,
      256,
      ['error too-long http.name name takes values of 256 characters at most.'],
    ],
    [
      'words of a value',
      PRACTITIONER,
      (count) => `address=${times(count, () => 'a', '+')}`,
      24,
      ['error too-costly http.address address takes 24 words in one value at most.'],
    ],
    [
      'words of a search',
      PRACTITIONER,
      (count) => times(count / 4, () => 'address=a+a+a+a', '&'),
      60,
      ['error too-costly - A search takes 60 words in all at most: split it.'],
    ],
    [
      'words behind chains',
      PRACTITIONER_ROLE,
      (count) => times(count / 12, (at) => `organization.address=${times(12, () => 'a', '+')}${at}`, '&'),
      60,
      ['error too-costly - A search takes 60 words in all at most: split it.'],
    ],
    [
      'parameters',
      PRACTITIONER,
      (count) => times(count, () => 'address=a', '&'),
      40,
      ['error too-costly - A search takes 40 parameters at most: split it.'],
    ],
    [
      'chains',
      PRACTITIONER_ROLE,
      (count) => times(count, (at) => `practitioner.name=ab${at}`, '&'),
      8,
      ['error too-costly - A search takes 8 chains at most: split it.'],
    ],
    [
      'circles',
      ORGANIZATION,
      (count) => `near=${times(count, (at) => `4${at}|6`, ',')}`,
      5,
      ['error too-costly http.near A search takes 5 circles in all at most: split it.'],
    ],
    [
      'bytes of names and values',
      PRACTITIONER,
      (count) => `${times(6, () => `name=${'a'.repeat(246)}`, '&')}&name=${'a'.repeat(count - 1517)}`,
      1600,
      [LONG],
    ],
  ])('%s', (_what, table, query, most, issues) => {
    const step = /words of a search/.test(_what) ? 4 : /chains$/.test(_what) && most === 60 ? 12 : 1;
    expect(issuesOf(table, query(most))).toEqual([]);
    expect(issuesOf(table, query(most + step))).toEqual(issues);
  });

  it('what stands in links counts with its encoding, and with the result parameters', () => {
    const rest = (count: number) => `address=${times(5, () => '%C3%A9'.repeat(50), ',')}&address=${'a'.repeat(count)}`;
    expect(issuesOf(PRACTITIONER, rest(71))).toEqual([]);
    expect(issuesOf(PRACTITIONER, rest(72))).toEqual([LONG]);
    expect(issuesOf(PRACTITIONER, `${rest(71)}&_count=1`)).toEqual([LONG]);
  });
});
