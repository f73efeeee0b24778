// SEC-72: no library opens a connection that nobody meant. The recorder of the test run (`connections.ts`) is tried on libraries that open
// some; and everything in which a stranger can name an address is sent to the service, which connects to nothing.

import { execFile } from 'node:child_process';
import dns from 'node:dns';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { smtpSender } from '#openid/mail/smtp.ts';
import { openTracing } from '#server/tracing/open-tracing.ts';
import ClosingLine from '#support/closing-line.ts';
import { recorded } from '#support/connections.ts';
import { newFolder } from '#support/new-folder.ts';
import { credentialsOf, enteredBy, openAccount } from '#support/openid/account/person-of-account.ts';
import { assertion, jwt, newClientKey, proof } from '#support/openid/keys-of-clients.ts';
import { startMailServer } from '#support/openid/mail/mail-server.ts';
import { authorizationUrl, signedInPerson, signIn } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { refused } from '#support/refusals.ts';
import { CALLBACK, type RunningService, startService, testClients } from '#support/service.ts';
import { androidKeyStatement, attested, type Statement } from '#support/webauthn/attestation.ts';
import { optionsIn, softwareAuthenticator } from '#support/webauthn/software-authenticator.ts';

const LIBRARIES = join(import.meta.dirname, '../support/hygiene/connecting-libraries.ts');

describe('SEC-72 the recorder of the test run', () => {
  it('refuses what libraries open by themselves, and fails the run', async () => {
    const folder = newFolder();
    const notes = join(folder, 'refused');
    const env = { PATH: process.env['PATH'], ...recorded(notes) };
    const { stdout } = await promisify(execFile)(process.execPath, [LIBRARIES], { env });
    expect(stdout).toBe('0 connections\n');
    expect(refused(notes).map((one) => / by node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(one)?.[1])).toEqual([
      '@simplewebauthn/server',
      'nodemailer',
      'oidc-provider',
    ]);
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const line = new ClosingLine(notes);
    const results = { numPassedTests: 1, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0 };
    line.onRunComplete([], results);
    const said = write.mock.calls.join('\n');
    write.mockRestore();
    expect(line.getLastError()?.message).toBe('3 refusals');
    expect(said).toContain('1 passed, 3 failed, 0 skipped');
  });
});

