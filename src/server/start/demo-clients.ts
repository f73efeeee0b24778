// The client of the demo application. It is registered in a sandbox, and in development, where its secret lasts for one start.

import { createHmac } from 'node:crypto';
import { DEMO_CLIENT_ID } from '#config/built-in-clients.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { demoPaths, demoScope } from '#demo/paths.ts';
import type { DemoOptions } from '#demo/router.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret, type ScryptCost } from '#shared/crypto/secret-hash.ts';

/** The variable by which worker processes of one service share the demo's secret. */
const SECRET_VARIABLE = 'DEMO_CLIENT_SECRET';

interface DemoClients {
  clients: ClientSettings[];
  /** The credentials of the demo's client, and the people as whom visitors can sign in. */
  options: Omit<DemoOptions, 'issuer' | 'failed'>;
}

/** Returns the client of the demo, with addresses below the issuer. `cost` is the cost of hashing its secret. */
export async function demoClients(
  settings: Pick<Settings, 'issuer' | 'sandbox' | 'keys'>,
  cost: ScryptCost = CLIENT_SECRET_COST,
): Promise<DemoClients> {
  const { issuer } = settings;
  const secret = process.env[SECRET_VARIABLE] ?? newSecret(settings);
  process.env[SECRET_VARIABLE] = secret;
  return {
    options: {
      server: { clientId: DEMO_CLIENT_ID, clientSecret: secret },
      accounts: DEMO_ACCOUNTS.map(({ email, name, note }) => ({ login: email, password: DEMO_PASSWORD, name, note })),
    },
    clients: [
      {
        id: DEMO_CLIENT_ID,
        name: 'Mirabelle',
        type: 'server',
        secretHashes: [await hashSecret(secret, cost)],
        homeUrl: `${issuer}${demoPaths.start}`,
        callbackUrls: [`${issuer}${demoPaths.callback}`],
        logoutUrls: [`${issuer}${demoPaths.start}`],
        scopes: demoScope.split(' '),
        consent: 'ask',
        serviceAccount: false,
        // By default, the service sends logout tokens only to public addresses, and in development also to loopback addresses. This address
        // is below the issuer: in development it is a loopback address, in a sandbox a public one.
        backchannelLogoutUrl: `${issuer}${demoPaths.backchannelLogout}`,
      },
    ],
  };
}

/** Loads the demo with its clients. It is loaded only here, because it needs packages that nothing else needs. */
export async function openDemo(...[settings, cost]: Parameters<typeof demoClients>) {
  const { demoRouter } = await import('#demo/router.ts');
  const { clients, options } = await demoClients(settings, cost);
  return { clients, options: { ...options, router: demoRouter } };
}

/**
 * Makes the secret of the demo. In a sandbox, it is the same in all instances, because the demo calls its own service, and another instance
 * may answer.
 */
function newSecret({ sandbox, keys }: Pick<Settings, 'sandbox' | 'keys'>): string {
  const [secret] = keys.secrets;
  if (!sandbox || secret === undefined) return newClientSecret().secret;
  return createHmac('sha256', secret).update(SECRET_VARIABLE).digest('base64url');
}
