// The rule of each parameter in words, and when the descriptions of an edition are made anew.

import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '#directory/metadata/parameter-examples.ts';
import { createDescriptions } from '#directory/reference/descriptions.ts';
import { en } from '#directory/reference/messages/en.ts';
import type { ReferenceMessages } from '#directory/reference/messages/fr.ts';
import { ruleOf } from '#directory/reference/type-chapter.ts';
import { authorizationServer } from '#openid/provider/discovery.ts';
import type { Snapshot } from '#search-index/index.ts';
import { edition } from '#support/directory/edition.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';

const base = 'https://connect.example/directory/v2';
const namespace = 'https://connect.example';

describe('the rule of a parameter', () => {
  const messages = {
    looksAt: { name: 'names', 'Organization.name': 'names and aliases', address: 'addresses' },
    matching: { words: 'By words.', reference: 'By reference.' },
    minimum: (least: number) => `At least ${least}.`,
    oneAddress: 'One address.',
    equivalents: 'Abbreviations.',
    target: (type: string) => `To ${type}.`,
  } as unknown as ReferenceMessages;
  const parameter = {
    name: 'name',
    type: 'string',
    matching: 'words',
    documentation: 'D.',
    example: 'x',
    modifiers: [],
  };
  it.each<[string, object, string[]]>([
    ['Practitioner', { minimum: 2, equivalents: false }, ['names', 'By words. At least 2.']],
    ['Organization', { minimum: 1, equivalents: true }, ['names and aliases', 'By words. Abbreviations.']],
    ['Practitioner', { name: 'address' }, ['addresses', 'By words. One address.']],
    ['Practitioner', { matching: 'reference', target: 'Organization' }, ['names', 'By reference. To Organization.']],
    ['Practitioner', { name: 'given' }, ['D.']],
    ['Practitioner', { matching: 'token' }, ['D.']],
  ])('of %s with %j', (type, more, rule) => {
    expect(ruleOf(type, { ...parameter, ...more } as never, messages)).toEqual(rule);
  });
});

describe('the descriptions of an edition', () => {
  const describing = (
    current: () => Snapshot | undefined,
    filled = async (): Promise<Record<string, number> | undefined> => undefined,
  ) => {
    const warned: unknown[] = [];
    const describe_ = createDescriptions({
      base,
      namespace,
      version: '1',
      fictional: false,
      authorizationServer: authorizationServer('https://connect.example'),
      addresses: { base, namespace, authorizationUrl: 'A', tokenUrl: 'T', tryPage: '/try' },
      snapshots: { current, createdAt: () => '2026-11-02T05:00:00Z' },
      filled,
      log: { warn: (...line) => warned.push(line) },
    });
    return { describe_, warned };
  };
  const snapshot = scanSnapshot('one', edition());

  it('are made once for each state of it, with its figures and addresses', async () => {
    let current: Snapshot | undefined = snapshot;
    const { describe_, warned } = describing(
      () => current,
      async () => ({ 'Practitioner.name': 5 }),
    );
    const first = describe_();
    expect(describe_()).toBe(first);
    const { directory, openapi } = await first;
    const [people] = directory.types;
    expect([people?.count, people?.filled, directory.base, directory.tryPage]).toEqual([
      128,
      { name: 5 },
      base,
      '/try',
    ]);
    expect(JSON.parse(openapi)).toMatchObject({ openapi: '3.1.0', servers: [{ url: base }] });
    expect(openapi).toContain('"example":["le2026-11-02"]');
    current = { ...snapshot, state: 'one~1.0' };
    expect(describe_()).not.toBe(first);
    current = undefined;
    const { directory: fixed } = await describe_();
    expect([fixed.types[0]?.count, fixed.types[0]?.exampleId, warned]).toEqual([0, EXAMPLES.ids['Practitioner'], []]);
  });

  it('say of a mail address nothing about numbers, and of a number nothing about its case', async () => {
    const { directory } = await describing(() => snapshot).describe_();
    const { matching } = en;
    const rules = directory.types[0]?.parameters.flatMap((parameter) => {
      const [, rule] = ruleOf('Practitioner', parameter, en);
      return parameter.matching === 'contact' ? [[parameter.name, rule]] : [];
    });
    expect(rules).toEqual([
      ['telecom', matching['contact']],
      ['email', matching['email']],
      ['phone', matching['phone']],
      ['mailbox-mss', matching['mss']],
    ]);
  });

  it('have the fixed examples where the edition cannot be read, and the operator is told', async () => {
    const error = new Error('disk');
    const broken = { ...snapshot, search: () => Promise.reject(error) };
    const { describe_, warned } = describing(
      () => broken,
      () => Promise.reject(error),
    );
    const { directory } = await describe_();
    expect(directory.types[1]?.exampleId).toBe(EXAMPLES.ids['Organization']);
    expect(directory.types[0]?.filled).toEqual({});
    expect(warned).toEqual([
      [{ err: error, snapshot: 'one' }, 'no examples found in the edition: the fixed ones are shown'],
    ]);
  });
});
