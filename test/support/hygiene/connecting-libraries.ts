// A program: has libraries open the connections that they open by themselves, where their callers do nothing against it, and its last line
// says how many came to a trap. Every one of them has to be refused by the recorder that it is started with (`connections.ts`).

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { createTransport } from 'nodemailer';
import { Provider } from 'oidc-provider';
import { androidKeyStatement, attested } from '#support/webauthn/attestation.ts';
import { softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

let connections = 0;
const trap = createServer((_req, res) => res.end()).on('connection', () => {
  connections += 1;
});
await new Promise<void>((done) => trap.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
const origin = 'http://localhost';

async function newPasskey(): Promise<unknown> {
  const challenge = Buffer.alloc(32, 7).toString('base64url');
  const { answer, passkey } = softwareAuthenticator(origin).create({ challenge, user: { id: 'dXNlcg' } } as never);
  const statement = await androidKeyStatement(answer, passkey, `${address}/crl`);
  const response = JSON.parse(attested(answer, 'android-key', statement));
  const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: 'localhost' };
  return verifyRegistrationResponse({ response, ...expected });
}

async function mail(): Promise<unknown> {
  const attachments = [{ filename: 'a', href: `${address}/attachment` }];
  return createTransport({ streamTransport: true, buffer: true }).sendMail({
    from: 'a@b.example',
    to: 'c@d.example',
    attachments,
  });
}

async function client(): Promise<unknown> {
  const pairwise = { subject_type: 'pairwise', sector_identifier_uri: 'https://sector.example/callbacks.json' };
  const registered = { client_id: 'a', client_secret: 'b', redirect_uris: ['https://a.example/callback'], ...pairwise };
  const settings = { clients: [registered], subjectTypes: ['public', 'pairwise'], pairwiseIdentifier: () => 'c' };
  return new Provider(origin, settings as never).Client.find('a');
}

for (const provoke of [newPasskey, mail, client]) await provoke().catch(() => undefined);
trap.close();
process.stdout.write(`${connections} connections\n`);
