// Where the buttons lead that go back to an application: to what is registered, and nowhere else.

import { describe, expect, it } from '@jest/globals';
import { applicationOf } from '#web/pages/application-home.ts';

const clientName = 'Portail';
const redirectUris = ['https://portail.example/app/callback', 'https://other.example/callback'];

describe('SEC-03 the way back to an application', () => {
  it.each([
    ['its home page', { clientUri: 'https://home.example/app', redirectUris }, undefined, 'https://home.example/app'],
    ['the origin of the callback used', { redirectUris }, redirectUris[1], 'https://other.example/'],
    ['the origin of the first callback', { redirectUris }, undefined, 'https://portail.example/'],
    ['no callback that is not registered', { redirectUris }, 'https://evil.example/', 'https://portail.example/'],
    ['no callback of an app', { applicationType: 'native', redirectUris }, redirectUris[0], undefined],
    ['no address of a scheme of its own', { redirectUris: ['app.example:/callback'] }, undefined, undefined],
    ['nothing that runs', { redirectUris: ['javascript:alert(1)//'] }, undefined, undefined],
    ['nowhere without a callback', {}, undefined, undefined],
  ])('%s', (_, client, callback, home) => {
    expect(applicationOf({ clientName, ...client }, callback)).toEqual({ name: clientName, ...(home && { home }) });
  });

  it('a client without a name is none', () => {
    expect(applicationOf({ redirectUris })).toBeUndefined();
  });
});
