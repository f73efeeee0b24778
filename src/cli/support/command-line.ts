// Runs a command line: finds the command and its action, checks options and arguments against their description, prints help, wrong usage
// and errors, and returns the exit code.

import { parseArgs } from 'node:util';
import { ConfigurationError } from '#config/configuration-error.ts';
import { traceCommand } from '#server/tracing/open-tracing.ts';
import { redactText } from '#shared/log/redaction.ts';
import { hygie, printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { currentContext } from '#shared/request-context.ts';
import { VERSION } from '#shared/version.ts';
import type { Command, CommandTable, Options, Runnable } from './command.ts';
import { helpOf, helpOfAll } from './help.ts';
import { json } from './output.ts';

/** Runs the command that the first argument names. Resolves with the exit code. Never throws, because errors are printed here. */
export async function runCommandLine(table: CommandTable, args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === undefined) {
      process.stderr.write(await helpOfAll(table));
      return 2;
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      const [topic, actionName] = name === 'help' ? rest : [];
      process.stdout.write(topic === undefined ? await helpOfAll(table) : helpOf(await find(table, topic), actionName));
      return 0;
    }
    if (name === '--version' || name === '-v') {
      process.stdout.write(`${VERSION}\n`);
      return 0;
    }
    const command = await find(table, name);
    if (asksForHelp(rest)) {
      process.stdout.write(helpOf(command, rest[0]));
      return 0;
    }
    if (command.untraced) return await runCommand(command, rest);
    return await traceCommand(name, process.env, printNotice, () => runCommand(command, rest));
  } catch (error) {
    return report(error, await helpFor(table, name, rest[0]));
  }
}

async function runCommand({ name, action: own, actions = {} }: Command, args: readonly string[]): Promise<number> {
  const [word] = args;
  const named = word !== undefined && Object.hasOwn(actions, word) ? actions[word] : undefined;
  if (named) {
    currentContext()?.span?.set({ 'hygie.action': String(word) });
    return runAction(`${name} ${word}`, named, args.slice(1));
  }
  if (own) return runAction(name, own, args);
  const known = Object.keys(actions).join(', ');
  const isWord = word !== undefined && !word.startsWith('-');
  throw new UsageError(isWord ? `Unknown action "${word}". Known: ${known}.` : `Say what to do: ${known}.`);
}

/** Runs an action. `title` is its full name, with the name of the command. */
async function runAction(title: string, described: Runnable, words: readonly string[]): Promise<number> {
  try {
    return await checkAndRun(title, described, words);
  } catch (error) {
    // If wrong usage was found, the options may not have been parsed. So `--json` is looked for in the raw words of the command line.
    const printed = error instanceof UsageError && isGiven(words, '--json') && described.wrongUsage?.(error);
    if (printed) process.stdout.write(json(printed));
    throw error;
  }
}

/** Checks options and arguments against the description of the action. Then runs the action, and resolves with the exit code. */
async function checkAndRun(title: string, described: Runnable, words: readonly string[]): Promise<number> {
  const { options = {}, args = {}, dashed, run } = described;
  const behind = dashed ? words.filter((word) => dashed.test(word)) : [];
  const before = words.filter((word) => !behind.includes(word));
  const { values, positionals } = parse(options, behind.length > 0 ? [...before, '--', ...behind] : before);
  const names = Object.keys(args);
  const missing = names
    .filter((name) => !name.startsWith('['))
    .slice(positionals.length)
    .map((name) => name.replace(/\.+$/, ''));
  const surplus = names.some((name) => name.endsWith('...')) ? undefined : positionals[names.length];
  for (const [name, { required, fits }] of Object.entries(options)) {
    const given = values[name];
    if (required && given === undefined) missing.push(fits ? `--${name} (${fits[1]})` : `--${name}`);
    for (const value of [given ?? []].flat())
      if (fits && !fits[0].test(String(value))) throw new UsageError(`--${name} is ${fits[1]}, not "${value}".`);
  }
  if (missing.length > 0) throw new UsageError(`${title} needs ${missing.join(' and ')}.`);
  if (surplus !== undefined) throw new UsageError(`${title} does not take "${surplus}".`);
  return (await run(values, positionals)) ?? 0;
}

function parse(options: Options, words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/\. To specify a positional argument.*$/s, ''));
  }
}

function asksForHelp(args: readonly string[]): boolean {
  return isGiven(args, '--help') || isGiven(args, '-h');
}

function isGiven(args: readonly string[], option: string): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes(option);
}

async function find(table: CommandTable, name: string): Promise<Command> {
  const load = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!load) throw new UsageError(`There is no command "${name}". Commands: ${Object.keys(table).join(', ')}.`);
  return load();
}

/**
 * Returns the command line that prints help about the action `word` of the command `name`. If there is no such action, it prints help about
 * the command. If there is no such command, it prints help about all commands.
 */
async function helpFor(table: CommandTable, name = '', word = ''): Promise<string> {
  if (!Object.hasOwn(table, name)) return hygie('--help');
  const { actions = {} } = await find(table, name);
  return Object.hasOwn(actions, word) ? hygie`${name} ${word} --help` : hygie`${name} --help`;
}

function report(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    printNotice(`${error.message}\nSee: ${help}`);
    return 2;
  }
  if (error instanceof Refusal || error instanceof ConfigurationError) {
    printNotice(error.message);
    return 1;
  }
  // The error is unexpected, so its text was not written for an operator. Secrets in it are masked, and its stack is printed only if
  // `LOG_LEVEL` is `debug`.
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  printNotice(redactText(process.env['LOG_LEVEL'] === 'debug' ? (stack ?? message) : message));
  return 1;
}