describe('SEC-72 the service connects to no address that strangers name', () => {
  /** What it must not ask: by a name, and by a number that is on this machine, where the recorder lets its tests go. */
  const ADDRESSES = ['http://127.0.0.1:9/named', 'https://named.example/x'];
  const key = newClientKey();
  const asked = new Set<string>();
  let service: RunningService;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(service.issuer + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.issuer + path, { headers, redirect: 'manual' });

  beforeAll(async () => {
    const [server, ...others] = await testClients();
    const signing = { ...server, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] }, serviceAccount: true };
    mailServer = await startMailServer({ authOptional: true, disabledCommands: ['STARTTLS'] });
    service = await startService({
      clients: [server, signing, ...others] as never,
      adjust: (settings) => {
        const issuer = settings.issuer.replace('127.0.0.1', 'localhost');
        return { ...settings, issuer, directory: { ...settings.directory, url: `${issuer}/directory/v2` } };
      },
    });
    const { connect } = Socket.prototype;
    jest.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: never[]) {
      const [{ host, port }] = [args[0]].flat() as unknown as [{ host?: string; port?: number }];
      asked.add(`${host}:${port}`);
      return Reflect.apply(connect, this, args);
    } as never);
    const { lookup } = dns;
    jest.spyOn(dns, 'lookup').mockImplementation(((host: string, ...rest: unknown[]) => {
      asked.add(host);
      return Reflect.apply(lookup, dns, [host, ...rest]);
    }) as never);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.stop();
    await mailServer.close();
  });

  /** The test and the service's own senders, of what an operator configured, are all that connects. */
  function expectNothingElse(connectedTo = new URL(service.issuer).port): void {
    const { port } = new URL(service.issuer);
    const meant = new Set([`localhost:${port}`, `127.0.0.1:${port}`, `127.0.0.1:${mailServer.port}`, 'localhost']);
    expect([...asked].filter((one) => !meant.has(one))).toEqual([]);
    expect([...asked].some((one) => one.endsWith(`:${connectedTo}`))).toBe(true);
  }

  const inHeader = (address: string) => [{ jku: address }, { x5u: address }, { jku: address, x5u: address, kid: 'x' }];

  it('in statements of authenticators', async () => {
    const device = softwareAuthenticator(service.issuer);
    const { person } = await enteredBy(service.issuer, 0);
    for (const address of ADDRESSES) {
      for (const format of ['android-key', 'android-safetynet', 'tpm', 'apple', 'packed', 'fido-u2f']) {
        const page = await openAccount(person, 0, '/account/passkeys');
        const { answer, passkey } = device.create(optionsIn(page));
        const statement: Statement = await androidKeyStatement(answer, passkey, address);
        const more = { ver: format === 'tpm' ? '2.0' : address, response: Buffer.from(jwt(key, { x5u: address }, {})) };
        for (const [name, value] of Object.entries(more)) statement.set(name, value);
        const { status } = await person.press(page, 'create-passkey', { passkey: attested(answer, format, statement) });
        expect([format, status]).toEqual([format, 200]);
      }
    }
    expectNothingElse();
  });

  it('in headers and claims of assertions, proofs, request objects and hints', async () => {
    const { issuer } = service;
    const answers: number[] = [];
    for (const header of ADDRESSES.flatMap(inHeader)) {
      const grant = { grant_type: 'client_credentials' };
      const fields = { ...assertion(key, 'signing', issuer, {}, header), ...grant };
      const url = `${issuer}/oauth/token`;
      answers.push((await post('/oauth/token', fields)).status);
      const dpop = proof(key, { method: 'POST', url }, {}, header);
      answers.push((await post('/oauth/token', { ...assertion(key, 'signing', issuer), ...grant }, { dpop })).status);
      const token = jwt(key, header, { iss: header.jku ?? header.x5u, sub: 'x', aud: 'signing', iat: 1 });
      const at = { authorization: `DPoP ${token}`, dpop: proof(key, { url: `${issuer}/userinfo`, token }, {}, header) };
      for (const path of ['/userinfo', '/directory/v2/Practitioner?name=ma'])
        answers.push((await get(path, at)).status);
      answers.push((await post('/oauth/introspect', { ...assertion(key, 'signing', issuer), token })).status);
      const signs = signingClient(key, 'signing', 'state');
      await signs.visit(service, signs.requestObject(service, {}, header));
      answers.push((await get(`/logout?${new URLSearchParams({ id_token_hint: token })}`)).status);
      answers.push(
        (await get(`/authorize?${new URLSearchParams({ client_id: 'signing', id_token_hint: token })}`)).status,
      );
    }
    expect(answers.every((status) => status < 500)).toBe(true);
    expect(answers).toContain(200);
    expectNothingElse();
  });

  it('in parameters of requests, as a client_id and as metadata', async () => {
    const person = signedInPerson(service);
    const { issuer } = service;
    for (const address of ADDRESSES) {
      const names = [
        'request_uri',
        'sector_identifier_uri',
        'logo_uri',
        'jwks_uri',
        'client_uri',
        'login_hint',
        'resource',
      ];
      const metadata = {
        jwks_uri: address,
        logo_uri: address,
        sector_identifier_uri: address,
        redirect_uris: [address],
      };
      const said: Record<string, string>[] = [
        ...names.map((name) => ({ [name]: address })),
        { registration: JSON.stringify(metadata) },
        { client_id: address },
        { redirect_uri: address },
        { claims: JSON.stringify({ id_token: { iss: { value: address } } }) },
      ];
      for (const fields of said) {
        await person.visit(authorizationUrl(service, fields));
        const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
        expect(
          (await post('/oauth/par', { ...request, ...assertion(key, 'signing', issuer), ...fields })).status,
        ).toBeLessThan(500);
      }
      const signs = signingClient(key, 'signing', 'state');
      for (const claims of [metadata, { request_uri: address }, { registration: metadata }])
        await signs.visit(service, signs.requestObject(service, claims));
      await post('/oauth/token', {
        client_id: address,
        grant_type: 'authorization_code',
        code: 'x',
        redirect_uri: address,
      });
      await get(`/logout?${new URLSearchParams({ client_id: 'server', post_logout_redirect_uri: address })}`);
    }
    expectNothingElse();
  });

  it('in searches and bodies of the directory: references, profiles and entities of XML', async () => {
    const { access_token: token } = (await signIn(service, { credentials: credentialsOf(1) })).tokens;
    const headers = { authorization: `Bearer ${token}` };
    const statuses: number[] = [];
    for (const address of ADDRESSES) {
      const searches = {
        organization: `${address}/Organization/1`,
        _profile: address,
        identifier: `${address}|1`,
        _include: address,
      };
      for (const [name, value] of Object.entries(searches)) {
        const query = new URLSearchParams({ [name]: value });
        statuses.push((await get(`/directory/v2/PractitionerRole?${query}`, headers)).status);
      }
      const entity = `<?xml version="1.0"?><!DOCTYPE p SYSTEM "${address}" [<!ENTITY e SYSTEM "${address}">]><p>&e;</p>`;
      for (const type of ['application/fhir+xml', 'application/xml']) {
        for (const path of ['/directory/v2/Practitioner/_search', '/directory/v2/Practitioner', '/oauth/token']) {
          const init = { method: 'POST', body: entity, headers: { ...headers, 'content-type': type } };
          statuses.push((await fetch(service.issuer + path, init)).status);
        }
      }
    }
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect(statuses).toContain(200);
    expectNothingElse();
  });

  it('in a mail, and with no variable of OpenTelemetry', async () => {
    const mail = mailServer.settings({ host: '127.0.0.1', security: 'none' });
    const { user: _user, password: _password, ...open } = mail;
    const sender = smtpSender(open, service.settings);
    for (const address of ADDRESSES) {
      const parts = [{ text: { href: address } }, { html: { path: address } }, { html: `<img src="${address}">` }];
      for (const part of [...parts, { subject: address }]) {
        const message = {
          to: 'a@clinic.example',
          subject: 's',
          text: 't',
          html: 'h',
          messageId: 'm@x',
          languages: ['en'],
        };
        await sender.send({ ...message, ...part } as never, AbortSignal.timeout(10_000)).catch(() => undefined);
      }
    }
    sender.close();
    expect(mailServer.received.length).toBeGreaterThan(0);
    expect(await openTracing({}, () => undefined)).toBeUndefined();
    expectNothingElse(String(mailServer.port));
  });
});
