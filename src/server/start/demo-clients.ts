// The two clients of the demo relying party: registered in development only, with a secret that lasts for one start.

import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '../../../seeds/demo-accounts.ts';
import type { ClientSettings } from '../../config/settings.ts';
import { demoPaths, demoScope } from '../../demo/paths.ts';
import type { DemoOptions } from '../../demo/router.ts';
import { newClientSecret } from '../../shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret } from '../../shared/crypto/secret-hash.ts';

const DEMO_SERVER_CLIENT = 'demo-server';
const DEMO_BROWSER_CLIENT = 'demo-browser';

/** Worker processes of one service share the demo's secret through this variable. */
const SECRET_VARIABLE = 'DEMO_CLIENT_SECRET';

interface DemoClients {
  clients: ClientSettings[];
  /** The demo's credentials, and the people to sign in as. */
  options: Omit<DemoOptions, 'issuer'>;
}

/** The clients of the demo below this issuer. */
export async function demoClients(issuer: string): Promise<DemoClients> {
  const secret = process.env[SECRET_VARIABLE] ?? newClientSecret().secret;
  process.env[SECRET_VARIABLE] = secret;
  const common = {
    logoutUrls: [`${issuer}${demoPaths.start}`, `${issuer}${demoPaths.browser}`],
    scopes: demoScope.split(' '),
    consent: 'ask' as const,
    serviceAccount: false,
  };
  return {
    options: {
      server: { clientId: DEMO_SERVER_CLIENT, clientSecret: secret },
      browser: { clientId: DEMO_BROWSER_CLIENT },
      accounts: DEMO_ACCOUNTS.map(({ email, name, note }) => ({ login: email, password: DEMO_PASSWORD, name, note })),
    },
    clients: [
      {
        ...common,
        id: DEMO_SERVER_CLIENT,
        name: 'Mirabelle',
        type: 'server',
        secretHashes: [await hashSecret(secret, CLIENT_SECRET_COST)],
        callbackUrls: [`${issuer}${demoPaths.callback}`],
      },
      {
        ...common,
        id: DEMO_BROWSER_CLIENT,
        name: 'Mirabelle Web',
        type: 'browser',
        secretHashes: [],
        callbackUrls: [`${issuer}${demoPaths.browserCallback}`],
      },
    ],
  };
}
