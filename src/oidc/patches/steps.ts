// Owns which of our steps around the provider's own answer a request passes: most of them have to do with one address, and all
// that a request passes in vain costs it something. Does not own what the steps do.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ROUTES } from '../routes.ts';

type Step = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/** What nearly all requests ask for, as method and path. Anything else passes all steps. */
const FREQUENT = {
  authorization: `GET ${ROUTES.authorization}`,
  token: `POST ${ROUTES.token}`,
  introspection: `POST ${ROUTES.introspection}`,
  userinfo: `GET ${ROUTES.userinfo}`,
} as const;

type Frequent = keyof typeof FREQUENT;

const concerned = new WeakMap<Step, readonly Frequent[]>();

/** Marks a step that has nothing to do with other frequent requests than these. */
export function concerning(frequent: readonly Frequent[], step: Step): Step {
  concerned.set(step, frequent);
  return step;
}

/** Lets frequent requests pass the steps alone that concern them, in their order. For a provider that has answered nothing yet. */
export function shortenWays(provider: Provider): void {
  // Koa has it, its types leave it out.
  const composing = provider as unknown as { compose(steps: readonly Step[]): Step };
  const { compose } = composing;
  composing.compose = (steps) => {
    const whole = compose(steps);
    const ways = new Map<string, Step>();
    for (const [name, request] of Object.entries(FREQUENT) as [Frequent, string][]) {
      ways.set(request, compose(steps.filter((step) => concerned.get(step)?.includes(name) ?? true)));
    }
    return (ctx, next) => (ways.get(`${ctx.method} ${ctx.path}`) ?? whole)(ctx, next);
  };
}
