// The certificate of an application's logout address expires: sign-outs are not held up, and it is notified once it has a new one.

import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { BOTH, type Fault } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';

let server: Server | undefined;

/** Resolves with the port. */
async function listen(site: Site): Promise<number> {
  const pair = await site.authority.issue({ from: -30, to: -1 });
  server = createServer({ cert: pair.certificate, key: pair.key }, async (req, res) => {
    site.receiver.received.push(new URLSearchParams(await text(req)));
    res.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export const certificates: Fault[] = [
  {
    name: "certificate of an application's logout address expired",
    how: 'an https receiver whose certificate ended yesterday, for 8 s; then a new one',
    on: BOTH,
    seconds: 8,
    unnoticed: true,
    ready: 200,
    log: /CERT_HAS_EXPIRED|certificate has expired/,
    make: async (site) => {
      const port = await listen(site);
      site.writeClients({ backchannelLogoutUrl: `https://localhost:${port}/logout` });
    },
    mend: async (site) => {
      const pair = await site.authority.issue({});
      server?.setSecureContext({ cert: pair.certificate, key: pair.key });
    },
    check: async (site) => {
      site.writeClients();
      server?.closeAllConnections();
      server?.close();
      return [];
    },
  },
];
