// Drives every action of every command, with secrets on standard input, in files, and where they do not belong.

import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMANDS } from '#cli/commands.ts';
import { inherited } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import type { Place } from '#support/hygiene/places.ts';
import type { Stage } from '#support/hygiene/stage.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import { CALLBACK, DEMO_ACCOUNTS } from '#support/service.ts';

export interface Driven {
  /** What each command printed. */
  output: Place[];
  /** `command action`, where it has actions. */
  actions: Set<string>;
}

/** Does not end: a test of its own has it as a process. */
export const NOT_DRIVEN = ['serve'];

export async function driveCommands(stage: Stage, folder: string): Promise<Driven> {
  const { canaries, engine, environment, browser, service, mailServer } = stage;
  const hygie = inProcess({ environment });
  const output: Place[] = [];
  const actions = new Set<string>();
  const run = async (line: string, input = '') => {
    const args = line.split(' ');
    const [command = '', action = ''] = args;
    actions.add(command).add(`${command} ${action}`);
    const { stdout, stderr } = await hygie(args, { input });
    output.push({ name: `command ${command} ${action}, standard output`, content: stdout });
    output.push({ name: `command ${command} ${action}, standard error`, content: stderr });
    return stdout;
  };
  const operator = (kind: string) => canaries.make(kind, 'operator');
  await writeFile(
    join(environment['HYGIE_CONFIG'] ?? '', 'clients.yaml'),
    `clients: [{ id: cabinet, name: A, type: server, callbackUrls: ['${CALLBACK}'], secrets: [{ env: CABINET_SECRET }] },
       { id: bureau, name: B, type: server, callbackUrls: ['${CALLBACK}'], secret: ${operator('client secret')} }]\n`,
  );
  environment['CABINET_SECRET'] = operator('client secret');
  if (mailServer) {
    const { host, port, user, from, security } = mailServer.settings();
    const file = join(environment['HYGIE_CONFIG'] ?? '', 'service.yaml');
    await appendFile(file, `\nmail: ${JSON.stringify({ host, port, user, from, security })}\n`);
  }
  // One of them is faulty: its secret stands in the file.
  for (const line of ['check', 'check --all', 'check --json', 'clients list', 'check --keys', 'check --instances'])
    await run(line);
  await writeFile(
    join(environment['HYGIE_CONFIG'] ?? '', 'clients.yaml'),
    `clients: [{ id: cabinet, name: A, type: server, callbackUrls: ['${CALLBACK}'], secrets: [{ env: CABINET_SECRET }] }]\n`,
  );
  const printed = await run('clients secret --json');
  canaries.note('new client secret', 'operator', (JSON.parse(printed) as { secret: string }).secret);
  for (const line of [
    'check',
    'check --all',
    'check --json',
    'clients list --json',
    'clients secret cabinet',
    'migrate --status',
  ])
    await run(line);
  for (const line of [
    'migrate',
    'migrate --status --json',
    'health',
    'health --ready',
    'keys list',
    'keys list --json',
  ])
    await run(line);
  for (const line of [
    'keys encrypt',
    'keys rotate cookies --json',
    'keys prune',
    'mail queue',
    'mail test --to somebody@clinic.example',
  ])
    await run(line);

  const person = (kind: string) => canaries.make(kind, 'added');
  const email = `${person('e-mail of an account')}@clinic.example`;
  const password = person('initial password');
  await run(`accounts add --email ${email} --given ${person('name')} --family B --password-stdin`, password);
  await run(`accounts add --email x${email} --password=${operator('password on the command line')}`);
  await run(
    `accounts add --email x${email} --name ${operator('name')} --password-stdin`,
    operator('password').slice(0, 11),
  );
  const added = browser('added');
  const first = await added.press(await added.visit(authorizationUrl(service)), 'sign-in', { login: email, password });
  const chosen = person('new password');
  if (first.html.includes('id="save-password"'))
    await added.press(first, 'save-password', { password, 'new-password': chosen, 'new-password-again': chosen });
  if (engine === 'sqlite') await drivePeopleAndEditions(stage, folder, email, run);
  for (const line of ['audit', 'audit --json --limit 100000', 'audit verify', 'audit export']) await run(line);
  const backup = join(folder, 'backup');
  for (const line of [
    `backup ${backup}${engine === 'postgresql' ? ' --format copy' : ''}`,
    `backup --verify ${backup} --json`,
    `restore ${backup}`,
  ])
    await run(line);
  await driveRestore(stage, folder, `restore ${backup}`, run);
  if (engine === 'postgresql') {
    await runWithWrongPassword(stage, run);
    await watchArguments(stage, folder, run);
  }
  return { output, actions };
}

