// The declaration of each patch of oidc-provider.

import type { Provider } from 'oidc-provider';

export interface Patch {
  /** Name of the patch's file. */
  name: string;
  /** The replaced function, as a path from the provider. */
  member: string;
  /** Number of parameters of that function, before the first one with a default. */
  parameters: number;
  apply(provider: Provider): void;
}
