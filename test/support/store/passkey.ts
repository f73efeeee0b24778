// A passkey as a browser has made it, for tests that need no signature of it.

import type { NewPasskey } from '#store/accounts/factors/passkeys.ts';

export const newPasskey = (credentialId: string, more: Partial<NewPasskey> = {}): NewPasskey => ({
  credentialId,
  userHandle: credentialId,
  publicKey: 'k',
  counter: 0,
  transports: [],
  synced: true,
  aaguid: '',
  name: 'Phone',
  ...more,
});
