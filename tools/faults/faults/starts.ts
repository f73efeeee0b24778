// Starts that are refused: ports that are taken, certificates that have expired, a database that is away.

import { freePort } from '#support/free-port.ts';
import { authority, writePair } from '#support/tls/certificates.ts';
import { BOTH, POSTGRESQL, type Refused, SQLITE } from '#tools/faults/fault.ts';
import type { Site } from '#tools/faults/site/site.ts';

async function start({ hygie }: Site, env: Record<string, string>) {
  const { code, stdout, stderr } = await hygie(['serve'], env);
  return { code, said: stdout + stderr };
}

const other = async () => ({ HYGIE_PORT: String(await freePort()), HYGIE_METRICS_PORT: String(await freePort()) });

export const starts: Refused[] = [
  {
    name: 'port taken',
    how: 'a second `hygie serve` with the port of the first',
    on: BOTH,
    code: 1,
    says: /it is in use; stop the other program or set HYGIE_PORT/,
    run: async (site) => start(site, { HYGIE_METRICS_PORT: String(await freePort()) }),
  },
  {
    name: 'port taken, two workers',
    how: 'the same with `HYGIE_PROCESSES=2`',
    on: SQLITE,
    code: 1,
    says: /it is in use; stop the other program or set HYGIE_PORT/,
    run: async (site) => start(site, { HYGIE_PROCESSES: '2', HYGIE_METRICS_PORT: String(await freePort()) }),
  },
  {
    name: 'port of the metrics taken',
    how: 'a second `hygie serve` with the metrics port of the first',
    on: SQLITE,
    code: 1,
    says: /it is in use; stop the other program or set HYGIE_METRICS_PORT/,
    run: async (site) => start(site, { HYGIE_PORT: String(await freePort()) }),
  },
  {
    name: 'own certificate expired at the start',
    how: '`listen.tls` with a certificate that ended yesterday',
    on: SQLITE,
    code: 1,
    says: /[Ee]xpired on .*[\s\S]*[Rr]enew/,
    run: async (site) => {
      const files = writePair(site.folder, await (await authority()).issue({ from: -30, to: -1 }));
      const tls = { HYGIE_TLS_CERTIFICATE: files.certificate, HYGIE_TLS_KEY: files.key };
      return start(site, { ...(await other()), ...tls, HYGIE_ISSUER: 'https://localhost' });
    },
  },
  {
    name: 'database away at the start',
    how: '`DATABASE_URL` leads to a port where nobody listens',
    on: POSTGRESQL,
    code: 1,
    says: /Remedy: look at the server of DATABASE_URL/,
    run: async (site) => {
      const url = new URL(site.environment['DATABASE_URL'] ?? '');
      url.port = String(await freePort());
      return start(site, { ...(await other()), DATABASE_URL: url.href });
    },
  },
];
