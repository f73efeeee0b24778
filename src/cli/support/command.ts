// What a command is, and how a command line finds and runs it: help, wrong usage, exit codes.

import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { ConfigurationError } from '#config/configuration-error.ts';
import { traceCommand } from '#server/tracing/trace-command.ts';
import { hygie, usage } from '#shared/hygie-command.ts';
import { redactText } from '#shared/log/redaction.ts';
import { Refusal, UsageError } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import { currentContext } from '#shared/request-context.ts';
import { VERSION } from '#shared/version.ts';

/** Exit codes: 0 done, 1 refused, 2 wrong usage. Data goes to standard output, messages to standard error. */
export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Whether it is no trace of its own: a service traces its requests, and its health is asked for all day. */
  untraced?: true;
  /** Whole text of `NAME --help`. */
  help: string;
  /** Of `NAME ACTION --help`, where the actions are too many for one text. */
  actionHelp?: Readonly<Record<string, string>>;
  /** Resolves with the exit code. May throw `UsageError` (2), `Refusal` (1), or anything else (1, with its message). */
  run(args: readonly string[]): Promise<number>;
}

/** Commands by name, loaded when called, so that a short command does not pay for the whole service. */
export type CommandTable = Readonly<Record<string, () => Promise<Command>>>;

/** Parses options strictly; anything unknown, or a value where none belongs, is a `UsageError`. */
export function parseOptions<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = (error as Error).message.replace(/\. To specify a positional argument.*$/s, '');
    throw new UsageError(message);
  }
}

/** The action that the first word after a command names; any other word is a `UsageError`. */
export function findAction<Action>(actions: Readonly<Record<string, Action>>, name: string | undefined): Action {
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action) {
    currentContext()?.span?.set({ 'hygie.action': String(name) });
    return action;
  }
  const known = Object.keys(actions).join(', ');
  throw new UsageError(name === undefined ? `Say what to do: ${known}.` : `Unknown action "${name}". Known: ${known}.`);
}

/** Runs the command named by the first argument; prints help, version and errors; never throws. Resolves with the exit code. */
export async function runCommandLine(table: CommandTable, args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === undefined) {
      process.stderr.write(await helpOfAll(table));
      return 2;
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      const [topic, action] = name === 'help' ? rest : [];
      process.stdout.write(topic === undefined ? await helpOfAll(table) : helpOf(await find(table, topic), action));
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
    if (command.untraced) return await command.run(rest);
    return await traceCommand(name, process.env, printNotice, () => command.run(rest));
  } catch (error) {
    const isCommand = name !== undefined && Object.hasOwn(table, name);
    return report(error, hygie(isCommand ? `${name} --help` : '--help'));
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

/** `action`: what stands behind its name, which may be anything. */
function helpOf({ help, actionHelp = {} }: Command, action = ''): string {
  const text = Object.hasOwn(actionHelp, action) ? actionHelp[action] : undefined;
  return `${(text ?? help).trim()}\n`;
}

async function find(table: CommandTable, name: string): Promise<Command> {
  const load = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!load) throw new UsageError(`There is no command "${name}". Commands: ${Object.keys(table).join(', ')}.`);
  return load();
}

async function helpOfAll(table: CommandTable): Promise<string> {
  const commands = await Promise.all(Object.values(table).map((load) => load()));
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return [
    'Hygie: sign-in and directory of health professionals',
    '',
    usage('COMMAND [OPTIONS]', 'COMMAND --help', '--version'),
    '',
    ...lines,
    '',
    'Exit codes: 0 done, 1 refused (reasons on standard error), 2 wrong usage.',
    'Configuration: config/README.md lists every key and every environment variable.',
    '',
  ].join('\n');
}

/** `help`: the command line that prints the help of the command. */
function report(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    printNotice(`${error.message}\nSee: ${help}`);
    return 2;
  }
  if (error instanceof Refusal || error instanceof ConfigurationError) {
    printNotice(error.message);
    return 1;
  }
  // An unexpected error: its text was not written for an operator and may hold values.
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  printNotice(redactText(process.env['LOG_LEVEL'] === 'debug' ? (stack ?? message) : message));
  return 1;
}
