// Writes the help of commands from their descriptions.

import { hygie } from '#shared/operator-messages.ts';
import type { Command, CommandTable, Described, Option, Runnable } from './command.ts';

/** Maximum number of characters in a line of the help. */
const WIDTH = 100;
/**
 * If a command has at most this number of actions, its help shows the usage lines of all of them. If there are more, only the help of each
 * action shows its usage.
 */
const FEW = 8;

/** Returns the help of the action `actionName`. If there is no such action, returns the help of the whole command. */
export function helpOf(command: Command, actionName = ''): string {
  const { name, actions = {} } = command;
  const one = Object.hasOwn(actions, actionName) ? actions[actionName] : undefined;
  const parts = one
    ? [usage(formsOf(`${name} ${actionName}`, one)), wrap(`${one.summary}.`), ...bodyOf(one), examplesOf(one)]
    : [
        usage(formsOfCommand(command)),
        wrap(`${command.summary}.`),
        ...(command.action ? bodyOf(command.action) : []),
        ...(command.actions
          ? [
              listOf(Object.entries(actions).map(([word, { summary }]) => [word, summary])),
              `${hygie`${name} ACTION --help`} explains an action.`,
            ]
          : []),
        paragraphs(command.text),
        examplesOf(command),
      ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

export async function helpOfAll(table: CommandTable): Promise<string> {
  const commands = await Promise.all(Object.values(table).map((load) => load()));
  return [
    'Hygie: sign-in and directory of health professionals',
    '',
    usage(['COMMAND [OPTIONS]', 'COMMAND --help', '--version']),
    '',
    listOf(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Exit codes: 0 done, 1 refused (reasons on standard error), 2 wrong usage.',
    'Configuration: config/README.md lists every key, config/environment.md every environment variable.',
    '',
  ].join('\n');
}

/** Returns the usage lines of a command, without `hygie` before them. */
function formsOfCommand({ name, action, actions = {} }: Command): string[] {
  const own = action ? formsOf(name, action) : [];
  const each = Object.entries(actions);
  if (each.length > FEW) return [...own, `${name} ACTION [OPTIONS]`];
  return [...own, ...each.flatMap(([word, one]) => formsOf(`${name} ${word}`, one))];
}

export function formsOf(title: string, { forms, args = {}, options = {} }: Runnable): string[] {
  if (forms) return forms.map((form) => `${title} ${form}`.trimEnd());
  const taken = Object.entries(options).map(([name, option]) =>
    option.required ? syntax(name, option) : `[${syntax(name, option)}]`,
  );
  return [[title, ...Object.keys(args), ...taken].join(' ')];
}

/** Formats an option as a user types it, followed by the placeholder of its value. */
export function syntax(name: string, { value }: Option): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Returns a row for each argument and option: its name, and its text in the help. */
export function rowsOf({ args = {}, options = {} }: Runnable): [term: string, text: string][] {
  const rows: [string, string][] = Object.entries(args).map(([name, text]) => [
    name.replace(/^\[|\](?=\.*$)|\.+$/g, ''),
    text,
  ]);
  return [...rows, ...Object.entries(options).map(([name, { text }]): [string, string] => [`--${name}`, text])];
}

function bodyOf(one: Runnable): string[] {
  const rows = rowsOf(one).filter(([, text]) => text !== '');
  return [...(rows.length > 0 ? [listOf(rows)] : []), paragraphs(one.text)];
}

/** Formats the usage lines, with which the help begins. A line that is too long continues on the next one, indented. */
function usage(forms: readonly string[]): string {
  return forms
    .map((form, index) => `${index === 0 ? 'Usage: ' : '       '}${wrap(hygie(form), WIDTH - 7, 11, / (?=--|\[)/)}`)
    .join('\n');
}

function examplesOf({ examples = [] }: Pick<Described, 'examples'>): string {
  if (examples.length === 0) return '';
  return [
    'Examples:',
    ...examples.flatMap(([words, what, before = '']) => [`  # ${what}`, `  ${before}${hygie(words)}`]),
  ].join('\n');
}

function paragraphs(text = ''): string {
  return text
    .trim()
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line)))
    .join('\n');
}

/** Formats a list of terms, with the text of each beside it, aligned. */
function listOf(rows: readonly (readonly [term: string, text: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length)) + 4;
  return rows.map(([term, text]) => `  ${term.padEnd(width - 2)}${wrap(text, WIDTH - width, width)}`).join('\n');
}

/**
 * Wraps the text at `width` characters. The lines after the first one are indented by `indent` spaces. The text is broken only where
 * `between` matches.
 */
function wrap(text: string, width = WIDTH, indent = 0, between: RegExp = / /): string {
  const lines = [''];
  for (const word of text.split(between)) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
