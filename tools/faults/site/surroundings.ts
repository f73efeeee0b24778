// What stands around every installation: a folder, the configuration, a mail server, a receiver of logout tokens, people, an authority.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { startMailServer } from '#support/openid/mail/mail-server.ts';
import { CALLBACK, DEMO_PASSWORD, SECRET, SIGNED_OUT } from '#support/service.ts';
import { authority } from '#support/tls/certificates.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import { hygie, outputOf } from '#tools/site/processes.ts';
import { startRelay } from './relay.ts';

/** So many that the audit trail keeps each of their records: beyond 120 an hour of one account it only counts them. */
const PEOPLE = 120;
/** Milliseconds after which a command is killed. */
const PATIENCE = 120_000;

export type Surroundings = Awaited<ReturnType<typeof openSurroundings>>;

/** `name` becomes part of the folder's name. */
export async function openSurroundings(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `hygie-faults-${name}-`));
  // PostgreSQL and a service without root have to get through.
  chmodSync(folder, 0o755);
  const cleanup = createCleanup();
  cleanup.later(() => rmSync(folder, { recursive: true, force: true }));
  const mail = await startMailServer({ authOptional: true });
  cleanup.later(() => mail.close());
  const mailNetwork = await startRelay(() => mail.port);
  cleanup.later(() => mailNetwork.cut());
  const receiver = await startLogoutReceiver();
  cleanup.later(() => receiver.close());
  const signer = await authority();
  const extraCertificates = join(folder, 'authority.pem');
  writeFileSync(extraCertificates, signer.certificate);
  const config = join(folder, 'config');
  mkdirSync(config);
  const hash = await hashSecret(SECRET, CLIENT_SECRET_COST);
  const writeClients = (change: Record<string, unknown> = {}) =>
    writeFileSync(
      join(config, 'clients.yaml'),
      stringify({
        clients: [
          {
            id: 'server',
            name: 'Dossier',
            type: 'server',
            consent: 'trusted',
            refreshTokens: 'always',
            secrets: [{ hash }],
            callbackUrls: [CALLBACK],
            logoutUrls: [SIGNED_OUT],
            backchannelLogoutUrl: receiver.url,
            scopes: ['openid', 'email', 'profile', 'offline_access', 'PRACTITIONER_READ'],
            ...change,
          },
        ],
      }),
    );
  writeClients();
  return {
    folder,
    config,
    cleanup,
    extraCertificates,
    writeService: (keys: Record<string, unknown>) =>
      writeFileSync(
        join(config, 'service.yaml'),
        stringify({
          outgoing: { privateNetworks: ['127.0.0.0/8'] },
          mail: { host: '127.0.0.1', port: mailNetwork.port, security: 'none', from: 'Hygie <connect@clinic.example>' },
          limits: { addressFailures: 10_000 },
          ...keys,
        }),
      ),
    /** Imports the people who sign in; resolves with their logins. */
    async addPeople(env: Record<string, string>): Promise<string[]> {
      const people = Array.from({ length: PEOPLE }, (_, number) => `person.${number}@clinic.example`);
      const passwordHash = await hashSecret(DEMO_PASSWORD);
      const lines = people.map((email) => `${email};Camille;Essai;"${passwordHash}"`);
      const file = join(folder, 'people.csv');
      writeFileSync(file, `${['email;given;family;passwordHash', ...lines].join('\n')}\n`);
      const command = ['accounts', 'import', file];
      outputOf(command, await hygie(command, { env }).ended);
      return people;
    },
    /** What every site has of it. */
    site(environment: Record<string, string>) {
      const command = (args: readonly string[], env = {}) =>
        hygie(args, { env: { ...environment, ...env }, timeout: PATIENCE }).ended;
      return {
        mail,
        mailNetwork,
        receiver,
        authority: signer,
        writeClients,
        close: cleanup.all,
        hygie: command,
        succeed: async (args: readonly string[]) => outputOf(args, await command(args)),
      };
    },
  };
}
