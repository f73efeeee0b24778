// Names of tests, which belong to nobody.

import { describe, expect, it } from '@jest/globals';
import { isTestName, mayBeTest } from '#import/collect/test-names.ts';

const person = (family: string, given: string, more: { postalCode?: string; city?: string } = {}) => ({
  family,
  given,
  postalCode: '69003',
  city: 'LYON',
  ...more,
});

describe('import: names of tests', () => {
  it.each([
    person('TEST', 'TEST001'),
    person('TEST', 'Test'),
    person('TESTS', 'Doe'),
    person('NE PAS UTILISER', 'Anne'),
    person('MARTIN NE PAS UTILISER', 'Anne'),
    person('MARTIN', 'Anne (ne-pas utiliser)'),
    person('TEST3', ''),
    person('DOE', 'John'),
    person('Doe', 'JANE'),
    person('John', 'Doe'),
    person('TESTEUR2', 'Marie'),
    person('TEST', 'Marie 3'),
    person('MARTIN', 'TEST 4'),
    person('TEST', 'Marie', { postalCode: '00000' }),
    person('TEST', 'Marie', { postalCode: '99999' }),
    person('TEST', 'Marie', { city: 'TEST' }),
  ])('a test: %j', (one) => {
    expect([isTestName(one), mayBeTest(one.family, one.given)]).toEqual([true, true]);
  });

  it.each([
    person('TEST', 'Marie'),
    person('TEST', ''),
    person('', 'DOE'),
    person('DOE', 'Marie'),
    person('DOE', 'Jane Marie'),
    person('TESTARD', 'Tes'),
    person('MARTIN', 'John'),
    person('NEPAS', 'Utiliser'),
    person('DOERR', 'Jane 2'),
    person('MARTIN', 'Marie', { postalCode: '00000' }),
    person('MARTIN', 'Marie', { city: 'LA TESTE DE BUCH' }),
    person('DUPONT2', 'Jean'),
  ])('nobody’s test: %j', (one) => expect(isTestName(one)).toBe(false));

  it.each([
    ['Testard', 'Anne', true],
    ['MARTIN', 'doerte', true],
    ['PROTESTANT-LEFEVRE', 'Anne', true],
    ['ENGELSDOERFFER-X', 'Anne', true],
    ['NE PAS UTILISER', 'Anne', true],
    ['CONTEST', 'Anne', false],
    ['DUPONT', 'Théo', false],
    ['DE LA VILLARDIERE', 'Jean-Christophe', false],
    ['', '', false],
  ])('%s %s is worth a look: %s', (family, given, worth) => expect(mayBeTest(family, given)).toBe(worth));
});
