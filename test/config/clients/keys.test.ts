// The keys of clients.yaml as the schema beside it has them.

import { expect, it } from '@jest/globals';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import { schemaFile } from '#support/config/schema-file.ts';
import { shipped } from '#support/config/shipped.ts';

it('are those of the schema (npm run schemas)', () => {
  expect(JSON.parse(JSON.stringify(schemaFile(CLIENT_KEYS)))).toEqual(JSON.parse(shipped('clients.schema.json')));
});
