// Finds accounts, and shows them with their sessions and passkeys.

import { columns, instant, json } from '#cli/support/output.ts';
import { describeSession } from '#openid/sessions/account-sessions.ts';
import { hygie, printNotice, Refusal } from '#shared/operator-messages.ts';
import { type Account, loginOf } from '#store/accounts/account-row.ts';
import { type Accounts, accountPages } from '#store/accounts/accounts.ts';
import { changeIn } from '#store/accounts/links/link-changes.ts';
import { UUID } from './account-fields.ts';
import type { ListOptions } from './options.ts';
import type { People } from './people.ts';

/** Prints all accounts, as a table or as JSON. */
export async function list(accounts: People, options: ListOptions): Promise<void> {
  const all: Account[] = [];
  const deletionRequested = options['deletion-requested'] ?? false;
  for await (const page of accountPages(accounts, { deletionRequested })) all.push(...page);
  if (options.json) {
    process.stdout.write(json(all));
    return;
  }
  const invited = await accounts.invited();
  const password = ({ id, hasPassword }: Account) => {
    if (hasPassword) return 'yes';
    return invited.has(id) ? 'invited' : 'no';
  };
  const rows = all.map((account) => {
    const { id, email = '', name, status, deletionRequestedAt = 0 } = account;
    return [id, email, name, status, deletionRequested ? instant(deletionRequestedAt) : password(account)];
  });
  const last = deletionRequested ? 'DELETION REQUESTED' : 'PASSWORD';
  process.stdout.write(columns(['ID', 'EMAIL', 'NAME', 'STATUS', last], rows));
}

/** Prints one account: its second factor, its consents, and whether its sign-ins are paused. */
export async function show(accounts: People, options: ListOptions, who: string): Promise<void> {
  const { login: _, ...account } = await findAccount(accounts, who);
  const paused = await accounts.pausedUntil(account);
  const consents = await accounts.consentsOf(account.id);
  const secondFactor = await accounts.secondFactorOf(account.id);
  const passkeys = (await accounts.passkeysOf(account.id)).length;
  if (options.json) {
    const pausedUntil = paused !== undefined && { pausedUntil: paused };
    process.stdout.write(json({ ...account, secondFactor: secondFactor ?? null, passkeys, consents, ...pausedUntil }));
    return;
  }
  const rows: [string, string][] = [
    ['id', account.id],
    ['email', account.email === undefined ? '' : `${account.email}${account.emailVerified ? ' (verified)' : ''}`],
    ['name', account.name],
    ['given name', account.given ?? ''],
    ['family name', account.family ?? ''],
    ['nickname', account.nickname ?? ''],
    ['picture', account.picture ?? ''],
    ['profile', account.profile ?? ''],
    ['language', account.language ?? ''],
    ['practitioners', account.practitioners.map((id) => `Practitioner/${id}`).join(' ')],
    ['workspaces', account.workspaces.map((id) => `Organization/${id}`).join(' ')],
    ['current workspace', account.currentWorkspace ? `Organization/${account.currentWorkspace}` : ''],
    ['links that do not hold', await unlinkedText(accounts, account)],
    ['status', account.status],
    [
      'deletion',
      account.deletionRequestedAt === undefined
        ? ''
        : `requested ${instant(account.deletionRequestedAt)}; ${hygie`accounts delete ${account.id}`}`,
    ],
    ['password', passwordText(account, (await accounts.invited()).has(account.id))],
    ['passkeys', passkeys === 0 ? 'none' : `${passkeys}; ${hygie`accounts passkeys ${account.id}`}`],
    ['second factor', secondFactorText(secondFactor, passkeys, accounts.secondFactorRequired)],
    [
      'sign-in',
      paused === undefined
        ? ''
        : `paused until ${instant(paused)}, after failed sign-ins; ${hygie`accounts unlock ${account.id}`}`,
    ],
    ...consents.map(({ clientId, scopes }): [string, string] => [`allowed ${clientId}`, scopes.join(' ')]),
    ['signed out everywhere', account.sessionsNotBefore === undefined ? '' : instant(account.sessionsNotBefore)],
    ['created', instant(account.createdAt)],
    ['updated', instant(account.updatedAt)],
  ];
  process.stdout.write(
    columns(
      ['FIELD', 'VALUE'],
      rows.filter(([, value]) => value !== ''),
    ),
  );
}

