// The applications of the soak, as they stand in `clients.yaml`, and edits of that file.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type ClientKey, newClientKey } from '#support/openid/keys-of-clients.ts';

export const CALLBACK = 'https://application.example/callback';
export const SIGNED_OUT = 'https://application.example/signed-out';
const SCOPES = ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'];

export interface Secret {
  secret: string;
  hash: string;
}

export interface ClientsFile {
  /** The key of the client that signs. */
  readonly key: ClientKey;
  /** What the client sends at the moment. */
  secretOf(id: SecretClient): string;
  /** Adds the secret beside the one of now; with `drop`, the one of before goes. */
  rotate(id: SecretClient, next: Secret): { use(): void; drop(): void };
  add(id: string, secret: Secret): void;
  remove(id: string): void;
  /** Writes an entry that nobody can take; `mend` puts the good file back. */
  spoil(): { mend(): void };
}

export type SecretClient = 'portail' | 'api' | 'copie';

/** Writes the file into the configuration folder. `logoutUrl`: where the server wants logout tokens. */
export function openClientsFile(
  config: string,
  { secrets, logoutUrl }: { secrets: Record<SecretClient, Secret>; logoutUrl: string },
): ClientsFile {
  const key = newClientKey('ES256');
  const current = { ...secrets };
  const hashes: Record<SecretClient, string[]> = {
    portail: [secrets.portail.hash],
    api: [secrets.api.hash],
    copie: [secrets.copie.hash],
  };
  const added = new Map<string, Secret>();
  const secretsOf = (list: readonly string[]) => list.map((hash) => ({ hash }));
  const service = { type: 'server', serviceAccount: true, directoryAccess: true, scopes: SCOPES.slice(3) };
  const callbackUrls = [CALLBACK];
  const text = () =>
    stringify({
      clients: [
        {
          id: 'portail',
          name: 'Portail patient',
          type: 'server',
          secrets: secretsOf(hashes.portail),
          callbackUrls,
          logoutUrls: [SIGNED_OUT],
          backchannelLogoutUrl: logoutUrl,
          scopes: [...SCOPES, 'offline_access'],
        },
        { id: 'annuaire', name: 'Annuaire', type: 'browser', callbackUrls, scopes: SCOPES, consent: 'trusted' },
        {
          id: 'hopital',
          name: 'Dossier hospitalier',
          type: 'server',
          profile: 'fapi2',
          jwks: { keys: [key.jwk] },
          callbackUrls,
          scopes: SCOPES,
          consent: 'trusted',
        },
        { id: 'api', name: 'Agenda', type: 'api', secrets: secretsOf(hashes.api), scopes: ['PRACTITIONER_READ'] },
        { id: 'copie', name: 'Copie', ...service, secrets: secretsOf(hashes.copie), callbackUrls },
        ...[...added].map(([id, { hash }]) => ({ id, name: id, ...service, secrets: [{ hash }], callbackUrls })),
      ],
    });
  // The file is renamed, as editors and deployment tools do, so that no instance reads half of it.
  const save = (content: string) => {
    writeFileSync(join(config, 'clients.new'), content);
    renameSync(join(config, 'clients.new'), join(config, 'clients.yaml'));
  };
  save(text());
  return {
    key,
    secretOf: (id) => current[id].secret,
    rotate(id, next) {
      hashes[id] = [current[id].hash, next.hash];
      save(text());
      return {
        use: () => {
          current[id] = next;
        },
        drop: () => {
          hashes[id] = [next.hash];
          save(text());
        },
      };
    },
    add(id, secret) {
      added.set(id, secret);
      save(text());
    },
    remove(id) {
      added.delete(id);
      save(text());
    },
    spoil() {
      save(`${text()}  - id: faulty\n    name: Faulty\n    type: sever\n    callbackUrl: http://nowhere\n`);
      return { mend: () => save(text()) };
    },
  };
}
