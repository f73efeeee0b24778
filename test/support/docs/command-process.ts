// A process that runs what pages' shells call: Hygie's commands with modules that are loaded once, and stand-ins for programs that
// a test may not run. Requests arrive as files, the begin of whose paths is written to a named pipe (`shim.sh`). Started by `places.ts`.

import { closeSync, createReadStream, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { COMMANDS } from '#cli/commands.ts';
import { runCommandLine } from '#cli/support/command-line.ts';
import { createMissingKeys } from '#openid/keys/key-changes.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { applyYaml } from './apply-yaml.ts';
import { type Answer, type Call, killGroup, ownProgram } from './call.ts';
import { container, copies, installFiles, namedFiles } from './programs/files.ts';
import { killServices, stopAll, systemctl } from './programs/systemctl.ts';
import { STAND_INS } from './stand-ins.ts';

process.umask(0o077);
const [pipes = '', repository = ''] = process.argv.slice(2);

/** Commands that go on until they are stopped. */
const ENDLESS = (args: readonly string[]) => args[0] === 'serve' || args.some((arg) => /^--(follow|watch)$/.test(arg));

async function hygie(call: Call): Promise<Answer> {
  if (ENDLESS(call.args)) return { exec: [process.execPath, join(repository, 'src/launch.js'), ...call.args] };
  const own = { env: process.env, stdin: process.stdin, cwd: process.cwd() };
  const written = { stdout: '', stderr: '' };
  const writers = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = ((text: string) => {
      written[name] += String(text);
      return true;
    }) as typeof process.stdout.write;
  }
  process.env = call.env;
  process.chdir(call.cwd);
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(call.stdin)]), configurable: true });
  try {
    const code = await runCommandLine(COMMANDS, call.args);
    return { code, ...written };
  } finally {
    process.env = own.env;
    process.chdir(own.cwd);
    Object.defineProperty(process, 'stdin', { value: own.stdin, configurable: true });
    process.stdout.write = writers.stdout;
    process.stderr.write = writers.stderr;
  }
}

async function npm(call: Call): Promise<Answer> {
  const [action = '', ...rest] = call.args;
  const byNpm = { ...call, env: { ...call.env, npm_package_json: join(repository, 'package.json') } };
  if (action === 'run' && rest.includes('hygie')) return hygie({ ...byNpm, args: rest.slice(rest.indexOf('--') + 1) });
  if (action === 'start') return systemctl({ ...byNpm, args: ['start', 'npm'] }, repository);
  // The run itself; and what asks a registry.
  if (action === 'test' || (action === 'run' && rest.includes('audit'))) return {};
  if (action === 'ci') return namedFiles({ ...call, args: [join(call.cwd, 'package-lock.json')] });
  if (action === 'run') return script(call, rest.find((word) => !word.startsWith('-')) ?? '');
  return { exec: ownProgram(call, 'npm', '--prefix', repository, ...call.args) };
}

/** A script of package.json without npm itself, which takes as long as the script. */
function script(call: Call, name: string): Answer {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  if (scripts[name] === undefined) return { code: 1, stderr: `npm: Missing script: "${name}"\n` };
  return { exec: ownProgram(call, 'sh', '-c', `cd '${repository}' && ${scripts[name]}`) };
}

/** `sudo`, `runuser`: the words after their options. */
function prefixed({ args }: Call): string[] {
  const separator = args.indexOf('--');
  if (separator >= 0) return args.slice(separator + 1);
  let index = 0;
  while (args[index]?.startsWith('-')) index += /^-[ugU]$/.test(args[index] ?? '') ? 2 : 1;
  return args.slice(index);
}

async function answer(call: Call): Promise<Answer> {
  if (call.name === 'apply-yaml') return applyYaml(call);
  if (call.name === 'make-keys') return makeKeys(call);
  switch (STAND_INS[call.name]?.by) {
    case 'hygie':
      return hygie(call);
    case 'npm':
      return npm(call);
    case 'systemctl':
      return systemctl(call, repository);
    case 'container':
      return container(call, repository, (args) => hygie({ ...call, args }));
    case 'install':
      return installFiles(call);
    case 'files':
      return namedFiles(call);
    case 'git':
      return call.args[0] === 'clone' ? copies(repository, call) : { exec: ['git', '-C', repository, ...call.args] };
    case 'prefix': {
      const [program = '', script = '', ...args] = prefixed(call);
      if (program === 'node' && script.endsWith('launch.js')) return hygie({ ...call, args });
      return { exec: prefixed(call) };
    }
    default:
      return {};
  }
}

/** Makes the keys, as the first start of a service does. */
async function makeKeys(call: Call): Promise<Answer> {
  const own = process.env;
  process.env = call.env;
  try {
    await withCurrentDatabase((database, settings) => createMissingKeys(openKeyVault(database, settings)));
    return {};
  } finally {
    process.env = own;
  }
}

async function serve(request: string): Promise<void> {
  const file = (name: string) => `${request}.${name}`;
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const [name = '', ...args] = read('args').split('\0').slice(0, -1);
  const pairs = read('env')
    .split('\0')
    .slice(0, -1)
    .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  const call = { name, args, env: Object.fromEntries(pairs), cwd: read('cwd').trim(), stdin: read('stdin') };
  const {
    code = 0,
    stdout = '',
    stderr = '',
    exec,
  } = await answer(call).catch(
    (error: unknown): Answer => ({
      code: 1,
      stderr: `${error instanceof Error ? error.stack : error}\n`,
    }),
  );
  writeFileSync(file('stdout'), stdout);
  writeFileSync(file('stderr'), stderr);
  if (exec) writeFileSync(file('exec'), exec.map((word) => `${word}\0`).join(''));
  if (!existsSync(file('done'))) return;
  // Opened for both ends, and not closed yet: so nothing waits for a shell that is gone, or that does not read yet.
  const answered = openSync(file('done'), 'r+');
  writeSync(answered, `${exec ? 'exec' : code}\n`);
  open.push(answered);
}

/** Pipes of the page that runs, and groups of its processes. */
const open: number[] = [];
const groups = new Set<number>();

process.on('message', async ({ group, done }: { group?: number; done?: string }) => {
  if (group !== undefined) groups.add(group);
  if (done === undefined) return;
  groups.clear();
  for (const pipe of open.splice(0)) closeSync(pipe);
  // A page is done: its services end, for they would go on with the next page's database.
  await stopAll(done);
  process.send?.('stopped');
});

/** Ends with the test's process, however that ends, and with all that pages have started. */
function end(): void {
  for (const group of groups) killGroup(group);
  killServices();
  // `process.exit` would wait for the thread that reads the queue.
  process.kill(process.pid, 'SIGKILL');
}
for (const event of ['disconnect', 'SIGINT', 'SIGTERM', 'SIGHUP']) process.on(event, end);

let last: Promise<unknown> = Promise.resolve();
// Both ends are open, so that the pipe does not end between two shells.
createInterface({ input: createReadStream(join(pipes, 'queue'), { flags: 'r+' }) }).on('line', (request) => {
  last = last.then(() => serve(request));
});
process.send?.('ready');
