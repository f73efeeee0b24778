// Settings of a client with what every client has, for tests of what one setting changes; and a registry of some.

import type { ClientSettings } from '#config/settings.ts';

export const clientSettings = (more: Partial<ClientSettings> = {}): ClientSettings => ({
  id: 'app',
  name: 'App',
  type: 'server',
  secretHashes: [],
  callbackUrls: [],
  logoutUrls: [],
  scopes: ['openid', 'email'],
  consent: 'ask',
  serviceAccount: false,
  ...more,
});

export const registryOf = (...all: ClientSettings[]) =>
  ({ find: (id: string) => all.find((one) => one.id === id) }) as never;
