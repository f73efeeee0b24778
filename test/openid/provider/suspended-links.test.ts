// Specification section 2.2 "identities", SMART App Launch 2 "fhirUser" (decision 0067): applications are not told of a record that has
// left the directory, or that belongs to somebody else now, until an operator has looked; the sign-in goes on.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { checksumOfFile, createSnapshotWriter } from '#search-index/index.ts';
import { compareNow } from '#server/linked-accounts/linked-accounts.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { type KnownLinks, openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { RecordIdentity, Reference } from '#store/accounts/links/link-changes.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { activateSnapshot, readPointer, registerSnapshot } from '#store/snapshots/registry.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import {
  ALL_SCOPES,
  DEMO_ACCOUNTS,
  DEMO_PASSWORD,
  type RunningService,
  startService,
  testClients,
} from '#support/service.ts';
import { until } from '#support/until.ts';

const [{ practitioners: [MINE = ''] = [], workspaces: [WORK = ''] = [] } = {}] = DEMO_ACCOUNTS;
const SCOPE = `${ALL_SCOPES} fhirUser`;

let service: RunningService;
let passwordHash: string;

let accounts = 0;

/** A new account, as if it had been linked when others stood under the ids. */
async function linkedAs(known: Partial<Record<Reference, RecordIdentity>>) {
  const email = `linked-${++accounts}@accounts.example`;
  const linkedTo = { practitioners: ['000000000000', MINE], workspaces: ['000000000', WORK], currentWorkspace: WORK };
  const [created] = await openAccounts(service.database).create([
    { email, name: 'Somebody', passwordHash, ...linkedTo },
  ]);
  const account = created?.id ?? '';
  await store(account, { linkedAs: known, linkChanges: {} });
  await compareNow(service.database, service.settings, 'service', [account]);
  const person = createPerson(service.issuer);
  const told = async () => {
    const { tokens, configuration } = await signIn(service, {
      person,
      scope: SCOPE,
      credentials: { login: email, password: DEMO_PASSWORD },
    });
    const claims = { ...tokens.claims() } as Record<string, unknown>;
    const userinfo = await oidc.fetchUserInfo(configuration, tokens.access_token, String(claims['sub']));
    const own = `${service.settings.namespace}/userInfo`;
    // One table for both: section 2.2.
    expect(userinfo[own]).toEqual(claims[own]);
    const named = Object.entries(claims).filter(([name]) => ['given_name', 'family_name', 'fhirUser'].includes(name));
    return { ...(claims[own] as object), ...Object.fromEntries(named) };
  };
  const page = async () => (await person.visit(`${service.issuer}/account?lang=en`)).html;
  return { account, told, page };
}

async function store(account: string, state: KnownLinks) {
  const links = openAccountLinks(service.database);
  const [linked] = await links.withIds([account]);
  if (!linked) throw new Error('no account');
  await links.store([{ account: linked, ...state }]);
}

const GONE = { 'Practitioner/000000000000': { family: 'GONE' } };
const OTHER_PERSON = { [`Practitioner/${MINE}`]: { given: 'Paul', family: 'DURAND' } };
const OTHER_PLACE = { [`Organization/${WORK}`]: { name: 'X', postalCode: '00000' } };

const ALL = {
  identities: ['Practitioner/000000000000', `Practitioner/${MINE}`],
  currentWorkspaceId: `Organization/${WORK}`,
  given_name: 'Mathilde',
  family_name: 'DU CHARDEY',
};

describe('claims of an account of which an edition has changed a link', () => {
  beforeAll(async () => {
    const clients = await testClients();
    service = await startService({ clients: clients.map((client) => ({ ...client, scopes: SCOPE.split(' ') })) });
    passwordHash = await hashSecret(DEMO_PASSWORD, LOW_COST);
  });

  afterAll(() => service.stop());

  it('name what it is linked to, also what the directory has never held', async () => {
    const { told } = await linkedAs({});
    const fhirUser = `${service.settings.directory.url}/Practitioner/000000000000`;
    // On a busy machine the names may come late once (decision 0056); from then on they are remembered.
    await until(async () => 'given_name' in (await told()), 'names of the directory');
    expect(await told()).toMatchObject({ ...ALL, fhirUser });
  });

  it('lack a record that belongs to somebody else now, with its names; the page shows nothing of them', async () => {
    const { told, page } = await linkedAs(OTHER_PERSON);
    const claims = await told();
    expect(claims).toMatchObject({
      identities: ['Practitioner/000000000000'],
      currentWorkspaceId: `Organization/${WORK}`,
    });
    for (const name of ['given_name', 'family_name']) expect(claims).not.toHaveProperty(name);
    const html = await page();
    expect(html).toContain('now carries another name');
    expect(html).not.toContain('DU CHARDEY');
  });

  it('lack a record that has left, and a workspace that is another structure’s: no other one stands in for it', async () => {
    const { told, page } = await linkedAs({ ...GONE, ...OTHER_PLACE });
    const claims = await told();
    expect(claims).toMatchObject({
      identities: [`Practitioner/${MINE}`],
      fhirUser: `${service.settings.directory.url}/Practitioner/${MINE}`,
      given_name: 'Mathilde',
    });
    expect(claims).not.toHaveProperty('currentWorkspaceId');
    expect(await page()).toContain('no longer in the directory');
  });

  it('are whole again once an operator has confirmed the link, at once', async () => {
    const { account, told } = await linkedAs({ ...GONE, ...OTHER_PLACE, ...OTHER_PERSON });
    expect(await told()).not.toHaveProperty('currentWorkspaceId');
    await openAccountLinks(service.database).relink(account, (links) => ({
      ...links,
      confirmed: [`Practitioner/${MINE}`, `Organization/${WORK}`],
    }));
    await compareNow(service.database, service.settings, 'service', [account]);
    expect(await told()).toMatchObject({
      identities: [`Practitioner/${MINE}`],
      currentWorkspaceId: `Organization/${WORK}`,
    });
  });

  it('go by the edition that is served at the moment, not by the one at the start', async () => {
    const { current = '' } = await readPointer(service.database);
    const { account, told, page } = await linkedAs({});
    const change = { change: 'left', since: 'next', holdsIn: [current] } as const;
    await store(account, { linkedAs: {}, linkChanges: { [`Practitioner/${MINE}`]: change } });
    expect(await told()).toMatchObject({ identities: ['Practitioner/000000000000', `Practitioner/${MINE}`] });
    const leftDirectory = async () => (await page()).includes('no longer in the directory');
    await serve('next');
    // Token and userinfo are compared once the switch was noticed: it may happen between the two.
    await until(leftDirectory, 'the edition served now');
    expect(JSON.stringify(await told())).not.toContain(MINE);
    await activateSnapshot(service.database, current);
    await until(async () => !(await leftDirectory()), 'the edition before');
  });
});

/** Makes an empty edition the one that is served. */
async function serve(id: string): Promise<void> {
  const { database, settings } = service;
  const folder = snapshotFolder(settings.dataFolder);
  const created = new Date();
  const { file, counts, bytes } = await createSnapshotWriter({ folder, id, created, freshVersions: true }).finish();
  const checksum = await checksumOfFile(join(folder, file));
  const entry = { id, engine: 'sqlite', file, createdAt: created, editions: {}, counts, sourcesChecksum: id } as const;
  await registerSnapshot(database, { ...entry, bytes, checksum });
  await activateSnapshot(database, id);
}
