// Directory data, section 2: names as registers write them, and what is not the same name. Issue "registers are not compared
// with each other".

import { describe, expect, it } from '@jest/globals';
import { otherPerson, sameName } from '#import/consistency/names.ts';

const named = (text: string) => {
  const [family = '', given = ''] = text.split('/');
  return { family, given };
};

describe('import: two lines about one person', () => {
  it.each([
    ['LEFÈVRE/Hélène', 'lefevre/HELENE'],
    ['LE GALL/Jean-Pierre', 'LEGALL/JEAN PIERRE'],
    ['MARTIN-DUPONT/Jeanne', 'DUPONT/Jeanne'],
    ['MARTIN/Jeanne Marie Louise', 'MARTIN/Jeanne'],
    ['MARTIN/Pierre Jean', 'MARTIN/Jean Pierre'],
    ['MARTIN/J', 'MARTIN/Jeanne'],
    ['SCHMITT/Mohamed', 'SCHMIDT/Mohammed'],
    ['D’HERVÉ/Anne', "D'HERVE/ANNE"],
  ])('%s and %s are one name', (a, b) => {
    expect([sameName(named(a), named(b)), otherPerson(named(a), named(b))]).toEqual([true, false]);
  });

  it.each([
    ['a marriage', 'MARTIN/Jeanne', 'DUPONT/Jeanne'],
    ['another given name in use', 'MARTIN/Jeanne', 'MARTIN/Louise'],
    ['swapped columns', 'MARTIN/Jeanne', 'JEANNE/Martin'],
    ['an empty cell', 'MARTIN/Jeanne', '/Louise'],
    ['no name at all', 'MARTIN/Jeanne', '/'],
  ])('%s is another name, and not another person', (_, a, b) => {
    expect([sameName(named(a), named(b)), otherPerson(named(a), named(b))]).toEqual([false, false]);
    expect([sameName(named(b), named(a)), otherPerson(named(b), named(a))]).toEqual([false, false]);
  });

  it.each([
    ['MARTIN/Jeanne', 'DUPONT/Paul'],
    ['LE GALL/Yann', 'LE ROUX/Anne'],
    ['PAUL/Marie', 'JEAN/Paul'],
    ['ROY/Jean-Luc', 'PETIT/Jean-Marc'],
  ])('%s and %s are two people', (a, b) => {
    expect(otherPerson(named(a), named(b))).toBe(true);
    expect(otherPerson(named(b), named(a))).toBe(true);
  });
});
