// What an operator sees of commands, line by line, for tests that state all of it: the commands are run as the text names them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import type { Installation } from './hygie.ts';
import { inProcess } from './in-process.ts';
import { migratedInstallation } from './serving.ts';

/** What the first command says where the umask lets others read. */
const MADE_PRIVATE = /^! HYGIE_DATA .* made private /;
/** What a command says first that may change something. */
const DATABASE = '! database: DIR/data/hygie.sqlite (development)';
/** A line of standard input. */
const PASSWORD = 'tortue violette 87';

/** Texts that differ from run to run, and what stands for them. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/(\w)\1{49,}/g, '$1…'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d\b/g, 'MINUTE'],
  [/(?<=At": |Before": )\d{10}\b/g, 'SECONDS'],
  [/(?<=(?:RS256|ES256|EdDSA|cookies):? +)[\w-]{16}(?= )/g, 'KEY'],
  [/(?<=fingerprint )[\w-]{16}|(?<=secret: |before: )[\w-]{16}$/gm, 'PRINT'],
  [/(\b\d+:|"digest":")[\w-]{43}/g, '$1DIGEST'],
  [/(settings|clients) [0-9a-f]{12}\b/g, '$1 DIGEST'],
  [/\b\d{8}T\d{9}Z-[0-9a-f]+/g, 'SNAPSHOT'],
  [/(?<=in )[\d.]+ s\b/g, 'N s'],
  [/\b\d+ MB/g, 'N MB'],
  [/\(\d+ min ago\)/g, '(N min ago)'],
  [/since \d{4}-\d\d-\d\d\b/g, 'since DAY'],
  [/ +$/gm, ''],
];

/** Environment, words and standard input of a line such as `A=b accounts show "Zoé M" <<< text`. */
function callOf(line: string) {
  const [, variables = '', command = '', input = ''] = /^((?:[A-Z_]+=\S* )*)(.*?)(?: <<< (.*))?$/s.exec(line) ?? [];
  const env = Object.fromEntries(variables.matchAll(/([A-Z_]+)=(\S*)/g).map(([, name, value]) => [name, value]));
  return { env, args: [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word), input };
}

/**
 * Runs the commands that the text names and returns what it should be: each is a line that begins with `$`, followed by its standard output
 * (`> `), its standard error (`! `) and its exit code, if that is not 0, with the help that wrong usage points to. A line that begins with `#`
 * is of a command that has said first which database it changes.
 * The folder of the installation is `DIR`, `{name}` in a command is one of the values, and of a sign that is repeated fifty times one is left.
 */
async function transcriptOf(
  { folder, hygie }: Pick<Installation, 'folder' | 'hygie'>,
  text: string,
  values: Readonly<Record<string, string>>,
  renamed: (said: string) => string,
): Promise<string> {
  const blocks: string[] = [];
  for (const [, line = ''] of text.matchAll(/^[$#] (.*)$/gm)) {
    const meant = line.replaceAll(/\{([^}]+)\}/g, (_whole, name) => values[name] ?? `no value of ${name}`);
    const { env, args, input } = callOf(meant.replaceAll('DIR', folder));
    const named = { HYGIE_COMMAND: 'hygie', HYGIE_OPERATOR: 'ops', ...env };
    const { code, stdout, stderr } = await hygie(args, { input, env: named });
    const marked = (mark: string, all: string) =>
      all === ''
        ? []
        : all
            .replace(/\n$/, '')
            .replaceAll(folder, 'DIR')
            .split('\n')
            .map((one) => `${mark} ${one}`);
    const errors = marked('!', stderr).filter((one) => !MADE_PRIVATE.test(one));
    const [, help] = code === 2 ? (/^! See: hygie (.*)$/.exec(errors.at(-1) ?? '') ?? []) : [];
    if (help !== undefined) errors.pop();
    const said = [...marked('>', stdout), ...errors.filter((one) => one !== DATABASE)].join('\n');
    const replaced = REPLACED.reduce((all, [pattern, stands]) => all.replaceAll(pattern, stands), renamed(said));
    blocks.push(`${errors.includes(DATABASE) ? '#' : '$'} ${line}`, replaced);
    if (code !== 0) blocks.push(`exit ${code}${help === undefined ? '' : `: ${help}`}`);
  }
  return blocks.filter(Boolean).join('\n');
}

/** An installation of its own for each test. To be called within `describe`; what it returns holds for the test that runs. */
export function transcripts() {
  let place: Installation;
  let database: Database;
  beforeEach(async () => {
    const installed = await migratedInstallation();
    place = { ...installed, hygie: inProcess(installed) };
    database = openDatabase({ engine: 'sqlite', file: join(place.folder, 'data', 'hygie.sqlite') });
  });
  afterEach(() => database.destroy());
  const hygie: Installation['hygie'] = (...call) => place.hygie(...call);
  const at = (name: string) => join(place.folder, name);
  return {
    hygie,
    /** Path of a file of the installation. */
    at,
    database: () => database,
    configure: (name: string, text: string) => place.configure(name, text),
    file: (name: string, text: string | Buffer) => writeFileSync(at(name), text),
    /** Expects that the commands say this. `renamed` replaces, before all else, what differs from run to run for this test alone. */
    async says(
      text: string,
      values: Readonly<Record<string, string>> = {},
      renamed: (said: string) => string = (said) => said,
    ): Promise<void> {
      expect(await transcriptOf(place, text, { PASSWORD, ...values }, renamed)).toBe(text);
    },
    add: (email: string, ...more: string[]) =>
      hygie(['accounts', 'add', '--email', `${email}@n.example`, '--given', 'Zoé', '--family', 'Martin', ...more], {
        input: PASSWORD,
      }),
    /** Events of the trail with their details, and the mails that wait with theirs. */
    async left() {
      const { stdout } = await hygie(['audit', '--json']);
      const events = stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const mails = await database('mail_queue').orderBy('id');
      return {
        events: events.map(({ event, details = {}, client }) => [event, details, ...(client ? [client] : [])]),
        mails: mails.map(({ kind, topic, address, details }) => [kind, topic, address, JSON.parse(details)]),
      };
    },
  };
}
