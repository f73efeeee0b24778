// A PostgreSQL that refuses the service: what the operator reads. The server is a few bytes of its protocol (section 54.7, "Message
// Formats"), so that each refusal comes as the real one sends it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { newFolder } from '#support/new-folder.ts';

const place = installation();
const hygie = inProcess(place);
const folder = newFolder();
let server: Server;
let converse: (socket: Socket) => void = (socket) => void socket.destroy();
let certificate: { key: Buffer; cert: Buffer } | undefined;
beforeAll(async () => {
  certificate = selfSigned();
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => converse(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => {
  server.close();
});

/** For another name than that of the server; undefined on a machine without openssl. */
function selfSigned() {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=other.example'];
  try {
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } catch {
    return undefined;
  }
}

/** ErrorResponse with severity, code and message. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

async function told(parameters: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const env = { DATABASE_URL: `postgres://hygie:hunter2@127.0.0.1:${port}/hygie${parameters}` };
  const { code, stderr } = await hygie(['migrate'], { env });
  expect(code).toBe(1);
  expect(stderr).not.toContain('hunter2');
  return stderr;
}

const withTls = (socket: Socket) => {
  socket.write('S');
  new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
};

describe('operations.md: DATABASE_URL, a server that refuses', () => {
  it.each([
    ['28000', 'no pg_hba.conf entry for host "10.0.0.7", no encryption', /add \?sslmode=verify-full/],
    ['53300', 'sorry, too many clients already', /Lower database\.connections.*max_connections/],
    ['28P01', 'password authentication failed for user "hygie"', /mend the user or the password in DATABASE_URL/],
    ['3D000', 'database "hygie" does not exist', /create it \(create database/],
    ['42501', 'permission denied for schema public', /Remedy: make the user of DATABASE_URL the owner/],
  ])('%s %s', async (code, message, remedy) => {
    converse = (socket) => socket.end(refusal(code, message));
    const text = await told('');
    expect(text).toContain(`(${code}): ${message}`);
    expect(text).toMatch(remedy);
  });

  it('one without TLS, where sslmode asks for it', async () => {
    converse = (socket) => socket.write('N');
    expect(await told('?sslmode=require')).toMatch(/does not support SSL[\s\S]*Remedy: switch TLS on.*sslmode=disable/);
  });

  it('one whose certificate nobody known has signed, or is for another name (needs openssl)', async () => {
    if (!certificate) return;
    converse = withTls;
    expect(await told('?sslmode=require')).toMatch(/SELF_SIGNED[\s\S]*Remedy: .*sslrootcert=.*NODE_EXTRA_CA_CERTS/);
    const trusted = `?sslmode=verify-full&sslrootcert=${join(folder, 'cert.pem')}`;
    expect(await told(trusted)).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID[\s\S]*Remedy: write the host of DATABASE_URL/);
  });
});
