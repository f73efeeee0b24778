// The text of a resource comes out of a snapshot as it went in: packing is never seen.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTextPacker, unpackText } from '../../../src/store/directory/sqlite-texts.ts';

const json = fc.dictionary(
  fc.string({ unit: 'binary' }).map((name) => `x${name}`),
  fc.jsonValue({ maxDepth: 4 }),
  {
    maxKeys: 8,
    noNullPrototype: true,
  },
);

function unpacked(packed: string, texts: readonly string[]): unknown {
  return JSON.parse(`{"resourceType":"T","id":"1"${unpackText(packed, texts)}`);
}

describe('packed texts', () => {
  it('unpack to the same JSON, whatever it holds, with and without frozen parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(json, fc.boolean()), { maxLength: 30 }), (resources) => {
        const packer = createTextPacker();
        for (const [resource, frozen] of resources) {
          if (frozen) for (const part of Object.values(resource)) Object.freeze(part);
          const packed = packer.pack({ resourceType: 'T', id: '1', ...resource });
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
    const all = Array.from({ length: 13_000 }, (_, at) => Object.freeze({ code: `code-${at}` }));
    const packed = all.map((part) => packer.pack({ part, use: 'work' }));
    expect(packer.texts.length).toBeLessThan(13_000);
    packed.forEach((text, at) => {
      expect(unpacked(text, packer.texts)).toMatchObject({ part: { code: `code-${at}` }, use: 'work' });
    });
  });

  it('are the same for the same resource in the next edition, and shorter than the JSON', () => {
    const resource = () => ({ identifier: [{ use: 'official', system: 'urn:oid:1.2.3', value: '42' }], active: true });
    const first = createTextPacker();
    const before = first.pack(resource());
    const second = createTextPacker(first.texts);
    second.pack({ other: 'thing' });
    expect(second.pack(resource())).toBe(before);
    expect(before.length).toBeLessThan(JSON.stringify(resource()).length / 3);
  });
});
