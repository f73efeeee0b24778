// The text of a resource comes out of a snapshot as it went in: its encoding is never seen.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeated } from '#search-index/snapshot.ts';
import { decodeText } from '#search-index/text-dictionary.ts';
import { createDictionaryEncoder, type DictionaryEncoder } from '#search-index/write/dictionary-encoder.ts';
import '#support/seed.ts';

const json = fc.dictionary(
  fc.string({ unit: 'binary' }).map((name) => `x${name}`),
  fc.jsonValue({ maxDepth: 4 }),
  {
    maxKeys: 8,
    noNullPrototype: true,
  },
);

const pack = (encoder: DictionaryEncoder, resource: Record<string, unknown>) => encoder.encode(resource).toString();

function unpacked(encoded: string, texts: readonly string[]): unknown {
  return JSON.parse(`{"resourceType":"T","id":"1"${decodeText(encoded, texts)}`);
}

describe('encoded texts', () => {
  it('decode to the same JSON, whatever it holds, with and without repeated parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, fc.boolean()), { maxLength: 30 }), (resources) => {
        const encoder = createDictionaryEncoder();
        for (const [resource, again] of resources) {
          if (again)
            for (const part of Object.values(resource)) if (typeof part === 'object' && part !== null) repeated(part);
          const encoded = pack(encoder, { resourceType: 'T', id: '1', ...resource });
          expect(unpacked(encoded, encoder.texts)).toEqual({
            resourceType: 'T',
            id: '1',
            ...JSON.parse(JSON.stringify(resource)),
          });
        }
      }),
    );
  });

  it('go on when there are no marks left', () => {
    const encoder = createDictionaryEncoder();
    const all = Array.from({ length: 13_000 }, (_, at) => repeated({ code: `code-${at}` }));
    const encoded = all.map((part) => pack(encoder, { part, use: 'work' }));
    expect(encoder.texts.length).toBeLessThan(13_000);
    encoded.forEach((text, at) => {
      expect(unpacked(text, encoder.texts)).toMatchObject({ part: { code: `code-${at}` }, use: 'work' });
    });
  });

  it('are the same for the same resource in the next edition, and shorter than the JSON', () => {
    const resource = () => ({ identifier: [{ use: 'official', system: 'urn:oid:1.2.3', value: '42' }], active: true });
    const first = createDictionaryEncoder();
    const before = pack(first, resource());
    const second = createDictionaryEncoder(first.texts);
    pack(second, { other: 'thing' });
    expect(pack(second, resource())).toBe(before);
    expect(before.length).toBeLessThan(JSON.stringify(resource()).length / 3);
  });

  it('are the same from an encoder that learned and from one that loaded its dictionary', () => {
    const resource = fc.record({
      use: fc.constantFrom('work', 'home', 'é'),
      city: fc.string(),
      code: fc.array(
        fc.constantFrom(...['a', 'b', 'c'].map((code) => repeated({ coding: [{ code, system: 'urn:x' }] }))),
      ),
    });
    fc.assert(
      fc.property(fc.array(resource, { minLength: 40, maxLength: 60 }), fc.array(resource), (before, after) => {
        const learner = createDictionaryEncoder();
        for (const one of before) learner.encode(one);
        learner.freeze();
        const follower = createDictionaryEncoder();
        follower.freeze(learner.texts);
        for (const one of after.reverse()) {
          const encoded = pack(follower, one);
          expect(encoded).toBe(pack(learner, one));
          expect(unpacked(encoded, follower.texts)).toEqual({ resourceType: 'T', id: '1', ...one });
        }
      }),
    );
  });
});
