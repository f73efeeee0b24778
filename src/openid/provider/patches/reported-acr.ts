// Reports the authentication context of a sign-in under the name that the request insists on.
// Reason: who signed in with two factors also satisfies a client that insists on a password; the value reported must then be one
// of those that were essential, and the library always reports that of the session.
// Source: OpenID Connect Core section 5.5.1.1; node-oidc-provider lib/helpers/oidc_context.js.
// Changes: the getter OIDCContext.prototype.acr.

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Patch } from './patch.ts';

type Context = KoaContextWithOIDC['oidc'];
const reported = new WeakMap<Context, string>();

/** Lets one request report this `acr` instead of the session's. */
export function reportAcr(context: Context, acr: string): void {
  reported.set(context, acr);
}

export const reportedAcr: Patch = {
  name: 'reported-acr',
  needs: [{ member: 'OIDCContext.prototype.acr', kind: 'getter' }],
  apply: (provider) => {
    const { prototype } = (provider as unknown as { OIDCContext: { prototype: object } }).OIDCContext;
    const ofSession = Object.getOwnPropertyDescriptor(prototype, 'acr')?.get;
    Object.defineProperty(prototype, 'acr', {
      configurable: true,
      get(this: Context) {
        return reported.get(this) ?? ofSession?.call(this);
      },
    });
  },
};
