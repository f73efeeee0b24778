// The command `clients`: lists the clients of `clients.yaml`, and makes secrets for them (`shared/crypto/client-secret.ts`).

import { clientsAsWritten, loadClients, loadSettings } from '#config/index.ts';
import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { didYouMean } from '#shared/nearest.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { action, type Command } from './support/command.ts';
import { columns, JSON_OPTION, json } from './support/output.ts';

export const clientsCommand: Command = {
  name: 'clients',
  summary: 'Lists the client applications, and makes secrets for them',
  actions: {
    list: action({
      summary: 'Lists the client applications of clients.yaml, without their secrets',
      options: { json: JSON_OPTION },
      run: list,
    }),
    secret: action({
      summary: 'Prints a new secret of 256 random bits and its hash for clients.yaml, and stores neither',
      args: { '[ID]': 'Client in clients.yaml. The command checks that it may have a secret.' },
      options: { json: JSON_OPTION },
      text: `
The hash begins with sha256$, which is only for secrets of this command. For a secret that was chosen elsewhere, name its variable or file in clients.yaml (env, file); the service hashes it with scrypt when it reads it.

To rotate a secret without an outage, put the new hash beside the old one, give the client its new secret, and remove the old hash when the client uses the new one. Edits of clients.yaml take effect without a restart.`,
      run: (values, [id]) => secret(id, values.json === true),
    }),
  },
  examples: [['clients secret portail-patient', 'a secret, and its hash for clients.yaml']],
};

async function list(values: { json?: boolean | undefined }): Promise<void> {
  const clients = await loadClients(await loadSettings(process.env));
  if (values.json) {
    const shown = clients.map(({ secretHashes, ...client }) => ({ ...client, secrets: secretHashes.length }));
    return void process.stdout.write(json(shown));
  }
  const rows = clients.map(({ id, name, type, secretHashes, jwks, jwksUrl, scopes, callbackUrls }) => [
    id,
    name,
    type,
    jwks || jwksUrl ? 'key' : String(secretHashes.length),
    scopes.join(' '),
    callbackUrls.join(' '),
  ]);
  process.stdout.write(columns(['ID', 'NAME', 'TYPE', 'SECRETS', 'SCOPES', 'CALLBACKS'], rows));
}

async function secret(id: string | undefined, asJson: boolean): Promise<void> {
  if (id !== undefined) await requireSecretClient(id);
  const { secret: value, hash } = newClientSecret();
  if (asJson) process.stdout.write(`${JSON.stringify({ ...(id === undefined ? {} : { id }), secret: value, hash })}\n`);
  else process.stdout.write(`secret: ${value}\nhash: ${hash}\n`);
  process.stderr.write(
    'The secret is shown only once: give it to the client in a safe way. The hash belongs in clients.yaml:\n',
  );
  process.stderr.write(`    secrets:\n      - hash: "${hash}"\n`);
}

// Checks that the client may have a secret. The entries of `clients.yaml` are read without validation, because the file may have faults at
// this moment, such as a server that has no secret yet.
async function requireSecretClient(id: string): Promise<void> {
  const settings = await loadSettings(process.env);
  const written = await clientsAsWritten(settings);
  const client = written.find((entry) => entry.id === id);
  if (!client) {
    const known = written.map((entry) => entry.id);
    const remedy = didYouMean(id, known, `Run \`${hygie('clients secret')}\` without an ID for a new client.`);
    throw new Refusal(`clients.yaml has no client "${id}". ${remedy}`);
  }
  if (client.type === 'browser' || client.type === 'native') {
    throw new Refusal(
      `"${id}" is of type ${client.type}: it cannot keep a secret and uses PKCE. Only servers and apis have secrets.`,
    );
  }
  if (client.signs) {
    throw new Refusal(
      `"${id}" signs with a key of its own: it needs no secret. To give it one, remove its jwks or jwksUrl first.`,
    );
  }
}
