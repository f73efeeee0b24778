// A certificate authority for one run, and a certificate of it for localhost: every client is told to trust it in its own way.

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Authority } from './driver.ts';

const run = promisify(execFile);
/** A certificate for two days, of an elliptic curve: every client here knows P-256. */
const NEW_KEY = ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-sha256'];

/** Makes both with the program `openssl`; PEM. */
export async function makeCertificates(folder: string): Promise<{ authority: Authority; key: string; cert: string }> {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args);
  const authority = { folder, certificate: at('authority.pem') };
  await openssl(
    ...[...NEW_KEY, '-x509', '-days', '2', '-subj', '/CN=Authority of an interoperability run'],
    ...['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'],
    ...['-keyout', at('authority.key'), '-out', authority.certificate],
  );
  await writeFile(at('localhost.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n');
  await openssl(...NEW_KEY, '-subj', '/CN=localhost', '-keyout', at('localhost.key'), '-out', at('localhost.csr'));
  await openssl(
    ...['x509', '-req', '-in', at('localhost.csr'), '-days', '2', '-sha256', '-extfile', at('localhost.ext')],
    ...['-CA', authority.certificate, '-CAkey', at('authority.key'), '-CAcreateserial', '-out', at('localhost.pem')],
  );
  const [key, cert] = await Promise.all([readFile(at('localhost.key'), 'utf8'), readFile(at('localhost.pem'), 'utf8')]);
  return { authority, key, cert };
}
