// The schemas of OpenAPI: what each type consists of, in words, and of which types it speaks.

import { expect, it } from '@jest/globals';
import { REFUSALS } from '#directory/metadata/openapi/responses.ts';
import { schemasOf } from '#directory/metadata/openapi/schemas.ts';

it('of an organization and all that it consists of is this', () => {
  expect(schemasOf(['Organization'], ['Organization', 'PractitionerRole'])).toMatchSnapshot();
  expect(schemasOf(['SearchParameter'], [])['SearchParameter']).toMatchSnapshot();
  expect(REFUSALS).toMatchSnapshot();
});
