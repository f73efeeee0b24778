// operations.md, "npm run -s hygie -- <command>": every command that the terminal, the help, the log, the pages and the documents
// name exists as it is named, and can be run from where it was printed.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { COMMANDS } from '#cli/commands.ts';
import { formsOf } from '#cli/support/help.ts';
import { inherited, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { argumentsOf, commandsIn } from '#support/cli/printed-commands.ts';
import { shipped } from '#support/config/shipped.ts';
import { newFolder } from '#support/new-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const NAMES = Object.keys(COMMANDS);
const TEXT = /\.(ts|js|md|ya?ml|json|css|sql|sh|service|conf)$|file$/;
/** Places where people read commands, in a checkout or at an address. */
const PLACES = 'src seeds config docs deploy README.md CONTRIBUTING.md CHANGELOG.md Dockerfile'.split(' ');

/** Written for the container or the unit, which have a program of that name, and the handbook, which says so. */
const HAVE_IT = /^(Dockerfile$|deploy\/|docs\/operating\/)/;

const texts = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => PLACES.includes(name))
  .flatMap((entry) =>
    entry.isFile()
      ? [entry.name]
      : readdirSync(join(ROOT, entry.name), { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile() && TEXT.test(one.name))
          .map((one) => join(one.parentPath, one.name).slice(ROOT.length + 1)),
  )
  .map((file) => ({ file, text: textOf(file) }));

function textOf(file: string): string {
  const text = file.startsWith('config/')
    ? shipped(file.slice('config/'.length))
    : readFileSync(join(ROOT, file), 'utf8');
  // Names of spans, which are no commands.
  return file.endsWith('tracing.md') ? text.replace(/^\| `(directory|hygie) .*$/gm, '') : text;
}

/** Stands in these tests before every command. */
const OWN = 'operate hygie --';

// Without a database, so that nothing is done: 2 is what the command table does not take, 1 that the database is not there.
const place = installation({ HYGIE_COMMAND: OWN, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
// An import would wait for it.
place.configure('service.yaml', 'database: { waitAtStart: 0s }');

/** `topic`: the name alone is taken as well, of a command that needs more. */
async function isTaken(words: readonly string[], topic: boolean): Promise<boolean> {
  const args = argumentsOf(words).filter(Boolean);
  if (args[0] === 'serve') return args.length === 1 || args[1] === '--help';
  // Needs no database: where there is something already, it is refused as well.
  if (args[0] === 'sandbox') args.push('--out', place.folder);
  const { code, stderr } = await inProcess(place)(args);
  return code !== 2 || (topic && / needs /.test(stderr));
}

/** Those that are not taken, each once. */
async function refused(commands: readonly string[][], { topic = false } = {}): Promise<string[]> {
  const each = new Map(commands.map((words) => [words.join(' '), words]));
  const wrong: string[] = [];
  for (const [command, words] of each) if (!(await isTaken(words, topic))) wrong.push(command);
  return wrong;
}

describe('commands that texts name', () => {
  it('the test itself finds commands in sentences, and tells one that does not exist', async () => {
    const text = 'Run npm run -s hygie -- keys encrypt. Or `npm run -s hygie -- accounts nope E` and so on.';
    expect(commandsIn(text)).toEqual([
      ['keys', 'encrypt'],
      ['accounts', 'nope', 'E'],
    ]);
    expect(await refused(commandsIn(text))).toEqual(['accounts nope E']);
    const form = 'npm run -s hygie -- keys rotate [RS256 | ES256 | cookies]... [--now] [--json]';
    expect(argumentsOf(commandsIn(form)[0] ?? [])).toEqual(['keys', 'rotate', 'RS256', '--now', '--json']);
    const quoted = 'npm run -s hygie -- a b --phone "05 36" --in all --why "has moved"\n';
    const read = ['a', 'b', '--phone', '05 36', '--in', 'all', '--why', 'has moved'];
    expect(argumentsOf(commandsIn(quoted)[0] ?? [])).toEqual(read);
    const broken = 'npm run -s hygie -- a b R [--phone NUMBER|all]\n           [--ends DAY] --json\n  --other';
    expect(argumentsOf(commandsIn(broken)[0] ?? []).join(' ')).toBe('a b R --phone all --ends 2099-12-31 --json');
  });

  it('are taken by the command table: those of source, configuration and documents', async () => {
    const commands = texts.flatMap(({ text }) => commandsIn(text));
    expect(commands.length).toBeGreaterThan(70);
    expect(await refused(commands)).toEqual([]);
  });

  it('so are the forms and examples of all help', async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    const lines = commands.flatMap(({ name, action, actions = {}, examples = [] }) => [
      ...(action ? formsOf(name, action) : []),
      ...Object.entries(actions).flatMap(([word, one]) => formsOf(`${name} ${word}`, one)),
      ...[examples, ...Object.values(actions).map((one) => one.examples ?? [])].flat().map(([words]) => words),
    ]);
    expect(lines.length).toBeGreaterThan(60);
    const wrong = await refused(lines.map((line) => line.replace(/ \| less$/, '').split(' ')));
    expect(wrong).toEqual([]);
  });

  it('so are the short forms of tables and sentences, without what stands before', async () => {
    const spans = texts
      .filter(({ file }) => file.endsWith('.md') && !file.startsWith('CHANGELOG'))
      .flatMap(({ text }) => [...text.matchAll(/(?<!`)`([a-z]+ [^`\n]+)`(?!`)/g)].map(([, span = '']) => span))
      .filter((span) => NAMES.includes(span.split(' ', 1)[0] ?? ''));
    expect(spans.length).toBeGreaterThan(30);
    const commands = spans.map((span) => span.split(' '));
    expect(await refused(commands, { topic: true })).toEqual([]);
  });

  const bare = new RegExp(`(?<!run -s |[\\w./-])hygie (?=(${NAMES.join('|')})\\b(?! (trail|seals)))`, 'g');
  it('have what has to stand before them: nobody has a program named hygie, and npx would fetch another', () => {
    const outside = texts.filter(({ file }) => !HAVE_IT.test(file));
    const said = outside.map(({ file, text }) => ({ file, text: text.replace(/docker exec \w+ hygie /g, '') }));
    expect(said.filter(({ text }) => text.search(bare) >= 0).map(({ file }) => file)).toEqual([]);
    expect(said.filter(({ text }) => /npx hygie [a-zA-Z-]*(COMMAND|--)/.test(text)).map(({ file }) => file)).toEqual(
      [],
    );
  });

  it('the container and the unit have that program, and messages there name it', async () => {
    const have = texts.filter(({ file }) => HAVE_IT.test(file));
    const had = (name: string) => have.find(({ file }) => file === name)?.text ?? '';
    for (const file of ['Dockerfile', 'deploy/hygie@.service', 'deploy/hygie.sh']) {
      expect([file, had(file)]).toEqual([file, expect.stringMatching(/\bHYGIE_COMMAND=hygie\b/)]);
    }
    expect(had('Dockerfile')).toContain('ln -s /hygie/src/launch.js /usr/local/bin/hygie');
    expect(had('deploy/hygie.sh')).toContain('/usr/local/bin/hygie');
    const said = texts.flatMap(({ text }) => text.match(/docker exec \w+ hygie .*/g) ?? []);
    const all = [...have.map(({ text }) => text), ...said];
    const named = all.flatMap((text) => commandsIn(text.replace(bare, 'npm run -s hygie -- ')));
    expect(named.length).toBeGreaterThan(5);
    // In sentences, backup is named without its folder.
    const [alone, whole] = [named.filter(({ length }) => length === 1), named.filter(({ length }) => length > 1)];
    expect([...(await refused(whole)), ...(await refused(alone, { topic: true }))]).toEqual([]);
  });

  it('in the source never hold a value that is not quoted: hygie(`...`) would do that', () => {
    expect(texts.filter(({ file, text }) => file.startsWith('src/') && /\bhygie\(`/.test(text))).toEqual([]);
  });

  it('in the source are written by hygie(), but for descriptions that documents are made of', () => {
    const literal = texts.filter(
      ({ file, text }) => /^src\/.*\.ts$/.test(file) && text.includes('npm run -s hygie --'),
    );
    expect(literal.map(({ file }) => file).sort()).toEqual([
      'src/config/clients/client-schema.ts',
      'src/config/environment/environment.ts',
      'src/config/service/service-schema.ts',
      'src/import/registers/column-documentation.ts',
      'src/shared/operator-messages.ts',
    ]);
  });
});

describe('commands that are printed', () => {
  it('by help, verdict and errors are as HYGIE_COMMAND says, and are taken', async () => {
    const other = installation({ HYGIE_COMMAND: OWN });
    const within = inProcess(other);
    const helps = await Promise.all(NAMES.map((name) => within([name, '--help'])));
    expect(helps.map(({ stdout }) => stdout.match(/^Usage: /gm)?.length)).toEqual(NAMES.map(() => 1));
    const runs = [['--help'], ['check'], ['check', '--all'], ['chek']];
    const wrong = [
      ['accounts', 'nope'],
      ['accounts', 'list'],
      ['clients', 'secret', 'nobody'],
      ['directory', 'status'],
    ];
    const outcomes = await Promise.all([...runs, ...wrong].map((args) => within(args)));
    other.configure('clients.yaml', 'clients: [{ id: a, name: A, type: server }]');
    const said = [...helps, ...outcomes, await within(['check'])]
      .map(({ stdout, stderr }) => stdout + stderr)
      .join('\n');
    expect(said).not.toMatch(/npm run|launch\.js/);
    const commands = commandsIn(said.replaceAll(OWN, 'npm run -s hygie --'));
    expect(commands.length).toBeGreaterThan(25);
    expect(await refused(commands)).toEqual([]);
  });

  const odd = newFolder();
  beforeAll(() => symlinkSync(ROOT, join(odd, "o'hygie 1")));

  /** Runs what a wrong command tells its operator to run, where it was told. */
  async function follow(printed: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> {
    const [, command = ''] = /^See: (.*)$/m.exec(printed) ?? [];
    const { stdout } = await promisify(execFile)('sh', ['-c', command], options);
    return `${command}: ${stdout.split('\n')[0]}`;
  }

  it.each([
    ["in Hygie's folder", ROOT, ROOT, 'node src/launch.js'],
    ['from elsewhere', ROOT, '/', `node ${join(ROOT, 'src/launch.js')}`],
    [
      'in a folder whose name has a space and a quotation mark',
      join(odd, "o'hygie 1"),
      '/',
      `node '${odd}/o'\\''hygie 1/src/launch.js'`,
    ],
  ])('without npm, as in a container or a unit, %s', async (_where, root, cwd, prefix) => {
    const { npm_package_json: _, ...env } = inherited();
    const options = { cwd, env: { ...env, PATH: `${join(process.execPath, '..')}:${env['PATH']}` } };
    const links = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const wrong = promisify(execFile)(process.execPath, [...links, join(root, 'src/launch.js'), 'nope'], options);
    const { stderr } = await wrong.catch((error: { stderr: string }) => error);
    expect(await follow(stderr, options)).toBe(
      `${prefix} --help: Hygie: sign-in and directory of health professionals`,
    );
  });

  it("by npm's script in a checkout, also when another package's script has started it", async () => {
    const { hygie: npm, remove } = installation();
    const { stderr } = await npm(['nope']);
    expect(stderr).toMatch(/^See: npm run -s hygie -- --help$/m);
    const foreign = await npm(['nope'], { env: { npm_package_json: '/elsewhere/package.json' } });
    expect(foreign.stderr).toMatch(/^See: node \S*src\/launch\.js --help$/m);
    remove();
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    expect(scripts).toMatchObject({ hygie: expect.stringMatching(/node src\/launch\.js$/) });
  });
});
