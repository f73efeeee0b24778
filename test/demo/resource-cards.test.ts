// The reading of directory resources that both applications of the demo share: what a card says, and how much of a list.

import { describe, expect, it } from '@jest/globals';
import { inShort, organizationCard } from '#demo/browser/resource-cards.js';

describe('a card of the demo', () => {
  it('names the two numbers of one register by their own names: SIRET for a site, SIREN for a company', () => {
    const identifier = ['99439971500014', '994399715'].map((value) => ({ system: 'https://sirene.fr', value }));
    const { identifiers } = organizationCard({ resourceType: 'Organization', identifier });
    expect(identifiers).toEqual(['SIRET\u00a099439971500014', 'SIREN\u00a0994399715']);
  });

  it.each([
    [[], [], ''],
    [['a', 'b', 'c'], ['a', 'b', 'c'], ''],
    [['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c'], '+ 2'],
  ])('shows three of a list and says how many more there are: %j', (values, first, more) => {
    expect(inShort(values)).toEqual({ first, more });
  });
});
