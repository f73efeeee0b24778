// The text of a resource comes out of a snapshot as it went in: packing is never seen.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repeated } from '../../src/search-index/snapshot.ts';
import { unpackText } from '../../src/search-index/text-dictionary.ts';
import { createTextPacker, type TextPacker } from '../../src/search-index/write/dictionary-encoder.ts';
import '../support/seed.ts';

const json = fc.dictionary(
  fc.string({ unit: 'binary' }).map((name) => `x${name}`),
  fc.jsonValue({ maxDepth: 4 }),
  {
    maxKeys: 8,
    noNullPrototype: true,
  },
);

const pack = (packer: TextPacker, resource: Record<string, unknown>) => packer.pack(resource).toString();

function unpacked(packed: string, texts: readonly string[]): unknown {
  return JSON.parse(`{"resourceType":"T","id":"1"${unpackText(packed, texts)}`);
}

describe('packed texts', () => {
  it('unpack to the same JSON, whatever it holds, with and without repeated parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, fc.boolean()), { maxLength: 30 }), (resources) => {
        const packer = createTextPacker();
        for (const [resource, again] of resources) {
          if (again)
            for (const part of Object.values(resource)) if (typeof part === 'object' && part !== null) repeated(part);
          const packed = pack(packer, { resourceType: 'T', id: '1', ...resource });
          expect(unpacked(packed, packer.texts)).toEqual({
            resourceType: 'T',
            id: '1',
            ...JSON.parse(JSON.stringify(resource)),
          });
        }
      }),
    );
  });

  it('go on when there are no marks left', () => {
    const packer = createTextPacker();
    const all = Array.from({ length: 13_000 }, (_, at) => repeated({ code: `code-${at}` }));
    const packed = all.map((part) => pack(packer, { part, use: 'work' }));
    expect(packer.texts.length).toBeLessThan(13_000);
    packed.forEach((text, at) => {
      expect(unpacked(text, packer.texts)).toMatchObject({ part: { code: `code-${at}` }, use: 'work' });
    });
  });

  it('are the same for the same resource in the next edition, and shorter than the JSON', () => {
    const resource = () => ({ identifier: [{ use: 'official', system: 'urn:oid:1.2.3', value: '42' }], active: true });
    const first = createTextPacker();
    const before = pack(first, resource());
    const second = createTextPacker(first.texts);
    pack(second, { other: 'thing' });
    expect(pack(second, resource())).toBe(before);
    expect(before.length).toBeLessThan(JSON.stringify(resource()).length / 3);
  });

  it('are the same from a packer that learned and from one that adopted what it learned', () => {
    const resource = fc.record({
      use: fc.constantFrom('work', 'home', 'é'),
      city: fc.string(),
      code: fc.array(
        fc.constantFrom(...['a', 'b', 'c'].map((code) => repeated({ coding: [{ code, system: 'urn:x' }] }))),
      ),
    });
    fc.assert(
      fc.property(fc.array(resource, { minLength: 40, maxLength: 60 }), fc.array(resource), (before, after) => {
        const learner = createTextPacker();
        for (const one of before) learner.pack(one);
        learner.settle();
        const follower = createTextPacker();
        follower.settle(learner.texts);
        for (const one of after.reverse()) {
          const packed = pack(follower, one);
          expect(packed).toBe(pack(learner, one));
          expect(unpacked(packed, follower.texts)).toEqual({ resourceType: 'T', id: '1', ...one });
        }
      }),
    );
  });
});
