// What the index leaves to the directory: whether a resource has an exact key, and whether it holds a text letter for letter.

import { describe, expect, it } from '@jest/globals';
import { checks } from '#directory/search/resource-checks.ts';

describe('a resource that the index found', () => {
  const hasKey = (field: string, keys: string[], resource: object) =>
    checks.hasKey('Practitioner', field, new Set(keys), JSON.stringify(resource));
  const number = { identifier: [{ system: 'urn:x', value: '1' }, { value: '2' }, { system: 'urn:y' }] };
  const turned = { identifier: [{ value: '1', system: 'urn:x' }] };
  const contact = {
    telecom: [
      { system: 'email', value: 'A@x.example' },
      { system: 'phone', value: '01 23' },
    ],
  };
  const linked = {
    partOf: { reference: 'Organization/7' },
    organization: { display: 'x', reference: 'Organization/8/_history/1' },
  };

  it.each<[string, string[], object, boolean]>([
    ['identifier', ['urn:x|1'], number, true],
    ['identifier', ['urn:y|1'], number, false],
    ['identifier', ['urn:y|1'], turned, false],
    ['identifier', ['1'], number, true],
    ['identifier', ['3'], number, false],
    ['identifier', ['|2'], number, true],
    ['identifier', ['|1'], number, false],
    ['identifier', ['3', 'urn:x|1'], number, true],
    ['telecom', ['a@x.example'], contact, true],
    ['telecom', ['0123'], contact, true],
    ['telecom', ['email|a@x.example', 'x'], contact, true],
    ['part-of', ['Organization/7'], linked, true],
    ['part-of', ['Organization/70'], linked, false],
    ['organization', ['Organization/8'], linked, true],
    ['practitioner', ['Practitioner/8'], linked, false],
    ['practitioner', ['https://x/8'], { practitioner: { display: 'x', reference: 'https://x/8' } }, true],
    ['qualification', ['anything'], {}, true],
    ['toString', ['anything'], {}, true],
  ])('in %s, by %j, of %j: %s', (field, keys, resource, has) => {
    expect(hasKey(field, keys, resource)).toBe(has);
  });

  const person = {
    name: [{ family: 'Le Gall', given: ['Anne', 'Zo\u00e9'] }, { text: 'A. L.' }, { family: 'X', text: 'no' }],
  };
  const structure = { name: 'CHU', alias: ['H\u00f4pital'] };
  const placed = {
    address: [{ line: ['1 rue', 'B\u00e2t A'], city: 'Paris', postalCode: '75002', text: 'no' }, { text: 'Lyon' }],
  };
  it.each<[string, string[], object, boolean]>([
    ['name', ['Le Gall'], person, true],
    ['name', ['Anne'], person, true],
    ['name', ['A. L.'], person, true],
    ['name', ['no'], person, false],
    ['name', ['le gall'], person, false],
    ['name', ['x', 'Zoe\u0301'], person, true],
    ['name', ['Zo\u00e9\u200b'], person, true],
    ['family', ['Le Gall'], person, true],
    ['family', ['Anne'], person, false],
    ['given', ['Anne'], person, true],
    ['given', ['CHU'], structure, false],
    ['name', ['CHU'], structure, true],
    ['name', ['H\u00f4pital'], structure, true],
    ['address', ['1 rue'], placed, true],
    ['address', ['Paris'], placed, true],
    ['address', ['Lyon'], placed, true],
    ['address', ['no'], placed, false],
    ['address-city', ['Paris'], placed, true],
    ['address-city', ['75002'], placed, false],
    ['address-postalcode', ['75002'], placed, true],
    ['telecom', ['A@x.example'], contact, true],
    ['telecom', ['email'], contact, false],
    ['active', ['Paris'], placed, false],
  ])('in %s, letter for letter by %j, of %j: %s', (field, texts, resource, has) => {
    expect(checks.hasText(field, texts, JSON.stringify(resource))).toBe(has);
  });
});
