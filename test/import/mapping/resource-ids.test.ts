// Directory data, section 2: ids are stable for ever, and check digits follow Luhn, with the letters of Corsica.

import { describe, expect, it } from '@jest/globals';
import { communeCode } from '#import/mapping/addresses.ts';
import { numberContact } from '#import/mapping/contact-points.ts';
import { idFrom, luhnValid, shortHash } from '#import/mapping/resource-ids.ts';
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

describe('directory data 2: check digits', () => {
  it.each(['19000000018', '99020264000019', '990202640', '494000029', '2A4000028', '35600000000048', '35600000049837'])(
    '%s is right',
    (number) => expect(luhnValid(number)).toBe(true),
  );
  it.each(['19000000017', '99020264000018', '494000020', '2B4000028', 'AB-12'])('%s is wrong', (number) =>
    expect(luhnValid(number)).toBe(false),
  );
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

  it.each([
    ['69', '383', '69383'],
    ['2A', '004', '2A004'],
    ['9D', '411', '97411'],
    ['974', '411', '97411'],
    ['99', '12', ''],
  ])('department %s and commune %s are %s', (department, commune, code) =>
    expect(communeCode(department, commune)).toBe(code),
  );
});
