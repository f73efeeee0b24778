// The command `keys`: lists, rotates, removes and encrypts signing and cookie keys. `openid/keys/key-changes.ts` carries out the changes.
// `openid/keys/key-plan.ts` decides when a key is active, published or retired.

import { setTimeout } from 'node:timers/promises';
import type { Settings } from '#config/settings.ts';
import {
  currentPlan,
  encryptionContext,
  encryptKeys,
  type KeyChange,
  type KeyVault,
  pruneKeys,
  removeKeys,
  rotateKeys,
} from '#openid/keys/key-changes.ts';
import { nextRotation } from '#openid/keys/key-plan.ts';
import {
  keyEvent,
  recordByOperator,
  SECOND_FACTORS,
  type SecondFactorsEncrypted,
} from '#server/audit/operator-audit.ts';
import { fingerprintOf } from '#server/backup/key-fingerprints.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { openKeyVault, unreadableKeys } from '#server/open-service-keys.ts';
import { DecryptionError, isEncrypted } from '#shared/crypto/encryption.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { didYouMean } from '#shared/nearest.ts';
import { hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { present } from '#shared/present.ts';
import { openSecondFactors, type SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { resealCleanUp } from '#store/audit/chain-clean-up.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { KEY_KINDS, type KeyKind, type ServiceKey } from '#store/oidc/service-keys.ts';
import { sealAnew } from '#store/snapshots/distribution.ts';
import { closedSecondFactors, reportSecondFactors } from './second-factor-encryption.ts';
import { action, type Command, flag } from './support/command.ts';
import { columns, instant, JSON_OPTION, json } from './support/output.ts';

interface Vault extends KeyVault {
  secondFactors: SecondFactors;
  /** Renews two kinds of seals with the present secret: the seal of the audit trail's last clean-up, and the seals of the snapshots. */
  reseal(): Promise<void>;
}

type Change = KeyChange | SecondFactorsEncrypted;

/**
 * Pattern of a key id that begins with a hyphen. Key ids are written in base64url, so some of them begin with a hyphen. The command line
 * must not take such an id for an option.
 */
const DASHED_ID = /^-[\w-]{15}$/;

export const keysCommand: Command = {
  name: 'keys',
  summary: 'Lists, rotates, removes and encrypts signing and cookie keys, without an outage',
  actions: {
    list: action({
      summary: 'Lists every key, and says how the secrets of second factors are stored',
      options: { json: JSON_OPTION },
      text: 'A key is waiting (published, but not used yet), active, retired (its signatures are still valid) or done.',
      run: ({ json: asJson }) =>
        withKeys(async (vault, settings) => void (await list(vault, settings, asJson)), false, { writes: false }),
    }),
    rotate: action({
      summary: 'Makes a new key of each kind, or of the given kinds',
      args: { '[KIND]...': `Kinds: ${KEY_KINDS.join(', ')}.` },
      options: {
        now: flag(
          'Uses the new key as soon as every running instance publishes it, which takes three seconds. Relying parties that keep their key set refuse sign-ins until they fetch it again.',
        ),
        json: JSON_OPTION,
      },
      text: 'A new key is published at once. It is used when no relying party can still have an older key set in its cache (keys.cachedFor in service.yaml). The service also rotates keys by itself (keys.rotateAfter).',
      run: (values, kinds) => withKeys((vault) => rotate(vault, kinds, values.now), values.json),
    }),
    prune: action({
      summary: 'Removes the keys that are done, as the service does by itself, or the keys with the given ids',
      args: {
        '[ID]...':
          'Removes these keys, even if their signatures are still valid. Use it for a key that others may have seen, after `keys rotate --now`. An active key is never removed.',
      },
      options: { json: JSON_OPTION },
      dashed: DASHED_ID,
      run: (values, ids) => withKeys((vault) => prune(vault, ids), values.json),
    }),
    encrypt: action({
      summary: 'Encrypts all keys and all secrets of second factors in the database, in one transaction',
      options: { json: JSON_OPTION },
      text: `
The secret is HYGIE_KEY_SECRET, or in the file that HYGIE_KEY_SECRET_FILE names. Without both, it is in the file key-secret in HYGIE_DATA, which the first start creates. To change from that file to the variable, set the variable, restart, encrypt, and delete the file.

To change the secret without an outage, set HYGIE_KEY_SECRET to the new one and HYGIE_KEY_SECRET_OLD to the old one, restart the instances, encrypt, then remove HYGIE_KEY_SECRET_OLD. Keep the old secret elsewhere for as long as you keep earlier backups: only this secret opens them.`,
      run: (values) => withKeys(encrypt, values.json),
    }),
  },
  examples: [
    ['keys rotate', 'all keys, without an outage'],
    ['keys rotate RS256 --now', 'after a leak; then `keys prune ID` of the old key'],
  ],
};

/** Opens the keys, runs `work` on them, and records the changes in the audit trail. With `asJson`, prints the changes too. */
async function withKeys(
  work: (vault: Vault, settings: Settings) => Promise<Change[] | undefined>,
  asJson = false,
  { writes = true } = {},
): Promise<void> {
  await withCurrentDatabase(
    async (database, settings) => {
      const vault = openKeyVault(database, settings);
      const secondFactors = openSecondFactors(database, vault.encryption);
      const reseal = async () => {
        const seals = await openSeals(settings.keys.secrets);
        await resealCleanUp(database, seals);
        await sealAnew(database, seals);
      };
      const changes = await work({ ...vault, secondFactors, reseal }, settings);
      const done = changes?.filter(({ what }) => what !== 'waits') ?? [];
      await recordByOperator(database, settings.keys, done.map(keyEvent));
      if (changes && asJson) process.stdout.write(json(changes.map(shownChange)));
    },
    { writes },
  );
}

async function list(vault: Vault, settings: Settings, asJson = false): Promise<void> {
  const plan = await currentPlan(vault);
  let closed: DecryptionError | undefined;
  const keys = await Promise.all(
    plan.map(async (key) => {
      const { id, kind, state, createdAt, activeAt, neededUntil, material } = key;
      const error = await decryptionErrorOf(vault, key);
      closed ??= error;
      const isNewest = plan.find((one) => one.kind === kind)?.id === id;
      const due = isNewest ? nextRotation(plan, kind, settings.keys.rotateAfter) : undefined;
      return present({
        id,
        kind,
        state,
        createdAt: instant(createdAt),
        activeAt: instant(activeAt),
        neededUntil: neededUntil === undefined ? undefined : instant(neededUntil),
        rotatesAt: due === undefined ? undefined : instant(due),
        encrypted: isEncrypted(material),
        opens: error === undefined,
      });
    }),
  );
  if (closed) for (const reason of unreadableKeys(closed).reasons) printNotice(reason);
  reportSecondFactors(await vault.secondFactors.atRest(), settings.keys.secrets);
  if (asJson) return void process.stdout.write(json(keys));
  const rows = keys.map((key) => [
    key.kind,
    key.id,
    key.state,
    key.createdAt,
    key.activeAt,
    key.neededUntil ?? '',
    storedText(key),
  ]);
  if (keys.length === 0) printNotice('There is no key yet: the first start makes them.');
  process.stdout.write(columns(['KIND', 'ID', 'STATE', 'CREATED', 'USED FROM', 'NEEDED UNTIL', 'STORED'], rows));
  const next = keys
    .flatMap(({ rotatesAt }) => rotatesAt ?? [])
    .sort()
    .at(0);
  // A backup names the secret that it needs by its fingerprint. The operator can compare that fingerprint with the printed ones.
  const fingerprints = await Promise.all(settings.keys.secrets.map(fingerprintOf));
  if (fingerprints.length > 0) printNotice(`Fingerprint of the secret: ${fingerprints.join('; of the one before: ')}`);
  if (settings.keys.rotateAfter === 0) printNotice('No rotation by schedule: keys.rotateAfter is never.');
  else if (next !== undefined) printNotice(`Next rotation by schedule (keys.rotateAfter): ${next}`);
  const [waiting] = keys.flatMap(({ kind, state, activeAt }) =>
    kind !== 'cookies' && state === 'waiting' ? activeAt : [],
  );
  if (settings.keys.rotateAfter === 0 && waiting === undefined) return;
  printNotice(
    `Warning: an application that keeps a copy of the key set (LemonLDAP::NG by default) refuses sign-ins ${waiting === undefined ? 'after a rotation' : `from ${waiting} on`}. Remedy: docs/relying-parties.md, "A stored key set"`,
  );
}

function storedText({ opens, encrypted }: { opens: boolean; encrypted: boolean }): string {
  if (!opens) return 'encrypted, not opened by the present secret';
  return encrypted ? 'encrypted' : 'plain';
}

async function decryptionErrorOf({ encryption }: KeyVault, key: ServiceKey): Promise<DecryptionError | undefined> {
  try {
    await encryption.decrypt(key.material, encryptionContext(key));
    return undefined;
  } catch (error) {
    if (error instanceof DecryptionError) return error;
    throw error;
  }
}

async function rotate(vault: KeyVault, names: readonly string[], now = false): Promise<KeyChange[]> {
  const kinds = names.length === 0 ? KEY_KINDS : names.map(kindNamed);
  // The new keys are encrypted with the present secret. The present secret must also decrypt the existing keys, so that the database does
  // not hold keys of different secrets.
  await decryptAll(vault);
  const changes = await rotateKeys(vault, kinds, now);
  // With `--now`, the command waits until the new keys are in use. Only then can the next command remove the earlier keys.
  if (now) {
    const waits = changes.map(({ activeAt = 0 }) => activeAt - epochSeconds());
    await setTimeout(Math.max(0, ...waits) * 1000);
  }
  for (const { what, kind, id, activeAt = 0 } of changes) {
    const stage = what === 'waits' ? 'waits already, and is used' : 'is published, and used';
    printNotice(`${kind}: ${id} ${now ? 'is used from now on' : `${stage} from ${instant(activeAt)}`}`);
  }
  return changes;
}

async function prune(vault: KeyVault, ids: readonly string[]): Promise<KeyChange[]> {
  if (ids.length === 0) {
    const changes = await pruneKeys(vault);
    printNotice(changes.length === 0 ? 'No key is done.' : `Removed: ${changes.length}.`);
    return changes;
  }
  const plan = await currentPlan(vault);
  const gone = ids.map((id) => {
    const key = plan.find((known) => known.id === id);
    if (!key) throw new Refusal(`There is no key "${id}". See: ${hygie('keys list')}`);
    if (key.state === 'active') {
      throw new Refusal(`"${id}" is in use. Remedy: run \`${hygie`keys rotate ${key.kind} --now`}\` first.`);
    }
    return key;
  });
  const changes = await removeKeys(vault, gone);
  printNotice(`Removed: ${changes.length}.`);
  return changes;
}

async function encrypt(vault: Vault, settings: Settings): Promise<Change[]> {
  if (settings.keys.secrets.length === 0) {
    const remedy = 'Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE); a good one: openssl rand -base64 32';
    throw new Refusal(['No secret is set to encrypt the keys with.', remedy]);
  }
  // Checks that the present secret decrypts all keys and all second-factor secrets, before any of them is changed.
  await decryptAll(vault);
  const { closed } = await vault.secondFactors.atRest();
  if (closed.length > 0) throw closedSecondFactors(closed);
  const count = await vault.secondFactors.encryptAll();
  const changes = await encryptKeys(vault);
  await vault.reseal();
  printNotice(changes.length === 0 ? 'Every key is encrypted with this secret.' : `Encrypted: ${changes.length}.`);
  if (count === 0) return changes;
  printNotice(`Encrypted secrets of second factors: ${count}.`);
  return [...changes, { what: 'encrypted', kind: SECOND_FACTORS, count }];
}

async function decryptAll({ keys, encryption }: KeyVault): Promise<void> {
  const stored = await keys.list();
  try {
    await Promise.all(stored.map((key) => encryption.decrypt(key.material, encryptionContext(key))));
  } catch (error) {
    throw error instanceof DecryptionError ? unreadableKeys(error) : error;
  }
}

function kindNamed(name: string): KeyKind {
  const kind = KEY_KINDS.find((known) => known.toLowerCase() === name.toLowerCase());
  if (kind) return kind;
  const remedy = didYouMean(name, KEY_KINDS, `Known: ${KEY_KINDS.join(', ')}.`);
  throw new UsageError(`Unknown kind of key "${name}". ${remedy}`);
}

function shownChange(change: Change): object {
  if (change.kind === SECOND_FACTORS || change.activeAt === undefined) return change;
  return { ...change, activeAt: instant(change.activeAt) };
}