/** What does not depend on the database: on one of them. */
async function drivePeopleAndEditions(
  { canaries }: Stage,
  folder: string,
  email: string,
  run: (line: string, input?: string) => Promise<string>,
): Promise<void> {
  const operator = (kind: string) => canaries.make(kind, 'operator');
  const person = (kind: string) => canaries.make(kind, 'added');
  await run(`accounts set-password ${email} --keep-password`, operator('password'));
  await run(`accounts set-name ${email} --given ${person('name')} --family C`);
  await run(`accounts set-email ${email} ${email} --email-verified`);
  await run(`accounts set-picture ${email} https://clinic.example/picture.jpg`);
  const csv = join(folder, 'accounts.csv');
  const hash = `scrypt$log2N=8$${operator('password hash')}$${operator('password hash')}`;
  const rows = (hashed: string) =>
    `email,name,passwordHash\n${operator('e-mail of an account')}@clinic.example,${operator('name')},${hashed}\n`;
  for (const text of [rows(hash), rows('')]) {
    await writeFile(csv, text);
    for (const line of [`accounts import ${csv} --dry-run`, `accounts import ${csv}`]) await run(line);
  }
  const me = DEMO_ACCOUNTS[5]?.email ?? '';
  for (const action of ['show', 'sessions', 'passkeys'])
    for (const json of ['', ' --json']) await run(`accounts ${action} ${me}${json}`);
  for (const line of [
    'list',
    'list --unlinked --json',
    `link ${email} --practitioner 819082680976`,
    `unlink ${email} --practitioner 819082680976`,
    `invite ${email}`,
    `unlock ${email}`,
    `withdraw ${me} --client server`,
    `disable ${email}`,
    `enable ${email}`,
    `remove-second-factor ${me}`,
    `remove-passkeys ${me}`,
    `end-sessions ${email}`,
    `delete ${email}`,
    `delete ${email} --yes`,
    `show ${operator('account that is none')}`,
  ]) {
    await run(`accounts ${line}`);
  }
  await run(`sandbox --practitioners 100 --out ${folder}`);
  const edition = join(folder, 'edition.ndjson');
  const resource = { resourceType: 'Practitioner', id: '1', name: [{ family: operator('name in a register') }] };
  await writeFile(
    edition,
    `${JSON.stringify(resource)}\n{"resourceType": "Practitioner", ${operator('line of a register')}\n`,
  );
  const record = 'Practitioner/819082680976';
  for (const line of [
    `import ${edition} --dry-run`,
    'status',
    'status --json',
    `report --out ${join(folder, 'quality.txt')}`,
    `correct ${record} --mailbox ${operator('mailbox that is none')}@clinic.example --reason none`,
    `correct ${record} --reason ${operator('reason of a correction')}`,
    'corrections',
    'corrections --json',
    `correct --end 1 --reason ${operator('reason of a correction')}`,
    'rollback',
    'verify',
    'columns',
  ]) {
    await run(`directory ${line}`);
  }
}

/** Into an empty place. */
async function driveRestore(
  { engine, environment, service }: Stage,
  folder: string,
  line: string,
  run: (line: string) => Promise<string>,
): Promise<void> {
  const { DATABASE_URL: url = '', HYGIE_DATA: data = '' } = environment;
  environment['HYGIE_DATA'] = join(folder, 'restored');
  let remove = async () => {};
  if (engine === 'postgresql') {
    const empty = new URL(url);
    empty.pathname += '_restored';
    const name = empty.pathname.slice(1);
    await service.database.raw(`create database ${name}`);
    remove = () => service.database.raw(`drop database ${name} with (force)`);
    environment['DATABASE_URL'] = empty.href;
  }
  const printed = await run(line);
  await remove();
  Object.assign(environment, { HYGIE_DATA: data, ...(engine === 'postgresql' && { DATABASE_URL: url }) });
  if (!printed.startsWith('Restored: ')) throw new Error('the backup was not restored');
}

/** Runs commands with a wrong password of the database in its address. */
async function runWithWrongPassword(
  { environment, canaries }: Stage,
  run: (line: string) => Promise<string>,
): Promise<void> {
  const right = environment['DATABASE_URL'] ?? '';
  const url = new URL(right);
  url.password = canaries.make('database password', 'operator');
  environment['DATABASE_URL'] = url.href;
  for (const line of ['accounts list', 'keys list', 'check --all']) await run(line);
  environment['DATABASE_URL'] = right;
}

/** Everybody on a machine reads the arguments of its processes: a program in place of pg_dump keeps what it was started with. */
async function watchArguments(
  { environment }: Stage,
  folder: string,
  run: (line: string) => Promise<string>,
): Promise<void> {
  const programs = join(folder, 'programs');
  await mkdir(programs);
  const script = `#!/bin/sh\necho "pg_dump (PostgreSQL) 99.0"\necho "$0 $*" >> "${programs}/arguments"\n`;
  await writeFile(join(programs, 'pg_dump'), script, { mode: 0o755 });
  environment['PATH'] = `${programs}:${inherited()['PATH']}`;
  await run(`backup ${join(folder, 'dumped')} --format pg_dump`);
  if (!(await readFile(join(programs, 'arguments'), 'utf8')).includes('--snapshot='))
    throw new Error('pg_dump was not started');
}

/** Every command, and each action of those that have some, as they say themselves when none is named. */
export async function actionsOfCommands({ environment }: Pick<Stage, 'environment'>): Promise<string[]> {
  const hygie = inProcess({ environment });
  const found: string[] = [];
  for (const command of Object.keys(COMMANDS).filter((name) => !NOT_DRIVEN.includes(name))) {
    found.push(command);
    const { stdout } = await hygie([command, '--help']);
    // A second word: the first one alone would be a folder to `backup` and `restore`.
    const { stderr } = await hygie([command, 'no-such-action', 'another']);
    const [, known = ''] = /(?:Known: |^directory does )([\w, -]+?)(?:, not|\.)/m.exec(stderr) ?? [];
    const named = known.split(', ');
    const usage = [...stdout.matchAll(new RegExp(`-- ${command} ([a-z][a-z-]+)`, 'g'))].map(
      ([, action = '']) => action,
    );
    for (const action of new Set([...named, ...usage])) found.push(`${command} ${action}`.trim());
  }
  return found;
}