async function unlinkedText(accounts: People, { linkChanges = {} }: Account): Promise<string> {
  const edition = await accounts.editionInForce();
  const texts = Object.entries(linkChanges).flatMap(([reference, stored]) => {
    const found = changeIn(stored, edition?.id);
    return found ? [`${reference} (${found.change})`] : [];
  });
  return texts.length === 0 ? '' : `${texts.join(' ')}: ${hygie('accounts list --unlinked')}`;
}

function passwordText({ hasPassword, passwordChangeRequired }: Account, invited: boolean): string {
  if (!hasPassword) return invited ? 'none; invited to choose one' : 'none';
  return passwordChangeRequired ? 'set by an operator; another one is chosen at the next sign-in' : 'set';
}

function secondFactorText(
  factor: Awaited<ReturnType<People['secondFactorOf']>>,
  passkeys: number,
  required: boolean,
): string {
  if (!factor && passkeys > 0) return 'passkey, no authenticator app';
  if (!factor) return required ? 'none; it is set up at the next sign-in (secondFactor: required)' : 'none';
  const left = factor.recoveryCodes === 0 ? 'no recovery code left' : `recovery codes left: ${factor.recoveryCodes}`;
  return `since ${instant(factor.since)}, ${left}`;
}

/** Finds an account by UUID or e-mail address. Throws a `Refusal` if there is none. `login` is the name of the account in messages. */
export async function findAccount(
  accounts: Pick<Accounts, 'find' | 'findByEmail'>,
  who: string,
): Promise<Account & { login: string }> {
  const found = UUID.test(who) ? await accounts.find(who.toLowerCase()) : (await accounts.findByEmail(who))?.account;
  if (!found) throw new Refusal(`There is no account "${who}". See: ${hygie('accounts list')}`);
  return { ...found, login: loginOf(found) };
}

/** Says that an e-mail address belongs to another account. */
export function addressTaken(email: string): string {
  return `"${email}" has an account already. See: ${hygie`accounts show ${email}`}`;
}

/**
 * Prints the sessions of one account as a table or as JSON. Leaves out the identifiers by which the browser and the service find a session.
 */
export async function listSessions(accounts: People, options: ListOptions, who: string): Promise<void> {
  const before = await findAccount(accounts, who);
  const { id, login } = before;
  const live = await accounts.sessionsOf(id);
  // The newest sign-in comes first.
  const sessions = live.map((session) => describeSession(session, accounts.lifetimes)).reverse();
  if (options.json) {
    const shown = sessions.map(({ uid: _uid, signedInAt, used, ...session }) => ({
      device: null,
      signedIn: instant(signedInAt),
      lastUsed: instant(used.at),
      ...session,
    }));
    process.stdout.write(json(shown));
    return;
  }
  if (sessions.length === 0) return printNotice(`${login} is not signed in anywhere.`);
  const rows = sessions.map(({ device, signedInAt, used, methods, clients }) => [
    device ?? 'unknown',
    instant(signedInAt),
    `${used.orLater ? 'after ' : ''}${instant(used.at)}`,
    methods.join(' '),
    clients.join(' '),
  ]);
  process.stdout.write(columns(['DEVICE', 'SIGNED IN', 'LAST USED', 'METHODS', 'APPLICATIONS'], rows));
}

/** Lists the passkeys of an account. Leaves out keys and user handles, which are of no use to an operator. */
export async function listPasskeys(accounts: People, options: ListOptions, who: string): Promise<void> {
  const { id } = await findAccount(accounts, who);
  const passkeys = (await accounts.passkeysOf(id)).map(({ id, name, createdAt, lastUsedAt, synced, aaguid }) => {
    const times = { createdAt, ...(lastUsedAt !== undefined && { lastUsedAt }) };
    return { id, name, ...times, synced, aaguid };
  });
  if (options.json) return void process.stdout.write(json(passkeys));
  const rows = passkeys.map(({ id, name, createdAt, lastUsedAt, synced }) => [
    id,
    name,
    instant(createdAt),
    lastUsedAt === undefined ? 'never' : instant(lastUsedAt),
    synced ? 'yes' : 'no',
  ]);
  process.stdout.write(columns(['ID', 'NAME', 'CREATED', 'LAST USED', 'SYNCED'], rows));
}
