// The parts of the service from which the OpenID provider is made.

import type { CheckSecret } from '#openid/clients/client-secret-check.ts';
import type { ProviderKeys } from '#openid/keys/key-plan.ts';
import type { Parts } from '#openid/parts.ts';
import type { createProviderPages } from './pages.ts';

export interface ProviderOptions
  extends Pick<
    Parts,
    | ('settings' | 'log' | 'audit' | 'clients' | 'records' | 'consents' | 'accounts' | 'secondFactors' | 'pictures')
    | ('edition' | 'namesInDirectory' | 'loggedOut' | 'isShared')
  > {
  keys: ProviderKeys;
  checkSecret: CheckSecret;
  pages: ReturnType<typeof createProviderPages>;
}
