// Directory data, section 2: ids are stable for ever, and check digits follow Luhn, with the letters of Corsica.

import { describe, expect, it } from '@jest/globals';
import { numberContact } from '#import/mapping/contact-points.ts';
import { idFrom, shortHash } from '#import/mapping/resource-ids.ts';
import { nationalNumber } from '#search-index/exact-keys.ts';

describe('directory data 2: ids', () => {
  it('are the value itself when FHIR allows it, else the same hash for ever', () => {
    expect(idFrom('819000000018', 'p-')).toBe('819000000018');
    expect(idFrom('3/1234567', 'p-')).toBe('p-b66966b600ab1d2fc97f54cce0c9dc0a');
    expect(idFrom('a'.repeat(65), 'o-')).toMatch(/^o-[0-9a-f]{32}$/);
    expect(idFrom('été', 'o-')).not.toBe(idFrom('ete', 'o-'));
  });

  it('of roles never change: this one is fixed by this test', () => {
    expect(shortHash('R20000000000001|L|GENR01|FON-01|A')).toBe('1whypi40ttl40h');
  });
});

describe('directory data 2: telephones and communes', () => {
  it.each([
    ['0381385454', '0381385454'],
    ['09 84 30 21 12', '0984302112'],
    ['+33684120833', '0684120833'],
    ['+33 (0)6 84 12 08 33', '0684120833'],
    ['0033684120833', '0684120833'],
    ['+41 22 310 12 12', '0041223101212'],
    ['15', '15'],
  ])('%s is %s', (published, national) => expect(nationalNumber(published)).toBe(national));

  it.each(['0000', '0', '-', '9999999999'])('%s means nothing', (number) =>
    expect(numberContact('phone', number)).toBe('meaningless'),
  );
});
