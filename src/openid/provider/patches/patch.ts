// The declaration of each patch of oidc-provider.

import type { Provider } from 'oidc-provider';

export interface Patch {
  /** Name of its file. */
  name: string;
  /** The function that it replaces, as a path from the provider. */
  member: string;
  /** Number of parameters of that function, before the first one with a default. */
  parameters: number;
  apply(provider: Provider): void;
}
