// The demo of a sandbox whose certificate is of a private authority: the page says so, and what the operator does about it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { demoRouter } from '#demo/router.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';

let issuer: Server | undefined;
beforeAll(async () => {
  const certificate = selfSigned();
  if (!certificate) return;
  issuer = createServer(certificate);
  await new Promise<void>((resolve) => issuer?.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  issuer?.close();
});

/** Undefined on a machine without openssl. */
function selfSigned() {
  const folder = newFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  try {
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch {
    return undefined;
  }
}

async function beginAt(address: string) {
  const options = { server: { clientId: 'demo', clientSecret: 'none' } };
  const app = express().use('/demo', demoRouter({ ...options, issuer: address, failed: () => {} }));
  return request(app).post('/demo/sign-in').set('Accept-Language', 'en');
}

describe('a sign-in that the demo cannot begin', () => {
  it('names the certificate that Node does not trust, and the remedy (needs openssl)', async () => {
    if (!issuer) return;
    const { status, text } = await beginAt(`https://127.0.0.1:${(issuer.address() as AddressInfo).port}`);
    expect(status).toBe(503);
    expect(text).toContain('<h1>The certificate of Hygie is not trusted</h1>');
    expect(text).toContain('NODE_EXTRA_CA_CERTS');
    expect(text).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  it('says that nobody listens there, and why', async () => {
    const { status, text } = await beginAt(`https://127.0.0.1:${await freePort()}`);
    expect(status).toBe(503);
    expect(text).toContain('<h1>Hygie does not answer</h1>');
    expect(text).toContain('ECONNREFUSED');
  });
});
